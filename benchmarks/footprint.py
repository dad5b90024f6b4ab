"""What a fit costs beside its input: time as a ratio to KernelRidge, peak memory in n x n arrays, and the import.

Run it with `python benchmarks/footprint.py`; nothing is asserted, everything is printed from this run.
"""

import statistics
import subprocess
import sys
import time
import tracemalloc

from datasets import yeast
from sklearn.kernel_ridge import KernelRidge

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Ridge, kernels
from hilbertine.datasets import load_yeast


def seconds(function, repeats: int = 5) -> float:
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def arrays_beside_input(function, n: int) -> float:
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak - before) / (8 * n * n)


def import_seconds(module: str) -> float:
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    runs = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    return statistics.median(runs)


def main() -> None:
    K, T = yeast()
    X, n = load_yeast("train").data, len(K)
    peer = KernelRidge(kernel="precomputed", alpha=n * 1e-3)
    models = (Ridge(), EpsilonRidge(0.1), HuberRegressor(1.0), EpsilonSVR(0.1))
    # The first fits of a process pay for its heap.
    seconds(lambda: peer.fit(K, T))
    prices = [seconds(lambda: peer.fit(K, T))]
    times = [seconds(lambda model=model: model.set_params(kernel="precomputed").fit(K, T)) for model in models]
    prices.append(seconds(lambda: peer.fit(K, T)))
    print(f"YEAST train, n = {n}, 14 outputs, lam = 1e-3; KernelRidge on the same Gram takes", end=" ")
    print(f"{prices[0]:.3f} s before, {prices[1]:.3f} s after; ratios are to the smaller")
    print(f"{'model':16s} {'time / KernelRidge':>20s} {'n x n arrays':>14s} {'from inputs':>12s} {'gap':>8s}")
    print(f"{'KernelRidge':16s} {1.0:20.2f} {arrays_beside_input(lambda: peer.fit(K, T), n):14.2f}")
    for model, spent in zip(models, times, strict=True):
        beside = arrays_beside_input(lambda model=model: model.fit(K, T), n)
        gap = model.dual_gap_
        model.set_params(kernel=kernels.Gaussian(1.0))
        whole = arrays_beside_input(lambda model=model: model.fit(X, T), n)
        print(f"{type(model).__name__:16s} {spent / min(prices):20.2f} {beside:14.2f} {whole:12.2f} {gap:8.0e}")
    base, ours = import_seconds("sklearn.base, sklearn.metrics, sklearn.model_selection"), import_seconds("hilbertine")
    print(
        f"import: hilbertine {ours:.2f} s, the scikit-learn it stands on {base:.2f} s, difference {ours - base:.2f} s"
    )
    plain = import_seconds("sklearn")
    print(f"        bare `import sklearn` {plain:.2f} s")


if __name__ == "__main__":
    main()
