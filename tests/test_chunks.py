"""Fits to inputs that are read as they are needed: the same model as from memory, whatever holds the rows."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from hilbertine import EpsilonSVR, HuberRegressor, Regressor, Ridge, kernels, losses, memory
from hilbertine.containers import Chunks, read_pairs
from hilbertine.operator_kernels import Covariance, Separable

rng = np.random.default_rng(0)
n, d = 700, 3
X = rng.standard_normal((n, d))
Y = np.sin(X @ rng.standard_normal((d, 2))) + 0.1 * rng.standard_normal((n, 2))
Y[::10] *= -3
WEIGHTS = rng.random(n) + 0.5
CUTS = [0, 200, 350, 351, 700]
PAIRS = [(X[a:b], Y[a:b]) for a, b in pairwise(CUTS)]
CENTRES = X[:25]


def pairs():
    yield from PAIRS


class Again:
    def __iter__(self):
        return pairs()


def files(folder, A, name):
    paths = []
    for k, (a, b) in enumerate(pairwise(CUTS)):
        paths.append(folder / f"{name}{k}.npy")
        np.save(paths[-1], A[a:b])
    return paths


def mapped(folder):
    np.save(folder / "x.npy", X)
    return np.load(folder / "x.npy", mmap_mode="r")


WAYS = {
    "list": lambda folder: (PAIRS,),
    "function": lambda folder: (pairs,),
    "iterable": lambda folder: (Again(),),
    "files": lambda folder: (list(zip(files(folder, X, "x"), files(folder, Y, "y"), strict=True)),),
    "inputs in files": lambda folder: (files(folder, X, "x"), Y),
    "memory map": lambda folder: (mapped(folder), Y),
}


def model(kernel=None, **settings):
    return HuberRegressor(0.5, kernel=kernels.Nystroem(kernels.Gaussian(0.3), centres=CENTRES), tol=1e-9, **settings)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kept", [True, False])
def test_the_model_is_the_one_from_memory(way, kept, tmp_path, monkeypatch):
    expected = model().fit(X, Y)
    if not kept:
        monkeypatch.setattr(memory, "available", lambda like=None: 1.001 * expected.matrix_.needed)
        monkeypatch.setattr(memory, "SURE", 0.99)
    found = model().fit(*WAYS[way](tmp_path))
    assert ("made again" in str(found.matrix_)) == (not kept)
    assert found.n_features_in_ == d
    assert found.dual_gap_ <= 1e-9
    assert np.allclose(found.predict(X), expected.predict(X), atol=1e-6)
    assert np.allclose(found.predict(mapped(tmp_path)), found.predict(X))
    assert np.isclose(found.approximation_gap(), expected.approximation_gap(), rtol=1e-5)


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Linear(),
        kernels.RandomFourier(kernels.Gaussian(0.3), 30),
        kernels.Nystroem(kernels.Gaussian(0.3), centres=CENTRES) + kernels.Linear(),
        2.0 * kernels.Linear() + kernels.Constant(),
        kernels.Normalised(kernels.Linear() + kernels.Constant()),
        kernels.Centred(kernels.Linear()),
        kernels.Features(lambda A: np.hstack([A, A**2]), kernels.Linear()),
        Separable(kernels.Nystroem(kernels.Gaussian(0.3), centres=CENTRES), Covariance()),
        kernels.Gaussian(0.3),
        kernels.Gaussian(0.3) + kernels.Linear(),
    ],
    ids=repr,
)
def test_every_kernel_reads_chunks(kernel):
    settings = {"loss": losses.Huber(0.5), "kernel": kernel, "tol": 1e-9, "lam": 1e-2}
    expected = Regressor(**settings).fit(X, Y)
    found = Regressor(**settings).fit(pairs)
    assert np.allclose(found.predict(X), expected.predict(X), atol=1e-5)
    assert found.matrix_.kind == expected.matrix_.kind


@pytest.mark.parametrize("make", [Ridge, lambda **s: EpsilonSVR(0.2, **s), lambda **s: HuberRegressor(0.5, **s)])
def test_losses_weights_and_gaps(make):
    kernel = kernels.Nystroem(kernels.Gaussian(0.3), centres=CENTRES)
    weights = np.where(np.arange(n) % 7 == 0, 0.0, WEIGHTS)
    chunks = [(x, y, weights[a : a + len(x)]) for (x, y), a in zip(PAIRS, CUTS, strict=False)]
    expected = make(kernel=kernel, tol=1e-9).fit(X, Y, sample_weight=weights)
    assert np.allclose(make(kernel=kernel, tol=1e-9).fit(chunks).predict(X), expected.predict(X), atol=1e-4)


def test_missing_entries_are_read_from_chunks():
    Z = np.where(rng.random(Y.shape) < [0.3, 0.0], np.nan, Y)
    chunks = [(X[:300], Z[:300]), (X[300:], Z[300:])]
    expected = model(missing="ignore").fit(X, Z)
    assert np.allclose(model(missing="ignore").fit(chunks).predict(X), expected.predict(X), atol=1e-6)


def test_centres_are_chosen_among_all_points(monkeypatch):
    from hilbertine.kernels import composite

    monkeypatch.setattr(composite, "LEARNED_FROM", 100)
    kernel = kernels.Nystroem(kernels.Gaussian(0.3), 40)
    fitted = HuberRegressor(0.5, kernel=kernel).fit(pairs).kernel_.scalar_
    assert fitted.indices_.max() > 350
    assert np.allclose(fitted.centres_, X[fitted.indices_])


def test_neither_inputs_nor_features_are_in_memory(tmp_path, monkeypatch):
    rows, columns, p = 60_000, 40, 60
    big = np.lib.format.open_memmap(tmp_path / "big.npy", "w+", np.float32, (rows, columns))
    big[:] = rng.standard_normal((rows, columns))
    y = np.asarray(big[:, 0], dtype=float)
    kernel = kernels.Nystroem(kernels.Gaussian(0.02), p, dtype="float32", centres=np.asarray(big[:p], dtype=float))
    monkeypatch.setattr("hilbertine.kernels.composite.LEARNED_FROM", 1000)
    monkeypatch.setattr("hilbertine.matrices.blocks.SHARE", 1 / 512)
    monkeypatch.setattr(memory, "available", lambda like=None: 2.4e7)
    tracemalloc.start()
    fitted = Ridge(kernel=kernel).fit(np.load(tmp_path / "big.npy", mmap_mode="r"), y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "made again" in str(fitted.matrix_)
    assert peak < 0.6 * 8 * rows * columns


def test_what_cannot_be_read_again_is_refused():
    with pytest.raises(TypeError, match="this iterator can be read once; pass a function that makes it"):
        model().fit(pairs())
    with pytest.raises(TypeError, match=r"A chunk is \(X, Y\) or \(X, Y, weights\), not ndarray"):
        model().fit(lambda: iter([X]))
    with pytest.raises(ValueError, match="There are no chunks"):
        model().fit(lambda: iter([]))
    with pytest.raises(ValueError, match=r"matrix of numbers, and this one has shape \(700,\)"):
        model().fit([(X[:, 0], Y)])
    calls = iter([PAIRS, [(X[:100], Y[:100])] * 4])
    with pytest.raises(ValueError, match=r"Chunk 0 had the shape \(200, 3\) when it was read first, and has \(100"):
        model().fit(lambda: iter(next(calls)))
    bad = X.copy()
    bad[400, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN or infinity between rows"):
        model().fit([(bad, Y)])
    with pytest.raises(ValueError, match="X has 2 features, but HuberRegressor was fitted with 3"):
        model().fit(PAIRS).predict(Chunks([X[:, :2]], [n], 2))


def test_an_iterator_is_begun_again_only_where_it_has_to():
    begun = []

    def counting():
        begun.append(1)
        return pairs()

    source, _, _ = read_pairs(counting)
    for k in (0, 60, 120, 300, 350, 352):
        assert np.array_equal(source[k : k + 5], X[k : k + 5])
    assert len(begun) == 2
    assert np.array_equal(source.part(np.array([699, 3])), X[[699, 3]])
    assert len(begun) <= 3
