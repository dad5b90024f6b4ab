"""Joint coverage and volume: one set for all outputs, beside MAPIE (a model for each output), puncc and bands.

    pip install mapie puncc     # in an environment of its own: puncc asks for an older numpy than it needs
    python benchmarks/coverage_peers.py [SEEDS]

Everybody gets the same ridge regression, the same rows to train and to calibrate on, and 90 % to reach: three outputs
with correlated noise, and curves of 50 points.
"""

import sys
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
from coverage import curves, vectors
from sklearn.multioutput import MultiOutputRegressor

from hilbertine import ConformalRegressor, FunctionalRegressor, Ridge, kernels

LEVEL, TRAIN, ROWS, TESTS = 0.9, 150, 300, 500
Boxes = tuple[Any, Any]


def model() -> Ridge:
    return Ridge(lam=1e-3, kernel=kernels.Gaussian(0.5))


def rate(lower: Any, upper: Any, Y: Any) -> tuple[float, float]:
    """(how often all outputs are inside at once, the median volume)."""
    inside = np.all((lower <= Y) & (upper >= Y), axis=1)
    return float(inside.mean()), float(np.median(np.prod(upper - lower, axis=1)))


def mapie_boxes(X: Any, Y: Any, new: Any, level: float = LEVEL) -> Boxes:
    """A split conformal model for each output; `level` for each of them."""
    from mapie.regression import SplitConformalRegressor

    ends = []
    for j in range(Y.shape[1]):
        one = SplitConformalRegressor(model().fit(X[:TRAIN], Y[:TRAIN, j]), confidence_level=level, prefit=True)
        one.conformalize(X[TRAIN:], Y[TRAIN:, j])
        ends.append(one.predict_interval(new)[1][:, :, 0])
    found = np.stack(ends, axis=1)
    return found[..., 0], found[..., 1]


def puncc_boxes(X: Any, Y: Any, new: Any) -> Boxes:
    """puncc's split conformal prediction: an interval for each output, from one model."""
    from deel.puncc.api.prediction import BasePredictor
    from deel.puncc.regression import SplitCP

    fitted = BasePredictor(model().fit(X[:TRAIN], Y[:TRAIN]), is_trained=True)
    split = SplitCP(fitted, train=False)
    split.fit(X_calib=X[TRAIN:], y_calib=Y[TRAIN:])
    _, lower, upper = split.predict(new, alpha=1 - LEVEL)
    return np.asarray(lower), np.asarray(upper)


def ours(score: str, method: str, X: Any, Y: Any, new: Any, truth: Any) -> tuple[float, float]:
    """Joint coverage and median volume of a conformal regressor."""
    regressor = ConformalRegressor(model(), LEVEL, method, score=score)
    if method == "split":
        regressor.fit(X[:TRAIN], Y[:TRAIN]).conformalize(X[TRAIN:], Y[TRAIN:])
    else:
        regressor.fit(X, Y)
    sets = regressor.predict_set(new)
    return float(sets.contains(truth).mean()), float(np.median(sets.size))


def three_outputs(seed: int) -> dict[str, tuple[float, float]]:
    X, Y = vectors(np.random.default_rng(seed), ROWS + TESTS)
    X, Y, new, truth = X[:ROWS], Y[:ROWS], X[ROWS:], Y[ROWS:]
    found = {f"ball, {method}": ours("norm", method, X, Y, new, truth) for method in ("split", "jackknife+")}
    found |= {score: ours(score, "split", X, Y, new, truth) for score in ("ellipsoid", "box", "local")}
    if find_spec("mapie"):
        found["MAPIE, 3 models at 90 %"] = rate(*mapie_boxes(X, Y, new), truth)
        found["MAPIE, 3 models at 96.7 %"] = rate(*mapie_boxes(X, Y, new, 1 - (1 - LEVEL) / 3), truth)
    if find_spec("deel"):
        found["puncc, boxes"] = rate(*puncc_boxes(X, Y, new), truth)
    return found


def bands(seed: int) -> dict[str, tuple[float, float]]:
    """Curves: whole bands beside intervals at each point, and bands of normal theory at each point."""
    X, Y = curves(np.random.default_rng(seed), ROWS + TESTS)
    X, Y, new, truth = X[:ROWS], Y[:ROWS], X[ROWS:], Y[ROWS:]
    estimator = FunctionalRegressor(kernel=kernels.Gaussian(0.5), lam=1e-3)
    regressor = ConformalRegressor(estimator, LEVEL, score="band")
    sets = regressor.fit(X[:TRAIN], Y[:TRAIN]).conformalize(X[TRAIN:], Y[TRAIN:]).predict_set(new)
    found = {"band that holds whole curves": (float(sets.contains(truth).mean()), float(np.median(sets.size)))}
    fitted = MultiOutputRegressor(model()).fit(X[:TRAIN], Y[:TRAIN])
    R, middle = np.abs(Y[TRAIN:] - fitted.predict(X[TRAIN:])), fitted.predict(new)
    rank = int(np.ceil(LEVEL * (len(R) + 1))) - 1
    halves = {
        "conformal at each point": np.sort(R, axis=0)[rank],
        "1.645 standard deviations at each point": 1.645 * np.sqrt(np.mean(R**2, axis=0)),
    }
    for name, half in halves.items():
        inside = np.all(np.abs(truth - middle) <= half, axis=1)
        found[name] = float(inside.mean()), float(2 * half.mean())
    return found


def table(title: str, size: str, runs: list[dict[str, tuple[float, float]]]) -> None:
    print(f"\n| {title} | all at once, % | {size} |\n|---|---|---|")
    for name in runs[0]:
        values = np.array([run[name] for run in runs])
        means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
        print(f"| {name} | {100 * means[0]:.1f} ± {100 * errors[0]:.1f} | {means[1]:.3g} ± {errors[1]:.1g} |")


def main(seeds: int = 30) -> None:
    warnings.simplefilter("ignore")
    table("three outputs", "volume", [three_outputs(seed) for seed in range(seeds)])
    table("curves", "mean width", [bands(seed) for seed in range(seeds)])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
