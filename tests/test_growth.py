"""Centres are added until the price in the exact problem is what was asked, or the budget is spent."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hilbertine import HuberRegressor, RegressorCV, Ridge, kernels
from hilbertine.estimators import growth
from hilbertine.kernels import Gaussian, Linear, Nystroem
from hilbertine.operator_kernels import Covariance, Separable

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (300, 2))
Y = np.sin(4 * X) + 0.1 * rng.standard_normal((300, 2))
Y[::10] *= -3


def fitted(kernel, **settings):
    return HuberRegressor(0.5, lam=1e-4, kernel=kernel, **settings).fit(X, Y)


def test_the_gap_asked_is_reached_and_no_centre_more():
    few = Nystroem(Gaussian(2.0), 5, target=0.05)
    model = fitted(few)
    p = model.matrix_.shape[1]
    assert 5 < p < 300
    assert model.approximation_gap() <= 0.05
    assert fitted(Nystroem(Gaussian(2.0), p // 2)).approximation_gap() > 0.05
    assert few.n_components == 5
    assert fitted(Nystroem(Gaussian(2.0), 5)).matrix_.shape[1] == 5


def test_a_smaller_target_takes_more_centres():
    sizes = [fitted(Nystroem(Gaussian(2.0), 5, target=target)).matrix_.shape[1] for target in (0.5, 0.05, 1e-4)]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize(
    "kernel",
    [
        Nystroem("auto", 5, target=0.1),
        2.0 * Nystroem(Gaussian(2.0), 5, target=0.1),
        Nystroem(Gaussian(2.0), 5, target=0.1) + Linear(),
        Separable(Nystroem(Gaussian(2.0), 5, target=0.1), Covariance()),
    ],
    ids=repr,
)
def test_wherever_the_kernel_is(kernel):
    model = fitted(kernel)
    assert model.approximation_gap() <= 0.1
    assert model.matrix_.shape[1] > 10


def test_auto_is_a_width_for_each_feature():
    scaled = X * [1.0, 1000.0]
    found = Nystroem("auto", 20).fit(scaled).kernel_
    assert np.allclose(found.gamma_, Gaussian("auto").fit(scaled).gamma_)


def test_a_spent_budget_is_said_with_the_gap(monkeypatch):
    monkeypatch.setattr(growth, "available", lambda like: 8 * 300 * 30)
    with pytest.warns(ConvergenceWarning, match=r"With 20 centres the gap .* the target 1e-09, and twice"):
        model = fitted(Nystroem(Gaussian(2.0), 5, target=1e-9))
    assert model.approximation_gap() > 1e-9


def test_centres_that_were_given_stay():
    with pytest.warns(ConvergenceWarning, match="and its centres were given"):
        fitted(Nystroem(Gaussian(2.0), centres=X[:5], target=1e-9))


def test_where_all_points_are_centres_the_problem_is_the_exact_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(Nystroem(kernels.Laplacian(5.0), 40, target=1e-12), tol=1e-13)
    assert model.matrix_.kind == "dense"


def test_the_last_fit_of_a_search_grows():
    search = RegressorCV(Ridge(kernel=Nystroem(Gaussian(2.0), 5, target=0.05)), lams=[1e-4, 1e-3], cv=3).fit(X, Y)
    assert search.best_estimator_.approximation_gap() <= 0.05
