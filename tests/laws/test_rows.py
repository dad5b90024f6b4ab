"""Weights are frequencies, and what was not observed is of no consequence: for every loss, certified."""

import numpy as np
import pytest

from examples import SOLVERS, TRAINABLE, dual_of
from hilbertine.kernels import Gaussian
from hilbertine.losses import Cells, Huber, Margin, Square
from hilbertine.operator_kernels import AlignedAnchored, Covariance, Kronecker, Separable
from hilbertine.risk import Risk
from hilbertine.solvers import Recipe

rng = np.random.default_rng(0)
N, M = 10, 3
X, T = rng.standard_normal((N, 2)), rng.standard_normal((N, M))
K = Gaussian(0.5)(X, X)
TWICE = np.array([0, 0, 1, 2, 3, 4, 4, 4, 6, 7, 8])
WEIGHTS = np.bincount(TWICE, minlength=N).astype(float)
MASK = rng.random((N, M)) < 0.7
MASK[0] = [True, False, False]
every_loss = pytest.mark.parametrize("loss", TRAINABLE, ids=repr)
RADIAL = [loss for loss in TRAINABLE if not isinstance(loss, Margin)]
TIGHT = Recipe(tol=1e-11, max_iter=50_000)


def grams(rows):
    """One Gram operator of each form among these rows, which may repeat."""
    targets = T[rows]
    A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.2]])
    return {
        "identity": Kronecker.dense(K[np.ix_(rows, rows)], M),
        "operator": Kronecker.dense(K[np.ix_(rows, rows)], M, A),
        "features": Separable(Gaussian(0.5)).fit(X[rows], targets).gram(),
    }


@every_loss
@pytest.mark.parametrize("form", ["identity", "operator"])
def test_a_weight_of_two_is_a_row_twice_and_a_weight_of_zero_no_row(loss, form):
    lam = 0.1
    weighted = dual_of(grams(np.arange(N))[form], loss, T, lam, weights=WEIGHTS)
    repeated = dual_of(grams(TWICE)[form], loss, T[TWICE], lam)
    assert weighted.scale == pytest.approx(repeated.scale)
    one, two = (TIGHT.solve(dual) for dual in (weighted, repeated))
    assert one.gap <= 1e-11
    assert float(weighted.gap(one.W)) == pytest.approx(one.gap, abs=1e-12)
    np.testing.assert_array_equal(one.W[WEIGHTS == 0], 0.0)
    assert float(weighted.objective(one.W)) == pytest.approx(float(repeated.objective(two.W)), rel=1e-9)
    at = np.array([np.flatnonzero(i == TWICE)[0] for i in np.flatnonzero(WEIGHTS)])
    np.testing.assert_allclose(one.predictions[WEIGHTS > 0], two.predictions[at], atol=2e-4)


@every_loss
def test_the_gaps_of_weighted_rows_are_nonnegative_and_infinite_off_the_rows_that_count(loss):
    dual = dual_of(K, loss, T, 0.1, weights=WEIGHTS)
    W = dual.risk.whitened.scaled(dual.whitened.risk.prox(rng.standard_normal((N, M)), 0.5))
    gaps = dual.gaps(W)
    assert np.all(gaps >= -1e-12)
    assert float(dual.gap(W)) == pytest.approx(float(dual.whitened.gap(dual.risk.whitened.unscaled(W))), rel=1e-9)
    wrong = np.where(WEIGHTS[:, None] == 0, 1.0, W)
    assert np.isinf(dual.gaps(wrong)[WEIGHTS == 0]).all()


@pytest.mark.parametrize("loss", RADIAL, ids=repr)
def test_entries_not_observed_have_no_coefficient_and_their_targets_do_not_matter(loss):
    other = np.where(MASK, T, 1e3 * rng.standard_normal((N, M)))
    one, two = (TIGHT.solve(dual_of(K, loss, targets, 0.1, observed=MASK)) for targets in (T, other))
    assert one.gap <= 1e-11
    np.testing.assert_array_equal(one.W[~MASK], 0.0)
    np.testing.assert_allclose(one.W, two.W, atol=1e-9)
    wrong = one.W + np.where(MASK, 0.0, 1.0)
    assert np.isinf(dual_of(K, loss, T, 0.1, observed=MASK).gap(wrong))


@pytest.mark.parametrize("loss", [Square(), Cells(Huber(0.3))], ids=repr)
def test_where_the_loss_adds_up_over_entries_each_output_is_a_problem_of_its_own(loss):
    joint = TIGHT.solve(dual_of(K, loss, T, 0.1, observed=MASK))
    for j in range(M):
        rows = np.flatnonzero(MASK[:, j])
        alone = dual_of(K[np.ix_(rows, rows)], loss, T[rows, j : j + 1], 0.1 * N / len(rows))
        np.testing.assert_allclose(joint.W[rows, j], TIGHT.solve(alone).W[:, 0], atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("rows", [{"weights": WEIGHTS}, {"observed": MASK}, {"weights": WEIGHTS, "observed": MASK}])
@pytest.mark.parametrize("loss", [Square(), Huber(0.3), Cells(Huber(0.3))], ids=repr)
def test_every_solver_that_takes_such_rows_certifies_them(solver, rows, loss):
    dual = dual_of(K, loss, T, 0.1, **rows)
    if solver.missing(dual.whitened):
        with pytest.raises(ValueError, match="auto"):
            solver.solve(dual)
        return
    solution = solver.set_params(tol=1e-8).solve(dual)
    assert solution.converged
    assert float(dual.gap(solution.W)) == pytest.approx(solution.gap, abs=1e-12)
    np.testing.assert_allclose(solution.predictions, dual.predict(solution.W), atol=1e-12)


@pytest.mark.parametrize("kernel", [Separable(Gaussian(0.5), Covariance()), AlignedAnchored(Gaussian(0.5))], ids=repr)
def test_weights_reach_every_form_of_operator(kernel):
    dual = dual_of(kernel.fit(X, T).gram(), Huber(0.3), T, 0.1, weights=WEIGHTS)
    solution = TIGHT.solve(dual)
    assert solution.gap <= 1e-11
    # The gap of the problem as it was given, not of the one with weighted rows that was solved in its place.
    assert float(dual.gap(solution.W)) <= 1e-10


def test_rows_of_a_risk_can_be_taken_out():
    tails = np.arange(N, dtype=float)
    risk = Risk(Huber(0.3), T, tails, WEIGHTS, MASK).restricted(np.array([4, 1]))
    np.testing.assert_array_equal(risk.weights, WEIGHTS[[4, 1]])
    np.testing.assert_array_equal(risk.tails, tails[[4, 1]])
    np.testing.assert_array_equal(risk.mask, MASK[[4, 1]])
    assert risk.size == WEIGHTS[[4, 1]].sum()


@pytest.mark.parametrize("rows", [{"weights": WEIGHTS}, {"observed": MASK}, {"weights": WEIGHTS, "observed": MASK}])
def test_derivatives_of_proximal_steps_know_weights_and_entries(rows):
    risk = dual_of(K, Huber(0.3), T, 0.1, **rows).whitened.risk
    Z, D = rng.standard_normal((N, M)), 1e-6 * rng.standard_normal((N, M))
    change = (risk.prox(Z + D, 0.5) - risk.prox(Z - D, 0.5)) / 2
    np.testing.assert_allclose(change, np.einsum("iab,ib->ia", risk.derivative(Z, 0.5), D), atol=1e-10)
