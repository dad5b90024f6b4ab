"""`python benchmarks/failures.py --jobs 16`: which problems end without a certificate, over kernels, losses and lam.

A cell is one fit with solver="auto" at its defaults, n = 20 to 150 and m = 1 to 5: smooth and rough kernels, linear
ones of low rank, copies of inputs with other outputs, rows that are grossly wrong. It fails where the gap stays above
tol, where a warning or an error comes, and where anything is not finite. `--share 0.1` takes every tenth cell, `--kinds
sum` some kernels, `--large` adds sums beyond what is written out as one matrix; `--out FILE` keeps every cell.
"""

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hilbertine import Regressor, losses
from hilbertine import operator_kernels as ok
from hilbertine.kernels import Gaussian, Laplacian, Linear, Matern

LAMS = (1e-1, 1e-3, 1e-5, 1e-7, 1e-9)
SEEDS = 10
LOSSES = {
    "square": losses.Square(),
    "epsilon-square": losses.EpsilonSquare(0.2),
    "huber": losses.Huber(0.5),
    "epsilon-svr": losses.EpsilonNorm(0.2),
    "norm": losses.Norm(),
    "hinge": losses.Hinge(),
    "exp": losses.ExpNorm(0.5),
    "power": losses.Power(1.5),
}
SCALARS = (Gaussian(0.05), Gaussian(1.0), Linear(), Laplacian(0.5), Matern(1.5))


class Cell(NamedTuple):
    """One problem: the name of a kernel, of a loss, lam, and the seed of the data."""

    kind: str
    loss: str
    lam: float
    seed: int


def three(S: Any, A: Any, B: Any) -> Any:
    """k(s, a, b) for the kernel over pairs."""
    return np.exp(-0.2 * ((S[:, None, :] - A[None]) ** 2).sum(2) - 0.1 * ((S[:, None, :] - B[None]) ** 2).sum(2))


def turning(x: Any, z: Any) -> Any:
    """An operator-valued kernel on three outputs that no separable one equals."""
    a, b = (np.array([[1.0, 0.0], [np.tanh(p[0]), 1.0], [0.5, np.sin(p[-1])]]) for p in (x, z))
    return np.exp(-0.5 * ((x - z) ** 2).sum()) * a @ b.T


def positive(m: int, rng: np.random.Generator) -> Any:
    B = rng.standard_normal((m, m))
    return B @ B.T / m


def kernel_of(kind: str, m: int, rng: np.random.Generator) -> Any:
    k, other = (SCALARS[i] for i in rng.choice(len(SCALARS), 2, replace=False))
    return {
        "identity": lambda: ok.Separable(k),
        "matrix": lambda: ok.Separable(k, ok.Matrix(positive(m, rng))),
        "covariance": lambda: ok.Separable(k, ok.Covariance()),
        "sum": lambda: ok.Separable(k, ok.Matrix(positive(m, rng))) + ok.Separable(other, ok.Covariance()),
        "anchored": lambda: ok.AlignedAnchored(k),
        "pair-anchored": lambda: ok.PairAlignedAnchored(three),
        "family": lambda: ok.AlignedFamily(lambda i: SCALARS[i % 3]),
        "product": lambda: Laplacian(0.3) * ok.AlignedAnchored(k),
        "fourier": lambda: ok.RandomFourier(lambda w: np.outer(w[:m], w[:m]), n_terms=40),
        "tensor": lambda: ok.Tensor(turning),
        "large-sum": lambda: ok.Separable(k, ok.Matrix(positive(m, rng))) + ok.Separable(other, ok.Covariance()),
    }[kind]()


MAP = {"identity": SEEDS, "matrix": SEEDS, "covariance": SEEDS, "sum": SEEDS, "anchored": SEEDS}
OTHERS = {"pair-anchored": 2, "family": 2, "product": 2, "fourier": 2, "tensor": 2}
LARGE = {"large-sum": 1}


def data_of(cell: Cell, rng: np.random.Generator) -> tuple[Any, Any]:
    """Inputs with copies, outputs of which some are grossly wrong."""
    n = 20 if cell.kind == "tensor" else int(rng.choice([20, 60, 150]))
    m = {"tensor": 3, "fourier": 2, "large-sum": 5}.get(cell.kind, int(rng.choice([1, 2, 5])))
    n = {"large-sum": 1000, "pair-anchored": min(n, 60)}.get(cell.kind, n)
    X = rng.standard_normal((n, 3))
    Y = np.sin(X @ rng.standard_normal((3, m))) + 0.1 * rng.standard_normal((n, m))
    if cell.seed % 2:
        X[n // 2 : n // 2 + 3], Y[: n // 10] = X[:3], -5.0 * Y[: n // 10]
    return X, Y


def solved(cell: Cell) -> dict[str, Any]:
    """What one cell came to; never an exception."""
    rng = np.random.default_rng([sum(map(ord, cell.kind)), cell.seed])
    X, Y = data_of(cell, rng)
    model = Regressor(LOSSES[cell.loss], kernel_of(cell.kind, Y.shape[1], rng), lam=cell.lam)
    record: dict[str, Any] = cell._asdict() | {"n": X.shape[0], "m": Y.shape[1], "gap": None, "steps": None}
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, Y)
            record |= {"gap": float(model.dual_gap_), "steps": int(model.n_iter_)}
            finite = bool(np.isfinite(model.predict(X)).all())
            said = [str(warning.message) for warning in caught if issubclass(warning.category, ConvergenceWarning)]
            record["why"] = said[0] if said else "" if finite else "predictions are not finite"
        except Exception as error:
            record["why"] = f"{type(error).__name__}: {error}"
    return record | {"seconds": round(time.perf_counter() - start, 3), "failed": bool(record["why"])}


def cells(kinds: dict[str, int], lams: tuple[float, ...] = LAMS) -> Iterator[Cell]:
    """All cells of these kernels, so many seeds each."""
    for lam in lams:
        for kind, seeds in kinds.items():
            yield from (Cell(kind, loss, lam, seed) for loss in LOSSES for seed in range(seeds))


def table(records: list[dict[str, Any]]) -> str:
    """Failures of cells by kernel and lam, by loss and lam, and how long the longest took."""
    lams = sorted({record["lam"] for record in records}, reverse=True)
    lines = []
    for key in ("kind", "loss"):
        lines += ["", f"| {key} | " + " | ".join(f"{lam:g}" for lam in lams) + " | most steps | longest |"]
        lines += ["|---" * (len(lams) + 3) + "|"]
        for name in dict.fromkeys(record[key] for record in records):
            mine = [record for record in records if record[key] == name]
            counts = []
            for lam in lams:
                here = [record["failed"] for record in mine if record["lam"] == lam]
                counts.append(f"{sum(here)} of {len(here)}")
            most = max(record["steps"] or 0 for record in mine)
            longest = max(record["seconds"] for record in mine)
            lines.append(f"| {name} | " + " | ".join(counts) + f" | {most} | {longest:.1f} s |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--kinds", nargs="+", default=None)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--out", default=None)
    settings = parser.parse_args()
    kinds = MAP | OTHERS | (LARGE if settings.large else {})
    kinds = {kind: seeds for kind, seeds in kinds.items() if settings.kinds is None or kind in settings.kinds}
    todo = list(cells(kinds))
    todo = [todo[i] for i in np.random.default_rng(0).permutation(len(todo))[: round(settings.share * len(todo))]]
    records, start = [], time.perf_counter()
    with ProcessPoolExecutor(settings.jobs) as pool:
        for done, record in enumerate(pool.map(solved, todo), 1):
            records.append(record)
            if record["failed"] or done % 100 == 0:
                said = " ".join(str(record[key]) for key in ("kind", "loss", "lam", "seed", "gap", "steps", "seconds"))
                print(
                    f"{done}/{len(todo)} {time.perf_counter() - start:.0f} s  {said}  {record['why'][:90]}", flush=True
                )
    print(table(records))
    if settings.out:
        with open(settings.out, "w", encoding="utf-8") as file:
            json.dump(records, file)


if __name__ == "__main__":
    main()
