"""Which matrix is taken: by its numbers, or by tiles where these do not fit or take longer."""

import numpy as np
import pytest

from hilbertine import FunctionalRegressor, HuberRegressor, Ridge, kernels, spaces
from hilbertine.dual import Dual
from hilbertine.losses import Huber
from hilbertine.matrices import Dense, Factored, Tiled
from hilbertine.memory import Rest
from hilbertine.operator_kernels import Covariance, Kronecker, Separable, holding
from hilbertine.risk import Risk
from hilbertine.solvers import Splitting, residual_scale

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (240, 2))
Y = np.sin(3 * X) + 0.1 * rng.standard_normal((240, 2))
Y[::9] *= -5.0
WORDS = [word * (1 + i % 4) for i, word in enumerate(["cart", "care", "dogs", "aab"] * 60)]


@pytest.fixture
def no_room(monkeypatch):
    """A kernel matrix of these points does not fit."""
    monkeypatch.setattr(holding, "IN_ONE_PIECE", 100)
    monkeypatch.setattr(holding, "available", lambda like: 8 * 240 * 240)


@pytest.mark.parametrize(
    ("model", "inputs", "outputs"),
    [
        (HuberRegressor(), X, Y),
        (Ridge(), X, Y),
        (HuberRegressor(cells=True), X, Y),
        (HuberRegressor(missing="ignore"), X, np.where(rng.random((240, 2)) < [0.3, 0.0], np.nan, Y)),
        (HuberRegressor(0.3, kernel=Separable(kernels.Matern(), Covariance())), X, Y),
        (HuberRegressor(kernel=kernels.Gaussian() + kernels.Constant()), X, Y),
        (HuberRegressor(kernel=kernels.Substrings(2), lam=0.1), WORDS, Y),
        (FunctionalRegressor(basis=spaces.Fourier(3)), X, np.sin(X @ np.ones((2, 20)) + np.linspace(0, 1, 20))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_models_are_the_same_where_the_matrix_does_not_fit(model, inputs, outputs, monkeypatch):
    expected = model.set_params(tol=1e-9).fit(inputs, outputs).predict(inputs)
    assert model.matrix_.kind == "dense"
    monkeypatch.setattr(holding, "IN_ONE_PIECE", 100)
    monkeypatch.setattr(holding, "available", lambda like: 8 * 240 * 240)
    model.fit(inputs, outputs)
    assert model.matrix_.kind == "tiled"
    assert "products" in str(model.matrix_)
    assert model.dual_gap_ <= 1e-9
    assert np.allclose(model.predict(inputs), expected, atol=2e-3 * np.abs(expected).max())


def test_weights_are_frequencies_there_too(no_room):
    weights = np.arange(240) % 3
    model = HuberRegressor(0.5, lam=1e-3, tol=1e-9)
    model.fit(X, Y, sample_weight=weights)
    twice = np.repeat(np.arange(240), weights)
    again = HuberRegressor(0.5, lam=1e-3, tol=1e-9, kernel=kernels.Gaussian(model.kernel_.scalar_.gamma_))
    assert np.allclose(model.predict(X), again.fit(X[twice], Y[twice]).predict(X), atol=1e-3)


def test_the_choice_weighs_operations():
    kernel, objects = kernels.Gaussian(1.0), kernels.Substrings(2)
    assert not holding.tiles_are_faster(kernel, np.empty((5000, 5)))
    assert holding.tiles_are_faster(kernel, np.empty((20_000, 5)))
    # Many outputs make products dear, and kernels on objects make values dear.
    assert not holding.tiles_are_faster(kernel, np.empty((20_000, 500)))
    assert not holding.tiles_are_faster(objects, np.empty((20_000, 5)))


@pytest.mark.parametrize(("room", "kind"), [(2.2, Dense), (1.2, Factored), (0.9, Tiled)])
def test_the_choice_weighs_room(room, kind, monkeypatch):
    monkeypatch.setattr(holding, "IN_ONE_PIECE", 100)
    monkeypatch.setattr(holding, "available", lambda like: room * 8 * 240 * 240)
    kernel = kernels.Gaussian(0.5).fit(X)
    (K, needed), exact = holding.held(kernel, Y, False, Rest()), Dense(kernel.gram())
    assert needed <= room * 8 * 240 * 240 or kind is Tiled
    assert type(K) is kind
    root = rng.uniform(0.5, 2.0, 240)
    assert np.allclose(K @ Y, exact @ Y)
    assert np.allclose(K.solver(0.1)(Y), exact.solver(0.1)(Y), atol=2e-3)
    assert np.allclose(K.weighted(root).solver(0.1)(Y), exact.weighted(root).solver(0.1)(Y), atol=2e-3)
    assert np.allclose(K.weighted(2.0).solver(0.1)(Y), exact.weighted(2.0).solver(0.1)(Y), atol=2e-3)


def test_where_conjugate_gradients_take_too_long_there_is_a_factor(monkeypatch):
    kernel = kernels.Laplacian(5.0).fit(X)
    for room, products in ((True, 3), (False, 10**6)):
        K = Tiled(kernel, kernel.points_)
        monkeypatch.setattr(Tiled, "patience", 3)
        monkeypatch.setattr(Tiled, "room_for_factor", room)
        solve = K.solver(1e-6)
        residual = Y - kernel.gram() @ solve(Y) - 1e-6 * solve(Y)
        assert np.linalg.norm(residual) <= 1.1e-4 * np.linalg.norm(Y)
        assert K.products <= products
    assert K.products > 3


def test_starts_and_scales_come_from_a_matrix_nearby(monkeypatch):
    kernel = kernels.Gaussian(0.5).fit(X)
    K = Tiled(kernel, kernel.points_)
    dual = Dual(Kronecker([(K, None)], 2), Risk(Huber(0.2), Y), 1e-3)
    scale = residual_scale(dual)[0]
    assert K.products == 0
    assert scale == pytest.approx(residual_scale(Dual(Kronecker.dense(kernel.gram(), 2), dual.risk, 1e-3))[0], rel=0.02)
    assert Splitting(1e-6).solve(dual).converged
    # A start that knows nothing pays for what this one has for nothing.
    blind = Tiled(kernel, kernel.points_)
    monkeypatch.setattr(Tiled, "approximation", lambda self: None)
    assert Splitting(1e-6).solve(Dual(Kronecker([(blind, None)], 2), dual.risk, 1e-3)).converged
    assert K.products < blind.products


def test_matrices_written_by_tiles_are_the_same(monkeypatch):
    monkeypatch.setattr(holding, "IN_ONE_PIECE", 100)
    kernel = kernels.Laplacian(0.5).fit(X)
    K, _ = holding.held(kernel, Y, False, Rest())
    assert isinstance(K, Dense)
    assert np.allclose(K.K, kernel.gram(), atol=1e-13)
