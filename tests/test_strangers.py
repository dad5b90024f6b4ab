"""Against a stranger: Problem 1 of the paper, written as a primal for cvxpy and solved by Clarabel.

min_h 1/n sum_i l(h(x_i) - y_i) + lam/2 |h|^2 with h = sum_i K(., x_i) alpha_i. The np x np block Gram matrix comes
from scipy distances and numpy.kron, G = L L^T; in theta = L^T alpha the training values are L theta and |h| = |theta|.
The losses are written from their definitions: nothing here knows a conjugate, a proximal map or a coordinate system.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from examples import dual_of
from hilbertine import Regressor, kernels, losses, spaces
from hilbertine.operator_kernels import Covariance, FromGram, Identity, Matrix, Separable, Sum

N, P, LAM = 40, 3, 0.02
rng = np.random.default_rng(0)
X, X_NEW = rng.uniform(-2, 2, (N, 2)), rng.uniform(-2, 2, (7, 2))
Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 1]), X[:, 0] * X[:, 1] / 4]) + 0.2 * rng.standard_normal((N, P))
Y[::8] += 2 * rng.standard_normal((N // 8, P))
A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.4]])
Y_GRAM = Y @ Y.T


def norms(R: cp.Expression) -> cp.Expression:
    return cp.norm(R, 2, axis=1)


def epsilon_huber(R: cp.Expression, kappa: float, epsilon: float) -> tuple[cp.Expression, list[cp.Constraint]]:
    D = cp.Variable(R.shape)
    return cp.sum(cp.huber(norms(R - D), kappa)) / 2, [norms(D) <= epsilon]


LOSSES: dict[str, tuple[losses.Loss, Callable[[cp.Expression], tuple[cp.Expression, list[cp.Constraint]]]]] = {
    "square": (losses.Square(), lambda R: (cp.sum_squares(R) / 2, [])),
    "epsilon-square": (
        losses.EpsilonSquare(0.4),
        lambda R: (cp.sum_squares(cp.pos(norms(R) - 0.4)) / 2, []),
    ),
    "huber": (losses.Huber(0.5), lambda R: (cp.sum(cp.huber(norms(R), 0.5)) / 2, [])),
    "epsilon-norm": (losses.EpsilonNorm(0.4), lambda R: (cp.sum(cp.pos(norms(R) - 0.4)), [])),
    "norm": (losses.Norm(0.7), lambda R: (0.7 * cp.sum(norms(R)), [])),
    "epsilon-huber": (
        losses.InfConv(losses.Huber(0.8), losses.Ball(0.3)),
        lambda R: epsilon_huber(R, 0.8, 0.3),
    ),
}
GAUSSIAN, LAPLACIAN = kernels.Gaussian(0.7), kernels.Laplacian(0.5)


def gaussian(X: Any, Z: Any) -> Any:
    return np.exp(-0.7 * cdist(X, Z, "sqeuclidean"))


def laplacian(X: Any, Z: Any) -> Any:
    return np.exp(-0.5 * cdist(X, Z, "cityblock"))


class Case(NamedTuple):
    """sum_t k_t(x, z) A_t as formulas, and as kernels for outputs given as vectors or by their Gram matrix."""

    terms: list[tuple[Callable[[Any, Any], Any], Any]]
    vectors: Any
    gram: Any


OPERATORS = {
    "identity": Case([(gaussian, np.eye(P))], Separable(GAUSSIAN, Identity()), Separable(GAUSSIAN, Identity())),
    "matrix": Case([(gaussian, A)], Separable(GAUSSIAN, Matrix(A)), Separable(GAUSSIAN, FromGram(Y @ A @ Y.T))),
    "covariance": Case([(gaussian, Y.T @ Y)], Separable(GAUSSIAN, Covariance()), Separable(GAUSSIAN, Covariance())),
    "sum": Case(
        [(gaussian, A), (laplacian, Y.T @ Y / 10)],
        Sum(Separable(GAUSSIAN, Matrix(A)), Separable(0.1 * LAPLACIAN, Covariance())),
        Sum(Separable(GAUSSIAN, FromGram(Y @ A @ Y.T)), Separable(0.1 * LAPLACIAN, Covariance())),
    ),
}


def block_gram(terms: list[tuple[Callable[[Any, Any], Any], Any]], Z: Any) -> Any:
    return sum(np.kron(k(Z, X), operator) for k, operator in terms)


@cache
def stranger(loss: str, operator: str) -> tuple[float, Any]:
    """The optimal value of Problem 1 and the optimal function at the new inputs."""
    terms = OPERATORS[operator].terms
    L = np.linalg.cholesky(block_gram(terms, X))
    theta = cp.Variable(N * P)
    H = cp.reshape(L @ theta, (N, P), order="C")
    risk, constraints = LOSSES[loss][1](H - Y)
    problem = cp.Problem(cp.Minimize(risk / N + LAM / 2 * cp.sum_squares(theta)), constraints)
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    alpha = np.linalg.solve(L.T, theta.value)
    return problem.value, (block_gram(terms, X_NEW) @ alpha).reshape(-1, P)


@cache
def fitted(loss: str, operator: str, outputs: str, solver: str) -> Regressor:
    case = OPERATORS[operator]
    options = {"loss": LOSSES[loss][0], "lam": LAM, "solver": solver, "tol": 1e-12, "max_iter": 20_000}
    if outputs == "vectors":
        return Regressor(kernel=case.vectors, **options, centre=None).fit(X, Y)
    space = spaces.RKHS(kernels.Precomputed(Y_GRAM))
    return Regressor(kernel=case.gram, space=space, **options, centre=None).fit(X, np.arange(N))


every_problem = pytest.mark.parametrize(
    ("loss", "operator", "outputs", "solver"),
    [
        (loss, operator, outputs, solver)
        for loss in LOSSES
        for operator in OPERATORS
        for outputs in ("vectors", "gram")
        for solver in ("auto", "proximal_gradient")
    ],
)


@every_problem
def test_primal_and_dual_values_are_the_optimum(loss, operator, outputs, solver):
    model = fitted(loss, operator, outputs, solver)
    gram = model.kernel_.gram()
    dual = dual_of(gram, model.loss_, model.targets_, LAM)
    optimum = stranger(loss, operator)[0]
    assert float(dual.primal(model.dual_coef_)) / N == pytest.approx(optimum, rel=1e-6)
    assert -float(dual.objective(model.dual_coef_)) / N == pytest.approx(optimum, rel=1e-6)


@every_problem
def test_predictions_are_the_optimal_function(loss, operator, outputs, solver):
    model = fitted(loss, operator, outputs, solver)
    H, C = stranger(loss, operator)[1], model.embed(X_NEW)
    if outputs == "vectors":
        np.testing.assert_allclose(C, H, atol=1e-4)
    np.testing.assert_allclose(C @ model.targets_.T, H @ Y.T, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(C, axis=1), np.linalg.norm(H, axis=1), atol=1e-4)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("loss", LOSSES)
def test_problems_reach_the_tube_and_the_cap(loss, operator):
    model = fitted(loss, operator, "vectors", "auto")
    _, b, c = model.loss_.coefficients
    assert (0 < len(model.support_) < N) if b > 0 else len(model.support_) == N
    assert (0 < len(model.saturated_) < N) if np.isfinite(c) else len(model.saturated_) == 0
