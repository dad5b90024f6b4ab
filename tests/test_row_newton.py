"""Newton steps on one number per row: the convex function behind them, and when they are chosen."""

import math
import tracemalloc

import numpy as np
import pytest

from examples import dual_of
from hilbertine.kernels import Gaussian
from hilbertine.losses import EpsilonNorm, EpsilonSquare, Huber, InfConv, Square
from hilbertine.solvers import Direct, RowNewton, Splitting, choose
from hilbertine.solvers.choice import RELAYS, Relay
from hilbertine.solvers.row_newton import PATIENCE, Rows, bounded

rng = np.random.default_rng(0)
X, T = rng.standard_normal((30, 3)), rng.standard_normal((30, 25))
T *= rng.uniform(0.5, 1.5, (30, 1)) / np.linalg.norm(T, axis=1, keepdims=True)
LOSSES = [EpsilonSquare(0.3), EpsilonSquare(0.9), Huber(0.01), Huber(0.2)]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
each_form = pytest.mark.parametrize("loss", [EpsilonSquare(0.3), Huber(0.01)], ids=repr)


def problem(loss, lam=1e-3, m=25):
    return dual_of(Gaussian(0.3)(X, X), loss, T[:, :m], lam)


@every_loss
@pytest.mark.parametrize("lam", [1e-6, 1e-3, 1.0])
def test_agrees_with_splitting_in_few_steps(loss, lam):
    dual = problem(loss, lam)
    ours, theirs = RowNewton(tol=1e-12).solve(dual), Splitting(tol=1e-12).solve(dual)
    assert ours.n_iter <= 15
    assert float(dual.objective(ours.W)) == pytest.approx(float(dual.objective(theirs.W)), rel=1e-10)
    np.testing.assert_allclose(ours.W, theirs.W, atol=1e-4 * np.abs(theirs.W).max())


@every_loss
def test_rows_are_parallel_to_their_residuals(loss):
    dual = problem(loss)
    solution = RowNewton(tol=1e-13).solve(dual)
    R, W = dual.targets - solution.predictions, solution.W
    cosines = np.sum(R * W, axis=1) / np.maximum(np.linalg.norm(R, axis=1) * np.linalg.norm(W, axis=1), 1e-300)
    np.testing.assert_allclose(cosines[np.linalg.norm(W, axis=1) > 1e-6], 1.0, atol=1e-8)


@every_loss
def test_the_function_is_convex_and_its_slope_and_minimum_are_as_said(loss):
    dual = problem(loss)
    rows = Rows(dual)
    u, v = (rng.uniform(0.01, 1.0, 30) for _ in range(2))
    ends, middle = [rows.at(point).value for point in (u, v)], rows.at((u + v) / 2).value
    assert middle <= sum(ends) / 2
    _, slope = rows.direction(rows.at(u), np.zeros(30))
    D = 1e-6 * rng.standard_normal(30)
    assert np.sum(slope * D) == pytest.approx((rows.at(u + D).value - rows.at(u - D).value) / 2, rel=1e-5)
    # At the optimum the function is the dual's value, for a cap with the opposite sign.
    W = RowNewton(tol=1e-13).solve(dual).W
    best = rows.at(rows.start(W, dual.predict(W))).value
    sign = 1.0 if math.isinf(loss.cap) else -1.0
    assert sign * best == pytest.approx(float(dual.objective(W)), rel=1e-6)


@every_loss
def test_the_move_solves_the_equation_of_the_rows_that_are_free(loss):
    """Second derivatives times the move are k ratio^2 (ratio - 1), here by differences of the slope."""
    rows = Rows(problem(loss))
    u = rng.uniform(0.01, 1.0, 30)

    def at(v):
        return rows.direction(rows.at(v), np.zeros(30))

    move, slope = at(u)
    k = rows.b if rows.b > 0 else rows.c**2
    squares = 1 - 2 * slope / k
    free, step = move > -u, 1e-5 * np.min(u / np.abs(move))
    bent = (at(u + step * move)[1] - at(u - step * move)[1]) / (2 * step)
    assert free.sum() > 5
    np.testing.assert_allclose(bent[free], (k * squares * (squares**0.5 - 1))[free], rtol=1e-5, atol=1e-8 * k)


@each_form
def test_a_handful_of_matrices_is_all_the_memory(loss):
    """Two iterates, predictions and residuals; or one iterate and two matrices for the next."""
    n = 150
    inputs, targets = rng.standard_normal((n, 3)), rng.standard_normal((n, n)) / n**0.5
    dual = dual_of(Gaussian(0.3)(inputs, inputs), loss, targets, 1e-3)
    start = 0.1 * targets
    tracemalloc.start()
    solution = RowNewton(tol=1e-10).solve(dual, start)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert solution.n_iter > 2
    assert peak < 4.5 * 8 * n**2


def test_rows_inside_the_tube_are_exactly_zero():
    solution = RowNewton(tol=1e-10).solve(problem(EpsilonSquare(0.95)))
    zero = np.all(solution.W == 0, axis=1)
    assert 0 < zero.sum() < 30
    assert np.all(np.linalg.norm(T - solution.predictions, axis=1)[zero] <= 0.95)


@every_loss
def test_a_neighbouring_solution_is_a_good_start(loss):
    start = RowNewton(tol=1e-10).solve(problem(loss, 1e-3)).W
    dual = problem(loss, 1.01e-3)
    assert RowNewton(tol=1e-10).solve(dual, start).n_iter < RowNewton(tol=1e-10).solve(dual).n_iter


def test_bounds_are_kept_and_the_rest_is_solved():
    A = rng.standard_normal((6, 6))
    H, right, lower = A @ A.T + np.eye(6), 5 * rng.standard_normal(6), -0.1 * np.ones(6)
    free = np.array([True] * 5 + [False])
    x = bounded(H, right, lower, free)
    assert x[5] == 0
    held = x == -0.1
    assert held.any()
    inside = free & ~held
    np.testing.assert_allclose((H @ x)[inside], right[inside], rtol=1e-6)


def test_rounds_share_one_matrix():
    A = rng.standard_normal((300, 300))
    H, right = A @ A.T + np.eye(300), 5 * rng.standard_normal(300)
    tracemalloc.start()
    x = bounded(H, right, -0.1 * np.ones(300), np.ones(300, dtype=bool))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.any(x == -0.1)
    assert peak < 1.5 * H.nbytes


def chosen(dual):
    """The solver that "auto" takes, the first of a relay."""
    found = choose("auto", dual)
    return getattr(found, "first", found)


def test_chosen_for_many_outputs_and_the_losses_it_knows():
    assert isinstance(chosen(problem(Huber(0.2))), RowNewton)
    assert isinstance(chosen(problem(Huber(0.2), m=3)), Splitting)
    assert isinstance(chosen(problem(Square())), Direct)
    for loss in (EpsilonNorm(0.1), InfConv(Huber(0.5), EpsilonSquare(0.1))):
        assert isinstance(chosen(problem(loss)), Splitting)
        with pytest.raises(ValueError, match=r"RowNewton needs phi\*.*use solver='auto'"):
            RowNewton().solve(problem(loss))
    with pytest.raises(ValueError, match="times the identity"):
        RowNewton().solve(dual_of(np.eye(30), Huber(0.2), T, 1e-3, np.eye(25)))


@every_loss
def test_no_step_rises_even_where_the_direction_is_uphill(loss, monkeypatch):
    rows = Rows(problem(loss))
    point = rows.at(rng.uniform(0.01, 1.0, 30))
    _, slope = rows.direction(point, np.zeros(30))
    for size in np.logspace(-6, 1, 15):
        move = size * slope / np.linalg.norm(slope)
        monkeypatch.setattr(Rows, "direction", lambda *_, move=move: (move, slope))
        assert rows.step(point, np.zeros(30)).value <= point.value + 1e-12 * abs(point.value)


@pytest.mark.filterwarnings("ignore:RowNewton stopped")
def test_the_certificate_is_that_of_a_product():
    """So large a kernel makes rounding of T - d W, which would do without a product and pass at 1e-13."""
    dual = dual_of(X @ X.T, EpsilonSquare(1e-3), T, 1e-12)
    solution = RowNewton(tol=1e-10, max_iter=200).solve(dual)
    assert float(dual.gap(solution.W)) == pytest.approx(solution.gap, rel=1e-6)
    np.testing.assert_array_equal(solution.predictions, dual.predict(solution.W))


def test_what_newton_leaves_goes_to_splitting(monkeypatch):
    monkeypatch.setitem(RELAYS, RowNewton, [(RowNewton, lambda dual: 1), *RELAYS[RowNewton][1:]])
    solution = Relay(RowNewton(), tol=1e-8).solve(problem(Huber(0.01)))
    assert solution.converged
    assert solution.n_iter > 1


@each_form
def test_newton_steps_that_stand_still_are_few_and_the_rest_goes_to_splitting(loss, monkeypatch):
    taken = []
    monkeypatch.setattr(Rows, "step", lambda self, point, residuals: taken.append(point) or point)
    assert Relay(RowNewton(), tol=1e-8).solve(problem(loss)).converged
    assert len(taken) == PATIENCE


@pytest.mark.parametrize("seed", range(4))
def test_what_is_lost_in_rounding_is_found_by_splitting(seed):
    """Copies of one sample and a kernel a million times larger than the tube, from a start that tells them apart."""
    start = np.zeros((15, 4))
    start[:4] = np.random.default_rng(seed).standard_normal((4, 4))
    targets = np.tile([0.8, 0.0, 0.6, 0.0], (15, 1))
    dual = dual_of(np.ones((15, 15)), EpsilonSquare(0.5), targets, 3e-9)
    assert Relay(RowNewton(), tol=1e-8).solve(dual, start).converged


def fail(self, point, residuals):
    raise ValueError


@each_form
def test_an_indefinite_matrix_of_second_derivatives_is_survived(loss, monkeypatch):
    monkeypatch.setattr(Rows, "direction", fail)
    monkeypatch.setattr(Splitting, "iterates", lambda *_: iter(()))
    assert RowNewton(tol=1e-3).solve(problem(loss)).converged


@pytest.mark.parametrize("loss", [EpsilonSquare(0.9), Huber(0.01)], ids=repr)
def test_steps_that_are_slow_end_soon(loss, monkeypatch):
    monkeypatch.setattr(Rows, "direction", fail)
    dual = problem(loss, 1e-5)
    solution = Relay(RowNewton(), tol=1e-8).solve(dual)
    assert solution.converged
    # The steps without second derivatives alone would be some three hundred.
    assert RELAYS[RowNewton][0][1](dual) < solution.n_iter < 100
