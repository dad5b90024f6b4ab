"""What a fit says of the matrix it worked with: kind, shape and bytes, for every form of Gram."""

import numpy as np
import pytest

from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    Regressor,
    Ridge,
    StructuredPredictor,
    kernels,
    losses,
    memory,
    spaces,
)
from hilbertine.kernels import Gaussian, Linear, Nystroem, RandomFourier, Tanimoto
from hilbertine.kernels import by_features as module
from hilbertine.memory import written
from hilbertine.operator_kernels import AlignedAnchored, Covariance, Matrix, Separable

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
Y = np.sin(X)
WORDS = [word * (1 + i % 4) for i, word in enumerate(["cart", "care", "dogs", "aab"] * 15)]
DOUBLE, SINGLE = 8, 4


@pytest.mark.parametrize(
    ("kernel", "kind", "shape", "size"),
    [
        (None, "dense", (60, 60), 60 * 60 * DOUBLE),
        (Linear(), "low rank", (60, 3), 60 * 3 * DOUBLE),
        (RandomFourier(Gaussian(), 10), "low rank", (60, 10), 60 * 10 * DOUBLE),
        (RandomFourier(Gaussian(), 10, dtype="float32"), "low rank", (60, 10), 60 * 10 * SINGLE),
        (Nystroem(Gaussian(), 10), "low rank", (60, 10), (60 * 10 + 10 * 10) * DOUBLE),
        (Nystroem(Gaussian(), 60), "dense", (60, 60), 60 * 60 * DOUBLE),
        (Separable(Linear(), Covariance()), "low rank", (60, 3), 60 * 3 * DOUBLE),
        (Separable(Gaussian()) + Separable(Linear(), Matrix(np.eye(3))), "dense + low rank", (60, 60), 3780 * DOUBLE),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_kind_shape_and_bytes(kernel, kind, shape, size):
    held = Ridge(kernel=kernel).fit(X, Y).matrix_
    assert (held.kind, held.shape, held.bytes) == (kind, shape, size)
    assert kind in str(held)
    assert " x ".join(map(str, shape)) in repr(held)
    assert written(size) in str(held)


def test_an_operator_without_a_matrix_says_so():
    held = Ridge(kernel=AlignedAnchored(Gaussian())).fit(X, Y).matrix_
    assert held.kind == "by products"
    assert held.shape == (180, 180)
    # Its kernel values and targets are in memory all the same.
    assert held.bytes >= (60 * 60 + 60 * 3) * DOUBLE


def test_features_that_are_not_kept_say_so(monkeypatch):
    kernel = Nystroem(Gaussian(0.3), 12, dtype="float32")
    kept = HuberRegressor(1.0, kernel=kernel).fit(X, Y)
    assert str(kept.matrix_) == f"low rank, 60 x 12, {written(60 * 12 * SINGLE + 12 * 12 * DOUBLE)}, single precision"
    # A little less than there has to be for features to stay.
    monkeypatch.setattr(memory, "available", lambda like=None: 0.999 * kept.matrix_.needed / memory.SURE)
    monkeypatch.setattr(module, "block_rows", lambda columns, like: 25)
    made = HuberRegressor(1.0, kernel=kernel).fit(X, Y)
    assert made.matrix_.bytes == 25 * 12 * SINGLE + 12 * 12 * DOUBLE
    assert str(made.matrix_).endswith("single precision, made again by blocks of 25 rows")
    assert np.allclose(made.predict(X), kept.predict(X), atol=1e-3)


@pytest.mark.parametrize(
    ("model", "inputs", "outputs"),
    [
        (Regressor(losses.Norm()), X, Y),
        (Ridge(), X, Y),
        (HuberRegressor(), X, Y),
        (EpsilonRidge(), X, Y),
        (EpsilonSVR(), X, Y),
        (FunctionalRegressor(basis=spaces.Fourier(3)), X, np.sin(X @ np.ones((3, 20)) + np.linspace(0, 1, 20))),
        (StructuredPredictor(output_kernel=kernels.Substrings(2)), X, WORDS),
        (StructuredPredictor(kernel=Tanimoto(), output_kernel=kernels.Substrings(2)), [set(w) for w in WORDS], WORDS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_estimator_says_it(model, inputs, outputs):
    assert str(model.fit(inputs, outputs).matrix_) == "dense, 60 x 60, 28.8 kB"


def test_bytes_in_words():
    assert [written(size) for size in (0, 999, 1000, 999_960, 1.5e9, 2e16)] == [
        "0 bytes", "999 bytes", "1 kB", "1 MB", "1.5 GB", "2e+04 TB",
    ]  # fmt: skip
