"""Function-to-function regression: reductions to vectors, certificates of truncation, containers, bad curves."""

from datetime import datetime

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score

from examples import TRAINABLE, dual_of
from hilbertine import FunctionalRegressor, Regressor, RegressorCV, kernels, losses, metrics, operator_kernels, spaces
from hilbertine.losses import Radial
from hilbertine.metrics import neg_squared_norm

rng = np.random.default_rng(0)
GRID = np.linspace(0.0, 2.0, 41)
x = np.linspace(0, 1, 24)[:, None]
INPUTS = np.cos(2 * np.pi * (GRID / 2 + x)) + 0.3 * x
CURVES = np.sin(2 * np.pi * (GRID / 2 + x)) * (1 + x) + 0.05 * rng.standard_normal((24, 41))
BAD = np.array([4, 13, 20])
SPOILT = CURVES.copy()
SPOILT[BAD] *= -1.5
RADIAL = [loss for loss in TRAINABLE if isinstance(loss, Radial)]
FOURIER = spaces.Fourier(5)


def model(loss=None, **parameters):
    settings = {"kernel": kernels.Gaussian(0.2), "grid": GRID, "lam": 1e-2} | parameters
    return FunctionalRegressor(loss, **settings, centre=None)


@pytest.mark.parametrize("rule", ["trapezoid", "mean", "simpson"])
@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(0.3), losses.EpsilonNorm(0.2)], ids=repr)
def test_a_full_basis_is_the_grid_scaled_by_the_roots_of_the_weights(rule, loss):
    full = spaces.Cosine(GRID.size) if rule == "mean" else None
    fitted = model(loss, quadrature=rule, tol=1e-12, basis=full).fit(INPUTS, SPOILT)
    root = np.sqrt(fitted.space_.weights_)
    plain = Regressor(loss, kernels.Gaussian(0.2), lam=1e-2, tol=1e-12, centre=None).fit(INPUTS, SPOILT * root)
    assert np.allclose(fitted.predict(INPUTS[:5] + 0.1) * root, plain.predict(INPUTS[:5] + 0.1), atol=1e-8)
    assert fitted.truncation_gap_ == pytest.approx(fitted.dual_gap_, abs=1e-12)


def test_the_same_operator_on_the_grid_and_in_the_basis():
    """A = E diag(lambda) E^T on the scaled grid is Spectrum(lambda) in a complete basis."""
    values = 1.0 / np.arange(1, GRID.size + 1) ** 2
    fitted = model(losses.Huber(0.3), basis=spaces.Cosine(GRID.size), spectrum=values, tol=1e-12)
    fitted.fit(INPUTS, SPOILT)
    root = np.sqrt(fitted.space_.weights_)
    E = root[:, None] * fitted.space_.functions_
    kernel = operator_kernels.Separable(kernels.Gaussian(0.2), operator_kernels.Matrix(E * values @ E.T))
    plain = Regressor(losses.Huber(0.3), kernel, lam=1e-2, tol=1e-12, centre=None).fit(INPUTS, SPOILT * root)
    assert np.allclose(fitted.predict(INPUTS[:5] + 0.1) * root, plain.predict(INPUTS[:5] + 0.1), atol=1e-8)


@pytest.mark.parametrize("loss", RADIAL, ids=repr)
def test_every_radial_loss_is_certified(loss):
    fitted = model(loss, basis=FOURIER).fit(INPUTS, SPOILT)
    assert fitted.dual_gap_ <= 1e-6
    assert fitted.truncation_gap_ >= fitted.dual_gap_ - 1e-12
    assert fitted.predict(INPUTS).shape == SPOILT.shape


def test_spectrum_by_sequence_law_and_operator_are_the_same():
    ways = [
        {"spectrum": 2.0},
        {"spectrum": lambda j: j**-2.0},
        {"spectrum": 1.0 / np.arange(1, 9) ** 2},
        {"spectrum": operator_kernels.Spectrum(2.0)},
        {"kernel": operator_kernels.Separable(kernels.Gaussian(0.2), operator_kernels.Spectrum(2.0))},
    ]
    first, *others = (model(basis=FOURIER, **way).fit(INPUTS, CURVES).predict(INPUTS) for way in ways)
    assert all(np.array_equal(first, other) for other in others)
    assert not np.allclose(first, model(basis=FOURIER).fit(INPUTS, CURVES).predict(INPUTS))


def test_eigenfunctions_bring_their_eigenvalues():
    basis = spaces.BrownianEigenfunctions(6)
    own = model(basis=basis).fit(INPUTS, CURVES)
    given = model(basis=basis, spectrum=(2.0 / (np.pi * (np.arange(6) + 0.5))) ** 2).fit(INPUTS, CURVES)
    assert np.allclose(own.predict(INPUTS), given.predict(INPUTS))
    assert not np.allclose(own.predict(INPUTS), model(basis=basis, spectrum=0.0).fit(INPUTS, CURVES).predict(INPUTS))


@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(0.3), losses.EpsilonSquare(0.3)], ids=repr)
@pytest.mark.parametrize("basis", [spaces.Fourier, spaces.Legendre, spaces.PrincipalComponents])
def test_the_dual_value_is_monotone_and_the_gap_vanishes_with_the_tails(loss, basis):
    smooth = np.stack([np.polynomial.Polynomial(rng.standard_normal(4))(GRID) for _ in x])
    values = []
    for n in (1, 2, 3, 4, 7):
        fitted = model(loss, basis=basis(n), tol=1e-10).fit(INPUTS, smooth)
        K = fitted.kernel_.gram()
        values.append(float(dual_of(K, loss, fitted.targets_, fitted.lam_).objective(fitted.dual_coef_)))
        tails = np.linalg.norm(fitted.tails_)
        assert fitted.truncation_gap_ >= fitted.dual_gap_ - 1e-12
    # (D) is a minimum over more and more coordinates.
    assert np.all(np.diff(values) <= 1e-8 * abs(values[-1]))
    if basis is not spaces.Fourier:
        assert tails < 1e-6
        assert fitted.truncation_gap_ <= 2e-10


def test_the_truncation_gap_bounds_what_the_basis_costs():
    loss = losses.Huber(0.5)
    full = model(loss, tol=1e-12).fit(INPUTS, SPOILT)
    coarse = model(loss, tol=1e-12, basis=spaces.Fourier(3)).fit(INPUTS, SPOILT)

    def risk(fitted):
        W, K = fitted.dual_coef_, kernels.Gaussian(0.2)(INPUTS, INPUTS)
        penalty = np.sum(W * (K @ W)) / (2 * fitted.lam_ * len(x))
        return float(np.sum(loss.phi(fitted.residual_norms_)) + penalty)

    assert risk(full) < risk(coarse)
    assert risk(coarse) - risk(full) <= coarse.truncation_gap_ * risk(coarse)


def test_huber_names_the_bad_curves_and_ridge_follows_them():
    robust = model(losses.Huber(0.2), basis=FOURIER, lam=1e-3).fit(INPUTS, SPOILT)
    ridge = model(basis=FOURIER, lam=1e-3).fit(INPUTS, SPOILT)
    assert np.array_equal(robust.saturated_, BAD)
    good = np.delete(np.arange(24), BAD)
    errors = [np.mean((fitted.predict(INPUTS) - CURVES)[good] ** 2) for fitted in (robust, ridge)]
    assert errors[0] < errors[1] / 2


def test_other_grids_are_other_samples_of_the_same_curves():
    fitted = model(basis=FOURIER).fit(INPUTS, CURVES)
    finer = np.linspace(0.0, 2.0, 81)
    assert np.allclose(fitted.predict(INPUTS, grid=finer)[:, ::2], fitted.predict(INPUTS))
    with pytest.raises(ValueError, match=r"leave the interval \[0, 2\]"):
        fitted.predict(INPUTS, grid=[1.0, 2.5])


def test_vector_valued_curves_are_their_components():
    both = np.stack([CURVES, 2.0 * CURVES[::-1]], axis=2)
    together = model(basis=FOURIER, spectrum=1.0).fit(INPUTS, both)
    assert together.dual_coef_.shape == (24, 10)
    for k in range(2):
        alone = model(basis=FOURIER, spectrum=1.0).fit(INPUTS, both[:, :, k])
        assert np.allclose(together.predict(INPUTS)[:, :, k], alone.predict(INPUTS))
    assert np.allclose(together.space_.norms(both) ** 2, sum(alone.space_.norms(both[:, :, k]) ** 2 for k in range(2)))
    inputs = np.stack([INPUTS, INPUTS**2], axis=2)
    assert model(basis=FOURIER).fit(inputs, both).predict(inputs).shape == both.shape


def test_scalar_on_function_and_function_on_scalar():
    y = CURVES.mean(axis=1)
    fitted = model(losses.Huber(0.2)).fit(INPUTS, y)
    plain = Regressor(losses.Huber(0.2), kernels.Gaussian(0.2), lam=1e-2, centre=None).fit(INPUTS, y)
    assert np.array_equal(fitted.predict(INPUTS), plain.predict(INPUTS))
    with pytest.raises(ValueError, match="no grid"):
        fitted.predict(INPUTS, grid=GRID)
    assert model(basis=FOURIER).fit(x, CURVES).predict(x[:2]).shape == (2, 41)


def test_missing_values_and_points_of_their_own():
    smooth = np.sin(np.pi * (GRID + x)) * (1 + x)
    holes = smooth.copy()
    holes[rng.uniform(size=holes.shape) < 0.3] = np.nan
    with pytest.raises(ValueError, match="missing='least-squares'"):
        model(basis=FOURIER).fit(INPUTS, holes)
    whole = spaces.L2(GRID, FOURIER).fit(smooth).encode(smooth)
    fitted = spaces.L2(GRID, FOURIER, missing="least-squares").fit(holes)
    # These curves lie in the span of the basis: least squares finds them whatever was seen.
    assert np.allclose(fitted.encode(holes), whole, atol=1e-10)
    integrated = spaces.L2(GRID, FOURIER, missing="quadrature").fit(holes)
    t, y = GRID[~np.isnan(holes[0])], holes[0][~np.isnan(holes[0])]
    mass = 2.0 / (t[-1] - t[0])
    expected = [mass * np.trapezoid(y * psi, t) for psi in integrated.functions(t).T]
    assert np.allclose(integrated.encode(holes)[0], expected)
    pairs = [(GRID[seen][::-1], row[seen][::-1]) for row, seen in zip(holes, ~np.isnan(holes), strict=True)]
    assert np.allclose(spaces.L2(GRID, FOURIER).fit(pairs).encode(pairs), whole, atol=1e-10)
    irregular = [(t, np.sin(np.pi * (t + u)) * (1 + u)) for u in x[:, 0] for t in [np.sort(rng.uniform(0, 2, 30))]]
    ends = spaces.L2(GRID, FOURIER).fit(smooth).encode(irregular)
    assert np.allclose(ends, whole, atol=1e-10)
    predicted = model(basis=FOURIER, missing="least-squares").fit(INPUTS, holes).predict(INPUTS)
    assert np.allclose(predicted, model(basis=FOURIER).fit(INPUTS, smooth).predict(INPUTS), atol=1e-8)
    inputs = INPUTS.copy()
    inputs[0, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model(basis=FOURIER).fit(inputs, smooth)
    filled = model(basis=FOURIER, missing="quadrature", input_grid=GRID).fit(inputs, smooth)
    assert np.allclose(filled.kernel_.scalar_.points_[0, 3], (INPUTS[0, 2] + INPUTS[0, 4]) / 2)


def test_scikit_fda_in_and_out():
    skfda = pytest.importorskip("skfda")
    from skfda.representation.basis import BSplineBasis

    X, Y = skfda.FDataGrid(INPUTS, GRID), skfda.FDataGrid(CURVES, GRID)
    fitted = model(basis=FOURIER, grid=None).fit(X, Y)
    predicted = fitted.predict(X)
    plain = model(basis=FOURIER).fit(INPUTS, CURVES)
    assert isinstance(predicted, skfda.FDataGrid)
    assert np.array_equal(predicted.grid_points[0], GRID)
    assert np.allclose(predicted.data_matrix[:, :, 0], plain.predict(INPUTS))
    finer = skfda.FDataGrid(
        np.stack([np.interp(np.linspace(0, 2, 81), GRID, row) for row in INPUTS]), np.linspace(0, 2, 81)
    )
    assert np.allclose(fitted.embed(finer), fitted.embed(X))
    splines = Y.to_basis(BSplineBasis(domain_range=(0, 2), n_basis=20))
    expanded = model(basis=FOURIER, grid=GRID).fit(X, splines).predict(X)
    assert np.allclose(expanded.data_matrix, predicted.data_matrix, atol=0.05)
    own = skfda.FDataIrregular.from_fdatagrid(Y)
    assert np.allclose(spaces.L2(GRID, FOURIER).fit(own).encode(own), spaces.L2(GRID, FOURIER).fit(Y).encode(Y))
    assert np.all(np.isfinite(cross_val_score(model(basis=FOURIER, grid=None), X, Y, cv=3)))


def test_frames_with_numeric_columns_bring_their_grid():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(CURVES, columns=[f"{t:.3f}" for t in GRID])
    fitted = model(basis=FOURIER, grid=None).fit(pandas.DataFrame(INPUTS, columns=frame.columns), frame)
    assert np.allclose(fitted.space_.grid_, GRID, atol=1e-3)
    named = pandas.DataFrame(CURVES, columns=[f"day {k}" for k in range(41)])
    assert np.array_equal(model(grid=None).fit(INPUTS, named).space_.grid_, np.linspace(0, 1, 41))


def test_searches_reach_into_the_basis_and_the_kernel():
    grid = {"basis__n": [1, 5], "kernel__gamma": [0.2], "spectrum": [None, 1.0]}
    search = GridSearchCV(model(basis=spaces.Fourier(3)), grid, cv=3).fit(INPUTS, CURVES)
    assert search.best_params_["basis__n"] == 5
    ours = RegressorCV(model(basis=spaces.Fourier(3)), [1e-2], {"basis__n": [1, 5]}, cv=3).fit(INPUTS, CURVES)
    assert ours.best_params_ == {"basis__n": 5, "lam": 1e-2}


def test_kernels_on_derivatives_scores_and_the_l2_distance():
    from sklearn.decomposition import PCA

    for kernel in (
        kernels.IntegralLaplacian(1.0),
        kernels.Features(kernels.Derivative(), kernels.Gaussian()),
        kernels.Features(PCA(3), kernels.Laplacian()),
        kernels.Exponential(),
    ):
        fitted = model(kernel=kernel, basis=FOURIER, lam=1e-4).fit(INPUTS[::2], CURVES[::2])
        assert np.mean((fitted.predict(INPUTS[1::2]) - CURVES[1::2]) ** 2) < 0.1
    distance = kernels.Features(spaces.L2(GRID), kernels.Gaussian(1.0))(INPUTS, INPUTS)
    weights = spaces.L2(GRID).fit(INPUTS).weights_
    squares = np.sum((INPUTS[:, None] - INPUTS[None]) ** 2 * weights, axis=2)
    assert np.allclose(distance, np.exp(-squares))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": GRID[::-1]}, "not sorted"),
        ({"grid": np.concatenate([[0.0], GRID[:-1]])}, "repeats the point 0"),
        ({"grid": GRID[:-1]}, "41 points, the grid has 40"),
        ({"grid": [np.nan] * 41}, "finite numbers"),
        ({"basis": spaces.Fourier(99)}, "99 functions .* not independent on the 41 points"),
        ({"basis": spaces.Eigenfunctions(60, kernels.Gaussian(1.0))}, "ask for n <="),
        ({"basis": spaces.Eigenfunctions()}, "needs a kernel"),
        ({"basis": spaces.BSpline(2)}, "n > degree"),
        ({"basis": spaces.Fourier(0)}, "whole number >= 1"),
        ({"quadrature": "gauss"}, "one of mean, trapezoid, simpson"),
        ({"quadrature": -np.ones(41)}, ">= 0"),
        ({"quadrature": np.ones(3)}, "one weight for each of the 41"),
        ({"missing": "drop"}, "missing must be one of"),
        ({"spectrum": [1.0, 0.5]}, "give 5 numbers or more"),
        ({"spectrum": [-1.0] * 5}, ">= 0"),
        ({"kernel": operator_kernels.Separable(), "spectrum": 2.0}, "brings its own operator"),
    ],
)
def test_nonsense_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        model(**({"basis": FOURIER} | change)).fit(INPUTS, CURVES)


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        (np.full((24, 41), np.inf), "infinities"),
        ([["a"] * 41] * 24, "not a matrix of numbers"),
        ([list(range(k)) for k in range(1, 25)], "pairs"),
        ([([0.0, 0.0], [1.0, 2.0])] * 24, "repeats the point 0"),
        ([([0.0, 1.0], [1.0])] * 24, "Curve 0: times of shape"),
        ([([0.0, 1.0], [1.0, np.nan])] * 24, "leave out NaN"),
        (np.full((24, 41), np.datetime64("2020-01-01", "s")), "dates or durations; give numbers"),
        (np.full((24, 41), np.timedelta64(3, "s")), "dates or durations; give numbers"),
        ([[datetime(2020, 1, 1)] * 41] * 24, "dates or durations; give numbers"),
        ([(GRID, [datetime(2020, 1, 1)] * 41)] * 24, r"Curve 0: .*dates or durations"),
    ],
)
def test_bad_curves_are_named(curves, message):
    with pytest.raises(ValueError, match=message):
        model(basis=FOURIER).fit(INPUTS, curves)


def test_curves_on_another_grid_at_prediction_are_named():
    fitted = model(basis=FOURIER).fit(INPUTS, CURVES)
    with pytest.raises(ValueError, match="features"):
        fitted.predict(INPUTS[:, ::2])
    with pytest.raises(ValueError, match=r"21 points, the space was fitted on a grid of 41; .* pairs"):
        fitted.score(INPUTS, CURVES[:, ::2])
    # With their points they are welcome.
    coarse = [(GRID[::2], row[::2]) for row in CURVES]
    assert fitted.score(INPUTS, coarse) == pytest.approx(fitted.score(INPUTS, CURVES), abs=0.02)


def test_points_of_inputs_are_those_of_the_last_fit():
    pairs = [(GRID, row) for row in INPUTS]
    later = [(GRID + 1.0, row) for row in INPUTS]
    plain = model(basis=FOURIER).fit(INPUTS, CURVES)
    refitted = model(basis=FOURIER).fit(later, CURVES).fit(pairs, CURVES)
    assert np.array_equal(refitted.predict(pairs), plain.predict(INPUTS))
    refitted.fit(INPUTS, CURVES)
    for given in (refitted, plain):
        with pytest.raises(ValueError, match="points of their own, and the model was fitted on a matrix"):
            given.predict(later)


def test_gaps_without_permission_are_named_in_inputs_and_frames_out_of_order():
    pandas = pytest.importorskip("pandas")
    holes = INPUTS.copy()
    holes[3, 5] = np.nan
    with pytest.raises(ValueError, match=r"inputs contain NaN\. Curves are interpolated, if missing="):
        model(basis=FOURIER).fit(holes, CURVES)
    with pytest.raises(ValueError, match="not sorted"):
        model(basis=FOURIER, grid=None).fit(INPUTS, pandas.DataFrame(CURVES, columns=GRID[::-1]))
    with pytest.raises(ValueError, match=r"give a basis, Fourier\(9\)"):
        model(grid=None).fit(INPUTS, [(GRID[k % 2 :: 2], row[k % 2 :: 2]) for k, row in enumerate(CURVES)])


def test_one_curve_and_constant_curves():
    one = model(basis=FOURIER).fit(INPUTS[:1], CURVES[:1])
    assert np.allclose(one.predict(INPUTS[:1]) * (1 + 1e-2), one.space_.decode(one.targets_))
    constant = model(losses.Huber(0.3), basis=FOURIER).fit(np.ones((24, 41)), np.ones((24, 41)))
    assert np.allclose(constant.predict(np.ones((1, 41))), 1.0, atol=0.02)
    zero = model(losses.Huber(0.3), basis=FOURIER).fit(INPUTS, 0.0 * CURVES)
    assert np.array_equal(zero.predict(INPUTS), 0.0 * CURVES)
    with pytest.raises(ValueError, match="no principal components"):
        model(basis=spaces.PrincipalComponents(2)).fit(INPUTS, 0.0 * CURVES)


def test_tensors_give_the_same_curves():
    torch = pytest.importorskip("torch")
    plain = model(losses.Huber(0.3), basis=FOURIER, spectrum=1.0).fit(INPUTS, SPOILT)
    tensors = clone(plain).fit(torch.asarray(INPUTS), torch.asarray(SPOILT))
    assert isinstance(tensors.predict(torch.asarray(INPUTS)), torch.Tensor)
    assert np.allclose(tensors.predict(torch.asarray(INPUTS)).numpy(), plain.predict(INPUTS))


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_plots_say_what_they_show(tmp_path):
    robust = model(losses.Huber(0.2), basis=FOURIER, lam=1e-3).fit(INPUTS, SPOILT)
    ax = robust.plot_outliers()
    found = robust.suspects()
    worst = found.samples[found.flagged]
    assert labels(ax) == [f"curve {i}" for i in worst]
    assert set(worst) == set(BAD)
    assert len(ax.lines) == 24
    assert [line.get_color() for line in ax.lines] == ["0.75"] * 21 + ["C0", "C1", "C2"]
    # The curves themselves, whatever was taken off them.
    whole = robust.targets_
    assert np.allclose(ax.lines[-1].get_ydata(), robust.space_.decode(whole)[worst[-1]])
    ax.figure.savefig(tmp_path / "outliers.png")
    ax = robust.plot_prediction(INPUTS, CURVES, which=[3, 1])
    assert "duality gap" in ax.get_title()
    assert labels(ax) == ["curve 3", "prediction 3", "curve 1", "prediction 1"]
    assert np.allclose(ax.lines[2].get_ydata(), CURVES[1])
    assert np.allclose(ax.lines[1].get_ydata(), robust.predict(INPUTS)[3])
    ax.figure.savefig(tmp_path / "prediction.png")
    ax = model(basis=FOURIER).fit(INPUTS, SPOILT).plot_outliers()
    assert "the loss bounds none" in ax.get_title()
    ax.figure.draw_without_rendering()
    inside, title = ax.figure.bbox, ax.title.get_window_extent()
    assert inside.x0 <= title.x0 < title.x1 <= inside.x1


def test_of_many_suspects_the_worst_are_named():
    spoilt = CURVES.copy()
    spoilt[[0, 2, 5, 7, 10, 13, 16, 19, 22]] += np.array([50.0, -50.0] * 4 + [50.0])[:, None]
    robust = model(losses.Huber(0.2), basis=FOURIER, lam=1e-3).fit(INPUTS, spoilt)
    found = robust.suspects()
    suspected = int(found.flagged.sum())
    assert suspected > 8
    ax = robust.plot_outliers()
    assert labels(ax) == [*(f"curve {i}" for i in found.samples[:7]), f"{suspected - 7} more suspects"]
    colours = [line.get_color() for line in ax.lines]
    assert len(set(colours)) == 7 + 1 + 1
    assert colours.count("0.75") == 24 - suspected


def test_plots_of_components_and_of_curves_that_are_not_there():
    both = np.stack([SPOILT, 2.0 * SPOILT[::-1]], axis=2)
    fitted = model(losses.Huber(0.2), basis=FOURIER, lam=1e-3).fit(INPUTS, both)
    ax = fitted.plot_prediction(INPUTS[:5], both[:5], which=[5, 0])
    assert labels(ax) == ["curve 0", "prediction 0"]
    assert len(ax.lines) == 4
    assert len(set(labels(fitted.plot_outliers()))) == len(labels(fitted.plot_outliers()))
    with pytest.raises(ValueError, match=r"None of the curves \[10\]"):
        fitted.plot_prediction(INPUTS[:5], which=[10])
    with pytest.raises(ValueError, match="21 points, the space was fitted on a grid of 41"):
        fitted.plot_prediction(INPUTS, both[:, ::2])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted.plot_prediction(INPUTS, both[:2], which=[0])
    alone = model(basis=FOURIER).fit(INPUTS, CURVES)
    ax = alone.plot_prediction(INPUTS, [(GRID[::2], row[::2]) for row in CURVES], which=0)
    assert np.allclose(ax.lines[0].get_ydata()[::2], CURVES[0, ::2])
    with pytest.raises(ValueError, match="leave the interval"):
        alone.plot_prediction(INPUTS, [(GRID + 5.0, row) for row in CURVES])


def test_gram_operator_is_the_one_of_the_paper():
    """(D) in L2: K W diag(lambda), with R_ij = <y_i, psi_j>."""
    fitted = model(basis=FOURIER, spectrum=2.0).fit(INPUTS, CURVES)
    K, S = kernels.Gaussian(0.2)(INPUTS, INPUTS), np.diag(np.arange(1, 6) ** -2.0)
    R = CURVES @ (fitted.space_.weights_[:, None] * fitted.space_.functions_)
    dual = dual_of(K, losses.Square(), R, 1e-2, S)
    assert np.allclose(fitted.targets_, R)
    assert float(dual.gaps(fitted.dual_coef_, dual.predict(fitted.dual_coef_)).sum()) < 1e-10


def left_out_errors(fitted, Y):
    others = [np.delete(np.arange(24), i) for i in range(24)]
    fits = [clone(fitted).fit(INPUTS[rest], Y[rest]) for rest in others]
    C = np.concatenate([fit.embed(INPUTS[i : i + 1]) for i, fit in enumerate(fits)])
    return metrics.squared_norms(fitted.fit(INPUTS, Y).space_, C, Y)


@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(0.3)], ids=repr)
def test_leave_one_out_with_a_score_that_outliers_do_not_mislead(loss):
    fitted = model(loss, basis=FOURIER, spectrum=1.0, tol=1e-10)
    errors = left_out_errors(fitted, SPOILT)
    good = np.delete(np.arange(24), BAD)
    expected = {
        ("mean", None): errors.mean(),
        ("median", None): np.median(errors),
        ("trimmed", None): np.sort(errors)[:20].mean(),
        ("mean", tuple(good)): errors[good].mean(),
    }
    for (average, trusted), value in expected.items():
        trusted = None if trusted is None else list(trusted)
        search = RegressorCV(fitted, [1e-2], {}, cv="loo", average=average, trusted=trusted).fit(INPUTS, SPOILT)
        assert search.best_score_ == pytest.approx(-value, rel=2e-5)
    mask = np.isin(np.arange(24), good)
    folds = RegressorCV(fitted, [1e-2], {}, cv=LeaveOneOut(), average="mean", trusted=np.arange(24)).fit(INPUTS, SPOILT)
    assert folds.best_score_ == pytest.approx(-errors.mean(), rel=2e-5)
    halves = RegressorCV(fitted, [1e-2], {}, cv=2, average="median", trusted=mask).fit(INPUTS, SPOILT)
    parts = [np.arange(12), np.arange(12, 24)]
    held_out = []
    for test, train in (parts, parts[::-1]):
        half = clone(fitted).fit(INPUTS[train], SPOILT[train])
        test = np.intersect1d(test, good)
        held_out.append(metrics.squared_norms(half.space_, half.embed(INPUTS[test]), SPOILT[test]))
    assert halves.best_score_ == pytest.approx(-np.median(np.concatenate(held_out)), rel=2e-5)


def test_nonsense_about_the_score_is_named():
    with pytest.raises(ValueError, match="average must be one of"):
        RegressorCV(model(basis=FOURIER), [1e-2], {}, cv="loo", average="mode").fit(INPUTS, CURVES)
    with pytest.raises(ValueError, match="none of the trusted"):
        RegressorCV(model(basis=FOURIER), [1e-2], {}, cv=LeaveOneOut(), trusted=[0, 1]).fit(INPUTS, CURVES)
    for trusted in ([True] * 23, [24], [-1], [0.5], np.zeros(24, dtype=bool)):
        with pytest.raises(ValueError, match="trusted must be a mask of the 24 samples"):
            RegressorCV(model(basis=FOURIER), [1e-2], {}, cv="loo", trusted=trusted).fit(INPUTS, CURVES)
    with pytest.raises(ValueError, match="a scorer averages by itself"):
        RegressorCV(model(basis=FOURIER), [1e-2], {}, scoring="r2", average="median").fit(INPUTS, CURVES)


def test_a_search_predicts_on_any_grid():
    search = RegressorCV(model(basis=FOURIER), [1e-2], {}).fit(INPUTS, CURVES)
    assert np.array_equal(search.predict(INPUTS, grid=GRID[::2]), search.best_estimator_.predict(INPUTS)[:, ::2])


def test_kernels_on_objects_get_the_objects():
    words = [("a", "b"), ("a", "c"), ("d", "b")] * 8

    def shared(A, B):
        return [[1.0 + sum(u == v for u, v in zip(a, b, strict=True)) for b in B] for a in A]

    fitted = model(kernel=shared, basis=FOURIER, missing="quadrature").fit(words, CURVES)
    assert fitted.predict([("a", "b")]).shape == (1, 41)


def test_gaps_in_new_inputs_alone_are_filled_too():
    fitted = model(basis=FOURIER, missing="quadrature", input_grid=GRID).fit(INPUTS, CURVES)
    holes = INPUTS[:2].copy()
    holes[1, 5] = np.nan
    assert np.allclose(fitted.predict(holes), fitted.predict(INPUTS[:2]), atol=1e-3)


def test_tails_are_residuals_on_the_points_seen():
    cut = CURVES.copy()
    cut[3, 25:] = np.nan
    few = model(basis=spaces.Cosine(3), missing="least-squares").fit(INPUTS, cut)
    assert np.linalg.norm(few.targets_[3]) < 3 * np.linalg.norm(few.targets_[2])
    for missing in ("least-squares", "quadrature"):
        fitted = model(basis=spaces.Cosine(3), missing=missing).fit(INPUTS, cut)
        decoded = fitted.space_.decode(fitted.targets_)
        w = np.array([0.5, *np.ones(23), 0.5]) * 2.0 / 24
        residual = np.sqrt(np.sum(w * (cut[3, :25] - decoded[3, :25]) ** 2))
        assert fitted.tails_[3] == pytest.approx(residual)
        whole = model(basis=spaces.Cosine(3)).fit(INPUTS, CURVES)
        assert np.allclose(np.delete(fitted.tails_, 3), np.delete(whole.tails_, 3))
        error = metrics.squared_norms(fitted.space_, 0.0 * fitted.targets_, cut)[3]
        assert error == pytest.approx(np.sum(fitted.targets_[3] ** 2) + residual**2)
    biased = model(basis=spaces.Cosine(9), missing="quadrature").fit(INPUTS, np.where(GRID < 1.3, CURVES, np.nan))
    assert biased.truncation_gap_ > 5 * model(basis=spaces.Cosine(9)).fit(INPUTS, CURVES).truncation_gap_


def test_tensors_with_gaps_are_curves_with_gaps():
    torch = pytest.importorskip("torch")
    holes = np.where(rng.uniform(size=CURVES.shape) < 0.2, np.nan, CURVES)
    plain = model(basis=FOURIER, missing="least-squares").fit(INPUTS, holes)
    tensors = clone(plain).fit(torch.asarray(INPUTS), torch.asarray(holes))
    assert np.allclose(tensors.predict(torch.asarray(INPUTS)).numpy(), plain.predict(INPUTS))
    assert tensors.truncation_gap_ == pytest.approx(plain.truncation_gap_)


def test_curves_keep_their_components_in_lists_and_in_pairs():
    both = np.stack([CURVES, 2.0 * CURVES[::-1]], axis=2)
    expected = model(basis=FOURIER).fit(INPUTS, both).predict(INPUTS)
    assert np.array_equal(model(basis=FOURIER).fit(INPUTS, both.tolist()).predict(INPUTS), expected)
    pairs = model(basis=FOURIER).fit(INPUTS, [(GRID, values) for values in both]).predict(INPUTS)
    assert np.allclose(pairs, expected)
    assert model(basis=FOURIER).fit(INPUTS, both[:, :, :1]).predict(INPUTS).shape == (24, 41, 1)


def test_names_of_frames_that_are_counts_are_no_grid_and_dates_are_one():
    pandas = pytest.importorskip("pandas")
    expected = model(basis=FOURIER).fit(INPUTS, CURVES)
    for columns in (None, range(41), np.arange(41), pandas.date_range("2020-01-01", periods=41)):
        frame = pandas.DataFrame(CURVES, columns=columns)
        fitted = model(basis=FOURIER).fit(INPUTS, frame)
        assert np.array_equal(fitted.predict(INPUTS), expected.predict(INPUTS))
        assert expected.score(INPUTS, frame) == pytest.approx(expected.score(INPUTS, CURVES), rel=1e-12)
    counted = model(basis=FOURIER, grid=None).fit(INPUTS, pandas.DataFrame(CURVES))
    assert counted.space_.grid_[-1] == 1.0
    assert counted.score(INPUTS, CURVES) == pytest.approx(counted.score(INPUTS, pandas.DataFrame(CURVES)), rel=1e-12)
    hours = model(basis=FOURIER, grid=None).fit(INPUTS, pandas.DataFrame(CURVES, columns=np.arange(41)))
    assert hours.space_.grid_[-1] == 40.0
    days = pandas.DataFrame(CURVES, columns=pandas.date_range("2020-01-01", periods=41))
    for frame in (days, days.to_period(axis=1), days.set_axis(days.columns - days.columns[0], axis=1)):
        assert np.array_equal(model(basis=FOURIER, grid=None).fit(INPUTS, frame).space_.grid_, np.arange(41.0))
    # Another number of points than the grid has: the names tell where they are.
    coarse = pandas.DataFrame(CURVES[:, ::2], columns=GRID[::2])
    assert expected.score(INPUTS, coarse) == pytest.approx(expected.score(INPUTS, CURVES), abs=0.02)


def irregular_curves():
    times = [np.sort(rng.uniform(0, 2, 25)) for _ in x]
    return [(t, np.sin(np.pi * (t + u)) * (1 + u)) for t, u in zip(times, x[:, 0], strict=True)]


def test_curves_at_their_own_points_are_cross_validated_on_a_grid():
    pairs = irregular_curves()
    with pytest.raises(ValueError, match=r"leave the interval \[0\..*points over the whole interval as grid="):
        cross_val_score(model(basis=FOURIER, grid=None), INPUTS, pairs, cv=6, error_score="raise")
    # These curves lie in the span of the basis: scores are those of whole curves.
    smooth = np.sin(np.pi * (GRID + x)) * (1 + x)
    settings = {"cv": 6, "error_score": "raise", "scoring": neg_squared_norm}
    scores = [cross_val_score(model(basis=FOURIER), INPUTS, Y, **settings) for Y in (pairs, smooth)]
    assert np.allclose(*scores)
    search = RegressorCV(model(basis=FOURIER), [1e-2], {}, cv=6, average="mean").fit(INPUTS, pairs)
    assert search.best_score_ == pytest.approx(scores[0].mean())


def test_points_of_their_own_are_compared_on_a_bounded_number():
    many = [(t, np.sin(t)) for t in (np.sort(rng.uniform(0, 2, 60)) for _ in range(24))]
    grid = spaces.L2(basis=FOURIER).fit(many).grid_
    assert grid.size == 401
    assert grid[0] == min(t[0] for t, _ in many)
    assert np.allclose(np.diff(grid), np.diff(grid)[0])
    assert spaces.L2(basis=FOURIER).fit(many[:6]).grid_.size == 360


def test_inputs_on_another_interval_are_refused():
    skfda = pytest.importorskip("skfda")
    fitted = model(basis=FOURIER).fit(skfda.FDataGrid(INPUTS, GRID), CURVES)
    pairs = model(basis=FOURIER).fit([(GRID, row) for row in INPUTS], CURVES)
    for moved in (GRID + 5.0, GRID - 1.0, 1000.0 * GRID, GRID / 1000.0):
        with pytest.raises(ValueError, match=r"Input curve 0 was seen from .* on \[0, 2\]; give all in one unit"):
            fitted.predict(skfda.FDataGrid(INPUTS, moved))
        with pytest.raises(ValueError, match="Input curve 0"):
            pairs.predict([(moved, row) for row in INPUTS])
    with pytest.raises(ValueError, match="Input curve 1"):
        model(basis=FOURIER).fit(
            [(GRID, row) if k % 2 == 0 else (GRID / 1000, row) for k, row in enumerate(INPUTS)], CURVES
        )
    # What ends a little beyond the others, or before them, is welcome, and so is cross-validation.
    beyond = [(np.append(GRID, 2.1), np.append(row, 50.0)) for row in INPUTS]
    assert np.array_equal(pairs.predict(beyond), pairs.predict([(GRID, row) for row in INPUTS]))
    own = irregular_curves()
    assert np.all(np.isfinite(cross_val_score(model(basis=FOURIER), own, CURVES, cv=6, error_score="raise")))
    # A grid of the inputs makes room for them.
    wide = model(basis=FOURIER, input_grid=np.linspace(-1, 2, 61)).fit([(GRID, row) for row in INPUTS], CURVES)
    assert wide.predict([(GRID - 1.0, row) for row in INPUTS]).shape == CURVES.shape


def test_features_that_are_no_curves_are_not_interpolated():
    people = np.column_stack([rng.uniform(20, 80, 24), rng.uniform(150, 200, 24), np.arange(24) % 2])
    people[5, 1] = np.nan
    with pytest.raises(ValueError, match="drop or impute what are no curves"):
        model(basis=FOURIER, missing="least-squares").fit(people, CURVES)
    fitted = model(basis=FOURIER, missing="least-squares").fit(np.nan_to_num(people), CURVES)
    with pytest.raises(ValueError, match="drop or impute what are no curves"):
        fitted.predict(people)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="drop or impute what are no curves"):
        fitted.predict(pandas.DataFrame(people))


def test_gaps_of_input_curves_are_filled_at_their_points():
    pandas, skfda = pytest.importorskip("pandas"), pytest.importorskip("skfda")
    uneven = GRID**2 / 2
    holes = INPUTS.copy()
    holes[0, 3] = np.nan
    expected = np.interp(uneven[3], uneven[[2, 4]], INPUTS[0, [2, 4]])
    allowed = {"basis": FOURIER, "missing": "quadrature"}
    for inputs, settings in (
        (holes, {"input_grid": uneven}),
        (pandas.DataFrame(holes), {"input_grid": uneven}),
        (pandas.DataFrame(holes, columns=uneven), {}),
        (pandas.DataFrame(holes, columns=[f"{t:.15f}" for t in uneven]), {}),
        (skfda.FDataGrid(holes, uneven), {}),
    ):
        filled = model(**allowed, **settings).fit(inputs, CURVES)
        assert filled.kernel_.scalar_.points_[0, 3] == pytest.approx(expected)
        assert np.allclose(np.delete(filled.kernel_.scalar_.points_, 3, axis=1), np.delete(INPUTS, 3, axis=1))
        with pytest.raises(ValueError, match="inputs contain NaN"):
            model(basis=FOURIER, **settings).fit(inputs, CURVES)
    cube = np.stack([holes, holes], axis=2)
    assert model(**allowed).fit(cube, CURVES).kernel_.scalar_.points_[0, 6] == pytest.approx(
        (INPUTS[0, 2] + INPUTS[0, 4]) / 2
    )
    assert model(**allowed).fit(cube[:, :, :1], CURVES).kernel_.scalar_.points_.shape == (24, 41)
    with pytest.raises(ValueError, match="inputs contain NaN"):
        model(basis=FOURIER).fit(cube, CURVES)
    with pytest.raises(ValueError, match="41 points, their grid has 40"):
        model(input_grid=GRID[:-1]).fit(INPUTS, CURVES)


def test_frames_with_gaps_on_one_side_keep_their_names(recwarn):
    pandas = pytest.importorskip("pandas")
    whole = pandas.DataFrame(INPUTS, columns=[f"{t:.3f}" for t in GRID])
    holes = whole.copy()
    holes.iloc[0, 3] = np.nan
    for first, second in ((whole, holes), (holes, whole)):
        fitted = model(basis=FOURIER, missing="quadrature").fit(first, CURVES)
        fitted.predict(second)
        assert np.array_equal(fitted.feature_names_in_, whole.columns)
    assert [str(warning.message) for warning in recwarn if "feature names" in str(warning.message)] == []


def test_pairs_in_other_forms_are_read_or_refused():
    pairs = [(GRID[: 20 + k % 5], row[: 20 + k % 5]) for k, row in enumerate(CURVES)]
    same = [(GRID, row) for row in CURVES]
    for given in (pairs, same):
        expected = spaces.L2(GRID, spaces.Fourier(2)).fit(given).encode(given)
        cells = np.empty(24, dtype=object)
        cells[:] = given
        for objects in (cells, np.array(given, dtype=object)):
            fitted = model(basis=spaces.Fourier(2)).fit(INPUTS, objects)
            assert np.array_equal(fitted.targets_, expected)
            assert model(basis=FOURIER).fit(objects, CURVES).kernel_.scalar_.points_.shape == (
                24,
                41 if given is same else 24,
            )
    for lists in ([[t, y] for t, y in same], [[list(t), list(y)] for t, y in same], [np.array(pair) for pair in same]):
        for basis in (None, FOURIER):
            with pytest.raises(ValueError, match=r"give pairs as tuples \(times, values\)"):
                model(basis=basis, grid=None).fit(INPUTS, lists)
    with pytest.raises(ValueError, match=r"list of pairs, tuples \(times, values\)"):
        model(basis=FOURIER).fit(INPUTS, [list(pair) for pair in pairs])
    with pytest.raises(ValueError, match=r"Curve 0: a pair .* holds numbers"):
        model(basis=FOURIER).fit(INPUTS, [(["noon"], [1.0])] * 24)


def test_two_features_as_tuples_are_two_features():
    tuples = [(float(u), float(u) ** 2) for u in x[:, 0]]
    expected = model(basis=FOURIER).fit(np.array(tuples), CURVES).predict(np.array(tuples))
    assert np.array_equal(model(basis=FOURIER).fit(tuples, CURVES).predict(tuples), expected)


def test_kernels_get_the_grid_of_the_input_curves():
    pandas, skfda = pytest.importorskip("pandas"), pytest.importorskip("skfda")
    uneven = GRID**2 / 2
    given = kernels.Features(kernels.Derivative(uneven), kernels.Gaussian(0.2))
    expected = model(kernel=given, basis=FOURIER).fit(INPUTS, CURVES).predict(INPUTS)
    kernel = kernels.Features(kernels.Derivative(), kernels.Gaussian(0.2))
    for inputs, settings in (
        (skfda.FDataGrid(INPUTS, uneven), {}),
        ([(uneven, row) for row in INPUTS], {}),
        (pandas.DataFrame(INPUTS, columns=uneven), {}),
        (INPUTS, {"input_grid": uneven}),
        (INPUTS, {"input_grid": uneven, "kernel": operator_kernels.Separable(kernel)}),
        (INPUTS, {"input_grid": uneven, "kernel": kernel, "spectrum": np.ones(5)}),
    ):
        fitted = model(basis=FOURIER, **({"kernel": kernel} | settings)).fit(inputs, CURVES)
        assert np.allclose(fitted.predict(inputs), expected)
        assert np.array_equal(fitted.kernel_.scalar_.transformer_.grid_, uneven)
    assert kernel.transformer.grid is None
    norm = kernels.Features(spaces.L2(), kernels.Gaussian(1.0))
    weighed = model(kernel=norm, basis=FOURIER, input_grid=uneven).fit(INPUTS, CURVES)
    assert np.array_equal(weighed.kernel_.scalar_.transformer_.grid_, uneven)
    # What has a grid of its own keeps it.
    kept = model(kernel=given, basis=FOURIER, input_grid=GRID).fit(INPUTS, CURVES)
    assert np.array_equal(kept.predict(INPUTS), expected)


def test_components_of_inputs_are_not_differentiated_across():
    cube = np.stack([INPUTS, INPUTS**2], axis=2)
    assert np.array_equal(model(basis=FOURIER).fit(cube, CURVES).kernel_.scalar_.points_[:, 1::2], INPUTS**2)
    for kernel in (
        kernels.Features(kernels.Derivative(), kernels.Gaussian()),
        kernels.Linear() + kernels.Features(kernels.Derivative(), kernels.Gaussian()),
    ):
        with pytest.raises(ValueError, match="curves with one component, and the inputs have 2"):
            model(kernel=kernel, basis=FOURIER).fit(cube, CURVES)
        with pytest.raises(ValueError, match="curves with one component, and the inputs have 2"):
            model(kernel=kernel, basis=FOURIER).fit([(GRID, values) for values in cube], CURVES)


def test_complex_curves_are_refused():
    torch = pytest.importorskip("torch")
    waves = CURVES + 1j
    for given in (waves, waves.tolist(), torch.asarray(waves), [(GRID, row) for row in waves]):
        with pytest.raises(ValueError, match="complex numbers; give real and imaginary parts as two components"):
            model(basis=FOURIER).fit(INPUTS, given)


def test_names_of_scikit_fda_come_back():
    skfda = pytest.importorskip("skfda")
    curves = skfda.FDataGrid(CURVES, GRID, argument_names=["hour"], coordinate_names=["degrees"])
    predicted = model(basis=FOURIER).fit(INPUTS, curves).predict(INPUTS)
    assert (predicted.argument_names, predicted.coordinate_names) == (("hour",), ("degrees",))
