"""What `RowNewton` saves where outputs have high rank: CPU time of `Splitting` over its own, to the same gap.

Run it with `OMP_NUM_THREADS=1 python benchmarks/row_newton.py [N]`; nothing is asserted, everything is printed.
"""

import sys
import time
import warnings

import numpy as np
from datasets import gaussian
from measure import geometric_mean

from hilbertine.datasets import load_yeast
from hilbertine.dual import Dual
from hilbertine.losses import EpsilonSquare, Huber
from hilbertine.operator_kernels import Kronecker
from hilbertine.risk import Risk
from hilbertine.solvers import Recipe

LAMS, QUANTILES = (1e-2, 1e-3, 1e-5), (0.2, 0.8)


def seconds(solver: str, dual: Dual) -> float:
    dual = Dual(Kronecker.dense(dual.gram.entries()[0], dual.gram.shape[1]), dual.risk, dual.lam)
    start = time.process_time()
    Recipe(solver, 1e-6).solve(dual)
    return time.process_time() - start


def main(n: int = 700) -> None:
    """One half of the features of YEAST is the input, the other is seen through a Gaussian output kernel."""
    warnings.simplefilter("ignore")
    X = load_yeast("train").data[:n]
    K, (values, U) = gaussian(X[:, ::2], 1.0), np.linalg.eigh(gaussian(X[:, 1::2], 2.0))
    coordinates = (U * np.sqrt(np.clip(values, 0, None)))[:, ::-1]
    for m in (n // 4, n // 2, n):
        T = np.ascontiguousarray(coordinates[:, :m])
        ratios = {"Huber": [], "epsilon-ridge": []}
        for lam in LAMS:
            rows = np.linalg.norm(np.linalg.solve(K + lam * n * np.eye(n), lam * n * T), axis=1)
            half = 0.5 * np.median(np.linalg.norm(T, axis=1))
            for q in QUANTILES:
                for loss in (Huber(float(np.quantile(rows, q))), EpsilonSquare(float(q * half))):
                    dual = Dual(Kronecker.dense(K, m), Risk(loss, T), lam)
                    ratio = seconds("splitting", dual) / seconds("row_newton", dual)
                    ratios["Huber" if isinstance(loss, Huber) else "epsilon-ridge"].append(ratio)
        for name, found in ratios.items():
            print(f"n = {n}, m = {m}, {name}: {geometric_mean(found):.1f} (from {min(found):.1f} to {max(found):.1f})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
