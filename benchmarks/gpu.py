"""Fits on a CUDA device: exact without the kernel matrix, by its factor, by features; and beside the CPU.

Run it where PyTorch sees a GPU, all rows or those named: `python benchmarks/gpu.py exact-1e5 exact-1e5-weak`.
Everything printed is from this run. X is uniform in [-1, 1]^8, Y = sin(3 X A) with 5 columns and noise of .1, a tenth
of the rows times -3; Huber with kappa = .5 and a Gaussian kernel of gamma .5, lam n as printed.
"""

import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import numpy as np
import torch
from sklearn.base import clone

from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    KernelAutoencoder,
    RegressorCV,
    Ridge,
    StructuredPredictor,
    kernels,
    spaces,
)
from hilbertine.dual import Dual
from hilbertine.losses import Huber
from hilbertine.matrices import Dense, Tiled
from hilbertine.operator_kernels import Kronecker, holding
from hilbertine.risk import Risk
from hilbertine.solvers import Splitting


def problem(n, m=5, d=8, dtype=torch.float64):
    generator = torch.Generator(device="cuda").manual_seed(0)
    X = 2 * torch.rand((n, d), generator=generator, device="cuda", dtype=dtype) - 1
    A = torch.randn((d, m), generator=generator, device="cuda", dtype=dtype) / d**0.5
    Y = torch.sin(3 * X @ A) + 0.1 * torch.randn((n, m), generator=generator, device="cuda", dtype=dtype)
    bad = torch.rand(n, generator=generator, device="cuda") < 0.1
    return X, torch.where(bad[:, None], -3 * Y, Y)


def timed(act):
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    found = act()
    torch.cuda.synchronize()
    return found, time.perf_counter() - start, torch.cuda.max_memory_allocated() / 1e9


def say(name, seconds, memory, model):
    print(
        f"{name:26s} {seconds:8.2f} s {memory:7.1f} GB  {model.n_iter_:3d} steps  gap {model.dual_gap_:8.1e}"
        f"  {model.matrix_}",
        flush=True,
    )


def fitted(name, n, shift, tol=1e-6, kernel=None, dtype=torch.float64):
    X, Y = problem(n, dtype=dtype)
    model = HuberRegressor(0.5, kernel=kernel or kernels.Gaussian(0.5), lam=shift / n, centre=None, tol=tol)
    _, seconds, memory = timed(lambda: model.fit(X, Y))
    say(f"{name}, lam n = {shift:g}", seconds, memory, model)
    return model


def exact(n, shift, tol=1e-6):
    fitted("warm up", 20_000, 1.0)
    fitted(f"n = {n:.0e}", n, shift, tol)


def products():
    """One product with the kernel matrix, tile by tile."""
    for kernel in (kernels.Gaussian(0.5), kernels.Matern(1.5, 0.5), kernels.Laplacian(0.5)):
        for n in (100_000, 300_000):
            X, Y = problem(n)
            K = Tiled(kernel, X, Y)
            _ = K @ Y
            _, seconds, memory = timed(lambda K=K, Y=Y: K @ Y)
            print(f"product {kernel!r:34s} n = {n:.0e} {seconds:8.3f} s {memory:6.1f} GB", flush=True)


def dense(n=60_000):
    """A fit by one factor, beside one Cholesky factorisation."""
    X, Y = problem(n)
    K = Tiled(kernels.Gaussian(0.5), X, Y).tiles.matrix(1.0)
    _, factor, _ = timed(lambda K=K: torch.linalg.cholesky(K, out=K))
    del K

    def fit():
        gram = Kronecker([(Dense(Tiled(kernels.Gaussian(0.5), X, Y).tiles.matrix()), None)], 5)
        return Splitting(1e-6).solve(Dual(gram, Risk(Huber(0.5), Y), 1.0 / n))

    found, seconds, memory = timed(fit)
    print(
        f"dense n = {n}: {seconds:.2f} s, {seconds / factor:.2f} Choleskys of {factor:.2f} s, {memory:.0f} GB = "
        f"{memory * 1e9 / 8 / n**2:.2f} n^2, {found.n_iter} steps, gap {found.gap:.1e}",
        flush=True,
    )


def factored(n=100_000):
    """A fit by one factor in the place of the matrix, which would have been made by tiles."""
    holding.tiles_are_faster, before = lambda kernel, like: False, holding.tiles_are_faster
    try:
        model = fitted(f"n = {n:.0e}, by a factor", n, 1.0)
    finally:
        holding.tiles_are_faster = before
    print(f"peak {torch.cuda.max_memory_allocated() / 8 / n**2:.2f} n^2, {model.matrix_.kind}", flush=True)


def synchronisations():
    """How often the processor waits for the device in a step."""
    X, Y = problem(20_000)
    for kernel in (kernels.Gaussian(0.5), kernels.Nystroem(kernels.Gaussian(0.5), 500)):
        found = []
        for steps in (5, 10):
            solver = Splitting(tol=1e-30, max_iter=steps)
            model = HuberRegressor(0.5, kernel=kernel, lam=1e-6, centre=None, solver=solver)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                torch.cuda.set_sync_debug_mode("warn")
                model.fit(X, Y)
                torch.cuda.set_sync_debug_mode("default")
            found.append(sum("synchroniz" in str(one.message) for one in told))
        print(
            f"{model.matrix_}: {(found[1] - found[0]) / 5:.1f} waits a step, {found[0]} in the first five", flush=True
        )


def estimators():
    """Other estimators on tensors, beside the same on arrays."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 4))
    Y = np.sin(3 * X @ rng.standard_normal((4, 20)))
    models = {
        "RegressorCV": RegressorCV(HuberRegressor(0.5, centre=None), lams=[1e-4, 1e-2], cv=3),
        "FunctionalRegressor": FunctionalRegressor(basis=spaces.Fourier(5)),
        "StructuredPredictor": StructuredPredictor(output_kernel=kernels.Gaussian(0.1)),
        "KernelAutoencoder": KernelAutoencoder(2, max_iter=20),
    }
    for name, model in models.items():
        try:
            results = []
            for move in (np.asarray, lambda A: torch.asarray(A, device="cuda")):
                fit = clone(model).fit(move(X)) if name == "KernelAutoencoder" else clone(model).fit(move(X), move(Y))
                # Codes have no signs of their own.
                found = abs(fit.transform(move(X))) if name == "KernelAutoencoder" else fit.predict(move(X))
                results.append(found)
            ours, theirs = results
            theirs = theirs.cpu().numpy() if isinstance(theirs, torch.Tensor) else np.asarray(theirs)
            print(f"{name:20s} {type(results[1]).__name__} {np.abs(theirs - ours).max():.1e}", flush=True)
        except Exception as error:
            print(f"{name:20s} {type(error).__name__}: {error}", flush=True)


def features(n=10_000_000, p=2000):
    fitted("warm up", 200_000, 1.0, 1e-4, kernels.Nystroem(kernels.Gaussian(0.5), p, dtype="float32"))
    kernel = kernels.Nystroem(kernels.Gaussian(0.5), p, dtype="float32")
    fitted(f"low rank n = {n:.0e}, p = {p}", n, n / 1e6, 1e-4, kernel)


def single():
    """Tensors in single precision: predictions in single, the certificate in double."""
    X, Y = problem(50_000, dtype=torch.float32)
    model = HuberRegressor(0.5, kernel=kernels.Gaussian(0.5), lam=1.0 / 50_000, centre=None).fit(X, Y)
    P = model.predict(X[:100])
    print(f"float32 tensors: predictions {P.dtype}, W {model.dual_coef_.dtype}, gap {model.dual_gap_:.1e}", flush=True)


def beside_the_processor():
    """The same fits on both, as ratios."""
    rng = np.random.default_rng(0)
    print(f"{'model':16s} {'n':>6s} {'CPU s':>8s} {'GPU s':>8s} {'CPU/GPU':>8s} {'gap':>8s} {'difference':>10s}")
    for n in (2000, 6000, 12000):
        X = rng.uniform(-1, 1, (n, 10))
        Y = np.sin(3 * X @ rng.standard_normal((10, 14))) + 0.1 * rng.standard_normal((n, 14))
        A, B = torch.asarray(X, device="cuda"), torch.asarray(Y, device="cuda")
        for model in (Ridge(), EpsilonRidge(0.5), HuberRegressor(0.5), EpsilonSVR(0.5)):
            model.set_params(kernel=kernels.Gaussian(0.5), lam=1e-4)
            _, cpu, _ = timed(lambda model=model, X=X, Y=Y: model.fit(X, Y))
            expected = model.predict(X[:100])
            model.fit(A, B)
            _, gpu, _ = timed(lambda model=model, A=A, B=B: model.fit(A, B))
            difference = np.abs(model.predict(A[:100]).cpu().numpy() - expected).max()
            name = type(model).__name__
            print(f"{name:16s} {n:6d} {cpu:8.2f} {gpu:8.3f} {cpu / gpu:8.1f} {model.dual_gap_:8.0e} {difference:10.1e}")


ROWS = {
    "products": products,
    "exact-1e5": lambda: exact(100_000, 1.0),
    "exact-1e5-weak": lambda: exact(100_000, 0.1),
    "exact-3e5": lambda: exact(300_000, 1.0),
    "exact-1e6": lambda: exact(1_000_000, 10.0, 1e-4),
    "dense": dense,
    "factored": factored,
    "synchronisations": synchronisations,
    "estimators": estimators,
    "features": features,
    "features-1e8": lambda: features(100_000_000),
    "single": single,
    "cpu": beside_the_processor,
}


def main() -> None:
    for name in sys.argv[1:] or ROWS:
        torch.cuda.empty_cache()
        print(f"-- {name}", flush=True)
        ROWS[name]()


if __name__ == "__main__":
    main()
