"""
Codes for molecules: what do twenty numbers keep?
=================================================

Properties of molecules from codes of 20 numbers: those of a kernel autoencoder against those of kernel PCA. Codes are
learned from the Tanimoto kernel alone, without the properties. Eight nearest neighbours read them locally, a ridge
regression linearly: R^2 over five folds, on molecules that neither the codes nor the readers have seen. The Gaussian
layer that decodes them looks at distances between codes, and neighbours profit from that.
"""

import sys
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilbertine import KernelAutoencoder, kernels
from hilbertine.datasets import load_drugs
from hilbertine.plotting import figure
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


# %%
# Codes and readers are learned from four fifths of the molecules, scores are on the last fifth.


def main(path: str | None = None, n: int = 500) -> dict[tuple[str, str], Any]:
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
    results = {key: np.mean(folds, axis=0) for key, folds in scores.items()}
    if path:
        draw(path, results)
    return results


# %%
# For each property, what is read from the two codes in the two ways.


def draw(path: str, results: dict[tuple[str, str], Any]) -> None:
    fig, axes = figure(1, 2, width=9, height=3.2)
    for ax, reader in zip(axes, ("neighbours", "ridge"), strict=True):
        for k, name in enumerate(("kernel PCA", "autoencoder")):
            ax.bar(
                np.arange(len(PROPERTIES)) + 0.4 * k - 0.2,
                results[reader, name],
                0.38,
                color=("0.7", "C0")[k],
                label=name,
            )
        ax.set_xticks(range(len(PROPERTIES)), PROPERTIES, fontsize=8)
        ax.set(title=f"read by {reader}", ylim=(0, 0.8))
    axes[0].set_ylabel("R² on unseen molecules")
    axes[0].legend(frameon=False, fontsize=8, loc="upper left")
    fig.savefig(path)


# %%

if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "molecular_codes.png")
