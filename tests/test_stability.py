"""Stability: the paper's table row by row, the bound against models retrained without a sample, the report."""

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from examples import TRAINABLE, dual_of
from hilbertine import HuberRegressor, Regressor, Ridge, kernels, losses, operator_kernels, spaces, stability
from hilbertine.experiments import Settings, stability_figure
from hilbertine.solvers import Recipe, removal_changes

rng = np.random.default_rng(0)
X, Y = rng.uniform(-1, 1, (15, 2)), rng.standard_normal((15, 3))
K = kernels.Gaussian(1.0)(X, X)
RADIAL = [loss for loss in TRAINABLE if isinstance(loss, losses.Radial)]
EPSILON, KAPPA = 0.1, 0.4
settings = pytest.mark.parametrize(("lam", "gamma", "radius"), [(0.1, 1.0, 1.0), (0.02, 0.5, 2.0), (3.0, 2.0, 0.7)])


@settings
def test_table_row_epsilon_svr(lam, gamma, radius):
    rest = math.sqrt(radius - EPSILON)
    M, C = stability.constants(losses.EpsilonNorm(EPSILON), lam, gamma, radius)
    assert pytest.approx(rest * (math.sqrt(2) * gamma / math.sqrt(lam) + rest)) == M
    assert C == 1


@settings
def test_table_row_huber_holds_for_kappa_up_to_the_radius(lam, gamma, radius):
    rest = math.sqrt(radius - KAPPA / 2)
    M, C = stability.constants(losses.Huber(KAPPA), lam, gamma, radius)
    assert pytest.approx(KAPPA * rest * (gamma * math.sqrt(2 * KAPPA) / math.sqrt(lam) + rest)) == M
    assert pytest.approx(KAPPA) == C


@settings
def test_table_row_epsilon_ridge_is_that_of_the_loss_without_the_half(lam, gamma, radius):
    """Erratum 3: the printed row is derived for max(|y| - epsilon, 0)^2, the loss that is solved has a factor 1/2."""
    rest = radius - EPSILON
    printed = (
        rest**2 * (1 + 2 * math.sqrt(2) * gamma / math.sqrt(lam) + 2 * gamma**2 / lam),
        2 * rest * (1 + gamma * math.sqrt(2) / math.sqrt(lam)),
    )
    doubled = losses.EpsilonInsensitive(losses.Power(2.0, scale=2.0), EPSILON)
    assert stability.constants(doubled, lam, gamma, radius) == pytest.approx(printed)
    solved = rest**2 / 2 * (1 + gamma / math.sqrt(lam)) ** 2, rest * (1 + gamma / math.sqrt(lam))
    assert stability.constants(losses.EpsilonSquare(EPSILON), lam, gamma, radius) == pytest.approx(solved)


def test_erratum_3_in_numbers():
    M, C = stability.constants(losses.EpsilonSquare(0.1), 0.1, 1.0, 1.0)
    assert (round(M, 2), round(C, 2)) == (7.02, 3.75)


@pytest.mark.parametrize("loss", RADIAL, ids=repr)
@pytest.mark.parametrize("lam", [0.03, 0.3])
def test_constants_bound_every_model(loss, lam):
    """Assumptions 7 and 9: trained models stay below M, and their losses move no faster than C."""
    radius = float(np.linalg.norm(Y, axis=1).max())
    M, C = stability.constants(loss, lam, 1.0, radius)
    model = Regressor(loss, "precomputed", lam=lam, centre=None).fit(K, Y)
    P = model.predict(K)
    energy = np.sum(model.dual_coef_ * P) / (lam * len(X))
    assert math.sqrt(energy) <= stability.function_norm(loss, lam, radius) * (1 + 1e-9)
    assert np.all(loss.value(P, Y) <= M * (1 + 1e-9))
    moved = P + 1e-3 * rng.standard_normal(P.shape)
    change = np.abs(loss.value(moved, Y) - loss.value(P, Y))
    assert np.all(change <= C * np.linalg.norm(moved - P, axis=1) * (1 + 1e-6))


@pytest.mark.parametrize(
    "loss", [losses.Square(), losses.Huber(0.3), losses.EpsilonSquare(0.5), losses.EpsilonNorm(0.2)]
)
def test_no_removal_changes_a_loss_by_more_than_beta(loss):
    lam = 0.1
    model = Regressor(loss, "precomputed", lam=lam, tol=1e-10, centre=None).fit(K, Y)
    radius = float(np.linalg.norm(Y, axis=1).max())
    changes = removal_changes(dual_of(K, loss, Y, lam), model.dual_coef_, Recipe(tol=1e-10))
    assert changes.shape == (15,)
    assert 0 < changes.max() <= stability.stability(loss, lam, 1.0, radius, 15)
    # By hand, without sample 4: lam n is that of the full problem.
    keep = np.delete(np.arange(15), 4)
    other = Regressor(loss, "precomputed", lam=lam * 15 / 14, tol=1e-10, centre=None).fit(
        K[np.ix_(keep, keep)], Y[keep]
    )
    by_hand = np.abs(loss.value(other.predict(K[:, keep]), Y) - loss.value(model.predict(K), Y)).max()
    assert changes[4] == pytest.approx(by_hand, rel=1e-4)


def test_the_bound_of_bousquet_and_elisseeff():
    expected = 0.2 + 2 * 0.01 + (4 * 50 * 0.01 + 3.0) * math.sqrt(math.log(1 / 0.1) / 100)
    assert stability.generalisation_bound(0.2, 0.01, 3.0, 50, 0.1) == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"delta must lie between 0 and 1"):
        stability.generalisation_bound(0.2, 0.01, 3.0, 50, 1.0)


def test_the_report_of_a_model():
    model = HuberRegressor(0.3, 0.05, kernels.Gaussian(1.0), centre=None).fit(X, Y)
    report = model.stability_report(delta=0.1)
    assert report.gamma == pytest.approx(1.0)
    assert report.radius == pytest.approx(np.linalg.norm(Y, axis=1).max())
    assert report.risk == pytest.approx(losses.Huber(0.3).value(model.predict(X), Y).mean())
    assert report.beta == pytest.approx(0.3**2 / (0.05 * 15))
    assert report.bound == stability.generalisation_bound(report.risk, report.beta, report.M, 15, 0.1)
    text = str(report)
    for name in ("lam", "gamma", "M_Y", "M ", "C ", "beta", "bound"):
        assert name in text
    assert model.stability_report(gamma=2.0).beta == pytest.approx(4 * report.beta)


def test_gamma_counts_the_operator_and_tails_count_for_the_radius():
    A = np.diag([4.0, 1.0, 1.0])
    kernel = operator_kernels.Separable(kernels.Gaussian(1.0), operator_kernels.Matrix(A))
    assert Ridge(0.1, kernel, centre=None).fit(X, Y).stability_report().gamma == pytest.approx(2.0)
    space = spaces.RKHS(kernels.Gaussian(0.5), n_components=2)
    assert Ridge(0.1, kernels.Gaussian(1.0), space, centre=None).fit(X, Y).stability_report().radius == pytest.approx(
        1.0
    )


def test_a_precomputed_gram_is_not_kept_and_its_diagonal_is():
    model = Ridge(0.1, "precomputed", centre=None).fit(4.0 * K, Y)
    assert model.stability_report().gamma == pytest.approx(2.0)
    assert len(pickle.dumps(Ridge(0.1, "precomputed", centre=None).fit(np.eye(200), np.ones(200)))) < 8 * 200 * 20


def test_a_report_that_cannot_be_made_says_why():
    with pytest.raises(TypeError, match=r"radial loss.*Hinge"):
        Regressor(losses.Hinge(), lam=0.1, centre=None).fit(X, Y).stability_report()


def test_the_experiment_never_crosses_the_bound():
    result = stability_figure.run(Settings(quick=True))
    assert {row["axis"] for row in result["rows"]} == {"lam", "epsilon", "kappa"}
    assert all(0 < row["observed"] <= row["beta"] * (1 + 1e-6) for row in result["rows"])
    assert max(row["observed"] / row["beta"] for row in result["rows"]) > 0.5
    assert all(row["gap"] <= 1e-8 for row in result["rows"])
    head, body = stability_figure.columns(result)
    assert {len(row) for row in body} == {len(head)}


def test_the_figure_of_the_experiment(tmp_path):
    pytest.importorskip("matplotlib", reason="the figure needs matplotlib")
    fig = stability_figure.draw(stability_figure.run(Settings(quick=True)))
    fig.savefig(tmp_path / "stability.png")
    assert [ax.get_xlabel() for ax in fig.axes] == ["lam", "epsilon", "kappa"]


FEW = kernels.Nystroem(kernels.Gaussian(0.5), 10)


@pytest.mark.parametrize(
    "kernel",
    [
        operator_kernels.Separable(FEW, operator_kernels.Covariance()),
        operator_kernels.Sum(
            operator_kernels.Separable(FEW), operator_kernels.Separable(None, operator_kernels.Covariance())
        ),
        operator_kernels.Scaled(3.0, operator_kernels.Separable(FEW)),
        operator_kernels.Product(kernels.Polynomial(2), operator_kernels.Separable(FEW)),
        operator_kernels.Product(kernels.Polynomial(2), operator_kernels.AlignedAnchored()),
    ],
    ids=repr,
)
def test_the_report_bounds_the_operators_of_kernels_made_of_others(kernel):
    """A fitted model keeps no Gram matrix, and where it has features no training points either."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((30, 2)), rng.standard_normal((30, 2))
    model = HuberRegressor(1.0, kernel=kernel, centre=None).fit(X, Y)
    exact = max(np.linalg.eigvalsh(block)[-1] for block in clone(kernel).fit(X, Y).gram().blocks())
    assert exact * (1 - 1e-9) <= model.stability_report().gamma ** 2 <= 3 * exact


def test_a_sample_without_a_dual_variable_leaves_without_a_trace():
    K, Y = kernels.Gaussian(0.5)(X, X), np.tanh(X[:, :1])
    Y[1:4] += 5.0
    dual = dual_of(K, losses.EpsilonSquare(1.5), Y, 1e-2)
    W = Recipe(tol=1e-10).solve(dual).W
    assert not W[0].any()
    assert W[1].any()
    changes = removal_changes(dual, W, Recipe(tol=1e-10))
    assert np.isfinite(changes).all()
    assert changes[0] < 1e-3 < changes[1]
