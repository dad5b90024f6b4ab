"""Laws of scalar kernels, and agreement with scikit-learn's pairwise functions."""

from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise
from sklearn.preprocessing import KernelCenterer

from examples import KERNELS, POINTS
from hilbertine import Ridge, kernels
from hilbertine.kernels import (
    Centred,
    Constant,
    Features,
    Gaussian,
    GaussianTanimoto,
    Graphs,
    Intersection,
    Laplacian,
    Linear,
    MassSpectrum,
    NeutralLosses,
    Normalised,
    Peaks,
    Polynomial,
    Precomputed,
    Substrings,
    Tanimoto,
    as_kernel,
)

every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
rng = np.random.default_rng(1)
X, Z = rng.standard_normal((7, 5)), rng.standard_normal((4, 5))


WORDS = ["cart", "care", "dogs", "", "aab", "abab", "cart", "Dots", "a", "b c", "bbbb", "xyz"]
FINGERPRINTS = (Intersection, Tanimoto, GaussianTanimoto)


def ring(word):
    """The letters of a word as nodes of a cycle."""
    n = len(word)
    return {(i, j % n): 1 for i in range(n) for j in (i - 1, i + 1)}, dict(enumerate(word))


def spectra(rng, n):
    """Spectra with peaks in few bins, one of them without any."""
    masses = [50.0 + 0.01 * rng.integers(0, 9, rng.integers(1, 6)) for _ in range(n)]
    made = [MassSpectrum(50.05, np.stack([each, rng.random(len(each))], axis=1)) for each in masses]
    return [*made[:-1], MassSpectrum(50.05, np.empty((0, 2)))]


def points(kernel):
    """Twelve points that the kernel takes, some of them equal."""
    if isinstance(kernel, Precomputed):
        return np.arange(len(POINTS))
    if isinstance(kernel, Graphs):
        return [ring(word) for word in WORDS if word]
    if isinstance(kernel, Substrings):
        return WORDS
    if isinstance(kernel, Peaks):
        return spectra(np.random.default_rng(0), 12)
    return (POINTS > 0).astype(float) if isinstance(kernel, FINGERPRINTS) else POINTS


def draw(kernel, seed, scale, n):
    """Points of one scale, among them a zero row and a repeated row; indices, graphs, words, spectra or counts too."""
    rng = np.random.default_rng(seed)
    if isinstance(kernel, Precomputed):
        return rng.integers(0, len(POINTS), n)
    if isinstance(kernel, Graphs):
        return [ring(rng.choice(list("abc"), rng.integers(1, 6))) for _ in range(n)]
    if isinstance(kernel, Substrings):
        return ["".join(rng.choice(list("ab c"), rng.integers(0, 9))) for _ in range(n)]
    if isinstance(kernel, Peaks):
        return spectra(rng, n)
    inputs = scale * rng.standard_normal((n, 4))
    if isinstance(kernel, FINGERPRINTS):
        inputs = rng.integers(0, 3, (n, 6)).astype(float)
    inputs[-1], inputs[n // 2] = 0.0, inputs[0]
    return inputs


@every_kernel
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-6, 1e-2, 1.0, 1e2, 1e6]), n=st.sampled_from([1, 2, 5, 14]))
def test_gram_is_symmetric_positive_semidefinite(kernel, seed, scale, n):
    inputs = draw(kernel, seed, scale, n)
    kernel = clone(kernel).fit(inputs)
    K = kernel(inputs, inputs)
    assert np.allclose(K, K.T, rtol=1e-12, atol=0)
    values = np.linalg.eigvalsh(K)
    # Centring subtracts: rounding is relative to what was there before.
    size = np.abs(kernel.kernel(inputs, inputs)).max() if isinstance(kernel, Centred) else 0.0
    assert values[0] >= -1e-12 * max(values[-1], 0.0) - 1e-14 * size
    assert np.allclose(kernel.diagonal(inputs), np.diag(K), rtol=1e-9, atol=1e-300 + 1e-14 * size)


@every_kernel
def test_diagonal_is_the_diagonal(kernel):
    inputs = points(kernel)
    kernel = clone(kernel).fit(inputs)
    assert np.allclose(kernel.diagonal(inputs), np.diag(kernel(inputs, inputs)), rtol=1e-12)


@every_kernel
def test_exchange_of_arguments_transposes(kernel):
    inputs = points(kernel)
    kernel = clone(kernel).fit(inputs)
    assert np.allclose(kernel(inputs[:5], inputs[3:]), kernel(inputs[3:], inputs[:5]).T, rtol=1e-12)


@every_kernel
def test_blocks_of_the_gram_are_the_gram_of_blocks(kernel):
    inputs = points(kernel)
    kernel = clone(kernel).fit(inputs)
    K = kernel(inputs, inputs)
    assert np.allclose(K[2:5, 7:], kernel(inputs[2:5], inputs[7:]), rtol=1e-12)


def parts(kernel):
    """The parameters of a kernel as they are now: objects by identity, so that nothing fitted in place goes unseen."""
    deep = kernel.get_params()
    return {
        name: vars(value).copy() if isinstance(value, kernels.Kernel) else id(value) for name, value in deep.items()
    }


@every_kernel
def test_a_fitted_kernel_knows_its_training_points(kernel):
    inputs = points(kernel)
    kernel = clone(kernel)
    before = parts(kernel)
    assert kernel.fit(inputs) is kernel
    assert parts(kernel) == before
    K = kernel(inputs, inputs)
    for _ in range(2):
        assert np.allclose(kernel.gram(), K, rtol=1e-10, atol=1e-12)
    assert np.allclose(kernel.cross(inputs[:5]), K[:5], rtol=1e-10, atol=1e-12)
    assert np.allclose(kernel.squares(kernel.represent(inputs)), np.diag(K), rtol=1e-10, atol=1e-12)
    assert np.allclose(kernel.between(kernel.points_, kernel.represent(inputs)), K, rtol=1e-10, atol=1e-12)


@every_kernel
def test_features_are_those_of_the_kernel(kernel):
    inputs = points(kernel)
    kernel = clone(kernel).fit(inputs)
    F = kernel.features(inputs)
    if F is None:
        return
    size = np.abs(kernel.gram()).max()
    assert F.shape[0] == len(inputs)
    assert np.allclose(kernel.coordinates(kernel.points_), F, rtol=1e-10, atol=1e-10 * size)
    assert np.allclose(F @ F.T, kernel(inputs, inputs), rtol=1e-10, atol=1e-10 * size)
    assert np.allclose(kernel.features(inputs[3:8]) @ F.T, kernel.cross(inputs[3:8]), rtol=1e-10, atol=1e-10 * size)


def test_which_kernels_have_features():
    linear = Linear()
    have = [
        linear,
        Constant(2.0),
        3.0 * linear,
        linear + Constant(),
        linear * linear,
        Normalised(linear),
        Centred(linear),
        Features(np.exp, linear),
    ]
    for kernel in have:
        F = kernel.fit(POINTS).features(POINTS)
        assert np.allclose(F @ F.T, kernel.gram(), rtol=1e-10)
    wide = np.ones((2, 70))
    for kernel in (Gaussian(), linear + Gaussian(), linear * Gaussian(), 2.0 * Gaussian(), Centred(Gaussian())):
        assert kernel.fit(POINTS).features(POINTS) is None
    assert (linear * linear).fit(wide).features(wide) is None
    assert Precomputed(np.eye(2)).fit([0, 1]).features([0]) is None


READERS = [
    (Substrings(2), WORDS),
    (Tanimoto(), [set(word) for word in WORDS]),
    (Intersection(), sparse.csr_matrix(POINTS > 0)),
    (Peaks(), [MassSpectrum(50.0 + i, [[50.0, 1.0 + i]]) for i in range(12)]),
    (Graphs(), [ring(word or "x") for word in WORDS]),
    (Features(lambda words: [[len(word), 1.0] for word in words], Gaussian()), WORDS),
]


@pytest.mark.parametrize("wrap", [lambda k: k, Normalised, Centred, lambda k: 2.0 * k + Constant() * k], ids=str)
@pytest.mark.parametrize(("kernel", "inputs"), READERS, ids=lambda value: type(value).__name__)
def test_what_is_read_once_is_not_read_again(kernel, inputs, wrap, monkeypatch):
    kernel = wrap(clone(kernel)).fit(inputs)
    expected = kernel(inputs, inputs)
    kernel.gram()
    read = []
    for cls in (Substrings, Intersection, Peaks, Graphs):
        old = cls.represent
        monkeypatch.setattr(cls, "represent", lambda self, X, old=old: read.append(len(list(X))) or old(self, X))
    new = inputs[:3]
    assert np.allclose(kernel.cross(new), expected[:3])
    assert max(read, default=3) == 3


@pytest.mark.parametrize("wrap", [lambda k: k, Normalised, Centred, kernels.Nystroem, lambda k: k + k * Constant()])
def test_training_points_are_read_once_in_a_fit(wrap):
    seen = []

    def lengths(words):
        seen.append(len(words))
        return [[float(len(word)), 1.0] for word in words]

    kernel = wrap(Features(lengths, Linear())).fit(WORDS)
    once = seen.count(len(WORDS))
    F = kernel.coordinates(kernel.points_)
    assert np.allclose(F @ F.T, kernel.gram())
    assert seen.count(len(WORDS)) == once == 1 + isinstance(kernel, kernels.Sum)


def test_labels_that_only_new_points_have_count_in_their_norms():
    kernel = Tanimoto().fit([{"a", "b"}, {"c"}])
    assert np.allclose(kernel.cross([{"a", "x", "y"}, {"z"}, set()]), [[1 / 4, 0], [0, 0], [0, 0]])
    assert Substrings(1).fit(["ab"]).diagonal(["xyz"]) == [3.0]


def test_a_gram_before_fit_and_a_kernel_without_values_are_refused():
    with pytest.raises(AttributeError, match=r"Gaussian has no training points before fit"):
        Gaussian().gram()
    with pytest.raises(AttributeError, match=r"Gaussian has no training points before fit"):
        Gaussian().cross(X)

    class Nothing(kernels.Kernel):
        pass

    class Half(kernels.Kernel):
        def represent(self, X):
            return X - 1.0

        def between(self, A, B):
            return A @ B.T

        def features(self, X):
            return self.represent(X)

    half = Half().fit(X)
    assert np.allclose(half.gram(), half(X, X))
    assert np.allclose(half.diagonal(X), np.diag(half.gram()))
    with pytest.raises(NotImplementedError, match=r"Half has a representation of its own.* squares\(A\)"):
        Normalised(half).fit(X)
    with pytest.raises(NotImplementedError, match=r"Half has a representation of its own.* coordinates\(A\)"):
        Centred(half).fit(X)

    with pytest.raises(NotImplementedError, match=r"__call__\(X, Z\), or represent"):
        Nothing()(X, X)


def test_rows_of_a_gram_matrix_are_handed_over_once():
    G = Gaussian(0.4)(POINTS, POINTS)
    kernel = as_kernel("precomputed").fit(G)
    assert kernel.gram() is G
    assert not any(np.shares_memory(value, G) for value in vars(kernel).values() if isinstance(value, np.ndarray))
    assert np.array_equal(kernel.diagonal_, np.diag(G))
    assert np.array_equal(kernel.cross(G[:3]), G[:3])
    with pytest.raises(ValueError, match="handed over once"):
        kernel.gram()
    centred = Centred("precomputed").fit(G)
    K = centred.gram()
    assert np.allclose(K, KernelCenterer().fit_transform(G))
    assert np.allclose(centred.cross(G[:3]), K[:3])
    assert not any(np.ndim(value) == 2 for value in vars(centred).values())


def test_centring_computes_the_gram_matrix_once():
    calls = []

    def linear(A, B):
        calls.append((len(A), len(B)))
        return A @ B.T

    kernel = Centred(linear).fit(POINTS)
    kernel.gram()
    kernel.cross(POINTS[:2])
    assert calls == [(12, 12), (2, 12)]


def test_a_sum_of_many_kernels_is_written_as_one():
    terms = [Gaussian(float(i)) for i in range(1, 25)]
    total = sum(terms)
    assert repr(total) == " + ".join(map(repr, terms))
    assert repr(2.0 * Linear() * (Gaussian(0.5) + Constant())) == "2.0 * Linear() * (Gaussian(gamma=0.5) + Constant())"
    many = sum(Precomputed(np.eye(40)) for _ in range(24))
    start = perf_counter()
    for shown in (total, many, Ridge(kernel=many)):
        assert len(repr(shown)) < 5000
        assert shown._repr_mimebundle_()
    assert perf_counter() - start < 2.0
    assert repr(Precomputed(np.eye(3))) == "Precomputed(<3 x 3 matrix>)"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Linear(), pairwise.linear_kernel(X, Z)),
        (Polynomial(3, gamma=0.7, coef0=0.2), pairwise.polynomial_kernel(X, Z, degree=3, gamma=0.7, coef0=0.2)),
        (Gaussian(0.4), pairwise.rbf_kernel(X, Z, gamma=0.4)),
        (Laplacian(0.4), pairwise.laplacian_kernel(X, Z, gamma=0.4)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_equals_scikit_learn(ours, theirs):
    assert np.allclose(ours(X, Z), theirs, rtol=1e-12)


def test_gaussian_keeps_its_digits_far_from_the_origin():
    assert np.allclose(Gaussian(0.4)(X + 1e6, Z + 1e6), pairwise.rbf_kernel(X, Z, gamma=0.4), rtol=1e-8)


def test_kernels_add_multiply_and_scale():
    a, b = Gaussian(0.5), Linear()
    assert np.allclose((a + b)(X, Z), a(X, Z) + b(X, Z))
    assert np.allclose((a * b)(X, Z), a(X, Z) * b(X, Z))
    assert np.allclose((2.5 * a)(X, Z), 2.5 * a(X, Z))
    assert np.allclose((a * 2.5)(X, Z), 2.5 * a(X, Z))
    assert np.allclose((a + pairwise.linear_kernel)(X, Z), a(X, Z) + b(X, Z))
    assert np.all(Constant(3.0)(X, Z) == 3.0)


@pytest.mark.parametrize("kernel", [Gaussian(), Laplacian()], ids=repr)
def test_median_width_is_learned_from_the_training_points_alone(kernel):
    kernel.fit(X)
    assert np.array_equal(kernel(Z, X), type(kernel)(kernel.gamma_)(Z, X))
    assert np.allclose(type(kernel)().fit(10 * X)(10 * Z, 10 * X), kernel(Z, X), rtol=1e-9)


def test_median_width_of_the_gaussian_is_the_median_distance():
    distances = pairwise.euclidean_distances(X)[np.triu_indices(7, 1)]
    assert Gaussian().fit(X).gamma_ == pytest.approx(1 / (2 * np.median(distances) ** 2))


def test_median_width_survives_points_that_coincide():
    assert Gaussian().fit(np.ones((5, 2))).gamma_ > 0


def test_precomputed_is_a_kernel_on_indices():
    K = POINTS @ POINTS.T
    assert np.array_equal(Precomputed(K)([3, 1], [0, 2, 2]), K[np.ix_([3, 1], [0, 2, 2])])


def test_anything_callable_is_a_kernel():
    assert np.allclose(as_kernel(pairwise.rbf_kernel)(X, Z), pairwise.rbf_kernel(X, Z))
    with pytest.raises(TypeError, match="not a kernel"):
        as_kernel(3)
    with pytest.raises(TypeError, match="not a kernel"):
        as_kernel(kernels.Gaussian)


SETS = [{1, 2, 3}, {2, 3}, set(), {5}, {1, 2, 3, 4}]


def test_tanimoto_on_sets_dense_and_sparse_is_the_jaccard_index():
    expected = [[len(a & b) / len(a | b) if a | b else 1.0 for b in SETS[:3]] for a in SETS]
    binary = np.array([[element in each for element in range(6)] for each in SETS], dtype=float)
    for form in (SETS, binary, sparse.csr_matrix(binary)):
        assert np.allclose(Tanimoto()(form, form[:3]), expected)
    assert np.allclose(GaussianTanimoto(0.72)(SETS, SETS[:3]), np.exp(-1.44 * (1 - np.array(expected))))
    assert np.allclose(Intersection()(SETS, SETS[:3]), [[len(a & b) for b in SETS[:3]] for a in SETS])


def test_fingerprints_that_are_none_are_refused():
    with pytest.raises(ValueError, match="negative"):
        Tanimoto()(-np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        Tanimoto()(np.full((2, 3), np.nan), np.ones((2, 3)))


def test_substrings_by_brute_force():
    def occurrences(s, u):
        return sum(s.startswith(u, i) for i in range(len(s)))

    def brute(s, t):
        grams = {s[i : i + p] for p in (1, 2, 3) for i in range(len(s) - p + 1)}
        return sum(occurrences(s, u) * occurrences(t, u) for u in grams)

    assert np.allclose(Substrings(3)(WORDS, WORDS), [[brute(s, t) for t in WORDS] for s in WORDS])
    assert np.allclose(Substrings(3)(["ab"], ["", ""]), 0)


def test_normalised_features_have_norm_one_on_objects_and_indices():
    K = Normalised(Substrings(2)).fit(WORDS)(WORDS, WORDS)
    G = Substrings(2)(WORDS, WORDS)
    indices = np.arange(len(WORDS))
    assert np.allclose(np.diag(K), [0.0 if word == "" else 1.0 for word in WORDS])
    assert np.allclose(K, Normalised(Precomputed(G)).fit(indices)(indices, indices))
    assert np.allclose(Normalised(Substrings(2)).diagonal(WORDS), np.diag(K))
    with pytest.raises(ValueError, match="cannot be normalised"):
        Normalised("precomputed").fit(G)


def test_normalising_a_function_costs_few_calls_and_few_values():
    calls = []

    def overlap(A, B):
        calls.append(len(A) * len(B))
        return [[len(set(a) & set(b)) for b in B] for a in A]

    words = [f"{i:b}x" for i in range(200)]
    kernel = Normalised(overlap).fit(words)
    K = kernel.gram()
    assert np.allclose(np.diag(K), 1.0)
    assert calls.count(200**2) == 1
    # A diagonal beside the matrix itself, and one beside the rows of new points.
    assert sum(calls) < 1.1 * 200**2
    assert np.allclose(kernel.cross(words[:100]), K[:100])
    assert len(calls) < 50
    assert sum(calls) < 1.7 * 200**2


def test_centring_is_that_of_scikit_learn_on_objects_grams_and_new_inputs():
    train, new = Gaussian(0.4)(Z, Z), Gaussian(0.4)(X, Z)
    centre = KernelCenterer().fit(train)
    kernel = Centred(Gaussian(0.4)).fit(Z)
    assert np.allclose(kernel(Z, Z), centre.transform(train))
    assert np.allclose(kernel(X, Z), centre.transform(new))
    rows = Centred("precomputed").fit(train)
    assert np.allclose(rows(train, train), centre.transform(train))
    assert np.allclose(rows(new, range(len(Z))), centre.transform(new))


@pytest.mark.parametrize("form", [range, lambda *ends: list(range(*ends)), np.arange], ids=["range", "list", "array"])
def test_centring_on_indices_is_that_of_scikit_learn_in_every_form(form):
    G = Gaussian(0.4)(POINTS, POINTS)
    centre = KernelCenterer().fit(G[:5, :5])
    train, new = form(5), form(5, 12)
    kernel = Centred(Precomputed(G)).fit(train)
    assert np.allclose(kernel(train, train), centre.transform(G[:5, :5]))
    assert np.allclose(kernel(new, train), centre.transform(G[5:, :5]))
    assert np.allclose(kernel.diagonal(new), np.diag(kernel(new, new)))
    # As many new points as training points.
    assert np.allclose(kernel(form(5, 10), train), centre.transform(G[5:10, :5]))


def test_a_peak_within_half_a_bin_above_the_precursor_lost_nothing():
    kernel = NeutralLosses(0.01)
    at, within, beyond = (MassSpectrum(100.0, [[mass, 4.0]]) for mass in (100.0, 100.004, 100.006))
    assert kernel([at], [within, beyond]).tolist() == [[4.0, 0.0]]
    assert kernel.diagonal([within, beyond]).tolist() == [4.0, 0.0]
