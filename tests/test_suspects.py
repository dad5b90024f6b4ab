"""Suspects are ranked and flagged by residuals; what a fit says of its bounds gives a remedy that is not yet taken."""

import warnings

import numpy as np
import pytest

from hilbertine import EpsilonRidge, HuberRegressor

N = 120
rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (N, 2))
CLEAN = np.stack([np.sin(X[:, 0]), X[:, 0] * X[:, 1], np.cos(X[:, 1])], axis=1) + 0.1 * rng.standard_normal((N, 3))
BAD = np.arange(0, N, 9)
Y = CLEAN.copy()
Y[BAD] *= -20.0
GAPPY = np.where(rng.random(Y.shape) < 0.2, np.nan, Y)
GAPPY[np.isnan(GAPPY).all(axis=1), 0] = 0.0


def test_suspects_are_the_bad_rows_and_those_at_the_bound_are_more():
    model = HuberRegressor().fit(X, Y)
    found = model.suspects()
    assert set(found.samples[: len(BAD)]) == set(BAD)
    assert len(BAD) <= found.flagged.sum() < 1.5 * len(BAD)
    assert set(BAD) < set(model.saturated_)
    assert len(model.saturated_) > 2 * len(BAD)
    assert np.all(np.diff(found.ratios) <= 0)
    share = model.suspects(contamination=0.05)
    np.testing.assert_array_equal(np.flatnonzero(share.flagged), np.arange(6))


def test_rows_with_gaps_have_a_residual_norm_over_what_they_have():
    model = HuberRegressor(missing="ignore").fit(X, GAPPY)
    R = np.where(np.isnan(GAPPY), 0.0, model.predict(X) - GAPPY)
    np.testing.assert_allclose(model.residual_norms_, np.linalg.norm(R, axis=1))
    assert np.isfinite(model.truncation_gap_)
    found = model.suspects()
    assert np.isin(BAD, found.samples[found.flagged]).mean() > 0.9


def test_a_bound_for_all_rows_asks_for_a_larger_one():
    with pytest.warns(UserWarning, match=r"120 of 120 rows are at the bound 1e-05 .* or use 'auto'"):
        HuberRegressor(kappa=1e-5).fit(X, CLEAN)


def test_a_tube_that_holds_no_row_is_not_told_to_be_auto_when_it_is():
    with pytest.warns(UserWarning, match="radius 1e-06 is below all residuals.* use 'auto'"):
        EpsilonRidge(epsilon=1e-6).fit(X, CLEAN)
    spoilt = CLEAN + 0.0
    spoilt[::4] += 1e3
    with pytest.warns(UserWarning, match="below all residuals.*try HuberRegressor"):
        EpsilonRidge(lam=0.1).fit(X, spoilt)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EpsilonRidge().fit(X, CLEAN)
