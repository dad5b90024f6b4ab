"""The paper, statement by statement, in reading order, with its letters: K^X, K^Y, Lambda = LAM, Omega, W = Omega V.

Each kind of statement (definition, theorem, problem, assumption, remark) is counted from 1 through the whole text.
Objects are written from their printed formulas, brute force included; errata concern the print or the released scripts.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import MultiTaskLasso

from examples import INVARIANT, LOSSES, OPERATOR_KERNELS, TRAINABLE, applied, dual_of
from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Regressor, Ridge, kernels, losses, spaces
from hilbertine.operator_kernels import Covariance, Identity, Matrix, Separable, Sum
from hilbertine.solvers import ProximalGradient

N, P, LAM, EPSILON, KAPPA = 6, 20, 0.05, 0.4, 0.5
rng = np.random.default_rng(0)
X, X_NEW = rng.uniform(-1.4, 1.4, (N, 2)), rng.uniform(-1.4, 1.4, (4, 2))
Y = rng.standard_normal((N, P)) * np.array([[0.04], [0.06], [0.2], [0.4], [0.6], [0.8]])
B = rng.standard_normal((P, P)) / 4
GAUSSIAN, LAPLACIAN = kernels.Gaussian(1.0), kernels.Laplacian(0.5)
K, K_NEW, K_Y = GAUSSIAN(X, X), GAUSSIAN(X_NEW, X), Y @ Y.T
SPAN = np.linalg.pinv(Y) @ Y
TIGHT: dict[str, Any] = {"lam": LAM, "tol": 1e-10, "max_iter": 50_000}


class Case(NamedTuple):
    """sum_t k_t(x, z) A_t, as a kernel and as its terms."""

    kernel: Any
    terms: list[tuple[Any, Any]]


CASES = {
    "identity": Case(Separable(GAUSSIAN, Identity()), [(GAUSSIAN, np.eye(P))]),
    "covariance": Case(Separable(GAUSSIAN, Covariance()), [(GAUSSIAN, Y.T @ Y)]),
    "sum": Case(
        Sum(Separable(GAUSSIAN), Separable(LAPLACIAN, Covariance())),
        [(GAUSSIAN, np.eye(P)), (LAPLACIAN, Y.T @ Y)],
    ),
}


class Model(NamedTuple):
    """A robust loss and its estimator, phi of (P1)-(P3), and its dual: K^X/(LAM n) + a I, the threshold, the radius."""

    loss: Any
    estimator: Any
    phi: Callable[[Any], Any]
    a: float
    epsilon: float
    cap: float


MODELS = {
    "epsilon-ridge": Model(
        losses.EpsilonSquare(EPSILON),
        EpsilonRidge(EPSILON, LAM, GAUSSIAN, tol=1e-10, centre=None),
        lambda t: np.maximum(t - EPSILON, 0) ** 2 / 2,
        1.0,
        EPSILON,
        np.inf,
    ),
    "huber": Model(
        losses.Huber(KAPPA),
        HuberRegressor(KAPPA, LAM, GAUSSIAN, tol=1e-10, centre=None),
        lambda t: np.where(t <= KAPPA, t**2 / 2, KAPPA * (t - KAPPA / 2)),
        1.0,
        0.0,
        KAPPA,
    ),
    "epsilon-svr": Model(
        losses.EpsilonNorm(EPSILON),
        EpsilonSVR(EPSILON, LAM, GAUSSIAN, tol=1e-10, centre=None),
        lambda t: np.maximum(t - EPSILON, 0),
        0.0,
        EPSILON,
        1.0,
    ),
}
RADIAL = [loss for loss in TRAINABLE if isinstance(loss, losses.Radial)]
every_operator_kernel = pytest.mark.parametrize("kernel", OPERATOR_KERNELS, ids=repr)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_trainable_loss = pytest.mark.parametrize("loss", TRAINABLE, ids=repr)
# What holds for all losses that know the outputs by their inner products alone.
every_invariant_loss = pytest.mark.parametrize("loss", INVARIANT, ids=repr)
every_trainable_invariant_loss = pytest.mark.parametrize(
    "loss", [loss for loss in TRAINABLE if not loss.entrywise], ids=repr
)
every_radial_loss = pytest.mark.parametrize("loss", RADIAL, ids=repr)
every_case = pytest.mark.parametrize("case", CASES)
every_model = pytest.mark.parametrize("name", MODELS)


def norms(A):
    return np.linalg.norm(A, axis=1)


@cache
def fitted(loss, case="identity"):
    """The model of the outputs as vectors of R^20."""
    return Regressor(loss, CASES[case].kernel, **TIGHT, centre=None).fit(X, Y)


@cache
def known(loss, case="identity", m=None):
    """The model of the outputs known by K^Y alone, in at most m coordinates."""
    space = spaces.RKHS(kernels.Precomputed(K_Y), n_components=m)
    return Regressor(loss, CASES[case].kernel, space, **TIGHT, centre=None).fit(X, np.arange(N))


def omega_of(model):
    """Omega with W = Omega V, where V V^T = K^Y."""
    return model.dual_coef_ @ np.linalg.pinv(model.targets_)


def operators(kernel, inputs, targets):
    """K(x_i, x_j) as an array (i, a, j, b)."""
    gram = kernel.fit(inputs, targets).gram()
    n, m = targets.shape
    columns = [gram @ E.reshape(n, m) for E in np.eye(n * m)]
    return np.stack(columns, axis=-1).reshape(n, m, n, m)


def rivals(W, rows=slice(None)):
    """W moved at random, a little and a lot, in some of its rows."""
    noise = np.random.default_rng(1)
    for size in (1e-4, 1e-3, 1e-2, 1e-1, 1.0):
        for _ in range(10):
            rival = W.copy()
            rival[rows] += size * noise.standard_normal(W[rows].shape)
            yield rival


def disc(radius, step=0.02):
    """Points of a disc of R^2 on circles `step` apart, its centre and its border included."""
    r, theta = np.meshgrid(np.linspace(0, radius, round(radius / step) + 1), np.linspace(0, 2 * np.pi, 360))
    return np.column_stack([(r * np.cos(theta)).ravel(), (r * np.sin(theta)).ravel()])


def orthogonal(m, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((m, m)))[0]


def soft_threshold(W, tau):
    lengths = norms(W)[:, None]
    return np.maximum(1 - tau / np.where(lengths > 0, lengths, np.inf), 0) * W


def project(W, tau):
    lengths = norms(W)[:, None]
    return np.minimum(tau / np.where(lengths > 0, lengths, 1e-300), 1) * W


def algorithm_1(name, V, threshold, *, steps=(soft_threshold, project), lam=LAM, epochs=20_000):
    """The printed loop, where the threshold is a function of eta."""
    model = MODELS[name]
    K_tilde = K / (lam * N) + model.a * np.eye(N)
    eta = 1 / np.linalg.eigvalsh(K_tilde)[-1]
    parameters = {soft_threshold: threshold(eta), project: model.cap}
    W = np.zeros_like(V)
    for _ in range(epochs):
        W = W - eta * (K_tilde @ W - V)
        for step in steps:
            W = step(W, parameters[step])
    return W, eta


def solved(loss, V):
    return ProximalGradient(tol=1e-13, max_iter=50_000).solve(dual_of(K, loss, V, LAM)).W


@every_operator_kernel
def test_definition_1_operator_valued_kernels_are_hermitian_and_positive(kernel):
    inputs, outputs = X, Y[:, :3]
    G = operators(kernel, inputs, outputs)
    for i in range(N):
        for j in range(N):
            np.testing.assert_allclose(G[i, :, j], G[j, :, i].T, atol=1e-12)
    values = np.linalg.eigvalsh(G.reshape(3 * N, 3 * N))
    assert values[0] >= -1e-12 * values[-1]
    assert np.einsum("ia,iajb,jb->", outputs, G, outputs) > 0


def test_definition_2_a_separable_kernel_is_a_scalar_kernel_times_an_operator():
    A = B @ B.T
    G = operators(Separable(GAUSSIAN, Matrix(A)), X, Y)
    for i in range(N):
        for j in range(N):
            np.testing.assert_allclose(G[i, :, j], np.exp(-np.sum((X[i] - X[j]) ** 2)) * A, atol=1e-12)


@every_operator_kernel
def test_theorem_1_reproducing_property_and_bound(kernel):
    T = Y[:, :3]
    G, gram = operators(kernel, X, T), kernel.fit(X, T).gram()
    a, y = np.random.default_rng(0).standard_normal((N, 3)), np.array([1.0, -2.0, 0.5])
    norm = np.sqrt(np.sum(a * (gram @ a)))
    for i in range(N):
        E = np.outer(np.eye(N)[i], y)
        f_x = applied(kernel, X[i : i + 1], X, T, a)[0]
        assert np.sum(a * (gram @ E)) == pytest.approx(f_x @ y)
        assert np.linalg.norm(f_x) <= np.sqrt(np.linalg.norm(G[i, :, i], 2)) * norm * (1 + 1e-12)


@every_case
@every_trainable_loss
def test_problem_1_no_other_function_does_better(loss, case):
    model = fitted(loss, case)
    gram = CASES[case].kernel.fit(X, Y).gram()

    def risk(alpha):
        H = gram @ alpha
        return np.mean(loss.value(H, Y)) + LAM / 2 * np.sum(alpha * H)

    alpha = model.dual_coef_ / (LAM * N)
    np.testing.assert_allclose(model.predict(X), gram @ alpha, atol=1e-12)
    assert all(risk(alpha) <= risk(rival) + 1e-9 for rival in rivals(alpha))


@every_trainable_loss
def test_theorem_2_representer_terms_at_other_inputs_never_help(loss):
    points = np.concatenate([X, X_NEW])
    gram = CASES["identity"].kernel.fit(points, Y).gram()

    def risk(alpha):
        H = gram @ alpha
        return np.mean(loss.value(H[:N], Y)) + LAM / 2 * np.sum(alpha * H)

    alpha = np.concatenate([fitted(loss).dual_coef_ / (LAM * N), np.zeros((len(X_NEW), P))])
    np.testing.assert_allclose(fitted(loss).predict(X_NEW), (gram @ alpha)[N:], atol=1e-12)
    assert all(risk(alpha) <= risk(rival) + 1e-9 for rival in rivals(alpha, slice(N, None)))
    assert all(risk(alpha) <= risk(rival) + 1e-9 for rival in rivals(alpha))


@every_case
@every_model
def test_problem_2_is_the_dual_objective(name, case):
    model, kernel = MODELS[name], CASES[case].kernel
    G = operators(kernel, X, Y)
    alpha = project(np.random.default_rng(0).standard_normal((N, P)), min(model.cap, 2.0))
    conjugates = model.a / 2 * norms(alpha) ** 2 + model.epsilon * norms(alpha) - np.sum(alpha * Y, axis=1)
    value = np.sum(conjugates) + np.einsum("ia,iajb,jb->", alpha, G, alpha) / (2 * LAM * N)
    dual = dual_of(kernel.fit(X, Y).gram(), model.loss, Y, LAM)
    assert float(dual.objective(alpha)) == pytest.approx(value, rel=1e-12)
    best = float(dual.objective(fitted(model.loss, case).dual_coef_))
    for rival in rivals(fitted(model.loss, case).dual_coef_):
        assert best <= float(dual.objective(project(rival, model.cap))) + 1e-9


@every_case
@every_trainable_loss
def test_theorem_3_primal_and_dual_optima_are_opposite(loss, case):
    model = fitted(loss, case)
    H, alpha = model.predict(X), model.dual_coef_
    squared_norm = np.sum(alpha * H) / (LAM * N)
    primal = np.mean(loss.value(H, Y)) + LAM / 2 * squared_norm
    dual = np.sum(loss.conjugate(alpha, Y)) + np.sum(alpha * H) / 2
    assert N * primal == pytest.approx(-dual, rel=1e-9)
    assert primal > 0


@every_loss
def test_assumption_1_orthogonal_components_never_lower_the_conjugate(loss):
    draw = np.random.default_rng(0)
    outputs = np.column_stack([draw.standard_normal((50, 3)), np.zeros((50, 2))])
    inside = loss.prox(np.column_stack([draw.standard_normal((50, 3)), np.zeros((50, 2))]), outputs, 0.3)
    across = np.column_stack([np.zeros((50, 3)), draw.standard_normal((50, 2))])
    assert np.all(np.isfinite(loss.conjugate(inside, outputs)))
    for size in (1e-3, 1e-1, 1.0):
        assert np.all(loss.conjugate(inside, outputs) <= loss.conjugate(inside + size * across, outputs))


@every_invariant_loss
def test_assumption_2_conjugates_know_the_outputs_by_their_gram_alone(loss):
    twins = np.column_stack([Y, np.zeros((N, 5))]) @ orthogonal(P + 5)
    np.testing.assert_allclose(twins @ twins.T, K_Y)
    omega = loss.prox(Y, Y, 0.3) @ np.linalg.pinv(Y)
    here, there = loss.conjugate(omega @ Y, Y), loss.conjugate(omega @ twins, twins)
    assert np.all(np.isfinite(here))
    np.testing.assert_allclose(here, there)


@every_case
def test_assumption_3_the_span_of_the_outputs_is_invariant(case):
    G = operators(CASES[case].kernel, X, Y)
    inside = np.random.default_rng(0).standard_normal(N) @ Y
    images = np.einsum("iajb,b->ija", G, inside)
    np.testing.assert_allclose(images @ SPAN, images, atol=1e-12)
    assert np.linalg.norm(images) > 0.1


def test_remark_1_any_matrix_keeps_the_span_only_once_the_outputs_fill_the_space():
    kernel = Separable(GAUSSIAN, Matrix(B @ B.T))
    many, inputs = np.random.default_rng(0).standard_normal((P, P)), np.random.default_rng(1).standard_normal((P, 2))
    for x, outputs, invariant in ((X, Y, False), (inputs, many, True)):
        images = kernel.fit(x, outputs).gram() @ outputs
        assert np.allclose(images @ np.linalg.pinv(outputs) @ outputs, images) == invariant


def test_assumption_4_sums_of_separable_kernels_act_term_by_term():
    kernel, terms = CASES["sum"]
    W = np.random.default_rng(0).standard_normal((N, P))
    np.testing.assert_allclose(kernel.fit(X, Y).gram() @ W, sum(k(X, X) @ W @ A for k, A in terms))
    G = operators(kernel, X, Y)
    M = np.einsum("ka,iajb,lb->ijkl", Y, G, Y)
    simplified = sum(np.einsum("ij,kl->ijkl", k(X, X), Y @ A @ Y.T) for k, A in terms)
    np.testing.assert_allclose(M, simplified, atol=1e-12)


@every_case
@every_trainable_invariant_loss
def test_theorem_4_double_representer_dual_rows_are_combinations_of_the_outputs(loss, case):
    W = fitted(loss, case).dual_coef_
    np.testing.assert_allclose(W @ SPAN, W, atol=1e-8)
    assert np.linalg.norm(W) > 0.1


@every_case
@every_trainable_invariant_loss
def test_theorem_4_double_representer_omega_gives_the_predictor(loss, case):
    model = known(loss, case)
    omega = omega_of(model)
    assert omega.shape == (N, N)
    H = sum(k(X_NEW, X) @ omega @ Y @ A for k, A in CASES[case].terms) / (LAM * N)
    np.testing.assert_allclose(fitted(loss, case).predict(X_NEW), H, atol=1e-4)
    np.testing.assert_allclose(model.embed(X_NEW) @ model.targets_.T, H @ Y.T, atol=1e-6)


@every_case
@every_radial_loss
def test_problem_3_in_omega_has_the_value_of_the_dual(loss, case):
    omega = omega_of(known(loss, case))
    traces = sum(np.trace(k(X, X) @ omega @ (Y @ A @ Y.T) @ omega.T) for k, A in CASES[case].terms)
    L = loss.profile(np.sqrt(np.diag(omega @ K_Y @ omega.T))) - np.diag(omega @ K_Y)
    ambient = dual_of(CASES[case].kernel.fit(X, Y).gram(), loss, Y, LAM)
    value = float(ambient.objective(fitted(loss, case).dual_coef_))
    assert np.sum(L) + traces / (2 * LAM * N) == pytest.approx(value, rel=1e-8)


@every_case
def test_remark_2_the_tensor_of_order_four_holds_the_quadratic_term(case):
    M = np.einsum("ka,iajb,lb->ijkl", Y, operators(CASES[case].kernel, X, Y), Y)
    omega = np.random.default_rng(0).standard_normal((N, N))
    M_tilde = M.reshape(N * N, N * N)
    energy = np.sum((omega @ Y) * (CASES[case].kernel.fit(X, Y).gram() @ (omega @ Y)))
    assert np.trace(M_tilde.T @ np.kron(omega, omega)) == pytest.approx(energy)
    if case == "identity":
        np.testing.assert_allclose(M, np.einsum("ij,kl->ijkl", K, K_Y), atol=1e-12)


@pytest.mark.parametrize(
    "loss",
    [
        losses.Square(),
        losses.Norm(0.7),
        losses.Ball(0.6),
        losses.EpsilonSquare(0.4),
        losses.EpsilonNorm(0.4),
        losses.Huber(0.8),
        losses.InfConv(losses.Huber(0.8), losses.Ball(0.3)),
    ],
    ids=repr,
)
def test_proposition_1_conjugates_are_the_suprema_that_define_them(loss):
    t = np.array([[0.3, -0.4]])
    for w in np.array([[[0.1, 0.2]], [[-0.5, 0.3]], [[0.0, 0.0]], [[2.0, 1.0]]]):
        conjugate = float(loss.conjugate(w, t)[0])
        near, far = (
            np.max(-(p := t + disc(radius)) @ w[0] - loss.value(p, np.broadcast_to(t, p.shape))) for radius in (6, 12)
        )
        if np.isfinite(conjugate):
            assert conjugate == pytest.approx(near, abs=1e-3)
        else:
            assert far > near + 1


@pytest.mark.parametrize("scale", [0.7, 1.5])
def test_proposition_1_norm_and_ball_are_conjugate(scale):
    W = np.random.default_rng(0).standard_normal((40, 3))
    inside = norms(W) <= scale
    assert 0 < inside.sum() < 40
    np.testing.assert_array_equal(losses.Norm(scale).conjugate(W, 0 * W), np.where(inside, 0.0, np.inf))
    np.testing.assert_allclose(losses.Ball(scale).conjugate(W, 0 * W), scale * norms(W))
    np.testing.assert_allclose(losses.Norm(scale).value(W, 0 * W), scale * norms(W))
    np.testing.assert_array_equal(losses.Ball(scale).value(W, 0 * W), np.where(inside, 0.0, np.inf))


@every_radial_loss
def test_proposition_1_a_translation_adds_a_linear_term(loss):
    W = loss.prox(Y, 0 * Y, 0.3)
    np.testing.assert_allclose(loss.conjugate(W, Y), loss.conjugate(W, 0 * Y) - np.sum(W * Y, axis=1))
    np.testing.assert_array_equal(loss.value(W, Y), loss.value(W - Y, 0 * Y))


@pytest.mark.parametrize(
    ("f", "g"),
    [
        (losses.Norm(0.7), losses.Square()),
        (losses.Square(), losses.Ball(0.6)),
        (losses.Norm(0.7), losses.Ball(0.6)),
        (losses.Huber(0.8), losses.Ball(0.3)),
        (losses.Huber(0.8), losses.Norm(0.7)),
        (losses.EpsilonSquare(0.4), losses.Huber(0.8)),
        (losses.EpsilonSquare(0.4), losses.Ball(0.3)),
    ],
    ids=repr,
)
def test_proposition_1_infimal_convolution_adds_conjugates(f, g):
    whole = losses.InfConv(f, g)
    W = np.random.default_rng(0).standard_normal((20, 2))
    np.testing.assert_allclose(whole.conjugate(W, 0 * W), f.conjugate(W, 0 * W) + g.conjugate(W, 0 * W))
    grid = disc(4.0)
    for w in W[:5]:
        infimum = np.min(f.value(w - grid, 0 * grid) + g.value(grid, 0 * grid))
        assert float(whole.value(w[None], 0 * w[None])[0]) == pytest.approx(infimum, abs=5e-3)


@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(KAPPA)], ids=repr)
def test_assumption_5_the_spectral_decomposition_makes_the_operator_diagonal(loss):
    A = B @ B.T
    values, psi = np.linalg.eigh(A)
    given = Regressor(loss, Separable(GAUSSIAN, Matrix(A)), **TIGHT, centre=None).fit(X, Y)
    S = Matrix(np.diag(np.maximum(values, 0)))
    diagonal = Regressor(loss, Separable(GAUSSIAN, S), **TIGHT, centre=None).fit(X, Y @ psi)
    np.testing.assert_allclose(given.predict(X_NEW), diagonal.predict(X_NEW) @ psi.T, atol=1e-5)


@every_radial_loss
def test_problem_4_restricted_dual_optima_fall_to_the_dual_optimum(loss):
    values = []
    for m in range(1, N + 1):
        model = known(loss, m=m)
        restricted = dual_of(K, loss, model.targets_, LAM)
        values.append(float(restricted.objective(model.dual_coef_)))
        psi = model.space_.axes_.T @ Y
        np.testing.assert_allclose(psi @ psi.T, np.eye(m), atol=1e-9)
        assert np.sum(model.targets_**2) == pytest.approx(np.sum(np.linalg.eigvalsh(K_Y)[-m:]))
        whole = dual_of(K, loss, Y, LAM)
        assert float(whole.objective(model.dual_coef_ @ psi)) == pytest.approx(values[-1])
    optimum = float(whole.objective(fitted(loss).dual_coef_))
    assert np.all(np.diff(values) <= 1e-9)
    assert values[0] > values[-1] + 1e-3
    assert values[-1] == pytest.approx(optimum, rel=1e-8)


@every_radial_loss
def test_problem_4_truncation_gap_is_full_primal_minus_restricted_dual(loss):
    optimum = np.mean(loss.value(fitted(loss).predict(X), Y)) * N
    optimum += np.sum(fitted(loss).dual_coef_ * fitted(loss).predict(X)) / 2
    for m in range(1, N + 1):
        model = known(loss, m=m)
        psi = model.space_.axes_.T @ Y
        W, H = model.dual_coef_, model.embed(X)
        primal = np.sum(loss.value(H @ psi, Y)) + np.sum(W * H) / 2
        restricted = np.sum(loss.conjugate(W, model.targets_)) + np.sum(W * H) / 2
        assert model.truncation_gap_ == pytest.approx((primal + restricted) / primal, abs=1e-7)
        assert primal - optimum <= model.truncation_gap_ * primal + 1e-8
        assert (model.truncation_gap_ < 1e-6) == (m == N)


@every_invariant_loss
def test_assumption_6_and_remark_3_conjugates_know_the_outputs_by_their_coordinates(loss):
    psi = orthogonal(P)[:4]
    R = Y @ psi.T
    omega = loss.prox(R, R, 0.3)
    assert np.all(np.isfinite(loss.conjugate(omega, R)))
    outputs = Y
    if isinstance(loss, losses.Margin):
        # The remark needs anchors in the span of the basis: off the line of its anchor a conjugate is infinite.
        assert np.all(np.isinf(loss.conjugate(omega @ psi, Y)))
        outputs = R @ psi
    np.testing.assert_allclose(loss.conjugate(omega @ psi, outputs), loss.conjugate(omega, R))


@every_radial_loss
@pytest.mark.parametrize("m", [1, 4, P])
def test_theorem_5_problem_5_solves_the_approximate_dual(loss, m):
    eigenvalues, psi = 1 / (1 + np.arange(P)) ** 2, orthogonal(P)
    A = psi.T @ np.diag(eigenvalues) @ psi
    S, R = np.diag(eigenvalues[:m]), Y @ psi[:m].T
    model = Regressor(loss, Separable(GAUSSIAN, Matrix(S)), **TIGHT, centre=None).fit(X, R)
    omega = model.dual_coef_
    L = loss.profile(norms(omega)) - np.sum(omega * R, axis=1)
    value = np.sum(L) + np.trace(K @ omega @ S @ omega.T) / (2 * LAM * N)
    ambient = dual_of(Separable(GAUSSIAN, Matrix(A)).fit(X, Y).gram(), loss, Y, LAM)
    assert float(ambient.objective(omega @ psi[:m])) == pytest.approx(value)
    for rival in rivals(omega):
        feasible = project(rival, loss.cap)
        assert value <= float(ambient.objective(feasible @ psi[:m])) + 1e-8
    H = sum(np.outer(K_NEW @ omega[:, j], eigenvalues[j] * psi[j]) for j in range(m)) / (LAM * N)
    np.testing.assert_allclose(model.predict(X_NEW) @ psi[:m], H, atol=1e-10)


@every_radial_loss
def test_remark_4_more_eigenfunctions_approach_the_whole_solution(loss):
    eigenvalues = 1 / (1 + np.arange(P)) ** 2

    def values(m):
        S = Matrix(np.diag(eigenvalues[:m]))
        model = Regressor(loss, Separable(GAUSSIAN, S), **TIGHT, centre=None).fit(X, Y[:, :m])
        return np.column_stack([model.predict(X_NEW), np.zeros((len(X_NEW), P - m))])

    errors = [np.linalg.norm(values(m) - values(P)) for m in (1, 10, P)]
    assert errors[0] > errors[1] > errors[2] == 0


@pytest.mark.parametrize("f", [losses.Norm(1.3), losses.Square(), losses.Huber(KAPPA)], ids=repr)
def test_definition_3_epsilon_insensitive_is_the_least_value_in_the_ball(f):
    points = np.array([[0.1, 0.2], [0.3, -0.2], [1.0, 0.5], [-2.0, 0.4]])
    insensitive = losses.InfConv(f, losses.Ball(EPSILON)).value(points, 0 * points)
    d = disc(1.0, 0.005)
    brute = [np.min(f.value(y - EPSILON * d, 0 * d)) for y in points]
    np.testing.assert_allclose(insensitive, brute, atol=5e-3)
    np.testing.assert_array_equal(insensitive == 0, norms(points) <= EPSILON)


def test_definition_4_epsilon_svr_and_epsilon_ridge():
    t = norms(Y)
    assert 0 < np.sum(t <= EPSILON) < N
    np.testing.assert_allclose(losses.EpsilonNorm(EPSILON).value(Y, 0 * Y), np.maximum(t - EPSILON, 0))
    np.testing.assert_allclose(2 * losses.EpsilonSquare(EPSILON).value(Y, 0 * Y), np.maximum(t - EPSILON, 0) ** 2)


def test_definition_5_huber_is_the_infimal_convolution_of_norm_and_square():
    points = np.array([[0.1, 0.2], [0.3, -0.4], [1.0, 0.5], [-2.0, 0.4]])
    t = norms(points)
    huber = losses.Huber(KAPPA).value(points, 0 * points)
    np.testing.assert_allclose(huber, np.where(t <= KAPPA, t**2 / 2, KAPPA * (t - KAPPA / 2)))
    u = disc(3.0, 0.01)
    brute = [np.min(KAPPA * norms(u) + norms(y - u) ** 2 / 2) for y in points]
    np.testing.assert_allclose(huber, brute, atol=1e-3)


@every_model
def test_theorem_6_d1_d2_d3_written_literally(name):
    model = MODELS[name]
    V = np.linalg.cholesky(K_Y)
    A = np.linalg.cholesky(K / (LAM * N) + model.a * np.eye(N)).T
    A_T_inverse_V = np.linalg.solve(A.T, V)

    def objective(W):
        return np.sum((A @ W - A_T_inverse_V) ** 2) / 2 + model.epsilon * np.sum(norms(W))

    W = omega_of(known(model.loss)) @ V
    assert np.all(norms(W) <= model.cap * (1 + 1e-12))
    assert all(objective(W) <= objective(project(rival, model.cap)) + 1e-8 for rival in rivals(W))
    H = K @ (W @ np.linalg.inv(V)) @ Y / (LAM * N)
    primal = np.mean(model.phi(norms(H - Y))) + LAM / 2 * np.sum(W * (K @ W)) / (LAM * N) ** 2
    assert objective(W) - np.sum(A_T_inverse_V**2) / 2 == pytest.approx(-N * primal, rel=1e-8)
    np.testing.assert_allclose(clone(model.estimator).fit(X, Y).predict(X), H, atol=1e-4)


@every_model
def test_theorem_6_the_tube_and_the_cap_are_both_met(name):
    model = MODELS[name]
    lengths = norms(fitted(model.loss).dual_coef_)
    assert (0 < np.sum(lengths == 0) < N) == (model.epsilon > 0)
    assert (0 < np.sum(np.isclose(lengths, model.cap)) < N) == np.isfinite(model.cap)


@pytest.mark.parametrize("loss", [losses.Square(), losses.EpsilonSquare(0.0), losses.Huber(1e9)], ids=repr)
def test_theorem_6_no_tube_or_no_cap_is_ridge(loss):
    omega = omega_of(known(loss))
    np.testing.assert_allclose(omega, np.linalg.inv(K / (LAM * N) + np.eye(N)), atol=1e-4)


@every_model
def test_algorithm_1_with_the_corrected_threshold(name):
    V = np.linalg.cholesky(K_Y)
    W, _ = algorithm_1(name, V, lambda eta: eta * MODELS[name].epsilon)
    np.testing.assert_allclose(W, solved(MODELS[name].loss, V), atol=1e-5)
    assert np.linalg.norm(W) > 0.1


@pytest.fixture
def curves():
    """Curves on a grid where cosines are orthonormal in the mean, psi_j, their eigenvalues, and R."""
    theta = (np.arange(50) + 0.5) / 50
    psi = np.stack([np.ones(50)] + [np.sqrt(2) * np.cos(np.pi * j * theta) for j in range(1, 6)])
    outputs = np.stack([np.sin(4 * theta + x[0]) + 2 * x[1] * theta**2 for x in X])
    return outputs, psi, 1 / (1 + np.arange(6.0)) ** 2, outputs @ psi.T / 50


def test_theorem_7_problem_6_and_its_projected_gradient(curves):
    outputs, psi, eigenvalues, R = curves
    S = np.diag(eigenvalues)
    model = HuberRegressor(KAPPA, LAM, Separable(GAUSSIAN, Matrix(S)), tol=1e-12, max_iter=50_000, centre=None).fit(
        X, R
    )
    omega = model.dual_coef_

    def objective(W):
        return np.trace(W @ W.T / 2 + K @ W @ S @ W.T / (2 * LAM * N) - W @ R.T)

    assert np.all(norms(omega) <= KAPPA * (1 + 1e-12))
    assert all(objective(omega) <= objective(project(rival, KAPPA)) + 1e-8 for rival in rivals(omega))
    W, eta = np.zeros_like(R), 1 / (1 + np.linalg.eigvalsh(K)[-1] / (LAM * N))
    for _ in range(3000):
        W = project(W - eta * (W + K @ W @ S / (LAM * N) - R), KAPPA)
    np.testing.assert_allclose(omega, W, atol=1e-5)
    T_k = psi.T @ S @ psi / 50
    np.testing.assert_allclose(model.predict(X_NEW) @ psi, K_NEW @ (omega @ psi) @ T_k / (LAM * N), atol=1e-10)
    assert np.linalg.norm(outputs - R @ psi) < 0.05 * np.linalg.norm(outputs)


def test_remark_5_a_large_kappa_is_ridge_in_closed_form(curves):
    _, _, eigenvalues, R = curves
    S = np.diag(eigenvalues)
    model = HuberRegressor(1e9, LAM, Separable(GAUSSIAN, Matrix(S)), tol=1e-12, centre=None).fit(X, R)
    closed = np.linalg.solve(np.kron(K, S) / (LAM * N) + np.eye(R.size), R.ravel()).reshape(R.shape)
    np.testing.assert_allclose(model.dual_coef_, closed, atol=1e-5)


def test_remark_6_a_normalised_output_kernel_gives_outputs_of_norm_one():
    space = spaces.RKHS(GAUSSIAN).fit(Y)
    np.testing.assert_allclose(space.norms(Y), 1)
    np.testing.assert_allclose(norms(space.encode(Y)), 1)


WORDS, CANDIDATES = ["cart", "care", "dogs", "dot", "cat", "hare"], ["cart", "care", "dogs", "card", "dots", "at"]


def overlap(left, right):
    return np.array([[len(set(a) & set(b)) for b in right] for a in left], dtype=float)


@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(KAPPA), losses.Norm(1.0)], ids=repr)
def test_problem_7_structured_prediction_is_a_pre_image(loss):
    model = Regressor(loss, GAUSSIAN, spaces.RKHS(overlap), **TIGHT, centre=None).fit(X, WORDS)
    C = K_NEW @ omega_of(model) / (LAM * N)
    K_Z = overlap(WORDS, WORDS)
    squared = np.diag(C @ K_Z @ C.T)[:, None] - 2 * C @ overlap(WORDS, CANDIDATES)
    distances = np.sqrt(squared + np.diag(overlap(CANDIDATES, CANDIDATES)))
    best = np.argmin(loss.phi(distances), axis=1)
    assert model.space_.decode(model.embed(X_NEW), CANDIDATES) == [CANDIDATES[i] for i in best]
    assert len(set(best)) > 1


def test_remark_7_gradient_of_the_quadratic_term():
    kernel = CASES["identity"].kernel
    M = np.einsum("ka,iajb,lb->ijkl", Y, operators(kernel, X, Y), Y)
    np.testing.assert_allclose(M, M.transpose(1, 0, 3, 2), atol=1e-12)
    omega = np.random.default_rng(0).standard_normal((N, N))
    gradient = 2 * np.einsum("isjt,st->ij", M, omega)
    np.testing.assert_allclose(gradient, 2 * K @ omega @ K_Y)
    np.testing.assert_allclose(gradient, 2 * (kernel.fit(X, Y).gram() @ (omega @ Y)) @ Y.T)


def test_problems_9_and_10_are_the_dual_of_epsilon_ridge():
    model = known(MODELS["epsilon-ridge"].loss)
    W, V, omega = model.dual_coef_, model.targets_, omega_of(model)
    K_tilde = K / (LAM * N) + np.eye(N)
    in_omega = np.trace(K_tilde @ omega @ K_Y @ omega.T) / 2 - np.trace(K_Y @ omega)
    in_omega += EPSILON * np.sum(np.sqrt(np.clip(np.diag(omega @ K_Y @ omega.T), 0, None)))
    in_w = np.trace(K_tilde @ W @ W.T) / 2 - np.trace(V.T @ W) + EPSILON * np.sum(norms(W))
    dual = dual_of(K, losses.EpsilonSquare(EPSILON), V, LAM)
    assert in_omega == pytest.approx(float(dual.objective(W)), rel=1e-6)
    assert in_w == pytest.approx(float(dual.objective(W)), rel=1e-12)


@pytest.mark.parametrize("name", ["epsilon-ridge", "epsilon-svr"])
def test_erratum_1_the_printed_threshold_solves_another_epsilon(name):
    V = np.linalg.cholesky(K_Y)
    printed = 0.05
    W, eta = algorithm_1(name, V, lambda eta: printed)
    loss = type(MODELS[name].loss)
    np.testing.assert_allclose(W, solved(loss(printed / eta), V), atol=1e-5)
    assert np.linalg.norm(W - solved(loss(printed), V)) > 0.1
    assert np.linalg.norm(W) > 0.1


def test_erratum_1_the_printed_threshold_empties_the_model_for_small_lambda():
    V = np.linalg.cholesky(K_Y)
    W, _ = algorithm_1("epsilon-ridge", V, lambda eta: 0.05, lam=1e-4, epochs=100)
    assert np.all(W == 0)
    assert len(EpsilonRidge(0.05, 1e-4, GAUSSIAN, centre=None).fit(X, V).support_) == N


def test_erratum_1_the_threshold_comes_before_the_projection():
    V = np.linalg.cholesky(K_Y)
    W, _ = algorithm_1("epsilon-svr", V, lambda eta: eta * EPSILON, steps=(project, soft_threshold))
    assert np.linalg.norm(W - solved(losses.EpsilonNorm(EPSILON), V)) > 0.01


@every_radial_loss
def test_erratum_2_no_jitter_is_needed(loss):
    outputs = Y[:, :3]
    V = np.linalg.cholesky(outputs @ outputs.T + 1e-8 * np.eye(N))
    ranked = Regressor(loss, GAUSSIAN, spaces.RKHS(), **TIGHT, centre=None).fit(X, outputs)
    jittered = Regressor(loss, GAUSSIAN, **TIGHT, centre=None).fit(X, V)
    assert (ranked.dual_coef_.shape, jittered.dual_coef_.shape) == ((N, 3), (N, N))
    known = ranked.embed(X_NEW) @ ranked.targets_.T
    np.testing.assert_allclose(known, jittered.predict(X_NEW) @ V.T, atol=1e-4)


def test_erratum_5_the_step_from_the_trace_is_too_long_for_a_smooth_kernel():
    smooth = kernels.Gaussian(0.1)(X, X)
    step = 8 / (np.trace(smooth) + N * LAM)
    dual = dual_of(smooth, losses.Huber(KAPPA), Y, LAM)
    gaps = []
    for eta in (step, 1 / (np.linalg.eigvalsh(smooth)[-1] + N * LAM)):
        theirs = np.zeros_like(Y)
        for _ in range(2000):
            theirs = project(theirs - eta * ((smooth + N * LAM * np.eye(N)) @ theirs - Y), KAPPA / (LAM * N))
        gaps.append(float(dual.gap(LAM * N * theirs)))
    assert gaps[0] > 0.1
    assert gaps[1] < 1e-6


@every_trainable_loss
def test_erratum_6_the_authors_w_is_divided_by_lambda_n(loss):
    theirs = fitted(loss).dual_coef_ / (LAM * N)
    np.testing.assert_allclose(fitted(loss).predict(X_NEW), K_NEW @ theirs, atol=1e-12)
    ridge = np.linalg.solve(K + LAM * N * np.eye(N), Y)
    np.testing.assert_allclose(Ridge(LAM, GAUSSIAN, centre=None).fit(X, Y).dual_coef_ / (LAM * N), ridge, atol=1e-12)


def test_erratum_7_ties_in_the_tube_are_broken_by_the_norm():
    candidates = np.array([[1.3, 0.0], [1.0, 0.1], [0.0, 5.0]])
    point = np.array([[1.0, 0.0]])
    np.testing.assert_array_equal(losses.EpsilonNorm(EPSILON).value(candidates, point.repeat(3, 0))[:2], 0)
    space = spaces.RKHS().fit(np.eye(2))
    np.testing.assert_array_equal(space.decode(space.encode(point), candidates), candidates[1:2])


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_erratum_8_null_and_saturated_rows_do_not_depend_on_the_scale(scale):
    for loss, scaled in (
        (losses.EpsilonSquare(EPSILON), losses.EpsilonSquare(scale * EPSILON)),
        (losses.Huber(KAPPA), losses.Huber(scale * KAPPA)),
    ):
        model = Regressor(scaled, GAUSSIAN, **TIGHT, centre=None).fit(X, scale * Y)
        np.testing.assert_array_equal(model.support_, fitted(loss).support_)
        np.testing.assert_array_equal(model.saturated_, fitted(loss).saturated_)
    assert 0 < len(fitted(losses.Huber(KAPPA)).saturated_) < N


def test_erratum_12_d1_is_a_multi_task_lasso_without_intercept():
    A = np.linalg.cholesky(K / (LAM * N) + np.eye(N)).T
    targets = np.linalg.solve(A.T, Y)
    W = {}
    for intercept in (False, True):
        lasso = MultiTaskLasso(alpha=EPSILON / N, fit_intercept=intercept, tol=1e-14, max_iter=100_000)
        W[intercept] = lasso.fit(A, targets).coef_.T
    np.testing.assert_allclose(fitted(losses.EpsilonSquare(EPSILON)).dual_coef_, W[False], atol=1e-4)
    assert np.linalg.norm(W[True] - W[False]) > 0.01
