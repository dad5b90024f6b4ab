"""How big: CPU seconds and memory of a robust fit with default settings, exact and with few features.

python benchmarks/size.py ROWS [FEATURES]
"""

import resource
import sys
import time

import numpy as np

from hilbertine import HuberRegressor, kernels


def main(n: int, features: int | None = None) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 8))
    Y = np.sin(X @ rng.standard_normal((8, 5)) / 2) + 0.1 * rng.standard_normal((n, 5))
    Y[rng.random(n) < 0.1] *= 30
    kernel = None if features is None else kernels.Nystroem(kernels.Gaussian("auto"), features)
    start = time.process_time()
    model = HuberRegressor(kernel=kernel).fit(X, Y)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{n} rows, {features or 'no'} features: {seconds:.1f} CPU s, {peak:.1f} GB, gap {model.dual_gap_:.0e}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
