"""What a fit says it will take of the memory, against what it takes; and what it refuses to take."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

from hilbertine import EpsilonSVR, HuberRegressor, Regressor, Ridge, kernels, losses, memory
from hilbertine.matrices import roads
from hilbertine.operator_kernels import Covariance, Separable, holding
from hilbertine.solvers import sample

rng = np.random.default_rng(0)


def table(n, m=3):
    X = rng.standard_normal((n, 5))
    Y = np.sin(X[:, :m]) + 0.1 * rng.standard_normal((n, m))
    Y[::10] *= -3
    return X, Y


def peak(fit):
    # What is imported at the first fit is no part of it.
    Ridge().fit(*table(20))
    tracemalloc.start()
    fit()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def few(p, dtype="float64"):
    return kernels.Nystroem(kernels.Gaussian(0.3), p, centres="uniform", dtype=dtype)


@pytest.mark.parametrize(
    ("model", "weighted"),
    [
        (Ridge(kernel=kernels.Gaussian(0.3)), False),
        (HuberRegressor(1.0, kernel=kernels.Gaussian(0.3)), False),
        (EpsilonSVR(kernel=kernels.Gaussian(0.3)), False),
        (Ridge(kernel=kernels.Gaussian(0.3)), True),
        (Ridge(kernel=Separable(kernels.Gaussian(0.3), Covariance())), False),
    ],
    ids=["ridge", "huber", "svr", "weights", "operator"],
)
def test_a_dense_fit_takes_what_it_says(model, weighted):
    X, Y = table(1000)
    weights = rng.random(1000) + 0.5 if weighted else None
    taken = peak(lambda: model.fit(X, Y, sample_weight=weights))
    assert 0.8 < model.matrix_.needed / taken < 1.2


@pytest.mark.parametrize(
    ("model", "p", "m"),
    [
        (Ridge(kernel=few(100)), 100, 3),
        (HuberRegressor(1.0, kernel=few(100)), 100, 3),
        (HuberRegressor(1.0, kernel=few(100, "float32")), 100, 3),
        (HuberRegressor(kernel=few(30)), 30, 1),
        (Regressor(losses.EpsilonNorm(0.2), few(30), max_iter=20), 30, 3),
        (HuberRegressor(1.0, kernel=Separable(few(30), Covariance()), max_iter=20), 30, 3),
    ],
    ids=["ridge", "huber", "single", "auto", "svr", "operator"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_on_features_takes_what_it_says(model, p, m, monkeypatch):
    # Many rows are a few here, and blocks in proportion.
    monkeypatch.setattr(sample, "ROWS", 4000)
    X, Y = table(20_000, m)
    taken = peak(lambda: model.fit(X, Y))
    assert model.matrix_.shape == (20_000, p)
    # Accelerated steps remember as many as there were, at most what is told.
    most = 2.0 if model.max_iter == 20 else 1.2
    assert 0.8 < model.matrix_.needed / taken < most


def test_a_fit_that_does_not_fit_is_refused_before_anything_is_made(monkeypatch):
    # A matrix that is given has no tiles.
    kernel = SimpleNamespace(domain="gram")

    def refused():
        with pytest.raises(MemoryError, match=r"60000 x 60000 numbers and its factor .* 20 GB are free; use .*Nys"):
            holding.held(kernel, np.empty((60_000, 1)), False, memory.Rest())

    monkeypatch.setattr(memory, "available", lambda like=None: 20e9)
    assert peak(refused) < 1e6


def test_rows_that_do_not_fit_are_refused_whatever_the_matrix(monkeypatch):
    X, Y = table(60_000)
    monkeypatch.setattr(memory, "available", lambda like=None: 5e7)
    monkeypatch.setattr(holding, "available", lambda like=None: 5e7)
    with pytest.raises(MemoryError, match=r"60000 samples by tiles .* 50 MB are free; use .*Nystroem"):
        HuberRegressor(1.0, kernel=kernels.Gaussian(0.3)).fit(X, Y)


def test_the_line_of_code_in_the_refusal_works():
    X, Y = table(300)
    kernel = eval("kernels.Nystroem(kernels.Gaussian(), 1000)", {"kernels": kernels})
    assert HuberRegressor(kernel=kernel).fit(X, Y).converged_


def test_features_that_do_not_fit_are_made_again_and_what_never_fits_is_refused(monkeypatch):
    X, Y = table(20_000)
    told = HuberRegressor(1.0, kernel=few(200)).fit(X, Y).matrix_.needed
    monkeypatch.setattr(memory, "available", lambda like=None: 0.99 * told / memory.SURE)
    model = HuberRegressor(1.0, kernel=few(200)).fit(X, Y)
    assert "made again" in str(model.matrix_)
    assert model.matrix_.needed < told
    monkeypatch.setattr(memory, "available", lambda like=None: 1e6)
    with pytest.raises(MemoryError, match=r"20000 samples with 200 features, made again .* 1 MB are free; use fewer"):
        HuberRegressor(1.0, kernel=few(200)).fit(X, Y)


def test_the_first_road_that_fits_is_taken(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda like=None: 100)
    ways = [memory.Road("a", "A", 90.0), memory.Road("b", "B", 70.0), memory.Road("c", "C", 10.0)]
    assert memory.first_road(ways, "x").name == "b"
    assert memory.first_road(ways[:1], "x").name == "a"
    with pytest.raises(MemoryError, match="D takes about 101 bytes, and 100 bytes are free; do x"):
        memory.first_road([memory.Road("d", "D", 101.0)], "do x")


def test_roads_are_in_bytes():
    assert roads.by_entries(1000, False, memory.Rest()).bytes == 16e6
    assert roads.by_entries(1000, True, memory.Rest(1.0, 2.0, 1)).bytes == 32e6 + 2
    kept, made = roads.by_features(10**6, np.zeros((1, 1000), np.float32), 1000, False, memory.Rest())
    assert 0.98 * 4e9 < kept.bytes - made.bytes < 4e9
