"""Nystroem and RandomFourier: what their features stand for, how centres are chosen, and how errors fall."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import kernel_approximation
from sklearn.base import clone

from hilbertine import Ridge
from hilbertine.arrays import shifted, to_numpy
from hilbertine.factors import cholesky_solver
from hilbertine.kernels import (
    Centred,
    Constant,
    Exponential,
    Features,
    Gaussian,
    IntegralLaplacian,
    Laplacian,
    Linear,
    Matern,
    Normalised,
    Nystroem,
    Polynomial,
    Precomputed,
    RandomFourier,
    Substrings,
    Tanimoto,
)
from hilbertine.kernels.fourier import orthogonal_normals
from hilbertine.kernels.pivots import independent, random_pivots
from hilbertine.matrices import LowRank, Tall

rng = np.random.default_rng(0)
X, NEW = rng.standard_normal((60, 3)), rng.standard_normal((9, 3))
WORDS = ["cart", "care", "dogs", "", "aab", "abab", "cart", "Dots", "a", "b c", "bbbb", "xyz"]
FOURIER = [Gaussian(0.3), Laplacian(0.3), Exponential(0.5), Matern(1.5, 0.5), Matern(2.5, 0.5), Gaussian([0.1, 0.5, 0])]
FOURIER += [Laplacian([0.1, 0.5, 0.0]), Matern(1.5, [0.1, 0.5, 0.0])]


@pytest.mark.parametrize(
    ("kernel", "name", "options"),
    [
        (Gaussian(0.4), "rbf", {"gamma": 0.4}),
        (Laplacian(0.4), "laplacian", {"gamma": 0.4}),
        (Polynomial(2), "polynomial", {"gamma": 1.0, "coef0": 1.0, "degree": 2}),
    ],
    ids=["rbf", "laplacian", "polynomial"],
)
def test_nystroem_is_that_of_scikit_learn_on_the_same_centres(kernel, name, options):
    theirs = kernel_approximation.Nystroem(kernel=name, n_components=8, random_state=3, **options).fit(X)
    ours = Nystroem(kernel, centres=theirs.components_).fit(X)
    F = theirs.transform(NEW)
    assert np.allclose(ours(NEW, NEW), F @ F.T, rtol=1e-6)
    assert np.allclose(ours.cross(NEW), F @ theirs.transform(X).T, rtol=1e-6)


@pytest.mark.parametrize("centres", ["pivoted", "uniform", X[:20]], ids=["pivoted", "uniform", "given"])
def test_nystroem_is_the_projection_on_the_centres_and_never_above_the_kernel(centres):
    kernel = Nystroem(Gaussian(0.4), 20, centres).fit(X)
    C = kernel.centres_
    assert len(C) == 20
    exact = Gaussian(0.4)
    expected = exact(NEW, C) @ np.linalg.pinv(exact(C, C), rcond=1e-10, hermitian=True) @ exact(C, X)
    assert np.allclose(kernel.cross(NEW), expected, rtol=1e-6, atol=1e-8)
    assert np.linalg.eigvalsh(exact(X, X) - kernel.gram())[0] > -1e-8
    assert np.allclose(kernel(C, NEW), exact(C, NEW), atol=1e-8)


@pytest.mark.parametrize(
    ("kernel", "inputs"),
    [
        (Substrings(2), WORDS),
        (Normalised(Substrings(2)), WORDS),
        (Tanimoto(), [set(word) for word in WORDS]),
        (Precomputed(X @ X.T), range(12)),
        (Features(lambda words: [[len(word), 1.0] for word in words], Gaussian(0.5)), WORDS),
        (Centred(Substrings(1)), WORDS),
        (lambda A, B: [[float(a[:1] == b[:1]) for b in B] for a in A], WORDS),
        (Linear(), sparse.csr_matrix(X)),
        (Constant(2.0), WORDS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_nystroem_of_any_kernel_is_exact_from_the_rank_on(kernel, inputs):
    for centres in ("pivoted", "uniform"):
        ours = Nystroem(kernel, 60, centres).fit(inputs)
        K = np.asarray(kernel(inputs, inputs), dtype=float)
        rank = np.linalg.matrix_rank(K, hermitian=True, tol=1e-9)
        assert ours.features(inputs).shape[1] == rank
        assert np.allclose(ours.gram(), K, atol=1e-8 * np.abs(K).max())
        assert np.allclose(ours.diagonal(inputs), np.diag(K), atol=1e-8 * np.abs(K).max())
    assert len(Nystroem(kernel, 60).fit(inputs).indices_) == rank


def test_pivots_beat_chance_where_the_spectrum_decays():
    clusters = np.concatenate([0.01 * rng.standard_normal((950, 2)), 3.0 * rng.standard_normal((50, 2))])
    kernel = Gaussian(1.0).fit(clusters)
    lost = {}
    for centres in ("pivoted", "uniform"):
        found = [Nystroem(kernel, 40, centres, seed).fit(clusters) for seed in range(5)]
        lost[centres] = np.mean([np.sum(1.0 - each.diagonal(clusters)) for each in found])
    assert lost["pivoted"] < 0.2 * lost["uniform"]
    best = np.sum(np.linalg.eigvalsh(kernel.gram())[:-40])
    assert lost["pivoted"] < 5.0 * best


def test_pivots_are_distinct_and_their_diagonal_vanishes():
    kernel = Matern(1.5, 0.5).fit(X)
    for size in (1, 7, 25, 60):
        pivots = random_pivots(kernel, X, size, np.random.RandomState(0))
        assert len(set(pivots)) == len(pivots) == size
    few, many = (Nystroem(kernel, size).fit(X) for size in (10, 30))
    assert np.allclose(few.diagonal(X[few.indices_]), 1.0)
    assert np.sum(many.diagonal(X)) > np.sum(few.diagonal(X))


def test_a_kernel_that_is_zero_has_a_feature_that_is_zero():
    for centres in ("pivoted", "uniform"):
        assert np.array_equal(Nystroem(lambda A, B: 0.0 * A @ B.T, 5, centres).fit(X).features(X), np.zeros((60, 1)))


def test_no_matrix_of_all_pairs_is_made():
    sizes = []

    def linear(A, B):
        sizes.append((len(A), len(B)))
        return A @ B.T

    kernel = Nystroem(lambda A, B: linear(A, B), 20).fit(np.random.default_rng(0).standard_normal((500, 30)))
    assert kernel.features(kernel.centres_).shape == (20, 20)
    assert all(min(size) <= 20 for size in sizes)


def test_dependent_columns_of_a_block_are_left_out():
    H = np.ones((4, 4)) + np.diag([0.0, 0.0, 0.0, 3.0])
    kept, L = independent(H, 4)
    assert kept[0] == 3
    assert np.allclose(L @ L.T, H[np.ix_(kept, kept)])
    assert len(independent(np.eye(5), 2)[0]) == 2
    assert independent(np.zeros((2, 2)), 2)[0] == []
    repeated = np.repeat(X[:4], 50, axis=0)
    assert len(Nystroem(Gaussian(1.0), 100).fit(repeated).indices_) == 4


@pytest.mark.parametrize("kernel", FOURIER, ids=repr)
def test_random_fourier_features_converge_at_one_over_the_root(kernel):
    K = kernel(X, X)

    def error(p):
        errors = [RandomFourier(kernel, p, seed).fit(X).gram() - K for seed in range(20)]
        assert np.abs(np.mean(errors, axis=0)).max() < 6.0 / np.sqrt(20 * p)
        return np.sqrt(np.mean(np.square(errors)))

    few, many = error(100), error(1600)
    assert few < 1.0 / np.sqrt(100)
    assert 3.0 < few / many < 5.3


def test_orthogonal_frequencies_have_less_variance():
    K = Gaussian(0.3)(X, X)
    ours = [RandomFourier(Gaussian(0.3), 6, seed).fit(X).gram() - K for seed in range(200)]
    sampler = (kernel_approximation.RBFSampler(gamma=0.3, n_components=3, random_state=seed) for seed in range(200))
    plain = []
    for each in sampler:
        phases = X @ each.fit(X).random_weights_
        plain.append((np.cos(phases) @ np.cos(phases).T + np.sin(phases) @ np.sin(phases).T) / 3 - K)
    assert np.mean(np.square(ours)) < 0.9 * np.mean(np.square(plain))
    G = orthogonal_normals(7, 3, np.random.RandomState(0))
    for block in (G[:3], G[3:6]):
        gram = block @ block.T
        assert np.allclose(gram, np.diag(np.diag(gram)))
    many = orthogonal_normals(30000, 3, np.random.RandomState(0))
    assert np.allclose(many.T @ many / 30000, np.eye(3), atol=0.03)
    assert np.allclose(np.mean(many**4, axis=0), 3.0, atol=0.15)


@pytest.mark.parametrize("kernel", [Nystroem(Gaussian(), 20), RandomFourier(Gaussian(), 20)], ids=["N", "F"])
def test_features_are_a_kernel_that_fits_and_clones(kernel):
    fitted = clone(kernel).fit(X)
    assert fitted.kernel_.gamma_ == Gaussian().fit(X).gamma_
    F = fitted.features(NEW)
    assert np.allclose(F @ fitted.features(X).T, fitted.cross(NEW))
    assert np.array_equal(clone(kernel)(NEW, X), fitted.cross(NEW))
    assert np.array_equal(clone(kernel).fit(X).gram(), fitted.gram())
    assert clone(kernel).set_params(random_state=1).fit(X).gram()[0, 1] != fitted.gram()[0, 1]
    with pytest.raises(ValueError, match="needs fit before it has features"):
        clone(kernel).diagonal(X)
    total = (2.0 * kernel + Constant()).fit(X)
    assert np.allclose(total.features(NEW) @ total.features(X).T, total.cross(NEW))
    Y = np.sin(X[:, :2])
    model = Ridge(kernel=kernel, lam=1e-3).fit(X, Y)
    assert np.mean((model.predict(X) - Y) ** 2) < 0.5 * np.mean(Y**2)


def test_what_calls_without_the_training_points_forgets_them():
    many = np.random.default_rng(0).standard_normal((5000, 4))
    for kernel in (
        Nystroem(Gaussian() + Linear(), 10),
        RandomFourier(2.0, 10).set_params(kernel=Laplacian()),
        Nystroem(Normalised(Polynomial(2)), 10),
        Centred(Linear()),
    ):
        fitted = kernel.fit(many)
        small = fitted.compact()
        assert len(pickle.dumps(small)) < 10_000 < len(pickle.dumps(fitted))
        assert np.array_equal(small.features(many[:3]), fitted.features(many[:3]))
        with pytest.raises(AttributeError, match="no training points"):
            small.gram()
    centred = Centred(Laplacian(0.2)).fit(many[:20]).compact()
    assert np.allclose(centred.cross(many[:20]).sum(axis=0), 0.0)


@pytest.mark.parametrize("kernel", [Nystroem(Gaussian(), 20), RandomFourier(Matern(), 20)], ids=["N", "F"])
def test_torch_gives_the_same_numbers(kernel):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    ours, theirs = clone(kernel).fit(X), clone(kernel).fit(torch.asarray(X))
    assert isinstance(theirs.features(torch.asarray(NEW)), torch.Tensor)
    assert np.allclose(to_numpy(theirs.cross(torch.asarray(NEW))), ours.cross(NEW), rtol=1e-8)


@pytest.mark.parametrize(
    ("kernel", "error", "said"),
    [
        (Nystroem(centres="kmeans"), ValueError, r"Nystroem\.centres is 'pivoted', 'uniform' or points, not 'kmeans'"),
        (Nystroem(n_components=0), ValueError, r"Nystroem\.n_components must be a whole number"),
        (Nystroem("precomputed"), ValueError, r"Nystroem\(Precomputed\(matrix\)\)"),
        (RandomFourier(n_components=5), ValueError, "must be even"),
        (RandomFourier(Linear()), TypeError, r"not for Linear\(\); use Nystroem"),
        (RandomFourier(IntegralLaplacian()), TypeError, "not for IntegralLaplacian"),
        (RandomFourier(Gaussian([1.0, 2.0])), ValueError, r"Gaussian\.gamma must be .* each of the 3 features"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_is_refused(kernel, error, said):
    with pytest.raises(error, match=said):
        kernel.fit(X)


def test_output_operators_are_solved_in_double_precision_whatever_the_features_are():
    points = np.random.default_rng(1).standard_normal((2000, 3))
    C = RandomFourier(Gaussian(0.1), 60, dtype="float32").fit(points).features(points)
    assert C.dtype == np.float32
    K, exact = LowRank(Tall.whole(C)), C.astype(float) @ C.astype(float).T
    R, s = np.sin(points[:, :2]), np.array([1.0, 1e-3])
    W = K.column_solver(s, 1e-3)(R)
    assert np.allclose(exact @ W * s + 1e-3 * W, R, atol=1e-6)


def test_a_shift_below_what_single_precision_rounds_is_solved_all_the_same():
    C = np.linspace(1.0, 2.0, 4000)[:, None] ** np.arange(12)[None, :]
    C = (C / np.abs(C).max(axis=0)).astype(np.float32)
    K, exact = LowRank(Tall.whole(C)), C.astype(float)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        cholesky_solver(shifted(K.section, 1e-7))
    R = np.sin(np.arange(24.0)).reshape(12, 2)
    found = K._inside(1e-7)(R)
    assert np.allclose(exact.T @ (exact @ found) + 1e-7 * found, R, atol=1e-3)
