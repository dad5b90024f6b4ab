"""Exact kernels where the matrix is dear: without it, with its factor, and beside others' solvers on the square loss.

Run it with `python benchmarks/exact.py`, all rows or those named: memory, sizes, peers, large. Each fit has a process
of its own, whose peak memory is that of the process less what it had before. Peers not installed are left out.
X is uniform in [-1, 1]^8, Y = sin(3 X A) with 5 columns and noise of .1, a tenth of the rows times -3; Gaussian kernel
of gamma .5, Huber with kappa .5 or the square loss, lam n = 1.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import numpy as np

from hilbertine import EpsilonRidge, HuberRegressor, Ridge, kernels
from hilbertine.matrices import Tiled
from hilbertine.operator_kernels import holding

GAMMA, SHIFT = 0.5, 1.0
# A gap of 1e-12 is a residual of about 1e-6, at which peers are told to stop.
MODELS = {"Ridge": Ridge(tol=1e-12), "Huber": HuberRegressor(0.5), "EpsilonRidge": EpsilonRidge(0.5)}


def problem(n, m=5, d=8):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, d))
    Y = np.sin(3 * X @ rng.standard_normal((d, m)) / d**0.5) + 0.1 * rng.standard_normal((n, m))
    Y[rng.random(n) < 0.1] *= -3
    return X, Y


def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def now():
    """Seconds on the clock, and of all processors: where others compute at the same time the second says more."""
    return np.array([time.perf_counter(), time.process_time()])


def residual(X, Y, W):
    """|(K + lam n I) W - Y| / |Y|, by tiles, whoever made W."""
    R = Tiled(kernels.Gaussian(GAMMA), X) @ W + SHIFT * W - Y
    return np.linalg.norm(R) / np.linalg.norm(Y)


def ours(n, name, form):
    """One fit; `form` is auto, or what is to be taken instead: dense, factored, tiled."""
    if form != "auto":
        holding.PRODUCTS = 0 if form == "tiled" else 1e9
    if form == "factored":
        holding.available = lambda like: 1.5 * 8.0 * n * n
    model = MODELS[name].set_params(kernel=kernels.Gaussian(GAMMA), lam=SHIFT / n, centre=None)
    (X, Y), before = problem(n), peak()
    start = now()
    model.fit(X, Y)
    seconds, memory = now() - start, peak() - before
    more = f"{model.n_iter_} steps, gap {model.dual_gap_:.1e}; {model.matrix_}"
    if model.matrix_.kind == "tiled":
        K = Tiled(kernels.Gaussian(GAMMA), X)
        start = now()
        _ = K @ Y
        each, products = now() - start, int(model.matrix_.detail.split()[0])
        wall, processor = seconds / (each * products)
        more += f"; {wall:.2f} times its products at {each[0]:.2f} s, {processor:.2f} in processor time"
    if name == "Ridge":
        more += f"; residual {residual(X, Y, model.dual_coef_):.0e}"
    say(f"hilbertine {name}, {form}", n, seconds, memory, more)


def kernel_ridge(n):
    from sklearn.kernel_ridge import KernelRidge

    X, Y = problem(n)
    peer(n, "KernelRidge", lambda: KernelRidge(kernel="rbf", gamma=GAMMA, alpha=SHIFT).fit(X, Y).dual_coef_)


def himalaya(n):
    from himalaya.kernel_ridge import KernelRidge

    X, Y = problem(n)
    settings = {"solver": "conjugate_gradient", "solver_params": {"tol": 1e-6, "max_iter": 2000}}
    model = KernelRidge(alpha=SHIFT, kernel="rbf", kernel_params={"gamma": GAMMA}, **settings)
    peer(n, "himalaya, conjugate gradients", lambda: model.fit(X, Y).dual_coef_)


def nystroem_pcg(n):
    """rlaopt's conjugate gradients with a randomised Nystroem preconditioner, on the stored matrix."""
    import torch
    from rlaopt.linalg import LinSys
    from rlaopt.linalg.preconditioners.nystrom import NystromConfig
    from rlaopt.solvers.pcg import PCG, PCGConfig, PCGStoppingCriteria

    torch.set_default_dtype(torch.float64)
    X, Y = (torch.asarray(A) for A in problem(n))

    def fit():
        K = torch.cdist(X, X).square_().mul_(-GAMMA).exp_()
        config = PCGConfig(preconditioner_config=NystromConfig(rank_init=1000, base_damping=SHIFT))
        found = PCG(LinSys(K, Y, SHIFT), config).solve(stopping_criteria=PCGStoppingCriteria(tol=1e-6, max_iters=2000))
        return found.solution.detach().numpy()

    peer(n, "rlaopt, Nystroem PCG", fit)


def peer(n, name, fit):
    X, Y = problem(n)
    before, start = peak(), now()
    W = np.asarray(fit())
    seconds, memory = now() - start, peak() - before
    say(name, n, seconds, memory, f"residual {residual(X, Y, W):.0e}")


def say(name, n, seconds, memory, more):
    wall, processor = seconds
    took = f"{wall:8.1f} s {processor:8.1f} processor s {memory / 1e9:6.2f} GB = {memory / 8 / n**2:5.2f} n^2"
    print(f"{name:32s} n = {n:6d} {took}  {more}", flush=True)


PEERS = {"kernel_ridge": kernel_ridge, "himalaya": himalaya, "rlaopt": nystroem_pcg}
ROWS = {
    "memory": [("ours", 8000, name, form) for name in MODELS for form in ("dense", "factored", "tiled")],
    "sizes": [("ours", 20_000, "Huber", "dense"), ("ours", 20_000, "Huber", "auto")],
    "peers": [("ours", 12_000, "Ridge", "auto"), *((name, 12_000) for name in PEERS)],
    "large": [("ours", 50_000, "Huber", "auto"), ("ours", 50_000, "Ridge", "auto")],
}


def main() -> None:
    if "--row" in sys.argv:
        name, n, *rest = sys.argv[sys.argv.index("--row") + 1 :]
        {"ours": ours, **PEERS}[name](int(n), *rest)
        return
    for group in sys.argv[1:] or ROWS:
        for row in ROWS[group]:
            done = subprocess.run(
                [sys.executable, __file__, "--row", *map(str, row)], stderr=subprocess.PIPE, text=True
            )
            if done.returncode:
                print(f"{row[0]}: {(done.stderr.strip().splitlines() or ['ended'])[-1]}", flush=True)


if __name__ == "__main__":
    main()
