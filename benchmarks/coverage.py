"""How often conformal sets hold the truth: vectors, curves, label sets and molecules, every method, levels .5 to .99.

    python benchmarks/coverage.py [SEEDS [KIND]]

Each seed draws rows to train and calibrate on, and 20 to test on. A share is within the range where it is less than
three binomial standard errors, of as many trials as there are seeds, from the level; `-` marks those that are not.
"""

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from hilbertine import ConformalRegressor, FunctionalRegressor, Ridge, StructuredPredictor, datasets, kernels, spaces

LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
METHODS = {"split": 99, "cv+": 99, "jackknife+": 99}
TESTS = 20
SURE = 3.0
# Scores of vectors and of curves beside the norm; a shape that is learned again without each row is cv+.
SHAPES = {"vectors": ["ellipsoid", "box", "local"], "curves": ["band", "local"], "label sets": [], "molecules": []}


def vectors(rng: Any, n: int) -> tuple[Any, Any]:
    X = rng.uniform(-2, 2, (n, 2))
    Y = np.stack([np.sin(2 * X[:, 0]), X[:, 0] * X[:, 1], np.cos(X[:, 1])], axis=1)
    # Noise that is correlated, and larger on one side.
    return X, Y + (0.1 + 0.2 * (X[:, :1] > 0)) * rng.standard_normal((n, 3)) @ [[1, 0.8, 0], [0, 0.6, 0], [0, 0, 0.3]]


def curves(rng: Any, n: int) -> tuple[Any, Any]:
    t, x = np.linspace(0, 1, 50), rng.uniform(0, 1, (n, 1))
    noise = rng.standard_normal((n, 1)) * np.cos(2 * np.pi * t) * t + 0.3 * rng.standard_normal((n, 1))
    return x, np.sin(2 * np.pi * (t + x)) + 0.3 * noise + 0.05 * rng.standard_normal((n, 50))


def label_sets(rng: Any, n: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, 4))
    own = X @ np.random.default_rng(0).standard_normal((4, 6)) + 0.7 * rng.standard_normal((n, 6)) > 0.5
    return X, [frozenset(np.flatnonzero(row).tolist()) for row in own]


def molecules() -> Callable[[Any, int], tuple[Any, Any]]:
    drugs = datasets.load_drugs(600)
    X = (drugs.target - drugs.target.mean(axis=0)) / drugs.target.std(axis=0)
    F = drugs.data.toarray()

    def draw(rng: Any, n: int) -> tuple[Any, Any]:
        rows = rng.choice(len(X), n, replace=False)
        return X[rows], F[rows]

    return draw


def problems() -> dict[str, tuple[Callable[[Any, int], tuple[Any, Any]], Any]]:
    """How to draw samples, and the estimator."""
    sets = kernels.Normalised(kernels.Intersection() + kernels.Constant())
    return {
        "vectors": (vectors, Ridge(lam=1e-3, kernel=kernels.Gaussian(0.5))),
        "curves": (curves, FunctionalRegressor(kernel=kernels.Gaussian(5.0), basis=spaces.Fourier(7), lam=1e-3)),
        "label sets": (label_sets, StructuredPredictor(kernel=kernels.Gaussian(0.1), output_kernel=sets, lam=1e-2)),
        "molecules": (
            molecules(),
            StructuredPredictor(kernel=kernels.Gaussian(0.1), output_kernel=kernels.Tanimoto(), lam=1e-2),
        ),
    }


def shares(draw: Any, estimator: Any, method: str, score: str, seeds: int) -> Any:
    """The share of test outputs in their sets, for each seed and level."""
    found = []
    for seed in range(seeds):
        X, y = draw(np.random.default_rng(seed), METHODS[method] + 100 * (method == "split") + TESTS)
        model = ConformalRegressor(estimator, method=method, score=score, calibration_size=0.4975)
        model.fit_conformalize(X[:-TESTS], y[:-TESTS])
        found.append(model.contains(X[-TESTS:], y[-TESTS:], LEVELS).mean(axis=0))
    return np.array(found)


def measured(seeds: int, only: str | None = None) -> dict[tuple[str, str, str], Any]:
    """Mean shares by kind of output, method and score."""
    found = {}
    for kind, (draw, estimator) in problems().items():
        for method in METHODS:
            for score in ["norm", *(SHAPES[kind] if method != "jackknife+" else [])]:
                if only in (None, kind):
                    found[kind, method, score] = shares(draw, estimator, method, score, seeds).mean(axis=0)
    return found


def within(means: Any, seeds: int) -> Any:
    """Whether each share is less than three binomial standard errors from its level."""
    levels = np.asarray(LEVELS)
    return np.abs(means - levels) <= SURE * np.sqrt(levels * (1 - levels) / seeds)


def main(seeds: str = "200", only: str | None = None) -> None:
    warnings.simplefilter("ignore")
    print("| outputs | method | score | " + " | ".join(f"{level:g}" for level in LEVELS) + " |")
    print("|---" * (3 + len(LEVELS)) + "|")
    outside = 0
    for (kind, method, score), means in measured(int(seeds), only).items():
        near = within(means, int(seeds))
        outside += int((~near).sum())
        cells = [f"{mean:.3f}{'' if yes else ' -'}" for mean, yes in zip(means, near, strict=True)]
        print(f"| {kind} | {method} | {score} | " + " | ".join(cells) + " |", flush=True)
    print(f"{outside} shares are outside, over {seeds} seeds")


if __name__ == "__main__":
    main(*sys.argv[1:3])
