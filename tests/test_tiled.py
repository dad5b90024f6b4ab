"""The kernel without its matrix: the same numbers as with it, and what goes wrong where corners are cut."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from examples import KERNELS, POINTS, TRAINABLE, dual_of
from hilbertine import factors, kernels, matrices
from hilbertine.dual import Dual
from hilbertine.kernels import Gaussian, Laplacian, Matern, Substrings
from hilbertine.losses import EpsilonNorm, EpsilonSquare, Huber, Square
from hilbertine.matrices import Dense, Tiled, conjugate_gradients, tiles
from hilbertine.matrices.conjugate_gradients import AS_ONE, BY_COLUMN, SHARED
from hilbertine.operator_kernels import Kronecker
from hilbertine.risk import Risk
from hilbertine.solvers import Direct, Splitting, splitting

rng = np.random.default_rng(0)
N, M = 200, 3
X, T = rng.standard_normal((N, 2)), rng.standard_normal((N, M))
WORDS = ["cart", "care", "dogs", "", "aab", "abab", "cart", "Dots", "a", "b c", "bbbb", "xyz"]
S = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])


# Those that read rows of numbers, indices or words.
OTHERS = kernels.Graphs | kernels.NeutralLosses | kernels.Peaks
ON_ROWS = [kernel for kernel in KERNELS if not isinstance(kernel, OTHERS)]


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Several strips and tiles, though there are few points."""
    monkeypatch.setattr(tiles, "SIDE", 32)


def both(kernel=None, points=X):
    kernel = (Gaussian(0.5) if kernel is None else clone(kernel)).fit(points)
    return Tiled(kernel, kernel.points_), Dense(np.asarray(kernel.gram()))


@pytest.mark.parametrize("kernel", ON_ROWS, ids=repr)
def test_tiles_are_the_values_of_every_kernel(kernel):
    points = WORDS if isinstance(kernel, kernels.Substrings) else np.abs(POINTS)
    points = range(len(POINTS)) if isinstance(kernel, kernels.Precomputed) else points
    kernel = clone(kernel).fit(points)
    values, K = kernel.tiles(kernel.points_), kernel.gram()
    for rows, columns in [(slice(0, 5), slice(0, 5)), (slice(7, 12), slice(2, 4))]:
        assert np.allclose(values(rows, columns), K[rows, columns], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.5), Gaussian("auto"), Matern(1.5), Laplacian() + 2.0 * Gaussian()], ids=repr
)
def test_products_diagonal_parts_and_weights_are_those_of_the_matrix(kernel):
    K, D = both(kernel)
    rows, root = np.array([3, 77, 150]), rng.uniform(0, 2, N)
    assert np.allclose(K @ T, D @ T, atol=1e-11)
    assert np.allclose(K.diagonal(), D.diagonal())
    assert np.allclose(K.tiles.matrix(0.5), shifted(D.K, 0.5), atol=1e-12)
    assert np.allclose(K.weighted(root) @ T, D.weighted(root) @ T, atol=1e-11)
    assert np.allclose(K.weighted(root).diagonal(), D.weighted(root).diagonal())
    assert np.allclose(K.weighted(root).restricted(rows) @ T[:3], D.weighted(root).restricted(rows) @ T[:3])
    assert K.trace() == pytest.approx(D.trace())
    assert K.largest() == pytest.approx(D.largest(), rel=1e-8)


def shifted(A, theta):
    return A + theta * np.eye(len(A))


def test_parts_of_many_points_stay_tiled(monkeypatch):
    K, D = both()
    rows = np.arange(0, N, 2)
    assert isinstance(K.restricted(rows), Dense)
    monkeypatch.setattr(matrices.tiled, "WRITTEN", 50)
    part = K.weighted(2.0).restricted(rows)
    assert isinstance(part, Tiled)
    assert np.allclose(part @ T[rows], D.weighted(2.0).restricted(rows) @ T[rows])


def test_objects_are_points_too():
    K, D = both(Substrings(2), WORDS)
    V = rng.standard_normal((len(WORDS), 2))
    assert np.allclose(K @ V, D @ V)
    assert np.allclose(K.solver(0.1)(V), D.solver(0.1)(V), atol=1e-4 * np.linalg.norm(V) / 0.1)


@pytest.mark.parametrize("theta", [1e-3, 1.0, 1e3])
def test_solutions_are_those_of_a_factor(theta):
    K, D = both()
    solve, exact = K.solver(theta), D.solver(theta)
    for R in (T, T + 1e-3 * T[::-1], T[:, :2], 1e6 * T, 0.0 * T):
        residual = R - D @ solve(R) - theta * solve(R)
        assert np.linalg.norm(residual) <= 1e-4 * np.linalg.norm(R)
        assert np.linalg.norm(solve(R) - exact(R)) <= 1e-4 * np.linalg.norm(R) / theta
    root = rng.uniform(0.5, 2, N)
    assert np.allclose(K.solver(root)(T), D.solver(root)(T), atol=1e-4 * np.abs(D.solver(root)(T)).max())


def test_columns_may_each_have_their_own_factor():
    K, D = both()
    s = np.array([2.0, 0.1, 0.0])
    solve, exact = K.column_solver(s, 0.1), D.column_solver(s, 0.1)
    for R in (T, 1.001 * T, T[::-1].copy()):
        assert np.allclose(solve(R), exact(R), atol=1e-4)


@pytest.mark.parametrize("form", [SHARED, BY_COLUMN, AS_ONE], ids=["shared", "by column", "as one"])
def test_conjugate_gradients_end_after_as_many_steps_as_there_are_eigenvalues(form):
    U = np.linalg.qr(rng.standard_normal((40, 40)))[0]
    A = (U * np.repeat([1.0, 2.0, 5.0, 7.0], 10)) @ U.T
    R = rng.standard_normal((40, 3))
    found = conjugate_gradients.conjugate_gradients(lambda V: A @ V, R, atol=1e-9, form=form)
    assert found.converged
    assert np.allclose(A @ found.solution, R, atol=1e-8)
    # As one vector the eigenvalues are the same.
    assert found.steps <= 4
    again = conjugate_gradients.conjugate_gradients(lambda V: A @ V, R, start=found.solution, atol=1e-6, form=form)
    assert again.steps == 0


def test_columns_that_depend_on_each_other_do_no_harm():
    A = np.diag(np.linspace(1, 1000, 60))
    column = rng.standard_normal((60, 1))
    R = np.concatenate([column, 2 * column, 0 * column, rng.standard_normal((60, 1))], axis=1)
    found = conjugate_gradients.conjugate_gradients(lambda V: A @ V, R, atol=1e-10)
    assert np.allclose(found.solution, np.linalg.solve(A, R), atol=1e-10)


def test_the_preconditioner_leaves_few_steps():
    kernel = Gaussian(0.5).fit(X)
    K = Tiled(kernel, kernel.points_)
    K.near.unrefined(0.1)
    K.solver(0.1)(T)
    with_it = K.products
    plain = conjugate_gradients.conjugate_gradients(lambda V: (K @ V) + 0.1 * V, T, most=500)
    assert plain.converged
    assert with_it < plain.steps / 5


def test_what_was_solved_before_is_where_the_next_begins():
    K, _ = both()
    solve = K.solver(0.01)
    solve(T), solve(T[::-1].copy())
    spent = K.products
    solve(0.3 * T - 2.0 * T[::-1])
    assert K.products == spent
    # Any shift: the images of solutions are known for all of them.
    assert K.solver(0.011)(T) is not None
    assert K.products <= spent + 3


@pytest.mark.parametrize("loss", [loss for loss in TRAINABLE if loss.coefficients or loss.square], ids=repr)
@pytest.mark.parametrize("operator", [None, S], ids=["identity", "operator"])
def test_every_loss_ends_at_the_certificate_of_the_dense_problem(loss, operator):
    K, D = both()
    weights = rng.choice([1.0, 2.0], N)
    for risk in (Risk(loss, T), Risk(loss, T, weights=weights)):
        tiled = Dual(Kronecker([(K, operator)], M), risk, 1e-3)
        dense = Dual(Kronecker([(D, operator)], M), risk, 1e-3)
        solution = Splitting(tol=1e-6).solve(tiled)
        assert solution.converged
        # The answer in the problem that holds its matrix.
        assert float(dense.gap(solution.W)) == pytest.approx(solution.gap, abs=1e-9)
        expected = Splitting(tol=1e-8).solve(dense)
        assert float(dense.objective(solution.W)) == pytest.approx(float(dense.objective(expected.W)), rel=2e-6)


@pytest.mark.parametrize("loss", [Square(), Huber(0.5), EpsilonSquare(0.3), EpsilonNorm(0.3)], ids=repr)
def test_gaps_of_a_hundred_millionth_are_reached(loss):
    K, D = both()
    solver = Direct(tol=1e-13) if loss.square else Splitting(tol=1e-8)
    solution = solver.solve(Dual(Kronecker([(K, None)], M), Risk(loss, T), 1e-4))
    assert solution.converged
    assert float(dual_of(Kronecker([(D, None)], M), loss, T, 1e-4).gap(solution.W)) <= 1.1e-8


def rough_problem():
    """Large eigenvalues of G, a residual that matters, and a loss that is not the square."""
    (K, D), draw = both(Gaussian(0.5)), np.random.default_rng(1)
    Y = np.sin(2 * X @ draw.standard_normal((2, M))) + 0.3 * draw.standard_normal((N, M))
    return tuple(Dual(Kronecker([(L, None)], M), Risk(Huber(0.2), Y), 1e-6) for L in (K, D))


def test_free_guesses_of_the_gap_are_wrong_and_the_answer_has_its_own_product():
    tiled, dense = rough_problem()
    sweep = splitting.Sweep(tiled, 0.01)
    s, wrong = sweep.delta * sweep.solve(tiled.targets), []
    for _ in range(30):
        state = sweep(s)
        wrong.append(float(dense.gap(state.Y)) / max(float(tiled.gap(state.Y, state.P)), 1e-300))
        s = s + 1.7 * state.F
    # Y with the predictions of W, a matrix nearby: off by orders of magnitude.
    assert max(wrong) > 100
    solution = Splitting(tol=1e-6).solve(tiled)
    assert solution.gap == pytest.approx(float(dense.gap(solution.W)), rel=1e-3, abs=1e-10)


def test_loose_resolvents_cost_steps(monkeypatch):
    # A preconditioner that does not do all of the work.
    monkeypatch.setattr(matrices.tiled, "RANK", 1)
    strict = Splitting(tol=1e-8, max_iter=400).solve(rough_problem()[0])
    monkeypatch.setattr(matrices.tiled, "ACCURACY", 1e-2)
    monkeypatch.setattr(matrices.tiled, "FOLLOWING", 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        loose = Splitting(tol=1e-8, max_iter=400).solve(rough_problem()[0])
    assert strict.converged
    assert loose.n_iter > strict.n_iter


def in_single(act):
    return lambda *arguments: act(*arguments).astype(np.float32).astype(np.float64)


def test_products_in_single_precision_stall_and_preconditioners_do_not(monkeypatch):
    tiled, dense = rough_problem()
    expected = Splitting(tol=1e-8).solve(tiled).n_iter
    assert tiled.gram.terms[0][0].near.F.single
    double, _ = rough_problem()
    K = double.gram.terms[0][0]
    K.near = K._projected("float64")
    assert expected <= Splitting(tol=1e-8).solve(double).n_iter + 5
    assert not K.near.F.single
    rounded, _ = rough_problem()
    K = rounded.gram.terms[0][0]
    K.tiles.values = in_single(K.tiles.values)
    K.tiles.times = in_single(K.tiles.times)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        stalled = Splitting(tol=1e-8, max_iter=100).solve(rounded)
    assert float(dense.gap(stalled.W)) > 1e-8


def test_the_preconditioner_is_in_double_precision_where_single_rounds_more_than_the_shift():
    K, D = both()
    assert K.near_beside(1.0).F.single
    assert K.near_beside(1e-3, 0.0).F.single
    steep = K.near_beside(1e-7)
    assert not steep.F.single
    assert K.near_beside(1.0) is steep
    # Smooth kernels have roots of large numbers, which single precision must not multiply with.
    F = both()[0].near.F.array()
    assert np.linalg.norm(D.K - F @ F.T, 2) <= 1e-6 * N


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_with_triangles_are_products(dtype):
    C, U = rng.standard_normal((7, 4)).astype(dtype), np.triu(rng.standard_normal((4, 4))).astype(dtype)
    assert np.allclose(factors.triangular_product(C.copy(), U), C @ U, rtol=1e-5)
