"""Conformal sets: what they are by definition, against brute force and strangers, and what they promise."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut

from hilbertine import (
    ConformalRegressor,
    FunctionalRegressor,
    Regressor,
    Ridge,
    StructuredPredictor,
    kernels,
    losses,
    metrics,
    spaces,
)
from hilbertine.conformal import Supremum
from hilbertine.spaces.centre import centre_of, centres_left_out

rng = np.random.default_rng(3)
X = rng.uniform(-2, 2, (60, 2))
Y = np.stack([np.sin(X[:, 0]), X[:, 0] * X[:, 1]], axis=1) + rng.standard_normal((60, 2)) * [0.1, 0.3]
NEW, TRUE = X[40:], Y[40:]
GRID = np.linspace(0, 1, 15)
CURVES = np.sin(2 * np.pi * (GRID + X[:, :1])) + 0.1 * rng.standard_normal((60, 1)) * np.cos(2 * np.pi * GRID)
WORDS = [["cart", "care", "card", "dogs", "dots", "bird"][int(k)] for k in (X[:, 0] + 2) * 1.5]
SPELL = StructuredPredictor(kernel=kernels.Gaussian(0.3), output_kernel=kernels.Normalised(kernels.Substrings(2)))
RIDGE = Ridge(lam=0.01, kernel=kernels.Gaussian(0.5))
METHODS = ["split", "cv+", "jackknife+"]
KINDS = {
    "vectors": (RIDGE, Y, ["norm", "ellipsoid", "box", "local"]),
    "numbers": (RIDGE, Y[:, 0], ["norm", "ellipsoid", "box", "local"]),
    "curves": (FunctionalRegressor(basis=spaces.Fourier(3)), CURVES, ["norm", "ellipsoid", "band", "local"]),
    "learned curves": (
        FunctionalRegressor(basis=spaces.PrincipalComponents(3)), CURVES, ["norm", "band", "local"],
    ),
    "words": (SPELL, WORDS, ["norm", "local"]),
    "vectors of a stranger": (LinearRegression(), Y, ["norm", "box"]),
}  # fmt: skip
CASES = [(kind, score, method) for kind, (*_, scores) in KINDS.items() for score in scores for method in METHODS]
# A shape that is learned again without each row is cv+ with as many folds.
CASES = [(kind, score, method) for kind, score, method in CASES if method != "jackknife+" or score == "norm"]


def some(outputs, rows):
    return [outputs[i] for i in np.arange(60)[rows]] if isinstance(outputs, list) else outputs[rows]


def tied(kind, method, score, **settings):
    estimator, outputs, _ = KINDS[kind]
    model = ConformalRegressor(estimator, method=method, score=score, cv=3, **settings)
    return model.fit_conformalize(X[:40], some(outputs, slice(40))), some(outputs, slice(40, None))


@pytest.mark.parametrize(("kind", "score", "method"), CASES)
def test_sets_hold_what_the_model_says_they_hold_and_grow_with_the_level(kind, score, method):
    model, truth = tied(kind, method, score)
    levels = [0.3, 0.6, 0.9]
    held = model.contains(NEW, truth, levels)
    assert held.shape == (20, 3)
    assert np.all(np.diff(held.astype(int), axis=1) >= 0)
    sizes = []
    for sets, column in zip(model.predict_set(NEW, levels), held.T, strict=True):
        np.testing.assert_array_equal(sets.contains(truth), column)
        np.testing.assert_array_equal(sets[5:9].contains(some(truth, slice(5, 9))), column[5:9])
        assert len(sets) == len(sets.size) == 20
        if hasattr(sets, "hull"):
            assert np.all(sets.hull().contains(truth) >= column)
        sizes.append(metrics.set_size(sets))
        assert metrics.coverage(sets, truth) == column.mean()
    assert sizes[0] <= sizes[1] <= sizes[2]
    assert held[:, 2].mean() >= 0.6


def ranks_by_hand(n, level):
    return int(np.ceil(round(level * (n + 1), 9)))


@pytest.mark.parametrize("level", [0.5, 0.7, 0.9, 0.95])
def test_a_split_ball_is_the_quantile_of_the_scores(level):
    model = ConformalRegressor(RIDGE).fit(X[:20], Y[:20]).conformalize(X[20:40], Y[20:40])
    plain = clone(RIDGE).fit(X[:20], Y[:20])
    scores = np.sort(np.linalg.norm(Y[20:40] - plain.predict(X[20:40]), axis=1))
    radius = scores[ranks_by_hand(20, level) - 1]
    sets = model.predict_set(NEW, level)
    np.testing.assert_allclose(sets.radii, radius)
    np.testing.assert_array_equal(sets.centres, plain.predict(NEW))
    np.testing.assert_allclose(sets.volume, np.pi * radius**2)


def without_each(estimator, inputs, outputs):
    return [clone(estimator).fit(np.delete(inputs, i, 0), np.delete(outputs, i, 0)) for i in range(len(inputs))]


@pytest.mark.parametrize("centre", ["median", "mean", None])
@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(0.6)], ids=repr)
@pytest.mark.parametrize("outputs", [Y, Y[:, :1]], ids=["vectors", "one output"])
def test_the_jackknife_is_brute_force(outputs, loss, centre):
    estimator = Regressor(loss, kernels.Gaussian(0.5), lam=0.01, centre=centre, tol=1e-13)
    model = ConformalRegressor(estimator, method="jackknife+").fit(X[:20], outputs[:20])
    models = without_each(estimator, X[:20], outputs[:20])
    scores = [np.linalg.norm(outputs[i] - one.predict(X[i : i + 1])[0]) for i, one in enumerate(models)]
    np.testing.assert_allclose(model.calibration_.scores, scores, rtol=0, atol=1e-5)
    points = np.stack([one.predict(NEW).reshape(20, -1) for one in models], axis=1)
    (one,) = model.models_
    found = np.stack([part.points for part in one.parts(NEW)], axis=1)
    np.testing.assert_allclose(found, points, rtol=0, atol=1e-5)
    for level in (0.5, 0.8, 0.9):
        # y is in the set iff more than alpha (n + 1) - 1 balls hold it.
        inside = np.linalg.norm(outputs[40:, None] - points, axis=2) <= np.asarray(scores)
        by_hand = inside.sum(axis=1) > (1 - level) * 21 - 1 + 1e-9
        np.testing.assert_array_equal(model.contains(NEW, outputs[40:], level), by_hand)


def test_the_set_is_the_same_by_refits_of_the_whole_estimator():
    quick = ConformalRegressor(RIDGE, method="jackknife+").fit(X[:25], Y[:25])
    slow = ConformalRegressor(RIDGE, method="cv+", cv=LeaveOneOut()).fit(X[:25], Y[:25])
    assert len(quick.models_) == 1
    assert len(slow.models_) == 25
    np.testing.assert_allclose(quick.calibration_.scores, slow.calibration_.scores, atol=1e-8)
    np.testing.assert_allclose(quick.predict_set(NEW).size, slow.predict_set(NEW).size, rtol=1e-6)


def test_the_hull_of_one_output_is_the_interval_of_the_jackknife():
    estimator = Ridge(lam=0.01, kernel=kernels.Gaussian(0.5))
    score = Supremum("constant")
    sets = ConformalRegressor(estimator, method="jackknife+", score=score).fit(X[:30], Y[:30, 0]).predict_set(NEW, 0.8)
    models = without_each(estimator, X[:30], Y[:30, 0])
    scores = np.array([abs(Y[i, 0] - one.predict(X[i : i + 1])[0]) for i, one in enumerate(models)])
    points = np.stack([one.predict(NEW) for one in models], axis=1)
    k = ranks_by_hand(30, 0.8)
    lower = -np.sort(-(points - scores), axis=1)[:, k - 1]
    upper = np.sort(points + scores, axis=1)[:, k - 1]
    np.testing.assert_allclose(sets.hull().lower, lower, atol=1e-6)
    np.testing.assert_allclose(sets.hull().upper, upper, atol=1e-6)


@pytest.mark.parametrize("rule", ["median", "mean"])
@pytest.mark.parametrize("T", [Y, Y[:31, :1], np.repeat(Y[:4], 3, axis=0)], ids=["plane", "line", "twins"])
def test_centres_without_each_row(rule, T):
    by_hand = [centre_of(np.delete(T, i, 0), rule) for i in range(len(T))]
    np.testing.assert_allclose(centres_left_out(T, rule), by_hand, atol=1e-6)
    assert centres_left_out(T, None) is None
