"""Against a stranger, loss by loss: the primal of every loss that has a conic form, by cvxpy and Clarabel.

min_theta sum_i l((L theta)_i, y_i) + lam n/2 |theta|^2, where K = L L^T keeps the rank of a Gram matrix with a repeated
input: no jitter. Each loss is written twice from the first line of its docstring, for cvxpy and for numpy; infimal
convolutions keep their inner variable in both. Nothing here knows a conjugate or a proximal map.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from hilbertine import Regressor, kernels, losses, spaces

cp = pytest.importorskip("cvxpy")

N, E = 10, np.exp(-1)
rng = np.random.default_rng(3)
X, X_NEW = rng.uniform(-2, 2, (N, 2)), rng.uniform(-2, 2, (5, 2))
X[-1] = X[0]
Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 1]), X[:, 0] / 2]) + 0.3 * rng.standard_normal((N, 3))
Y[1] = 0.0
Y[[2, 5]] += [[2.0, -1.0, 1.0], [-2.5, 0.5, 1.5]]
K, K_NEW = (np.exp(-0.8 * cdist(Z, X, "cityblock")) for Z in (X, X_NEW))

Conic = tuple[Any, list[Any]]


class Loss(NamedTuple):
    """The sum of l(h_i, y_i), as a cvxpy expression with its constraints and as a number."""

    conic: Callable[[Any, Any], Conic]
    value: Callable[[Any, Any], float]


class Profile(NamedTuple):
    """phi of l(p, y) = phi(|p - y|), summed as a cvxpy expression of the norms, and as a numpy function."""

    conic: Callable[[Any], Conic]
    value: Callable[[Any], Any]


def power(eta: float, scale: float = 1.0) -> Profile:
    return Profile(lambda r: (scale / eta * cp.sum(cp.power(r, eta)), []), lambda r: scale / eta * r**eta)


def norm(scale: float = 1.0) -> Profile:
    return Profile(lambda r: (scale * cp.sum(r), []), lambda r: scale * r)


def ball(radius: float) -> Profile:
    return Profile(lambda r: (0.0, [r <= radius]), lambda r: np.where(r <= radius, 0.0, np.inf))


def huber(kappa: float) -> Profile:
    return Profile(
        lambda r: (cp.sum(cp.huber(r, kappa)) / 2, []),
        lambda r: np.where(r <= kappa, r**2 / 2, kappa * (r - kappa / 2)),
    )


def exp_norm(scale: float = 1.0) -> Profile:
    return Profile(lambda r: (scale * cp.sum(cp.exp(r) - 1), []), lambda r: scale * (np.exp(r) - 1))


def log_norm(scale: float = 1.0) -> Profile:
    def conic(r: Any) -> Conic:
        s = cp.Variable(r.shape)
        return scale * cp.sum(E - cp.entr(s)), [s >= r, s >= E]

    return Profile(conic, lambda r: scale * np.where(r >= E, r * np.log(np.maximum(r, E)) + E, 0.0))


def radial(phi: Profile) -> Loss:
    return Loss(
        lambda H, T: phi.conic(cp.norm(H - T, 2, axis=1)),
        lambda H, T: np.sum(phi.value(np.linalg.norm(H - T, axis=1))),
    )


def cells(phi: Profile) -> Loss:
    """The sum over the entries of h_i - y_i."""
    return Loss(
        lambda H, T: phi.conic(cp.abs(cp.vec(H - T, order="F"))),
        lambda H, T: np.sum(phi.value(np.abs(H - T))),
    )


def convolution(f: Profile, g: Profile) -> Loss:
    """min_u f(|p - u|) + g(|u - y|): a vector u for cvxpy, a point of the segment from y to p for numpy."""

    def conic(H: Any, T: Any) -> Conic:
        U = cp.Variable(T.shape)
        (left, first), (right, second) = radial(f).conic(H, U), radial(g).conic(U, T)
        return left + right, first + second

    def value(H: Any, T: Any) -> float:
        r = np.linalg.norm(H - T, axis=1)
        low, high = 0.0 * r, r
        for _ in range(200):
            one, two = (2 * low + high) / 3, (low + 2 * high) / 3
            left = f.value(r - one) + g.value(one) <= f.value(r - two) + g.value(two)
            low, high = np.where(left, low, one), np.where(left, two, high)
        return np.sum(f.value(r - low) + g.value(low))

    return Loss(conic, value)


def margin(power: int) -> Loss:
    return Loss(
        lambda H, T: (cp.sum(cp.pos(1 - cp.sum(cp.multiply(H, T), axis=1)) ** power) / power, []),
        lambda H, T: np.sum(np.maximum(1 - np.sum(H * T, axis=1), 0.0) ** power) / power,
    )


LOSSES: dict[losses.Loss, Loss] = {
    losses.Square(): radial(power(2)),
    losses.EpsilonSquare(0.3): convolution(power(2), ball(0.3)),
    losses.Huber(0.5): radial(huber(0.5)),
    losses.EpsilonNorm(0.3): convolution(norm(), ball(0.3)),
    losses.Norm(0.7): radial(norm(0.7)),
    losses.Power(1.5): radial(power(1.5)),
    losses.Power(3.0): radial(power(3)),
    losses.Power(4.0, scale=0.5): radial(power(4, 0.5)),
    losses.LogNorm(): radial(log_norm()),
    losses.LogNorm(0.5): radial(log_norm(0.5)),
    losses.ExpNorm(): radial(exp_norm()),
    losses.ExpNorm(0.3): radial(exp_norm(0.3)),
    losses.Hinge(): margin(1),
    losses.Margin(losses.SquaredMaxMargin()): margin(2),
    losses.InfConv(losses.Power(3.0), losses.Huber(0.5)): convolution(power(3), huber(0.5)),
    losses.InfConv(losses.ExpNorm(0.5), losses.Ball(0.2)): convolution(exp_norm(0.5), ball(0.2)),
    losses.InfConv(losses.LogNorm(), losses.Power(1.5)): convolution(log_norm(), power(1.5)),
    losses.MoreauEnvelope(losses.ExpNorm(0.5), 0.4): convolution(exp_norm(0.5), power(2, 1 / 0.4)),
    losses.PaschHausdorff(losses.Power(1.5), 0.8): convolution(power(1.5), norm(0.8)),
    losses.EpsilonInsensitive(losses.Power(4.0), 0.3): convolution(power(4), ball(0.3)),
    losses.EpsilonInsensitive(losses.LogNorm(), 0.2): convolution(log_norm(), ball(0.2)),
    losses.Cells(losses.Huber(0.5)): cells(huber(0.5)),
    losses.Cells(losses.Norm(0.7)): cells(norm(0.7)),
    losses.Cells(losses.Power(3.0)): cells(power(3)),
    losses.Cells(losses.ExpNorm(0.3)): cells(exp_norm(0.3)),
}


def factor(gram: Any) -> Any:
    """L with L L^T the Gram matrix, one column for each eigenvalue that is not zero."""
    sigma, U = np.linalg.eigh(gram)
    kept = sigma > 1e-12 * sigma[-1]
    return U[:, kept] * np.sqrt(sigma[kept])


def solved(problem: Any) -> float:
    """The optimal value, to far better than it is compared."""
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    assert problem.status == cp.OPTIMAL
    return problem.value


def stranger(loss: Loss, T: Any, lam: float) -> tuple[float, Any]:
    """The optimal value and the optimal predictions on the training set."""
    L = factor(K)
    theta = cp.Variable((L.shape[1], T.shape[1]))
    risk, constraints = loss.conic(L @ theta, T)
    value = solved(cp.Problem(cp.Minimize(risk + lam * N / 2 * cp.sum_squares(theta)), constraints))
    return value, L @ theta.value


def primal(loss: Loss, P: Any, T: Any, lam: float) -> float:
    """sum_i l(p_i, t_i) + lam n/2 |h|^2 for the smallest h with the values P."""
    return loss.value(P, T) + lam * N / 2 * np.sum((np.linalg.pinv(factor(K)) @ P) ** 2)


@cache
def fitted(loss: losses.Loss, m: int, lam: float) -> Regressor:
    return Regressor(loss, "precomputed", lam=lam, tol=1e-9, centre=None).fit(K, Y[:, :m])


every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_size = pytest.mark.parametrize("m", [1, 3])
every_lam = pytest.mark.parametrize("lam", [1e-1, 1e-2])


@every_lam
@every_size
@every_loss
def test_the_model_is_the_optimum_of_the_primal(loss, m, lam):
    T = Y[:, :m]
    optimum, P = stranger(LOSSES[loss], T, lam)
    model = fitted(loss, m, lam)
    assert model.converged_
    assert model.dual_gap_ <= 1e-9
    assert primal(LOSSES[loss], model.predict(K), T, lam) == pytest.approx(optimum, rel=1e-7)
    np.testing.assert_allclose(model.predict(K), P, atol=1e-4)
    np.testing.assert_allclose(model.predict(K_NEW), K_NEW @ np.linalg.pinv(K) @ P, atol=1e-4)


@every_size
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if isinstance(loss, losses.Radial)], ids=repr)
def test_problems_reach_the_tube_and_the_cap(loss, m):
    tube = bool(loss.inverse(np.zeros(1))[0] > 0)
    assert (0 < len(fitted(loss, m, 1e-2).support_) < N) == tube
    assert (0 < len(fitted(loss, m, 1e-1).saturated_) < N) == np.isfinite(loss.cap)


@every_lam
@pytest.mark.parametrize(
    ("loss", "named"),
    [
        (losses.Power(2.0), losses.Square()),
        (losses.InfConv(losses.Power(2.0, scale=2.0), losses.Power(2.0, scale=2.0)), losses.Square()),
        (losses.MoreauEnvelope(losses.Norm(0.5), 1.0), losses.Huber(0.5)),
        (losses.PaschHausdorff(losses.Square(), 0.5), losses.Huber(0.5)),
        (losses.PaschHausdorff(losses.Power(2.0), 0.5), losses.Huber(0.5)),
        (losses.EpsilonInsensitive(losses.Norm(1.0), 0.3), losses.EpsilonNorm(0.3)),
        (losses.EpsilonInsensitive(losses.Power(2.0), 0.3), losses.EpsilonSquare(0.3)),
    ],
    ids=repr,
)
def test_losses_that_have_a_name_give_the_named_model(loss, named, lam):
    ours, theirs = (Regressor(part, "precomputed", lam=lam, tol=1e-12, centre=None).fit(K, Y) for part in (loss, named))
    np.testing.assert_allclose(ours.predict(K_NEW), theirs.predict(K_NEW), atol=1e-5)


@every_lam
def test_hinge_with_one_output_is_a_support_vector_machine_without_bias(lam):
    y = np.where(Y[:, 0] > 0, 1.0, -1.0)
    a = cp.Variable(N)
    energy = cp.sum_squares(factor(K).T @ cp.multiply(y, a)) / (2 * lam * N)
    optimum = solved(cp.Problem(cp.Maximize(cp.sum(a) - energy), [a >= 0, a <= 1]))
    model = Regressor(losses.Hinge(), "precomputed", lam=lam, tol=1e-9, centre=None).fit(K, y)
    assert primal(margin(1), model.predict(K)[:, None], y[:, None], lam) == pytest.approx(optimum, rel=1e-7)
    np.testing.assert_allclose(model.predict(K_NEW), K_NEW @ (y * a.value) / (lam * N), atol=1e-4)
    assert 0 < np.sum((a.value > 1e-6) & (a.value < 1 - 1e-6)) < N


@every_lam
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Gaussian(0.5)], ids=repr)
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if isinstance(loss, losses.Margin)], ids=repr)
def test_truncation_gap_of_a_margin_bounds_what_the_basis_costs(loss, kernel, lam):
    optimum = stranger(LOSSES[loss], factor(kernel(Y, Y)), lam)[0]

    def model(n_components: int | None) -> tuple[Regressor, float]:
        space = spaces.RKHS(kernel, n_components)
        model = Regressor(loss, "precomputed", space, lam=lam, tol=1e-9, centre=None).fit(K, Y)
        value = primal(LOSSES[loss], model.embed(K), model.targets_, lam)
        return model, (value - optimum) / value

    whole, excess = model(None)
    assert excess == pytest.approx(0.0, abs=1e-8)
    assert whole.truncation_gap_ <= 1e-8
    part, excess = model(2)
    assert np.inf > part.truncation_gap_ >= excess > 1e-4
    assert part.truncation_gap_ >= part.dual_gap_ - 1e-12
