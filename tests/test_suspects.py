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


@pytest.mark.filterwarnings("ignore:.* rows are at the bound")
@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.3])
def test_the_automatic_bound_is_near_the_best_whatever_the_share_of_bad_rows(share):
    """Bad rows are those of others, all off to one side; errors are on clean rows."""
    seen, bad = CLEAN.copy(), np.random.default_rng(1).permutation(N) < share * N
    seen[bad] = CLEAN[rng.integers(N, size=bad.sum())] + 5 * CLEAN.std(axis=0)
    new = np.random.default_rng(2).uniform(-2, 2, (200, 2))
    truth = np.stack([np.sin(new[:, 0]), new[:, 0] * new[:, 1], np.cos(new[:, 1])], axis=1)

    def error(kappa):
        return np.linalg.norm(HuberRegressor(kappa, tol=1e-4).fit(X, seen).predict(new) - truth)

    best = min(error(kappa) for kappa in np.geomspace(0.03, 10.0, 12))
    assert error("auto") <= 1.15 * best


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
