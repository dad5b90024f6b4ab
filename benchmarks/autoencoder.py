"""`python benchmarks/autoencoder.py [--runs N]`: codes of length 10 at the defaults, against scikit-learn's kernel PCA.

1000 points each time: digits by the linear and the Gaussian kernel, molecules by the Tanimoto kernel, drawn anew in
each run. Reading is by five nearest neighbours on the codes of all other points: accuracy for digits, R^2 of logP for
molecules. Times are those of the processor, one thread advised (OMP_NUM_THREADS=1), as a ratio to one kernel PCA on
the same data, measured before and after and the smaller taken.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from hilbertine import KernelAutoencoder
from hilbertine.datasets import load_drugs
from hilbertine.kernels import Gaussian, Linear, Tanimoto

N = 1000
LENGTH = 10


def seconds(act: Callable[[], Any]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def data() -> Iterator[tuple[str, Any, Any, Any, Any]]:
    """Name, points, targets, kernel and what reads the codes."""
    X, y = load_digits(return_X_y=True)
    yield "digits, linear", X, y, Linear(), KNeighborsClassifier(5)
    yield "digits, Gaussian", X, y, Gaussian(), KNeighborsClassifier(5)
    try:
        drugs = load_drugs(2000)
    except ImportError as error:
        print(f"No molecules: {error}")
        return
    logp = drugs.target[:, drugs.target_names.index("logP")]
    yield "molecules, Tanimoto", drugs.data, logp, Tanimoto(), KNeighborsRegressor(5)


def run(X: Any, y: Any, kernel: Any, reader: Any, seed: int) -> dict[str, float]:
    order = np.random.default_rng(seed).permutation(X.shape[0])
    train, test = order[:N], order[N:]
    kernel = kernel.fit(X[train])
    # Both get Gram matrices: the price of kernel values is no part of either.
    gram, rows = kernel(X[train], X[train]), kernel(X[test], X[train])
    principal = KernelPCA(LENGTH, kernel="precomputed")
    model = KernelAutoencoder(LENGTH, kernel="precomputed")
    price = seconds(lambda: principal.fit(gram))
    spent = seconds(lambda: model.fit(gram))
    price = min(price, seconds(lambda: principal.fit(gram)))

    def score(codes: Any) -> float:
        return float(reader.fit(codes(gram), y[train]).score(codes(rows), y[test]))

    lost = model.reconstruction_error(rows, kernel.diagonal(X[test]))
    spread = np.mean(kernel.diagonal(X[test]) - 2 * rows.mean(axis=1) + gram.mean())
    known = principal.transform(rows)
    return {
        "kernel PCA": score(principal.transform), "autoencoder": score(model.transform),
        "left by kernel PCA": float(1 - np.mean(np.sum(known**2, axis=1)) / spread),
        "left by autoencoder": lost / spread,
        "ratio": spent / price, "steps": float(model.n_iter_), "converged": float(model.converged_),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    for name, X, y, kernel, reader in data():
        found = [run(X, y, kernel, reader, seed) for seed in range(runs)]
        print(name)
        for key in found[0]:
            values = [each[key] for each in found]
            print(f"  {key:<22}{np.mean(values):8.3f} ± {np.std(values, ddof=1):.3f}   worst {max(values):.3f}")


if __name__ == "__main__":
    main()
