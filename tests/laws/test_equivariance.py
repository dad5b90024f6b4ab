"""Outputs in other units, or far from zero, are the same problem: for every estimator whose outputs add."""

import numpy as np
import pytest

from hilbertine import EpsilonRidge, EpsilonSVR, FunctionalRegressor, HuberRegressor, Regressor, Ridge, losses, spaces
from hilbertine.kernels import Gaussian, Matern
from hilbertine.spaces.centre import centre_of

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (60, 3))
Y = np.stack([np.sin(X[:, 0]), X[:, 1] ** 2, X[:, 0] * X[:, 2], np.cos(X[:, 2])], axis=1)
Y += 0.1 * rng.standard_normal(Y.shape)
BAD = Y.copy()
BAD[:6] += 8.0
MODELS = [
    Ridge(),
    EpsilonRidge(),
    HuberRegressor(),
    HuberRegressor(cells=True),
    EpsilonSVR(),
    Regressor(losses.InfConv(losses.Huber("auto"), losses.Ball("auto"))),
    Regressor(losses.EpsilonInsensitive(losses.Huber("auto"), "auto"), Matern()),
    FunctionalRegressor(losses.Huber("auto")),
    FunctionalRegressor(losses.Huber("auto"), basis=spaces.Cosine(3), spectrum=1.0),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)


@every_model
@pytest.mark.parametrize("targets", [Y, BAD], ids=["clean", "bad rows"])
@pytest.mark.parametrize("scale", [1e-6, 1e3, 1e6])
def test_outputs_in_other_units_give_predictions_in_other_units(model, targets, scale):
    one = model.fit(X, targets).predict(X)
    np.testing.assert_allclose(model.fit(X, scale * targets).predict(X), scale * one, atol=1e-6 * scale)


@every_model
@pytest.mark.parametrize("centre", ["median", "mean"])
def test_outputs_far_from_zero_give_predictions_far_from_zero(model, centre):
    model.set_params(centre=centre)
    shift = 1e5 * np.array([1.0, -2.0, 0.5, 3.0])
    one = model.fit(X, BAD).predict(X)
    moved = model.fit(X, BAD + shift).predict(X)
    if isinstance(model, FunctionalRegressor) and model.basis is not None:
        space = model.space_
        shift = space.decode(space.encode(np.broadcast_to(shift, Y.shape)))
    np.testing.assert_allclose(moved, one + shift, atol=1e-9 * 3e5)
    model.set_params(centre="median")


@pytest.mark.parametrize("factor", [1e-4, 1e5])
def test_inputs_in_other_units_change_nothing_by_default(factor):
    units = np.array([1.0, factor, 1.0 / factor])
    np.testing.assert_allclose(Ridge().fit(X * units, Y).predict(X * units), Ridge().fit(X, Y).predict(X), atol=1e-8)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_the_spatial_median_is_where_the_unit_vectors_cancel(m):
    T = rng.standard_normal((41, m)) ** 3
    weights, R = rng.integers(0, 4, 41).astype(float), None
    for v in (None, weights):
        c = centre_of(T, "median", v)
        R = T - c
        w = np.ones(41) if v is None else v
        lengths = np.linalg.norm(R, axis=1, keepdims=True)
        pull = (w[:, None] * R / np.maximum(lengths, 1e-12))[lengths[:, 0] > 1e-6].sum(axis=0)
        # At a sample the pull of the others may be as much as its own weight.
        assert np.linalg.norm(pull) <= 1e-4 + w[lengths[:, 0] <= 1e-6].sum()
    np.testing.assert_allclose(centre_of(T, "mean", weights), np.average(T, axis=0, weights=weights))


def test_a_few_gross_outputs_do_not_move_the_median():
    spoilt = Y.copy()
    spoilt[:10] = 1e9
    assert np.linalg.norm(centre_of(spoilt, "median") - centre_of(Y, "median")) < 1.0


def test_kelvins_are_no_obstacle():
    """Around 290 K with 5 K of signal: without a centre R^2 was -80, with a perfect certificate."""
    x = np.linspace(-2, 2, 200)[:, None]
    kelvin = 290.0 + 5.0 * np.sin(2 * x[:, 0])
    for model in (Ridge(), HuberRegressor(), EpsilonRidge(), EpsilonSVR()):
        assert model.fit(x, kelvin + 0.3 * rng.standard_normal(200)).score(x, kelvin) > 0.95


def test_a_number_stays_a_number():
    model = HuberRegressor(kappa=0.7, kernel=Gaussian(1.0)).fit(X, 10 * Y)
    assert model.kappa_ == model.loss_.kappa == 0.7
    assert HuberRegressor(kernel=Gaussian(1.0)).fit(X, 10 * Y).kappa_ == pytest.approx(
        10 * HuberRegressor(kernel=Gaussian(1.0)).fit(X, Y).kappa_
    )


def test_rows_learn_from_the_entries_they_have():
    truth = np.stack([np.sin(X[:, 0]), X[:, 1], X[:, 2]], axis=1)
    holes = np.where(rng.random(truth.shape) < 0.3, np.nan, truth)
    holes[0] = truth[0]
    holes[np.isnan(holes).all(axis=1), 0] = 0.0
    model = Ridge(missing="ignore", lam=1e-4).fit(X, holes)
    imputed = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
    gone = np.isnan(holes)
    errors = [np.mean((fit.predict(X) - truth)[gone] ** 2) for fit in (model, Ridge(lam=1e-4).fit(X, imputed))]
    assert errors[0] < 0.3 * errors[1]
    assert model.dual_gap_ <= model.tol
    assert np.isfinite(model.residual_norms_).all()
    assert model.score(X, holes) > 0.9
    with pytest.raises(ValueError, match=r"NaN, first in row .*missing='ignore'"):
        Ridge().fit(X, holes)
    holes[7] = np.nan
    with pytest.raises(ValueError, match=r"Row 7 of y has no entry"):
        Ridge(missing="ignore").fit(X, holes)


def test_where_outputs_are_independent_missing_entries_are_a_fit_per_output():
    truth = np.stack([np.sin(X[:, 0]), X[:, 1]], axis=1)
    holes = truth.copy()
    holes[:20, 0], holes[30:45, 1] = np.nan, np.nan
    joint = Ridge(kernel=Gaussian(0.5), missing="ignore", centre=None, tol=1e-12).fit(X, holes)
    for j in range(2):
        seen = ~np.isnan(holes[:, j])
        alone = Ridge(kernel=Gaussian(0.5), lam=1e-3 * 60 / seen.sum(), centre=None).fit(X[seen], holes[seen, j])
        np.testing.assert_allclose(joint.predict(X)[:, j], alone.predict(X), atol=1e-4)


def test_samples_without_weight_have_no_part():
    weights = np.ones(60)
    weights[[3, 40]] = 0.0
    spoilt = Y.copy()
    spoilt[[3, 40]] = 1e6
    model = HuberRegressor(0.5).fit(X, spoilt, sample_weight=weights)
    alone = HuberRegressor(0.5).fit(np.delete(X, [3, 40], axis=0), np.delete(Y, [3, 40], axis=0))
    np.testing.assert_allclose(model.predict(X), alone.predict(X), atol=1e-8)
    assert model.dual_coef_.shape == (60, 4)
    assert not model.dual_coef_[[3, 40]].any()
    assert not {3, 40} & set(model.suspects().samples)
