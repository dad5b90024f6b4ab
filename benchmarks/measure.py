"""Times as ratios inside one run."""

import statistics
import time
from dataclasses import dataclass

import numpy as np
from objective import relative_gap
from solvers import kernel_ridge


@dataclass
class Measured:
    seconds: float
    gap: float


def timed(solver, instance, tol: float, repeats: int = 1) -> Measured:
    """The median time of a solver and the gap of what it returns, certified independently."""
    times = []
    for _ in range(repeats):
        # NumPy and scipy carry a BLAS each; threads of the one spin for a while after work and slow the other.
        time.sleep(0.2)
        start = time.perf_counter()
        W = solver.solve(instance, tol)
        times.append(time.perf_counter() - start)
    return Measured(statistics.median(times), relative_gap(instance, W))


def price_of_ridge(instance, repeats: int = 7) -> float:
    """One KernelRidge fit on the same Gram; the first ones of a process pay for its heap and are not counted."""
    timed(kernel_ridge, instance, 0.0, 3)
    return timed(kernel_ridge, instance, 0.0, repeats).seconds


def geometric_mean(values) -> float:
    return float(np.exp(np.mean(np.log(values))))
