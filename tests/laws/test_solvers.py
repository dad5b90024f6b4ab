"""Every solver certifies what it returns: the gap is nonnegative, reaches the tolerance, and is that of its W."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from examples import OPERATOR_KERNELS, SOLVERS, TRAINABLE, dual_of, scaled
from hilbertine.dual import Dual
from hilbertine.kernels import Gaussian, Linear
from hilbertine.losses import EpsilonNorm, EpsilonSquare, ExpNorm, Huber, Norm
from hilbertine.operator_kernels import as_operator_kernel
from hilbertine.risk import Risk
from hilbertine.solvers import ProximalGradient, Recipe, Solver, Splitting, Step, choose, path

every_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
every_loss = pytest.mark.parametrize("loss", TRAINABLE, ids=repr)
every_kernel = pytest.mark.parametrize("kernel", OPERATOR_KERNELS, ids=repr)


def problem(loss, kernel, lam=0.1, n=12, m=3, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    X, T = rng.standard_normal((n, 2)), scale * rng.standard_normal((n, m))
    if n > 3:
        X[1], T[2], T[3] = X[0], 0.0, T[0]
    return dual_of(kernel.fit(X, T).gram(), loss, T, lam)


def brute_gap(dual, W):
    """The relative gap by its definition, primal plus dual, with nothing cached."""
    P = (dual.gram @ W) / (dual.lam * len(W))
    primal = np.sum(dual.risk.loss.value(P, dual.targets)) + np.sum(W * P) / 2
    return (primal + np.sum(dual.risk.loss.conjugate(W, dual.targets)) + np.sum(W * P) / 2) / max(primal, 1e-300)


@every_solver
@every_loss
@every_kernel
def test_reaches_the_tolerance_and_certifies_its_own_W(solver, loss, kernel):
    dual = problem(loss, kernel)
    if solver.missing(dual):
        with pytest.raises(ValueError, match="auto"):
            solver.solve(dual)
        return
    solution = solver.set_params(tol=1e-7).solve(dual)
    assert solution.converged
    assert -1e-14 <= solution.gap <= 1e-7
    assert brute_gap(dual, solution.W) == pytest.approx(solution.gap, abs=1e-12)
    assert np.allclose(solution.predictions, dual.predict(solution.W), atol=1e-10)


@every_solver
@settings(max_examples=25, deadline=None)
@given(
    loss=st.sampled_from([loss for loss in TRAINABLE if loss.coefficients]),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    lam=st.sampled_from([1e-3, 1e-1, 1e2]),
    n=st.sampled_from([1, 2, 10]),
    m=st.sampled_from([1, 3]),
    seed=st.integers(0, 10**6),
    kernel=st.sampled_from([Gaussian(0.5), Linear()]),
)
def test_reaches_the_tolerance_at_every_scale(solver, loss, scale, lam, n, m, seed, kernel):
    # The cap of EpsilonNorm is fixed: there the problem keeps its shape if lam falls as the targets grow.
    lam = lam / scale if isinstance(loss, EpsilonNorm) else lam
    dual = problem(scaled(loss, scale), as_operator_kernel(kernel), lam, n, m, seed, scale)
    if not solver.missing(dual):
        solution = solver.set_params(tol=1e-6).solve(dual)
        # Rounding is relative to the terms that cancel, and <w, t> may be far larger than the primal value.
        primal, terms = float(dual.primal(solution.W)), float(np.abs(solution.W * dual.targets).sum())
        assert solution.gap <= 1e-6
        assert solution.gap * primal >= -1e-14 * (primal + terms)
        assert brute_gap(dual, solution.W) <= 1e-6 * (1 + 1e-6)


@every_loss
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([1e-6, 1e-2, 1.0, 1e3]))
def test_gaps_are_nonnegative_for_any_feasible_W(loss, seed, size):
    dual = problem(loss, as_operator_kernel(Gaussian(0.5)))
    Z = size * np.random.default_rng(seed).standard_normal((12, 3))
    W = loss.prox(Z, dual.targets, size)
    P = dual.predict(W)
    terms = np.abs(loss.value(P, dual.targets)) + np.abs(loss.conjugate(W, dual.targets))
    assert np.all(dual.gaps(W) >= -1e-14 * terms)
    assert float(dual.gap(W)) == pytest.approx(brute_gap(dual, W), rel=1e-6, abs=1e-12)


def test_solvers_agree_in_the_objective():
    for loss in TRAINABLE:
        dual = problem(loss, as_operator_kernel(Gaussian(0.5)))
        values = [
            float(dual.objective(solver.set_params(tol=1e-9).solve(dual).W))
            for solver in SOLVERS
            if not solver.missing(dual)
        ]
        assert np.allclose(values, values[0], rtol=1e-8)


def test_targets_of_zero_are_solved_by_zero():
    for loss in TRAINABLE:
        dual = problem(loss, as_operator_kernel(Gaussian(0.5)))
        dual = Dual(dual.gram, Risk(loss, 0.0 * dual.targets), dual.lam)
        solution = ProximalGradient().solve(dual)
        assert solution.gap == 0
        assert math.isclose(float(np.abs(solution.W).max()), 0.0)


def test_a_warm_start_at_the_solution_stays_there():
    for loss in TRAINABLE:
        dual = problem(loss, as_operator_kernel(Gaussian(0.5)))
        W = ProximalGradient(tol=1e-12).solve(dual).W
        assert ProximalGradient(tol=1e-6).solve(dual, W).n_iter == 0


@pytest.mark.parametrize("loss", [EpsilonNorm(0.1), Norm(), Huber(0.05)], ids=repr)
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(1.0)], ids=repr)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 30),
    m=st.sampled_from([1, 3]),
    exponent=st.floats(-5, 1),
    scale=st.sampled_from([1e-3, 1.0]),
)
def test_singular_kernels_and_contradicting_samples_are_solved(loss, kernel, seed, n, m, exponent, scale):
    rng = np.random.default_rng(seed)
    X, T = rng.integers(-2, 3, (n, 2)).astype(float), scale * rng.integers(-3, 4, (n, m)).astype(float)
    dual = dual_of(kernel(X, X), loss, T, 10.0**exponent)
    assert choose("auto", dual, max_iter=1000).solve(dual).converged


def test_a_start_that_is_good_enough_needs_no_product():
    dual = problem(Huber(0.3), as_operator_kernel(Gaussian(0.5)))
    solution = choose("auto", dual, tol=1e-8).solve(dual)
    dual.gram.terms = None
    again = choose(ProximalGradient(), dual, tol=1e-6).solve(dual, solution.W, solution.predictions)
    assert (again.n_iter, again.converged) == (0, True)


def test_a_start_that_stays_the_best_is_returned_with_its_predictions():
    class Worse(Solver):
        def iterates(self, dual, W, P):
            yield Step(0.0 * W)

    dual = problem(Huber(0.5), as_operator_kernel(Gaussian(0.5)))
    start = choose("auto", dual, tol=1e-3).solve(dual).W
    with pytest.warns(ConvergenceWarning):
        solution = Worse(tol=1e-12).solve(dual, start)
    assert 0 < solution.gap <= 1e-3
    np.testing.assert_allclose(solution.predictions, dual.predict(start))


def test_the_best_guess_is_certified_where_no_step_reaches_the_tolerance():
    """One good step between two certificates must not be lost."""

    class Passing(Solver):
        def iterates(self, dual, W, P):
            good = choose("auto", dual, tol=1e-8).solve(dual).W
            for _ in range(3):
                yield Step(0.5 * good, None, 0.5)
            yield Step(good, None, 1e-8)
            while True:
                yield Step(0.0 * good, None, 1.0)

    dual = problem(Huber(0.3), as_operator_kernel(Gaussian(0.5)))
    with pytest.warns(ConvergenceWarning, match=r"stopped after 20 iterations"):
        solution = Passing(tol=1e-15, max_iter=20).solve(dual)
    assert solution.gap <= 1e-8


def test_a_loss_that_overflows_has_no_certificate_rather_than_nan():
    dual = problem(ExpNorm(), as_operator_kernel(Gaussian(0.5)))
    assert float(dual.gap(1e6 * np.ones((12, 3)))) == math.inf


@pytest.mark.parametrize("Loss", [Huber, EpsilonSquare, EpsilonNorm])
def test_every_point_of_a_path_carries_its_own_predictions_and_gap(Loss):
    """Starts hand predictions on without a product: what is certified must be those of the W returned."""
    dual = problem(Loss(0.1), as_operator_kernel(Gaussian(0.5)))
    # Close together, so that some starts are answers.
    lams, losses = np.geomspace(0.1, 0.1001, 5).tolist(), [Loss(value) for value in (0.05, 0.1, 0.2, 0.4, 3.0)]
    points = list(path(dual, lams, losses, Recipe(tol=1e-6)))
    assert len(points) == 25
    assert sum(solution.n_iter == 0 for _, _, solution in points) >= 4
    for i, j, solution in points:
        own = dual.at(lams[i], losses[j])
        assert np.allclose(solution.predictions, own.predict(solution.W), rtol=1e-9, atol=1e-12)
        assert brute_gap(own, solution.W) <= 1e-6 * (1 + 1e-6)
        assert (solution.dual.lam, solution.dual.risk.loss) == (lams[i], losses[j])


def test_acceleration_does_not_jump_along_the_null_space_of_a_kernel():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.uniform(-1, 1, (5, 2)), 2, axis=0)
    T = 1e-3 * rng.standard_normal((10, 3))
    for lam in (1e-2, 1e-3, 1e-4):
        dual = dual_of(Gaussian(1.0)(X, X), ExpNorm(0.3), T, lam)
        assert Splitting(max_iter=1000).solve(dual).converged


@pytest.mark.parametrize("epsilon", [0.1, 0.3])
@pytest.mark.parametrize("lam", [1e-5, 1e-7])
def test_copies_of_inputs_with_opposite_outputs_are_no_obstacle(epsilon, lam):
    """Their rows nearly cancel, and are a thousand times larger than the others."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 2))
    T = np.sin(2 * X @ rng.standard_normal((2, 40)) + rng.standard_normal(40)) / 5
    X, T = np.concatenate([X, X[:4]]), np.concatenate([T, -1.2 * T[:4]])
    dual = dual_of(Gaussian(3.0)(X, X), EpsilonNorm(epsilon), T, lam)
    assert Splitting(max_iter=4000).solve(dual).converged
