"""`python benchmarks/aligned.py`: the cost of one application of the data-aligned kernels against n, in two sizes of m.

Prints the time of each over one product of the n x n Gram matrix with the same matrix, and the exponent of its growth.
"""

import time

import numpy as np

from hilbertine import operator_kernels as ok
from hilbertine.arrays import product
from hilbertine.kernels import Gaussian

SIZES = (500, 1000, 2000, 4000)
KERNELS = {
    "(ii)  AlignedWeighted": ok.AlignedWeighted(Gaussian(1.0)),
    "(iii) AlignedAnchored": ok.AlignedAnchored(Gaussian(1.0)),
    "(v)   PairAlignedWeighted": ok.PairAlignedWeighted(Gaussian(1.0)),
}


def seconds(act, repeats: int = 15) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> None:
    rng = np.random.default_rng(0)
    for m in (5, 50):
        table: dict[str, list[tuple[float, float]]] = {name: [] for name in KERNELS}
        for n in SIZES:
            X, T, W = rng.standard_normal((n, 3)), rng.standard_normal((n, m)), rng.standard_normal((n, m))
            K = Gaussian(1.0)(X, X)
            plain = seconds(lambda K=K, W=W: product(K, W))
            for name, kernel in KERNELS.items():
                gram = kernel.fit(X, T).gram()
                table[name].append((seconds(lambda gram=gram, W=W: gram @ W), plain))
        print(f"m = {m}: time over one product K W at n = {SIZES}, and the exponent of the time from n = 1000")
        for name, pairs in table.items():
            exponent = np.polyfit(np.log(SIZES[1:]), np.log([spent for spent, _ in pairs[1:]]), 1)[0]
            ratios = "  ".join(f"{spent / plain:5.2f}" for spent, plain in pairs)
            print(f"  {name:<27}{ratios}   n^{exponent:.2f}")


if __name__ == "__main__":
    main()
