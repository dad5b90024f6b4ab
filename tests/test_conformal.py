"""Conformal sets: what they are by definition, against brute force and strangers, and what they promise."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilbertine import (
    ConformalRegressor,
    FunctionalRegressor,
    Regressor,
    RegressorCV,
    Ridge,
    StructuredPredictor,
    kernels,
    losses,
    metrics,
    spaces,
)
from hilbertine.conformal import Calibration, Local, Mahalanobis, Norm, Supremum
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


def test_too_few_rows_are_said_and_hold_everything():
    model = ConformalRegressor(RIDGE, 0.95).fit(X[:30], Y[:30]).conformalize(X[30:45], Y[30:45])
    with pytest.warns(UserWarning, match=r"15 of 15 sets hold everything: 15 calibration rows.*of 0.95.*takes 19"):
        sets = model.predict_set(X[45:])
    assert sets.infinite.all()
    assert np.isinf(sets.size).all()
    assert sets.contains(1e9 * Y[45:]).all()
    assert model.contains(X[45:], 1e9 * Y[45:]).all()
    assert "15 hold everything" in str(sets)
    # ceil(0.9375 * 16) = 15: the largest score.
    finite = model.predict_set(X[45:], 15 / 16)
    assert np.isfinite(finite.radii).all()
    np.testing.assert_allclose(finite.radii, model.calibration_.scores.max())


@pytest.mark.parametrize("method", ["cv+", "jackknife+"])
@pytest.mark.parametrize(("kind", "score"), [("vectors", "norm"), ("vectors", "box"), ("words", "norm")])
def test_too_few_rows_for_crossed_models(kind, score, method):
    score = Supremum("constant") if score == "box" else score
    model = ConformalRegressor(KINDS[kind][0], 0.99, method, cv=3, score=score)
    model.fit(X[:20], some(KINDS[kind][1], slice(20)))
    with pytest.warns(UserWarning, match="hold everything: 20 calibration rows"):
        sets = model.predict_set(NEW)
    assert sets.infinite.all()
    assert metrics.set_size(sets) == (np.inf if kind == "vectors" else len(set(WORDS[:20])))


def test_candidates_come_nearest_first_and_an_empty_set_is_said():
    model = ConformalRegressor(SPELL, 0.2).fit_conformalize(X[:40], WORDS[:40])
    given = ["cart", "zebra", "quick", "dogs"]
    sets = model.predict_set(NEW, 0.8, candidates=given)
    points = model.embed(NEW)
    space = model.estimator_.space_
    for i, (members, distances) in enumerate(zip(sets.members, sets.distances, strict=True)):
        lengths = [np.linalg.norm(points[i] - space.encode([word])[0]) for word in given]
        tails = space.tails(given, space.encode(given))
        by_hand = np.sqrt(np.square(lengths) + tails**2)
        inside = [k for k in np.argsort(by_hand) if by_hand[k] <= sets.within.radii[i]]
        assert members == [given[k] for k in inside]
        np.testing.assert_allclose(distances, by_hand[inside])
    far = model.predict_set(NEW, 0.05, candidates=["zebra", "quick"])
    assert far.empty.any()
    assert f"{far.empty.sum()} are empty" in str(far)
    each = [["cart"]] * 10 + [["dogs", "dots"]] * 10
    assert model.predict_set(NEW, 0.99 * 12 / 13, candidates=each).offered.tolist() == [1] * 10 + [2] * 10


def test_an_output_that_is_no_candidate_may_be_within_the_radius_and_is_not_listed():
    model = ConformalRegressor(SPELL, 0.9).fit_conformalize(X[:40], WORDS[:40])
    sets = model.predict_set(NEW, candidates=["zebra"])
    assert sets.contains(WORDS[40:]).mean() > 0.5
    assert not sets.lists(WORDS[40:]).any()


def radius(scores, level, **settings):
    found = Calibration(
        np.asarray(scores, dtype=float), np.zeros(len(scores), dtype=int), settings.pop("weights", None)
    )
    return found.radii(found.targets(level, 1, **settings))[0]


def test_bad_rows_that_are_outliers_leave_the_set_that_of_clean_rows():
    clean = np.arange(1.0, 91.0)
    spoiled = np.concatenate([clean, np.full(10, 1e6)])
    assert radius(clean, 0.9) == 82
    assert radius(spoiled, 0.9) == 1e6
    assert radius(spoiled, 0.9, contamination=0.1) == 82
    # Any rows may be bad: as many ranks more, whatever they are.
    assert radius(spoiled, 0.8, contamination=0.1, bad="any") == radius(clean, 0.8) + 10
    hidden = np.concatenate([clean, np.full(10, 0.0)])
    assert radius(hidden, 0.9, contamination=0.1) < radius(clean, 0.9)
    assert radius(hidden, 0.9, contamination=0.1, bad="any") >= radius(clean, 0.9)


@pytest.mark.parametrize("where", ["top", "bottom", "amid"])
def test_what_is_guaranteed_with_bad_rows_holds(where):
    """Coverage of clean rows >= level - b / (n - b + 1), and >= level where any rows were said to be bad."""
    n, b, level = 100, 10, 0.8
    draw, held = np.random.default_rng(0), {"large": [], "any": []}
    for _ in range(2000):
        clean = draw.random(n - b + 1)
        bad = {"top": np.full(b, 9.0), "bottom": np.zeros(b), "amid": draw.choice(clean[:-1], b)}[where]
        for kind, found in held.items():
            found.append(clean[-1] <= radius([*clean[:-1], *bad], level, contamination=b / n, bad=kind))
    error = 3 * (level * (1 - level) / 2000) ** 0.5
    assert np.mean(held["any"]) >= level - error
    assert np.mean(held["large"]) >= level - b / (n - b + 1) - error
    assert where != "top" or abs(np.mean(held["large"]) - level) <= error + 1 / (n - b)


def test_weights_are_those_of_the_weighted_quantile():
    scores, weights = np.array([3.0, 1.0, 2.0, 5.0]), np.array([1.0, 2.0, 0.5, 1.5])
    # In order 1, 2, 3, 5 they weigh 2, 2.5, 3.5, 5, and the new sample 1: 6 in all.
    for level, expected in ((0.3, 1.0), (0.4, 2.0), (0.5, 3.0), (0.8, 5.0), (0.9, np.inf)):
        assert radius(scores, level, weights=weights) == expected
    assert radius(scores, 0.5, weights=np.ones(4)) == radius(scores, 0.5) == 3.0
    assert np.isinf(radius(scores, 0.5, weights=np.ones(4), ones=np.array([5.0])))


def test_weights_by_a_function_bring_back_coverage_under_another_distribution_of_inputs():
    draw, plain, weighted = np.random.default_rng(1), [], []

    def likelier(inputs):
        return np.exp(2.0 * inputs[:, 0])

    for _ in range(60):
        inputs = draw.uniform(0, 1, (300, 1))
        outputs = inputs * draw.standard_normal((300, 1))
        shifted = inputs[200:][draw.random(100) < likelier(inputs[200:]) / np.exp(2.0)]
        truth = shifted * draw.standard_normal((len(shifted), 1))
        for weights, found in ((None, plain), (likelier, weighted)):
            model = ConformalRegressor(Ridge(lam=10.0, kernel=kernels.Linear()), 0.8, weights=weights)
            model.fit(inputs[:50], outputs[:50]).conformalize(inputs[50:200], outputs[50:200])
            found.append(model.contains(shifted, truth).mean())
    error = np.std(weighted) / 60**0.5
    assert np.mean(plain) < 0.8 - 3 * error
    assert abs(np.mean(weighted) - 0.8) < 3 * error + 0.005


@pytest.mark.parametrize("method", METHODS)
def test_groups_are_calibrated_each_by_itself(method):
    draw = np.random.default_rng(2)
    inputs, kind = draw.uniform(-1, 1, (600, 1)), draw.integers(2, size=600)
    outputs = np.where(kind == 1, 5.0, 0.5)[:, None] * draw.standard_normal((600, 2))
    named = np.array(["calm", "wild"])[kind]
    estimator = Ridge(lam=1.0, kernel=kernels.Linear())
    model = ConformalRegressor(estimator, 0.9, method).fit_conformalize(inputs[:200], outputs[:200], groups=named[:200])
    held = model.contains(inputs[200:], outputs[200:], groups=named[200:])
    sets = model.predict_set(inputs[200:], groups=named[200:])
    np.testing.assert_array_equal(sets.contains(outputs[200:]), held)
    for each in ("calm", "wild"):
        assert abs(held[named[200:] == each].mean() - 0.9) < 0.12
    blind = ConformalRegressor(estimator, 0.9, method).fit_conformalize(inputs[:200], outputs[:200])
    held = blind.contains(inputs[200:], outputs[200:])
    assert held[named[200:] == "calm"].mean() == 1.0
    assert held[named[200:] == "wild"].mean() < 0.9
    with pytest.raises(ValueError, match="Calibration rows had groups; give those of the new samples"):
        model.predict_set(inputs[200:])
    with pytest.warns(UserWarning, match="hold everything"):
        assert model.predict_set(inputs[:2], groups=["calm", "unheard of"]).infinite.tolist() == [False, True]


def test_local_sets_are_wide_where_they_must_be():
    draw = np.random.default_rng(3)
    inputs = draw.uniform(0, 1, (900, 1))
    outputs = (0.05 + inputs) * draw.standard_normal((900, 2))
    held, sizes = {}, {}
    for score in ("norm", "local", Local(difficulty=Ridge(lam=1e-2))):
        model = ConformalRegressor(Ridge(lam=0.1), 0.8, score=score).fit_conformalize(inputs[:500], outputs[:500])
        easy = inputs[500:, 0] < 0.3
        held[str(score)] = model.contains(inputs[500:], outputs[500:])[easy].mean()
        radii = model.predict_set(inputs[500:]).radii
        sizes[str(score)] = np.median(radii[easy]) / np.median(radii[~easy])
    plain, *local = held
    assert held[plain] > 0.97
    assert all(held[name] < 0.92 for name in local)
    assert all(sizes[name] < 0.5 for name in local)
    assert sizes[plain] == 1.0


def test_broken_exchangeability_is_seen():
    draw = np.random.default_rng(4)
    inputs = draw.uniform(-1, 1, (600, 1))
    outputs = np.hstack([inputs, inputs**2]) + 0.1 * draw.standard_normal((600, 2))
    model = ConformalRegressor(Ridge(lam=1e-3)).fit_conformalize(inputs[:300], outputs[:300])
    found = model.coverage_curve(inputs[300:], outputs[300:])
    assert len(found.unexpected) == 0
    assert "all within that range" in str(found)
    drifted = outputs[300:] + 0.2
    broken = model.coverage_curve(inputs[300:], drifted)
    assert len(broken.unexpected) > 15
    assert np.all(broken.covered <= found.covered)
    axes = model.plot_coverage(inputs[300:], drifted)
    assert axes.get_title() == f"{len(broken.unexpected)} of 20 levels are off"
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), broken.covered)
    np.testing.assert_array_equal(axes.lines[2].get_xdata(), broken.unexpected)
    assert model.plot_coverage(inputs[300:], outputs[300:]).get_title() == "0 of 20 levels are off"


def test_bands_are_drawn_with_their_ends():
    model = ConformalRegressor(FunctionalRegressor(), 0.8, score="band").fit_conformalize(X[:40], CURVES[:40])
    axes = model.plot_band(NEW, CURVES[40:], which=[1, 3])
    sets = model.predict_set(NEW)
    ends = axes.collections[0].get_paths()[0].vertices
    assert ends[:, 1].min() == pytest.approx(sets.lower[1].min())
    assert ends[:, 1].max() == pytest.approx(sets.upper[1].max())
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), CURVES[41])
    with pytest.raises(ValueError, match="Ball is no band; ask for score='band'"):
        ConformalRegressor(FunctionalRegressor()).fit_conformalize(X[:40], CURVES[:40]).plot_band(NEW)


def test_searches_pipelines_and_strangers():
    search = RegressorCV(Ridge(kernel=kernels.Gaussian(0.5)), lams=[1e-3, 1e-1], cv=3)
    forest = RandomForestRegressor(5, random_state=0)
    for estimator in (
        search,
        make_pipeline(StandardScaler(), RIDGE),
        forest,
        GridSearchCV(RIDGE, {"lam": [0.01]}, cv=3),
    ):
        for method in ("split", "cv+"):
            model = ConformalRegressor(estimator, 0.7, method, cv=3).fit_conformalize(X[:40], Y[:40])
            np.testing.assert_allclose(model.embed(NEW), model.predict(NEW))
            sets = model.predict_set(NEW)
            np.testing.assert_array_equal(sets.contains(TRUE), model.contains(NEW, TRUE))
            assert model.score(NEW, TRUE) == model.estimator_.score(NEW, TRUE)
    curves = ConformalRegressor(forest, 0.8, score="band", space=spaces.L2(GRID)).fit_conformalize(X[:40], CURVES[:40])
    assert curves.predict_set(NEW).lower.shape == (20, 15)


def test_a_gram_matrix_is_sliced():
    K = kernels.Gaussian(0.5)(X, X)
    for method in METHODS:
        settings = {"confidence_level": 0.7, "method": method, "cv": 3}
        by_points = ConformalRegressor(RIDGE, **settings).fit_conformalize(X[:40], Y[:40])
        by_gram = ConformalRegressor(RIDGE.__class__(lam=0.01, kernel="precomputed"), **settings)
        by_gram.fit_conformalize(K[:40, :40], Y[:40])
        np.testing.assert_allclose(by_gram.predict_set(K[40:, :40]).size, by_points.predict_set(NEW).size)


def test_a_fitted_estimator_is_calibrated_as_it_is():
    fitted = clone(RIDGE).fit(X[:20], Y[:20])
    model = ConformalRegressor(fitted, 0.7).conformalize(X[20:40], Y[20:40])
    by_hand = ConformalRegressor(RIDGE, 0.7).fit(X[:20], Y[:20]).conformalize(X[20:40], Y[20:40])
    assert model.estimator_ is fitted
    np.testing.assert_array_equal(model.predict_set(NEW).radii, by_hand.predict_set(NEW).radii)
    with pytest.raises(ValueError, match="learns its shape from rows that trained the estimator; call fit"):
        ConformalRegressor(fitted, score="ellipsoid").conformalize(X[20:40], Y[20:40])


def test_parameters_and_the_method_of_one_name():
    model = ConformalRegressor(RIDGE, score=Local(Norm(), neighbours=7))
    assert model.get_params()["score__neighbours"] == 7
    assert clone(model).set_params(score__neighbours=9).get_params()["score"].neighbours == 9
    assert "neighbours=7" in repr(model)
    search = GridSearchCV(
        ConformalRegressor(RIDGE), {"estimator__lam": [0.01, 1.0], "score": ["norm", "box"]}, cv=KFold(3)
    )
    assert search.fit(X, Y).best_params_["estimator__lam"] == 0.01


ERRORS = {
    "method must be one of split, cv": {"method": "bootstrap"},
    "score must be one of norm": {"score": "sup"},
    "between 0 and 1; got 90": {"confidence_level": 90},
    "confidence_level is an empty list": {"confidence_level": []},
    "less than a half": {"contamination": 0.6},
    "share of bad rows": {"contamination": 1.5},
    "bad_rows must be one of": {"bad_rows": "small"},
    "calibration_size is a share": {"calibration_size": 0},
    "weights is a function of inputs": {"weights": np.ones(40)},
    "hold out each of the 40 rows once": {"method": "cv+", "cv": [(np.arange(20), np.arange(20, 40))]},
    "Ridge.* has a space of its own": {"space": spaces.Euclidean()},
    "modulation must be 2 finite numbers": {"score": Supremum([1.0, 2.0, 3.0])},
    "not local itself": {"score": Local(Local())},
}


@pytest.mark.parametrize("words", ERRORS)
def test_errors_name_what_to_do(words):
    model = ConformalRegressor(RIDGE, **ERRORS[words])
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit_conformalize(X[:40], Y[:40])
    assert not [name for name in vars(model) if name.endswith("_")]


def test_errors_of_questions():
    model = ConformalRegressor(RIDGE)
    with pytest.raises(NotFittedError, match="Nothing is trained yet"):
        model.conformalize(X, Y)
    with pytest.raises(NotFittedError, match="trained but not calibrated"):
        model.fit(X, Y).predict_set(X)
    with pytest.raises(ValueError, match="calibrates in fit"):
        ConformalRegressor(RIDGE, method="cv+").fit(X, Y).conformalize(X, Y)
    model.fit_conformalize(X, Y)
    with pytest.raises(ValueError, match="There are 2 sets and 3 outputs"):
        model.predict_set(X[:2]).contains(Y[:3])
    with pytest.raises(ValueError, match="not chosen among candidates"):
        model.predict_set(X[:2], candidates=["a"])
    with pytest.raises(ValueError, match="sample_weight is not 60 finite numbers"):
        model.conformalize(X, Y, sample_weight=-np.ones(60))
    with pytest.raises(TypeError, match="list is no collection of sets"):
        metrics.coverage(model.predict_set(X, [0.5, 0.6]), Y)
    with pytest.raises(ValueError, match="have no values to draw a box"):
        ConformalRegressor(SPELL, score="box").fit(X, WORDS)
    with pytest.raises(ValueError, match="same coordinates whatever the training rows are"):
        ConformalRegressor(SPELL, score="ellipsoid").fit(X, WORDS)


@parametrize_with_checks([ConformalRegressor(Ridge()), ConformalRegressor(Ridge(), method="cv+", cv=2)])
def test_scikit_learn_checks_pass(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


def test_the_page_on_uncertainty_runs_and_says_the_truth():
    names = {}
    page = (Path(__file__).parents[1] / "docs" / "uncertainty.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(block, names)
    assert abs(metrics.coverage(names["sets"], names["Y"][names["test"]]) - 0.9) < 0.05
    assert [sets.level for sets in names["three"]] == [0.5, 0.9, 0.99]
    assert abs(names["bands"].contains(names["curves"][200:]).mean() - 0.9) < 0.1
    assert names["bands"].lower.shape == (100, 40)
    assert len(names["lists"]) == 60
    easy = names["X"][names["test"], 0] < 0
    ratio = np.median(names["radii"][~easy]) / np.median(names["radii"][easy])
    assert 7 < ratio < 13
    assert all(abs(names["inside"][part].mean() - 0.9) < 0.08 for part in (easy, ~easy))
    wide, narrow = names["radii_of_both"]
    assert wide > 10 * narrow
    assert abs(names["held"] - 0.9) < 0.07
    assert len(names["found"].unexpected) == 0
    assert len(names["drifted"].unexpected) > 10


def test_scores_are_distances_in_the_whole_space():
    model = ConformalRegressor(SPELL).fit(X[:30], WORDS[:30])
    unseen = ["cork", "zebra", "bird", "dog"]
    model.conformalize(X[30:34], unseen)
    space, points = model.estimator_.space_, model.embed(X[30:34])
    inner = np.diagonal(space.inner(points, unseen))
    squares = space.norms(unseen) ** 2 - 2 * inner + np.sum(points**2, axis=1)
    np.testing.assert_allclose(model.calibration_.scores, np.sqrt(squares), rtol=1e-5)
    curves = ConformalRegressor(FunctionalRegressor(basis=spaces.Fourier(3), grid=GRID)).fit(X[:30], CURVES[:30])
    rough = CURVES[30:40] + 0.3 * (-1.0) ** np.arange(15)
    apart = curves.predict(X[30:40]) - rough
    by_hand = np.sqrt(apart**2 @ curves.estimator_.space_.weights_)
    np.testing.assert_allclose(curves.conformalize(X[30:40], rough).calibration_.scores, by_hand)


@pytest.mark.parametrize(
    ("kind", "score"), [("vectors", "ellipsoid"), ("vectors", "local"), ("learned curves", "norm")]
)
def test_no_output_of_the_set_is_outside_its_hull(kind, score):
    model, truth = tied(kind, "cv+", score)
    sets = model.predict_set(NEW, 0.8)
    hull, draw, seen = sets.hull(), np.random.default_rng(5), 0
    for _ in range(300):
        outputs = model.predict(NEW) + draw.exponential() * (model.predict(NEW) - truth)[draw.permutation(20)]
        inside = sets.contains(outputs)
        assert np.all(hull.contains(outputs)[inside])
        seen += int(inside.sum())
    assert 500 < seen < 5500


def test_an_output_as_far_as_the_radius_is_in_the_set():
    scores = Calibration(np.arange(1.0, 10.0), np.zeros(9, dtype=int))
    targets = scores.targets(0.8, 3)
    assert (scores.below(np.array([[8.0], [np.nextafter(8.0, 9.0)], [3.0]])) < targets).tolist() == [True, False, True]


def test_weights_of_rows_have_no_unit_and_heavy_rows_count_more():
    model = ConformalRegressor(RIDGE, 0.7).fit(X[:20], Y[:20])
    plain = model.conformalize(X[20:40], Y[20:40]).predict_set(NEW).radii
    for unit in (0.1, 7.0):
        model.conformalize(X[20:40], Y[20:40], sample_weight=np.full(20, unit))
        np.testing.assert_array_equal(model.predict_set(NEW).radii, plain)
    order = np.argsort(model.calibration_.scores)
    weights = np.where(np.isin(np.arange(20), order[10:]), 3.0, 1.0)
    assert model.conformalize(X[20:40], Y[20:40], sample_weight=weights).predict_set(NEW).radii[0] > plain[0]


def test_one_ellipsoid_for_several_is_stretched_just_as_far_as_it_must():
    draw = np.random.default_rng(6)
    shapes = []
    for _ in range(3):
        each = Mahalanobis()
        each.whitening_, each.tail_ = np.linalg.inv(np.linalg.cholesky(np.cov(draw.standard_normal((3, 9))))), 0.0
        shapes.append(each)
    pooled, stretches = shapes[0].pooled(shapes)
    R = draw.standard_normal((20_000, 3))
    for each, stretch in zip(shapes, stretches, strict=True):
        ratio = np.max(pooled.lengths(R) / each.lengths(R))
        assert 0.98 * stretch < ratio <= stretch * (1 + 1e-12)


@pytest.mark.parametrize("score", ["box", "ellipsoid"])
def test_sets_are_the_same_in_other_units_of_each_output(score):
    units = np.array([1e-6, 1e6])
    model = ConformalRegressor(LinearRegression(), score=score, random_state=0)
    ours = model.fit_conformalize(X, Y).predict_set(X[:3])
    theirs = clone(model).fit_conformalize(X, Y * units).predict_set(X[:3])
    assert np.allclose(theirs.size, ours.size * np.prod(units), rtol=1e-6)
    assert np.allclose(theirs.contains(Y[:3] * units), ours.contains(Y[:3]))
