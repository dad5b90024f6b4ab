"""Every matrix is the matrix of its numbers: products, parts, sums, solutions and what it says of itself."""

import numpy as np
import pytest

from hilbertine.kernels import Gaussian
from hilbertine.matrices import Dense, LowRank, Tall, Tiled, tiled, tiles

rng = np.random.default_rng(0)
N, M = 40, 3
X, F, T = rng.standard_normal((N, 2)), rng.standard_normal((N, 5)), rng.standard_normal((N, M))
ROOT = rng.uniform(0.5, 2.0, N)
SHIFTS = rng.uniform(0.1, 3.0, N)
S = np.array([2.0, 0.5, 0.0])
ROWS = np.array([3, 17, 30])
FITTED = Gaussian(0.5).fit(X)
K = np.asarray(FITTED.gram())
MATRICES = {
    "dense": (lambda: Dense(K), K),
    "low rank": (lambda: LowRank(F), F @ F.T),
    "tall": (lambda: LowRank(Tall.whole(F)), F @ F.T),
    "tiled": (lambda: Tiled(FITTED, FITTED.points_), K),
}
WEIGHTED = {f"{name}, {root!s:.4}": (make, A, root) for name, (make, A) in MATRICES.items() for root in (1.5, ROOT)}
every_matrix = pytest.mark.parametrize(("make", "A"), MATRICES.values(), ids=MATRICES)
ever_weighted = pytest.mark.parametrize(("make", "A", "root"), WEIGHTED.values(), ids=WEIGHTED)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(tiles, "SIDE", 16)


def equal(matrix, A):
    np.testing.assert_allclose(matrix @ T[: len(A)], A @ T[: len(A)], atol=1e-10)
    np.testing.assert_allclose(matrix.diagonal(), np.diag(A), atol=1e-10)
    assert matrix.trace() == pytest.approx(np.trace(A))


def solves(image, matrix):
    """What is not held is solved by products, to an accuracy that its users follow."""
    accuracy = 1.01 * tiled.ACCURACY if isinstance(matrix, Tiled) else 1e-8
    assert np.linalg.norm(image - T) <= accuracy * np.linalg.norm(T)


@every_matrix
def test_it_multiplies_and_knows_its_diagonal_and_trace(make, A):
    equal(make(), A)


@every_matrix
def test_a_part_is_the_matrix_of_some_points(make, A):
    equal(make().restricted(ROWS), A[np.ix_(ROWS, ROWS)])


@ever_weighted
def test_weights_multiply_rows_and_columns(make, A, root):
    full = A * root**2 if isinstance(root, float) else root[:, None] * A * root[None, :]
    weighted = make().weighted(root)
    equal(weighted, full)
    equal(weighted.restricted(ROWS), full[np.ix_(ROWS, ROWS)])
    equal(weighted.weighted(0.5), full / 4)
    for theta in (1e-2, 1.0):
        W = weighted.solver(theta)(T)
        solves(full @ W + theta * W, weighted)


@every_matrix
@pytest.mark.parametrize("theta", [1e-3, 1.0, 50.0, SHIFTS])
def test_solutions_solve(make, A, theta):
    W = (matrix := make()).solver(theta)(T)
    solves(A @ W + np.reshape(theta, (-1, 1)) * W, matrix)


@every_matrix
@pytest.mark.parametrize("theta", [1e-2, 2.0])
def test_columns_have_factors_of_their_own(make, A, theta):
    W = (matrix := make()).column_solver(S, theta)(T)
    solves(A @ W * S + theta * W, matrix)


@every_matrix
def test_the_largest_eigenvalue_is_estimated_from_below(make, A):
    exact = np.linalg.eigvalsh(A)[-1]
    assert exact * (1 - 1e-6) <= make().largest() <= exact * (1 + 1e-9)
    assert make().largest(steps=2) <= exact * (1 + 1e-9)


@every_matrix
def test_what_it_says_of_itself_is_the_matrix(make, A):
    matrix = make()
    for values in (matrix.entries(), None if matrix.width is None else matrix.features() @ matrix.features().T):
        assert values is None or np.allclose(values, A, atol=1e-10)
    if matrix.width is not None:
        assert matrix.features().shape == (N, matrix.width)
    if matrix.eigenpairs is not None:
        k, U = matrix.eigenpairs
        np.testing.assert_allclose((U * k) @ U.T, A, atol=1e-10)
        np.testing.assert_allclose(U.T @ U, np.eye(len(k)), atol=1e-10)
    if (found := matrix.inverse(0.3, T)) is not None:
        exact = np.linalg.inv(A + 0.3 * np.eye(N))
        np.testing.assert_allclose(found[0], exact @ T, atol=1e-9)
        np.testing.assert_allclose(found[1], np.diag(exact), atol=1e-9)


@every_matrix
@pytest.mark.parametrize("other", MATRICES)
def test_sums_are_sums_where_there_are_any(make, A, other):
    more, B = MATRICES[other]
    found = make().plus(more())
    if found is not None:
        equal(found, A + B)
    # What is held in full takes anything that is at hand; what is not never grows to n x n by a sum.
    assert (found is None) == ("tiled" in (other, *(name for name, value in MATRICES.items() if value[0] is make)))


def test_sums_of_low_rank_stay_thin_while_they_are():
    thin, wide = LowRank(F), LowRank(rng.standard_normal((N, N - 5)))
    assert thin.plus(LowRank(F[:, :2])).width == 7
    assert thin.plus(wide) is None
