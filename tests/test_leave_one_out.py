"""Leave-one-out: the closed form, the refits and the approximation against refitting by a stranger."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from examples import applied, dual_of
from hilbertine import losses
from hilbertine import operator_kernels as ok
from hilbertine.kernels import Gaussian
from hilbertine.solvers import Recipe, choose
from hilbertine.solvers.leave_one_out import approximate_residuals, refit_residuals, ridge_path, ridge_residuals

rng = np.random.default_rng(0)
n = 25
X = rng.uniform(-2, 2, (n, 2))
T = np.stack([np.sin(2 * X[:, 0]), X[:, 1], X[:, 0] * X[:, 1]], axis=1) + 0.1 * rng.standard_normal((n, 3))
T[3] += 5.0
LAM = 1e-2
B = rng.standard_normal((3, 3))
PLAIN = ok.Separable(Gaussian(0.5))
ROBUST = [losses.EpsilonSquare(0.2), losses.Huber(0.3), losses.EpsilonNorm(0.2)]


def solved(kernel, loss, X=X, T=T):
    dual = dual_of(kernel.fit(X, T).gram(), loss, T, LAM)
    return dual, choose("auto", dual).set_params(tol=1e-10).solve(dual)


def brute_force(kernel, loss):
    rows = []
    for i in range(n):
        keep = np.arange(n) != i
        dual, solution = solved(kernel, loss, X[keep], T[keep])
        rows.append(T[i] - applied(kernel, X[i : i + 1], X[keep], T[keep], solution.W)[0] / dual.scale)
    return np.array(rows)


def test_ridge_in_closed_form_equals_refits_of_kernel_ridge():
    expected = []
    for i in range(n):
        keep = np.arange(n) != i
        peer = KernelRidge(kernel="rbf", gamma=0.5, alpha=LAM * (n - 1)).fit(X[keep], T[keep])
        expected.append(T[i] - peer.predict(X[i : i + 1])[0])
    assert np.allclose(ridge_residuals(dual_of(PLAIN.fit(X, T).gram(), losses.Square(), T, LAM)), expected, atol=1e-10)


def test_ridge_with_an_output_operator_equals_refits():
    kernel = ok.Separable(Gaussian(0.5), ok.Matrix(B @ B.T))
    assert np.allclose(
        ridge_residuals(dual_of(kernel.fit(X, T).gram(), losses.Square(), T, LAM)),
        brute_force(kernel, losses.Square()),
        atol=1e-8,
    )


@pytest.mark.parametrize("operator", [None, ok.Matrix(B @ B.T)], ids=["identity", "operator"])
@pytest.mark.parametrize("n_lams", [2, 9])
def test_a_path_of_ridge_has_the_solutions_and_the_residuals_of_each_lam(operator, n_lams):
    gram = ok.Separable(Gaussian(0.5), operator).fit(X, T).gram()
    lams = np.logspace(-5, 0, n_lams)
    dual = dual_of(gram, losses.Square(), T, 1.0)
    for lam, (W, E) in zip(lams, ridge_path(dual, lams), strict=True):
        assert float(dual.at(lam * (n - 1) / n).gap(W)) <= 1e-12
        assert np.allclose(E, refit_residuals(dual.at(lam), W, Recipe(tol=1e-12)), atol=1e-6)


def test_weighted_ridge_equals_refits_with_those_weights():
    weights = rng.uniform(0.1, 2.0, n)
    weights[:3] = 0.0
    K = Gaussian(0.5)(X, X)
    expected = []
    for i in range(n):
        keep = (np.arange(n) != i) & (weights > 0)
        A = K[np.ix_(keep, keep)] + LAM * (n - 1) * np.diag(1 / weights[keep])
        expected.append(T[i] - K[i, keep] @ np.linalg.solve(A, T[keep]))
    # Weights of the loss: lam n is that of n samples.
    dual = dual_of(K, losses.Square(), T, LAM * n / weights.sum(), weights=weights)
    assert np.allclose(ridge_residuals(dual), expected, atol=1e-9)


@pytest.mark.parametrize("loss", ROBUST, ids=repr)
def test_refits_are_exact_for_robust_losses(loss):
    dual, solution = solved(PLAIN, loss)
    ours = refit_residuals(dual, solution.W, Recipe(tol=1e-10))
    assert np.allclose(ours, brute_force(PLAIN, loss), atol=1e-4)


def test_approximation_is_exact_for_the_square_loss():
    dual, solution = solved(PLAIN, losses.Square())
    ours = approximate_residuals(dual, solution.W, solution.predictions)
    assert np.allclose(ours, brute_force(PLAIN, losses.Square()), atol=1e-8)


@pytest.mark.parametrize("loss", ROBUST[:2], ids=repr)
def test_approximation_ranks_samples_as_the_exact_residuals_do(loss):
    dual, solution = solved(PLAIN, loss)
    approximate = np.linalg.norm(approximate_residuals(dual, solution.W, solution.predictions), axis=1)
    exact = np.linalg.norm(brute_force(PLAIN, loss), axis=1)
    assert np.corrcoef(approximate, exact)[0, 1] > 0.95
    assert approximate.mean() == pytest.approx(exact.mean(), rel=0.15)
    assert approximate.argmax() == exact.argmax() == 3
