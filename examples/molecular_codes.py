"""Properties of molecules from codes of 20 numbers: those of a kernel autoencoder against those of kernel PCA.

Codes are learned from the Tanimoto kernel alone, without the properties. Eight nearest neighbours read them locally, a
ridge regression linearly: R^2 over five folds, on molecules that neither the codes nor the readers have seen. The
Gaussian layer that decodes them looks at distances between codes, and neighbours profit from that.
"""

from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilbertine import KernelAutoencoder, kernels
from hilbertine.datasets import load_drugs
from hilbertine.spaces import RKHS

PROPERTIES = ["logP", "molecular weight", "polar surface", "rings"]
LENGTH = 20


def codes(kernel: Any, train: Any, everything: Any) -> dict[str, Any]:
    """Codes of all molecules, learned from some."""
    model = KernelAutoencoder(LENGTH, kernel=kernel)
    return {
        "kernel PCA": RKHS(kernel, LENGTH).fit(train).encode(everything),
        "autoencoder": model.fit(train).transform(everything),
    }


def main(n: int = 500) -> dict[tuple[str, str], Any]:
    drugs = load_drugs(n)
    # Computed once: molecules are then known by their place in the Gram matrix.
    kernel, molecules = kernels.Precomputed(kernels.Tanimoto()(drugs.data, drugs.data)), np.arange(n)
    targets = drugs.target[:, [drugs.target_names.index(name) for name in PROPERTIES]]
    readers = {
        "neighbours": KNeighborsRegressor(8, weights="distance"),
        "ridge": make_pipeline(StandardScaler(), RidgeCV(np.logspace(-4, 4, 17))),
    }
    scores: dict[tuple[str, str], Any] = {}
    for train, test in KFold(5, shuffle=True, random_state=0).split(molecules):
        for name, C in codes(kernel, train, molecules).items():
            for reader, model in readers.items():
                fitted = [model.fit(C[train], y[train]).score(C[test], y[test]) for y in targets.T]
                scores.setdefault((reader, name), []).append(fitted)
    print(f"{'R^2':<24}" + "".join(f"{name:>18}" for name in PROPERTIES) + f"{'mean':>8}")
    for (reader, name), folds in scores.items():
        means = np.mean(folds, axis=0)
        print(f"{reader:<12}{name:<12}" + "".join(f"{value:18.2f}" for value in means) + f"{means.mean():8.2f}")
    return {key: np.mean(folds, axis=0) for key, folds in scores.items()}


if __name__ == "__main__":
    main()
