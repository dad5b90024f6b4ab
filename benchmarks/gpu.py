"""The same fits on the CPU and on a CUDA device: agreement, and times as ratios to the CPU of the same run.

Run it with `python benchmarks/gpu.py` where PyTorch sees a GPU.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import numpy as np
import torch

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Ridge, kernels


def timed(model, X, Y):
    start = time.perf_counter()
    model.fit(X, Y)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def main() -> None:
    rng = np.random.default_rng(0)
    print(f"{'model':34s} {'n':>6s} {'CPU s':>8s} {'GPU s':>8s} {'CPU/GPU':>8s} {'gap':>8s} {'difference':>10s}")
    for n in (2000, 6000, 12000):
        X = rng.uniform(-1, 1, (n, 10))
        Y = np.sin(3 * X @ rng.standard_normal((10, 14))) + 0.1 * rng.standard_normal((n, 14))
        A, B = torch.asarray(X, device="cuda"), torch.asarray(Y, device="cuda")
        for model in (Ridge(), EpsilonRidge(0.5), HuberRegressor(0.5), EpsilonSVR(0.5)):
            model.set_params(kernel=kernels.Gaussian(0.5), lam=1e-4)
            cpu = timed(model, X, Y)
            expected = model.predict(X[:100])
            timed(model, A, B)
            gpu = timed(model, A, B)
            difference = np.abs(model.predict(A[:100]).cpu().numpy() - expected).max()
            name = type(model).__name__
            print(f"{name:34s} {n:6d} {cpu:8.2f} {gpu:8.3f} {cpu / gpu:8.1f} {model.dual_gap_:8.0e} {difference:10.1e}")


if __name__ == "__main__":
    main()
