"""No solver knows a unit: problems in other units are the same problems, and numbers far from one are brought near."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from examples import SOLVERS, TRAINABLE, dual_of
from hilbertine import Regressor, losses
from hilbertine.dual import Dual
from hilbertine.kernels import Gaussian
from hilbertine.losses.units import Units, in_units
from hilbertine.risk import counted_in
from hilbertine.solvers import Splitting, choose
from hilbertine.solvers.rounding import rounding

rng = np.random.default_rng(0)
X = rng.standard_normal((24, 2))
T = np.sin(X @ rng.standard_normal((2, 3))) + 0.1 * rng.standard_normal((24, 3))
K = Gaussian(0.5)(X, X)
every_loss = pytest.mark.parametrize("loss", TRAINABLE, ids=repr)
FAR = [2.0**-480, 2.0**-200, 2.0**200, 2.0**480]


def in_other_units(dual, units):
    return Dual(dual.gram, counted_in(dual.risk, units), dual.lam * (units.predictions / units.duals))


def near(dual, targets=2.0**9, duals=2.0**-7):
    predictions = targets if dual.risk.loss.shifts else 1.0 / targets
    return Units(targets, predictions, predictions if dual.risk.loss.square else duals)


@every_loss
@pytest.mark.parametrize("units", [Units(4.0, 8.0, 0.5), Units(0.125, 0.25, 16.0)])
def test_a_loss_in_other_units_is_the_loss(loss, units):
    other, height = in_units(loss, units), units.predictions * units.duals
    P, W, step = rng.standard_normal(T.shape), loss.prox(rng.standard_normal(T.shape), T, 0.7), 0.7
    if loss.shifts:
        units = units._replace(targets=units.predictions)
        other = in_units(loss, units)
    targets = T / units.targets
    near = {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(other.value(P / units.predictions, targets), loss.value(P, T) / height, **near)
    np.testing.assert_allclose(other.conjugate(W / units.duals, targets), loss.conjugate(W, T) / height, **near)
    there = step * units.predictions / units.duals
    proxes = other.prox(P / units.duals, targets, there), other.derivative(P / units.duals, targets, there)
    np.testing.assert_allclose(proxes[0], loss.prox(P, T, step) / units.duals, **near)
    np.testing.assert_allclose(proxes[1], loss.derivative(P, T, step), atol=1e-6)
    np.testing.assert_allclose(other.reach(W / units.duals), loss.reach(W))
    tails = np.linspace(0.0, 1.0, 24)
    beyond = other.beyond(W / units.duals, targets, tails / units.targets)
    np.testing.assert_allclose(beyond, loss.beyond(W, T, tails) / units.duals)
    flat = other.flat().prox(P / units.duals, targets, there)
    np.testing.assert_allclose(flat, loss.flat().prox(P, T, step) / units.duals, **near)
    assert (other.shifts, other.entrywise) == (loss.shifts, loss.entrywise)
    assert other.cap == loss.cap / units.duals
    assert other.cell_cap == loss.cell_cap / units.duals
    assert other.curvature == loss.curvature * units.duals / units.predictions


@every_loss
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_no_solver_knows_a_unit(solver, loss):
    dual = dual_of(K, loss, T, 1e-2)
    if solver.missing(dual):
        return
    units = near(dual)
    one, other = (solver.set_params(tol=1e-7).solve(each) for each in (dual, in_other_units(dual, units)))
    assert other.converged
    assert one.n_iter / 2 - 10 <= other.n_iter <= 2 * one.n_iter + 10
    np.testing.assert_allclose(other.predictions * units.predictions, one.predictions, atol=1e-3 * np.abs(T).max())


@every_loss
@pytest.mark.parametrize("size", FAR)
def test_numbers_far_from_one_are_counted_in_units_of_their_own(loss, size):
    one = dual_of(K, loss, T, 1e-2)
    units = near(one, 1.0 / size, 1.0 / size)
    risk = counted_in(one.risk, units)
    far = Dual(one.gram, risk, one.lam * (units.predictions / units.duals))
    assert far.units is not None
    assert 1.0 <= np.abs(far.in_units.targets).max() < 2.0
    there, here = (choose("auto", dual, tol=1e-7).solve(dual) for dual in (far, one))
    assert there.converged
    np.testing.assert_allclose(there.predictions * units.predictions, here.predictions, atol=1e-3)
    # The gap is that of the W returned, and the same number in all units.
    W = there.W * units.duals
    assert float(far.gap(there.W)) == pytest.approx(there.gap, abs=1e-13)
    assert float(one.gap(W)) == pytest.approx(there.gap, abs=1e-10)
    for mine, yours in zip(
        far.special_rows(there.W, there.predictions), one.special_rows(W, one.predict(W)), strict=True
    ):
        np.testing.assert_array_equal(mine, yours)


@pytest.mark.parametrize("weights", [None, np.linspace(0.0, 2.0, 24)])
@pytest.mark.parametrize("size", [1e-150, 1e-60, 1e60, 1e150])
@pytest.mark.filterwarnings("ignore:No row lies")
def test_models_of_outputs_in_any_unit(size, weights):
    for loss in (losses.Huber("auto"), losses.EpsilonSquare("auto"), losses.EpsilonNorm("auto", "auto")):
        model = Regressor(loss, Gaussian(0.5), lam=1e-2, tol=1e-8)
        one = model.fit(X, T, weights).predict(X)
        there = model.fit(X, size * T, weights)
        np.testing.assert_allclose(there.predict(X) / size, one, atol=1e-3)
        assert there.converged_
        assert there.truncation_gap_ <= 1e-8


def test_a_margin_has_no_unit():
    assert dual_of(K, losses.Hinge(), 1e150 * T, 1e298).units.predictions < 1e-149
    for size in (1e-150, 1e30, 1e150):
        model = Regressor(losses.Hinge(), Gaussian(0.5), lam=1e-3 * size**2)
        assert model.fit(X, size * T).converged_


CORNERS = {
    "targets": (losses.Norm(), 1e-150, 1e-3),
    "targets within reach": (losses.Norm(), 1e-9, 1e-3),
    "scale": (losses.Norm(1e9), 1.0, 1e-3),
    "lam": (losses.EpsilonNorm(0.0), 1.0, 1e-11),
    "lam of several": (losses.EpsilonNorm(0.0), 1.0, 1e-12),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_corners_that_no_double_reaches_end_in_the_interpolant_and_say_so(corner):
    loss, size, lam = CORNERS[corner]
    m = 3 if "several" in corner else 1
    Y = size * T[:, :m]
    model = Regressor(loss, Gaussian(0.5), lam=lam, centre=None)
    with pytest.warns(ConvergenceWarning, match="rounding alone may leave"):
        model.fit(X, Y)
    # The paths to this W end there: relative gaps alone would have said that W = 0 is as good.
    np.testing.assert_allclose(model.predict(X), Y.reshape(model.predict(X).shape), rtol=1e-6, atol=1e-9 * size)
    assert model.n_iter_ < 9000


def test_the_best_w_made_of_doubles_has_no_smaller_gap_in_such_a_corner():
    """Where the optimum interpolates, it is known exactly: rounded to doubles it has a gap above any usual tol."""
    lam, y, k = 1e-3, T[:, 0].astype(np.longdouble), K.astype(np.longdouble)
    # 64 bits of mantissa, by refinement.
    W = np.linalg.solve(K, T[:, 0]).astype(np.longdouble)
    for _ in range(50):
        W += np.linalg.solve(K, (y - k @ W).astype(float))
    assert np.abs(y - k @ W).max() < 1e-13
    scale, rounded = lam * 24, (W * lam * 24).astype(float)
    P = (k @ rounded.astype(np.longdouble)) / scale
    slope = 1e9
    primal = slope * np.abs(P - y).sum() + (rounded * P).sum() / 2
    gap = slope * np.abs(P - y).sum() - (rounded * (y - P)).sum()
    assert gap / primal > 1e-5
    dual = dual_of(K, losses.Norm(slope), T[:, :1], lam)
    assert rounding(dual, rounded[:, None], float(primal)) > gap / primal


def test_numbers_of_usual_sizes_stay_as_they_are():
    for size in (1e-25, 1.0, 1e25):
        assert dual_of(K, losses.Huber(0.3 * size), size * T, 1e-3).units is None
    assert dual_of(K, losses.Huber(1e40), T, 1e-3).units is not None


def test_a_gap_that_stands_still_at_rounding_ends_the_steps():
    dual = dual_of(K, losses.Norm(1e9), T, 1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert Splitting().solve(dual).n_iter < 9000
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        assert Splitting(max_iter=5).solve(dual_of(K, losses.Norm(), T, 1e-5)).n_iter == 5
