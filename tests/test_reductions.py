"""Special cases that have a name elsewhere: each model equals the simpler one it reduces to."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from scipy.linalg import solve_triangular
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import MultiTaskLasso
from sklearn.metrics.pairwise import rbf_kernel

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Regressor, Ridge, kernels, losses, spaces
from hilbertine.operator_kernels import Matrix, Separable

N, LAM, GAMMA = 30, 0.02, 0.8
rng = np.random.default_rng(1)
X, X_NEW = rng.uniform(-2, 2, (N, 2)), rng.uniform(-2, 2, (6, 2))
Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 1]), X.sum(axis=1) / 3]) + 0.2 * rng.standard_normal((N, 3))
Y[::6] += 2 * rng.standard_normal((N // 6, 3))
KERNEL = kernels.Gaussian(GAMMA)
K, K_NEW = rbf_kernel(X, gamma=GAMMA), rbf_kernel(X_NEW, X, gamma=GAMMA)
TIGHT: dict[str, Any] = {"lam": LAM, "tol": 1e-12, "max_iter": 20_000}
ROBUST = [
    losses.Square(),
    losses.EpsilonSquare(0.4),
    losses.Huber(0.5),
    losses.EpsilonNorm(0.4),
    losses.Norm(0.7),
    losses.InfConv(losses.Huber(0.8), losses.Ball(0.3)),
]
every_loss = pytest.mark.parametrize("loss", ROBUST, ids=repr)
every_solver = pytest.mark.parametrize("solver", ["auto", "proximal_gradient"])


@pytest.mark.parametrize("outputs", [Y, Y[:, 0], Y[:, :1]], ids=["2d", "1d", "column"])
def test_ridge_is_kernel_ridge(outputs):
    ours = Ridge(lam=LAM, kernel=KERNEL, centre=None).fit(X, outputs).predict(X_NEW)
    theirs = KernelRidge(alpha=N * LAM, kernel="rbf", gamma=GAMMA).fit(X, outputs).predict(X_NEW)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("outputs", [Y, Y[:, 0]], ids=["2d", "1d"])
def test_ridge_is_kernel_ridge_on_a_precomputed_gram(outputs):
    ours = Ridge(lam=LAM, kernel="precomputed", centre=None).fit(K, outputs).predict(K_NEW)
    theirs = KernelRidge(alpha=N * LAM, kernel="precomputed").fit(K, outputs).predict(K_NEW)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_ridge_with_an_output_operator_is_one_linear_system(rank):
    B = np.random.default_rng(rank).standard_normal((3, rank))
    A = B @ B.T
    model = Ridge(lam=LAM, kernel=Separable(KERNEL, Matrix(A)), centre=None).fit(X, Y)
    alpha = np.linalg.solve(np.kron(K, A) + N * LAM * np.eye(3 * N), Y.ravel())
    np.testing.assert_allclose(model.dual_coef_, N * LAM * alpha.reshape(N, 3), atol=1e-9)
    np.testing.assert_allclose(model.predict(X_NEW), (np.kron(K_NEW, A) @ alpha).reshape(-1, 3), atol=1e-9)


@every_solver
@pytest.mark.parametrize(
    "model", [EpsilonRidge(epsilon=0.0, centre=None), HuberRegressor(kappa=np.inf, centre=None)], ids=repr
)
def test_no_tube_or_no_cap_is_ridge(model, solver):
    ridge = Ridge(kernel=KERNEL, lam=LAM, centre=None).fit(X, Y)
    model.set_params(kernel=KERNEL, solver=solver, **TIGHT).fit(X, Y)
    np.testing.assert_allclose(model.dual_coef_, ridge.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(model.predict(X_NEW), ridge.predict(X_NEW), atol=1e-5)


@pytest.mark.parametrize(
    ("pair", "whole"),
    [
        ((losses.Norm(0.5), losses.Square()), losses.Huber(0.5)),
        ((losses.Square(), losses.Ball(0.4)), losses.EpsilonSquare(0.4)),
        ((losses.Norm(), losses.Ball(0.4)), losses.EpsilonNorm(0.4)),
        ((losses.EpsilonSquare(0.1), losses.Ball(0.3)), losses.EpsilonSquare(0.4)),
        ((losses.Huber(0.5), losses.Norm(0.8)), losses.Huber(0.5)),
    ],
    ids=repr,
)
def test_infimal_convolution_builds_the_named_loss(pair, whole):
    for f, g in (pair, pair[::-1]):
        convolution = losses.InfConv(f, g)
        assert convolution.coefficients == pytest.approx(whole.coefficients)
        built, named = (Regressor(loss, KERNEL, lam=LAM, centre=None).fit(X, Y) for loss in (convolution, whole))
        np.testing.assert_allclose(built.dual_coef_, named.dual_coef_, atol=1e-12)
        np.testing.assert_allclose(built.predict(X_NEW), named.predict(X_NEW), atol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "loss"),
    [
        (Ridge(centre=None), losses.Square()),
        (EpsilonRidge(epsilon=0.4, centre=None), losses.EpsilonSquare(0.4)),
        (HuberRegressor(kappa=0.5, centre=None), losses.Huber(0.5)),
        (EpsilonSVR(epsilon=0.4, centre=None), losses.EpsilonNorm(0.4)),
    ],
    ids=repr,
)
def test_named_estimators_are_regressors_with_their_loss(estimator, loss):
    named = estimator.set_params(kernel=KERNEL, lam=LAM).fit(X, Y)
    np.testing.assert_array_equal(named.dual_coef_, Regressor(loss, KERNEL, lam=LAM, centre=None).fit(X, Y).dual_coef_)


@every_solver
@pytest.mark.parametrize("epsilon", [0.2, 0.4, 1.5])
def test_epsilon_ridge_is_a_multi_task_lasso(epsilon, solver):
    L = np.linalg.cholesky(K / (LAM * N) + np.eye(N))
    A, B = L.T, solve_triangular(L, Y, lower=True)
    lasso = MultiTaskLasso(alpha=epsilon / N, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(A, B)
    model = EpsilonRidge(epsilon=epsilon, kernel=KERNEL, solver=solver, **TIGHT, centre=None).fit(X, Y)
    np.testing.assert_allclose(model.dual_coef_, lasso.coef_.T, atol=1e-5)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(np.linalg.norm(lasso.coef_, axis=0) > 1e-6))
    assert 0 < len(model.support_) < N


@pytest.mark.parametrize(
    ("space", "outputs"),
    [
        (spaces.RKHS(), Y),
        (spaces.RKHS(kernels.Linear()), Y),
        (spaces.RKHS(kernels.Precomputed(Y @ Y.T)), np.arange(N)),
    ],
    ids=["default", "linear", "precomputed"],
)
@every_loss
def test_outputs_known_by_inner_products_give_the_euclidean_model(loss, space, outputs):
    vectors = Regressor(loss, KERNEL, **TIGHT, centre=None).fit(X, Y)
    objects = Regressor(loss, KERNEL, space, **TIGHT, centre=None).fit(X, outputs)
    H, C = vectors.predict(X_NEW), objects.embed(X_NEW)
    np.testing.assert_allclose(C @ objects.targets_.T, H @ Y.T, atol=1e-5)
    np.testing.assert_allclose(C @ C.T, H @ H.T, atol=1e-5)
    np.testing.assert_allclose(objects.residual_norms_, vectors.residual_norms_, atol=1e-5)
    if outputs is Y:
        np.testing.assert_allclose(objects.predict(X_NEW), H, atol=1e-5)
    else:
        nearest = np.argmin(np.linalg.norm(H[:, None] - Y[None], axis=2), axis=1)
        np.testing.assert_array_equal(objects.predict(X_NEW), outputs[nearest])


@every_solver
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.6])
def test_scalar_epsilon_svr_is_the_quadratic_program_without_bias(epsilon, solver):
    y = Y[:, 0]
    Q = K / (LAM * N)
    b = cp.Variable(N)
    objective = cp.quad_form(b, cp.psd_wrap(Q)) / 2 - y @ b + epsilon * cp.norm1(b)
    problem = cp.Problem(cp.Minimize(objective), [cp.abs(b) <= 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    model = EpsilonSVR(epsilon=epsilon, kernel=KERNEL, solver=solver, **TIGHT, centre=None).fit(X, y)
    w = model.dual_coef_[:, 0]
    assert w @ Q @ w / 2 - y @ w + epsilon * np.abs(w).sum() == pytest.approx(problem.value, rel=1e-9)
    np.testing.assert_allclose(w, b.value, atol=1e-4)
    np.testing.assert_allclose(model.predict(X_NEW), K_NEW @ b.value / (LAM * N), atol=1e-5)


@every_solver
@pytest.mark.parametrize("y", [-8.0, 0.0, 0.2, 0.9])
@every_loss
def test_one_sample_one_output_has_a_closed_form(loss, y, solver):
    a, b, c = loss.coefficients
    x, lam = np.array([[1.5]]), 0.5
    curvature = 1.5**2 / lam
    w = np.sign(y) * min(c, max(abs(y) - b, 0.0) / (a + curvature))
    model = Regressor(loss, kernels.Linear(), lam=lam, solver=solver, tol=1e-12, centre=None).fit(x, [y])
    assert model.dual_coef_.shape == (1, 1)
    assert model.dual_coef_[0, 0] == pytest.approx(w, abs=1e-5)
    assert model.predict(2 * x)[0] == pytest.approx(2 * curvature * w, abs=1e-4)


@every_loss
def test_warm_start_from_the_solution_stays_there(loss):
    model = Regressor(loss, KERNEL, lam=LAM, solver="proximal_gradient", tol=1e-9, warm_start=True, centre=None).fit(
        X, Y
    )
    n_iter, W = model.n_iter_, model.dual_coef_
    again = model.fit(X, Y)
    assert again.n_iter_ <= 10 < n_iter
    assert again.converged_
    np.testing.assert_allclose(again.dual_coef_, W, atol=1e-4)


def test_a_start_of_another_shape_is_no_start():
    model = HuberRegressor(kappa=0.5, kernel=KERNEL, lam=LAM, warm_start=True, centre=None).fit(X, Y)
    cold = HuberRegressor(kappa=0.5, kernel=KERNEL, lam=LAM, centre=None).fit(X[:20], Y[:20])
    np.testing.assert_array_equal(model.fit(X[:20], Y[:20]).dual_coef_, cold.dual_coef_)


@pytest.mark.parametrize("value", [0.25, 4.0])
@every_loss
def test_a_constant_kernel_is_a_penalised_intercept(loss, value):
    def augmented(Z: Any) -> Any:
        return np.column_stack([Z, np.full(len(Z), np.sqrt(value))])

    added = Regressor(loss, kernels.Linear() + kernels.Constant(value), **TIGHT, centre=None).fit(X, Y)
    explicit = Regressor(loss, kernels.Linear(), **TIGHT, centre=None).fit(augmented(X), Y)
    np.testing.assert_allclose(added.predict(X_NEW), explicit.predict(augmented(X_NEW)), atol=1e-5)
    coefficients = augmented(X).T @ added.dual_coef_ / (LAM * N)
    np.testing.assert_allclose(added.predict(X_NEW), augmented(X_NEW) @ coefficients, atol=1e-9)


def test_ridge_with_a_constant_kernel_is_ridge_on_features_and_a_column():
    features, new = (np.column_stack([Z, np.full(len(Z), 2.0)]) for Z in (X, X_NEW))
    coefficients = np.linalg.solve(features.T @ features + N * LAM * np.eye(3), features.T @ Y)
    model = Ridge(lam=LAM, kernel=kernels.Linear() + kernels.Constant(4.0), centre=None).fit(X, Y)
    np.testing.assert_allclose(model.predict(X_NEW), new @ coefficients, atol=1e-9)
