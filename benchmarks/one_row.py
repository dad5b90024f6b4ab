"""What the prediction of one row costs under each output operator, which the fit has turned into numbers.

Run it with `python benchmarks/one_row.py [N [M]]`; nothing is asserted, everything is printed from this run.
"""

import sys

import numpy as np
from footprint import seconds

from hilbertine import Ridge, kernels, operator_kernels

CALLS = 50


def main(n: int = 2000, m: int = 200) -> None:
    rng = np.random.default_rng(0)
    X, B = rng.standard_normal((n, 5)), rng.standard_normal((m, m))
    Y = np.sin(X @ rng.standard_normal((5, m))) + 0.1 * rng.standard_normal((n, m))
    operators = {
        "Identity": operator_kernels.Identity(),
        "Covariance": operator_kernels.Covariance(),
        "Matrix": operator_kernels.Matrix(B @ B.T),
        "FromGram": operator_kernels.FromGram(Y @ (B @ B.T) @ Y.T),
    }
    times = {}
    for name, operator in operators.items():
        kernel = operator_kernels.Separable(kernels.Gaussian(0.1), operator)
        model = Ridge(kernel=kernel, centre=None).fit(X, Y)
        times[name] = seconds(lambda model=model: [model.predict(X[:1]) for _ in range(CALLS)]) / CALLS
    print(f"one row, n = {n}, m = {m}: Identity takes {1e3 * times['Identity']:.2f} ms")
    for name, spent in times.items():
        print(f"{name:12s} {spent / times['Identity']:6.2f} of it")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
