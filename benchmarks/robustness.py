"""`python benchmarks/robustness.py [--quick] [--jobs N]`: docs/robustness.md and its figure, from one run.

The error on clean curves of models whose training curves, and the choice of their parameters, are contaminated.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from peers_of_curves import PEERS, concurrent, intervals
from robustness_page import Measured, draw, page

from hilbertine import FunctionalRegressor, RegressorCV, kernels, losses, spaces
from hilbertine.datasets import make_curves, outliers

N_TRAIN, N_TEST, POINTS = 100, 100, 50
RATES = tuple(range(0, 45, 5))
LAMS, VALUES = np.logspace(-4, 0, 9), np.geomspace(0.03, 1.0, 3)
TOL = 1e-4
DOCS = Path(__file__).parent.parent / "docs"
Contaminated = tuple[Any, Any]


def flip(X: Any, Y: Any, fraction: float, random_state: int) -> Contaminated:
    """The copies take the place of their originals, so that all kinds of outliers leave as many samples."""
    rows = np.random.default_rng(random_state).choice(len(X), round(fraction * len(X)), replace=False)
    X, Y, _ = outliers.append_flipped(X, Y, indices=rows)
    return np.delete(X, rows, axis=0), np.delete(Y, rows, axis=0)


KINDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "sign flips": ("a curve is -1.2 times itself", flip),
    "spikes": (
        "one point of a curve is off by 20 standard deviations",
        lambda *data, **chosen: outliers.add_spikes(*data, height=20.0, **chosen),
    ),
    "shapes": ("a curve is replaced by a draw of a Gaussian process", outliers.replace_shapes),
    "label noise": ("curves change places with one another", outliers.permute_outputs),
}


def ours(loss: losses.Loss, name: str | None = None) -> Callable[..., tuple[Any, float]]:
    """27 candidates each: 9 lams and 3 values of the loss's own parameter, or 27 lams on the same range."""

    def predict(X: Any, Y: Any, new: Any, grid: Any) -> tuple[Any, float]:
        model = FunctionalRegressor(
            loss, kernels.Gaussian("median"), spaces.Cosine(21), grid=grid, tol=TOL, centre=None
        )
        lams = np.logspace(-4, 0, 27) if name is None else LAMS
        search = RegressorCV(model, lams, {} if name is None else {f"loss__{name}": VALUES}, average="median")
        return search.fit(X, Y).predict(new), search.best_estimator_.dual_gap_

    return predict


OURS = {
    "Huber": ours(losses.Huber(), "kappa"),
    "epsilon-SVR": ours(losses.EpsilonNorm(), "epsilon"),
    "ridge": ours(losses.Square()),
    "epsilon-ridge": ours(losses.EpsilonSquare(), "epsilon"),
}
METHODS = [*OURS, *PEERS]
PAIRS = [
    *((robust, "ridge") for robust in ("Huber", "epsilon-SVR", "epsilon-ridge")),
    ("Huber", "epsilon-SVR"),
    *(("Huber", other) for other in PEERS),
]


def error(predicted: Any, truth: Any, grid: Any) -> float:
    """The mean squared L2 norm."""
    return float(np.mean(np.trapezoid((predicted - truth) ** 2, grid, axis=1)))


def data(seed: int) -> tuple[Any, Any]:
    """Curves to train, with noise, and others to test, without."""
    return (
        make_curves(N_TRAIN, POINTS, random_state=seed),
        make_curves(N_TEST, POINTS, noise=0.0, random_state=1000 + seed),
    )


def measure(kind: str, rate: int, seed: int, size: int) -> tuple[dict[str, float], float]:
    """The error of each method, and the largest duality gap of ours."""
    warnings.simplefilter("ignore")
    train, test = data(seed)
    X, Y = train.data, train.target
    if rate:
        X, Y, *_ = KINDS[kind][1](X, Y, fraction=rate / 100, random_state=seed)
    errors, gap = {}, 0.0
    for name, predict in OURS.items():
        predicted, reached = predict(X, Y, test.data, train.grid)
        errors[name], gap = error(predicted, test.target, train.grid), max(gap, reached)
    for name, other in PEERS.items():
        errors[name] = error(other(X, Y, test.data, train.grid, size), test.target, train.grid)
    print(f"{kind}, {rate} %, seed {seed}", file=sys.stderr, flush=True)
    return errors, gap


def prepare(seed: int) -> tuple[int, float]:
    """What is done once on the clean curves of a seed: n_intervals, and the error of the concurrent model."""
    warnings.simplefilter("ignore")
    train, test = data(seed)
    predicted = concurrent(train.data, train.target, test.data, train.grid)
    return intervals(train.data, train.target, train.grid), error(predicted, test.target, train.grid)


def run(rates: tuple[int, ...], seeds: range, jobs: int) -> Measured:
    parallel = Parallel(n_jobs=jobs)
    prepared = parallel(delayed(prepare)(seed) for seed in seeds)
    # Without contamination all kinds are the same.
    tasks = [(kind, rate, seed) for k, kind in enumerate(KINDS) for rate in rates for seed in seeds if rate or not k]
    found = dict(zip(tasks, parallel(delayed(measure)(*task, prepared[task[2]][0]) for task in tasks), strict=True))
    clean = next(iter(KINDS))

    def errors(kind: str, name: str) -> list[list[float]]:
        return [[found[kind if rate else clean, rate, seed][0][name] for seed in seeds] for rate in rates]

    E = np.array([[errors(kind, name) for name in METHODS] for kind in KINDS])
    gap = max(gap for _, gap in found.values())
    kinds = {kind: what for kind, (what, _) in KINDS.items()}
    return Measured(kinds, METHODS, PAIRS, rates, E, gap, TOL, prepared, (N_TRAIN, N_TEST, POINTS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three rates and two seeds, printed and not written")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    given = parser.parse_args()
    rates = RATES[::4] if given.quick else RATES
    measured = run(rates, range(2 if given.quick else 5), given.jobs)
    if given.quick:
        print(page(measured))
        return
    (DOCS / "robustness.md").write_text(page(measured), encoding="utf-8")
    draw(measured, DOCS / "robustness.png")


if __name__ == "__main__":
    main()
