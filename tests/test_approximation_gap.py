"""What a Nystroem kernel costs, certified in the problem of the kernel that it stands for."""

import pickle

import numpy as np
import pytest

from examples import dual_of
from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    Regressor,
    Ridge,
    StructuredPredictor,
    losses,
    spaces,
)
from hilbertine.dual import Dual
from hilbertine.kernels import (
    Centred,
    Constant,
    Features,
    Gaussian,
    Laplacian,
    Linear,
    Normalised,
    Nystroem,
    RandomFourier,
    Substrings,
)
from hilbertine.operator_kernels import Covariance, Matrix, Separable
from hilbertine.risk import Risk
from hilbertine.solvers import Recipe
from hilbertine.spaces.centre import centre_of

rng = np.random.default_rng(0)
N = 300
X = rng.standard_normal((N, 3))
Y = np.sin(X) + 0.1 * rng.standard_normal((N, 3))
Y[:20] *= -3.0
WEIGHTS = rng.random(N) + 0.5
GAPPED = np.where(rng.random(Y.shape) < 0.2, np.nan, Y)
GAPPED[:, 0] = Y[:, 0]
FEW = Nystroem(Gaussian(0.4), 12)
BOTH = Laplacian(0.3) + Linear()
S = np.diag([2.0, 1.0, 0.5])


def dense(kernel, T):
    """The Gram operator of the exact kernel, with all n x n numbers."""
    return kernel.fit(X, T).gram()


def exact_gap(model, kernel, T, approximate, weights=None, observed=None):
    """(primal of the function that was found - dual value of its W) / primal, both in the exact problem.

    The function lies in the space of the exact kernel and keeps its norm: its primal value is that of the fit.
    """
    T = T if model.centre_ is None else T - model.centre_
    risk = Risk(model.loss_, np.nan_to_num(T), None, weights, observed)
    primal = float(Dual(dense(approximate, T), risk, model.lam_).primal(model.dual_coef_))
    return (primal + float(Dual(dense(kernel, T), risk, model.lam_).objective(model.dual_coef_))) / primal


CASES = {
    "ridge": (Ridge(), FEW, Gaussian(0.4)),
    "huber": (HuberRegressor(0.5), FEW, Gaussian(0.4)),
    "huber, no centre": (HuberRegressor(0.5, centre=None), FEW, Gaussian(0.4)),
    "huber, mean": (HuberRegressor("auto", centre="mean"), FEW, Gaussian(0.4)),
    "cells": (HuberRegressor(0.5, cells=True), FEW, Gaussian(0.4)),
    "epsilon-ridge": (EpsilonRidge(0.3), FEW, Gaussian(0.4)),
    "epsilon-svr": (EpsilonSVR(0.3, lam=0.01), FEW, Gaussian(0.4)),
    "norm": (Regressor(losses.Norm(), lam=0.01), FEW, Gaussian(0.4)),
    "uniform": (HuberRegressor(0.5), Nystroem(Laplacian(0.3), 9, "uniform"), Laplacian(0.3)),
    "given": (HuberRegressor(0.5), Nystroem(Gaussian(0.4), centres=X[:7] + 0.1), Gaussian(0.4)),
    "multiple": (Ridge(), 2.0 * FEW, 2.0 * Gaussian(0.4)),
    "sum": (HuberRegressor(0.5), FEW + Linear(), Gaussian(0.4) + Linear()),
    "sum of both": (Ridge(), FEW + 3.0 * Nystroem(Laplacian(), 5), Gaussian(0.4) + 3.0 * Laplacian()),
    "product": (Ridge(), FEW * (Linear() + Constant()), Gaussian(0.4) * (Linear() + Constant())),
    "features": (Ridge(), Features(np.tanh, FEW), Features(np.tanh, Gaussian(0.4))),
    "normalised inside": (Ridge(), Nystroem(Normalised(BOTH), 9), Normalised(BOTH)),
    "centred": (HuberRegressor(0.5), Centred(FEW), Centred(Gaussian(0.4))),
    "centred in a sum": (Ridge(), 2.0 * Centred(FEW) + Linear(), 2.0 * Centred(Gaussian(0.4)) + Linear()),
    "operator": (Ridge(), Separable(FEW, Matrix(S)), Separable(Gaussian(0.4), Matrix(S))),
    "covariance": (HuberRegressor(0.5), Separable(FEW, Covariance()), Separable(Gaussian(0.4), Covariance())),
    "sum of operators": (
        Ridge(lam=0.1),
        Separable(FEW, Matrix(S)) + 0.5 * Separable(Linear()),
        Separable(Gaussian(0.4), Matrix(S)) + 0.5 * Separable(Linear()),
    ),
    "product of operators": (
        Ridge(),
        Linear() * Separable(FEW, Matrix(S)),
        Linear() * Separable(Gaussian(0.4), Matrix(S)),
    ),
}  # fmt: skip


def operator_valued(kernel):
    return kernel if hasattr(kernel, "condense") else Separable(kernel)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_is_the_gap_of_the_dense_problem(case):
    model, few, whole = CASES[case]
    model = model.set_params(kernel=few).fit(X, Y)
    found = model.approximation_gap()
    assert found.standard_error == 0.0
    assert float(found) == pytest.approx(exact_gap(model, operator_valued(whole), Y, operator_valued(few)), rel=1e-6)
    assert found > 3.0 * model.dual_gap_


def test_weights_missing_entries_and_rows_that_do_not_count():
    weighted = HuberRegressor(0.5, kernel=FEW).fit(X, Y, WEIGHTS)
    expected = exact_gap(weighted, Separable(Gaussian(0.4)), Y, Separable(FEW), WEIGHTS)
    assert float(weighted.approximation_gap()) == pytest.approx(expected, rel=1e-6)
    missing = HuberRegressor(0.5, kernel=FEW, missing="ignore").fit(X, GAPPED)
    expected = exact_gap(missing, Separable(Gaussian(0.4)), GAPPED, Separable(FEW), None, ~np.isnan(GAPPED))
    assert float(missing.approximation_gap()) == pytest.approx(expected, rel=1e-6)
    part = np.arange(N) < 200
    short = HuberRegressor(0.5, kernel=FEW).fit(X[part], Y[part])
    zeros = HuberRegressor(0.5, kernel=FEW).fit(X, Y, part.astype(float))
    assert float(zeros.approximation_gap()) == pytest.approx(float(short.approximation_gap()))


def test_curves_and_objects():
    curves = FunctionalRegressor(losses.Huber(0.5), kernel=FEW, basis=spaces.Fourier(5))
    curves.fit(X, np.sin(X @ np.ones((3, 1)) + np.linspace(0, 6, 30)))
    assert curves.approximation_gap() > curves.dual_gap_
    words = ["".join(rng.choice(list("abc"), 6)) for _ in range(80)]
    model = StructuredPredictor(kernel=Nystroem(Substrings(2), 4), output_kernel=Linear(), lam=0.1)
    model.fit(words, np.array([[word.count(letter) for letter in "abc"] for word in words], dtype=float))
    few = model.approximation_gap()
    assert few > 1e-3
    assert model.set_params(kernel__n_components=80).fit(words, model.space_.outputs_).approximation_gap() < 1e-6


def test_some_rows_estimate_it_with_an_error_that_holds():
    model = HuberRegressor(0.5, kernel=FEW).fit(X, Y)
    exact = float(model.approximation_gap())
    found = model.approximation_gap(rows=100)
    assert 0.0 < found.standard_error < exact
    assert abs(found - exact) < 4.0 * found.standard_error
    assert float(model.approximation_gap(rows=N)) == pytest.approx(exact)
    assert model.approximation_gap(rows=10 * N).standard_error == 0.0
    few, many = (model.approximation_gap(rows=size).standard_error for size in (30, 200))
    assert many < few
    assert "+-" in repr(found)
    assert isinstance(found, float)
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.standard_error) == (found, found.standard_error)


def test_the_standard_error_is_that_of_repeated_draws(monkeypatch):
    from hilbertine.estimators import approximation

    model = Ridge(kernel=FEW).fit(X, Y)
    exact, draws = float(model.approximation_gap()), []
    for seed in range(200):
        places = np.random.default_rng(seed).choice(N, 60, replace=False)
        monkeypatch.setattr(approximation, "sample_rows", lambda n, rows, places=places: places)
        draws.append(model.approximation_gap(rows=60))
    assert np.std(draws) == pytest.approx(np.mean([each.standard_error for each in draws]), rel=0.2)
    assert abs(np.mean(draws) - exact) < 4.0 * np.std(draws) / 200**0.5


def test_the_gap_falls_with_the_centres_and_vanishes_with_all():
    gaps = [float(Ridge(kernel=Nystroem(Gaussian(0.1), p)).fit(X, Y).approximation_gap()) for p in (5, 20, 80, N)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-6 < gaps[0]


def test_kernels_that_are_exact_have_their_gap():
    for kernel in (None, Linear(), Separable(Gaussian(0.4), Covariance()), Normalised(Linear()) + Constant()):
        model = HuberRegressor(0.5, kernel=kernel).fit(X, Y)
        assert model.approximation_gap() == model.dual_gap_
        assert model.approximation_gap(rows=10).standard_error == 0.0


def test_no_matrix_of_all_pairs_is_made(monkeypatch):
    from hilbertine.estimators import approximation

    sizes = []

    def values(A, B):
        sizes.append((len(A), len(B)))
        return np.exp(-((A[:, :1] - B[:, 0]) ** 2))

    model = Ridge(kernel=Nystroem(lambda A, B: values(A, B), 5)).fit(X, Y)
    exact = float(model.approximation_gap())
    sizes.clear()
    monkeypatch.setattr(approximation, "rows_of", lambda columns: 7)
    assert float(model.approximation_gap()) == pytest.approx(exact)
    assert max(a * b for a, b in sizes) == 7 * N


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (RandomFourier(Gaussian(0.4), 20), "neither below .* nor inside its function space.*dual_gap_"),
        (RandomFourier(Gaussian(0.4), 20) + Linear(), "neither below"),
        (Normalised(Nystroem(Linear() + Gaussian(), 9)), r"Nystroem\(Normalised"),
    ],
    ids=["fourier", "in a sum", "normalised"],
)
def test_what_has_no_certificate_is_refused(kernel, said):
    model = Ridge(kernel=kernel).fit(X, Y)
    with pytest.raises(ValueError, match=said):
        model.approximation_gap()


def test_a_saved_model_predicts_and_says_what_it_left_behind():
    model = HuberRegressor(0.5, kernel=FEW).fit(X, Y)
    saved = pickle.loads(pickle.dumps(model))
    assert np.array_equal(saved.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="training inputs are not saved"):
        saved.approximation_gap()
    with pytest.raises(ValueError, match="rows must be a whole number"):
        model.approximation_gap(rows=0)


def test_torch_gives_the_same_number():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    ours = Ridge(kernel=FEW).fit(X, Y).approximation_gap()
    theirs = Ridge(kernel=FEW).fit(torch.asarray(X), torch.asarray(Y)).approximation_gap()
    assert float(theirs) == pytest.approx(float(ours), rel=1e-6)


def test_the_centre_of_the_law_is_that_of_the_model():
    model = Ridge(kernel=FEW).fit(X, Y)
    assert np.allclose(model.centre_, centre_of(Y, "median", None, None))


@pytest.mark.parametrize("size", [2.0**400, 2.0**-400])
def test_the_gap_in_the_whole_space_is_the_same_number_in_other_units(size):
    tails, T = np.abs(Y[:30, 0]), Y[:30]
    duals = [
        dual_of(Gaussian(0.5)(X[:30], X[:30]), losses.Huber(0.3 * s), s * T, 1e-2, tails=s * tails) for s in (1.0, size)
    ]
    W = Recipe(tol=1e-8).solve(duals[0]).W
    assert duals[1].units is not None
    assert float(duals[1].truncation_gap(size * W)) == pytest.approx(float(duals[0].truncation_gap(W)), rel=1e-9)
