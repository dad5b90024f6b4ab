"""An output space is an isometry: inner products, norms and distances survive the coordinates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from examples import SPACES
from hilbertine.kernels import Gaussian, Linear, Polynomial, Precomputed
from hilbertine.metrics import squared_norms
from hilbertine.spaces import L2, RKHS, Cosine, Euclidean

every_space = pytest.mark.parametrize("space", SPACES, ids=lambda space: type(space).__name__)
scales = st.sampled_from([1e-6, 1.0, 1e6])


def outputs(seed, scale, n, rank):
    rng = np.random.default_rng(seed)
    Y = scale * rng.standard_normal((n, rank)) @ rng.standard_normal((rank, 4))
    Y[-1] = Y[0]
    return Y


@every_space
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), scale=scales, n=st.sampled_from([1, 2, 9]), rank=st.sampled_from([1, 2, 4]))
def test_coordinates_keep_inner_products(space, seed, scale, n, rank):
    Y = outputs(seed, scale, n, rank)
    T = space.fit(Y).encode(Y)
    assert np.allclose(T @ T.T, Y @ Y.T, rtol=1e-9, atol=1e-9 * scale**2)
    assert np.allclose(np.linalg.norm(T, axis=1), space.norms(Y), rtol=1e-6, atol=1e-9 * scale)


@pytest.mark.parametrize("space", [*SPACES, RKHS(Gaussian(0.1), n_components=3), L2(None, Cosine(2))], ids=repr)
def test_measuring_at_the_fit_is_encoding_and_what_it_leaves_out(space):
    Y = outputs(0, 1.0, 9, 4)
    T, tails = clone(space).fit_measure(Y)
    fitted = clone(space).fit(Y)
    assert np.allclose(T, fitted.encode(Y), atol=1e-9)
    assert np.allclose(tails, fitted.tails(Y, T), atol=1e-6)
    assert np.allclose((T**2).sum(1) + tails**2, fitted.norms(Y) ** 2, atol=1e-9)


@every_space
def test_decoding_a_training_output_returns_it(space):
    Y = outputs(3, 1.0, 9, 4)
    assert np.allclose(space.fit(Y).decode(space.encode(Y)), Y)


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.1), Polynomial(2)], ids=repr)
def test_rkhs_gram_is_reproduced_by_its_numerical_rank(kernel):
    Y = outputs(0, 1.0, 12, 2)
    space = RKHS(kernel).fit(Y)
    T = space.encode(Y)
    assert np.allclose(T @ T.T, kernel(Y, Y), atol=1e-10)
    assert T.shape[1] == np.linalg.matrix_rank(kernel(Y, Y), hermitian=True)


def test_linear_outputs_of_rank_two_have_two_coordinates():
    Y = outputs(0, 1.0, 12, 2)
    assert RKHS().fit(Y).encode(Y).shape == (12, 2)


def test_an_output_gram_is_a_kernel_on_indices():
    Y = outputs(0, 1.0, 8, 3)
    index = np.arange(8)
    space = RKHS(Precomputed(Y @ Y.T)).fit(index[:6])
    T = space.encode(index)
    assert np.allclose(T @ T.T, Y @ Y.T)


def test_decoding_is_the_nearest_candidate_by_brute_force():
    rng = np.random.default_rng(0)
    Y, Z = rng.standard_normal((10, 3)), rng.standard_normal((6, 3))
    kernel = Polynomial(2)
    space = RKHS(kernel).fit(Y)
    C = rng.standard_normal((5, space.axes_.shape[1]))
    E = space.encode(Z)
    distances = ((C[:, None] - E[None]) ** 2).sum(-1) + kernel.diagonal(Z) - (E**2).sum(1)
    assert np.array_equal(space.decode(C, Z), Z[distances.argmin(1)])


def test_decoding_returns_the_objects_themselves():
    words = ["cart", "care", "dogs"]
    space = RKHS(lambda A, B: [[len(set(a) & set(b)) for b in B] for a in A]).fit(words)
    assert space.decode(space.encode(["care", "dogs"]), [*words, "card"]) == ["care", "dogs"]


def test_fewer_components_keep_the_largest_and_leave_tails():
    Y = outputs(0, 1.0, 12, 4)
    space = RKHS(n_components=2).fit(Y)
    T = space.encode(Y)
    values = np.linalg.eigvalsh(Y @ Y.T)[::-1]
    assert np.allclose((T**2).sum(0), values[:2])
    assert np.isclose((space.norms(Y) ** 2 - (T**2).sum(1)).sum(), values[2:].sum())


def test_squared_norms_count_what_lies_off_the_span():
    rng = np.random.default_rng(0)
    Y, new = rng.standard_normal((2, 4)), rng.standard_normal((3, 4))
    space = RKHS().fit(Y)
    C = rng.standard_normal((3, 2))
    points = C @ (space.axes_.T @ Y)
    assert np.allclose(squared_norms(space, C, new), ((points - new) ** 2).sum(1))


def test_one_dimensional_outputs_come_back_one_dimensional():
    space = Euclidean().fit([1, 2, 3])
    assert space.encode([True, False]).tolist() == [[1.0], [0.0]]
    assert space.decode(np.array([[1.5], [2.5]])).shape == (2,)


@pytest.mark.parametrize("shape", [(12, 5), (4, 9), (12, 1), (12,)])
def test_points_of_the_linear_kernel_are_vectors(shape):
    Y = np.random.default_rng(0).standard_normal(shape)
    space = RKHS().fit(Y)
    np.testing.assert_allclose(space.decode(space.encode(Y)), Y, atol=1e-12)
    fewer, matrix = RKHS(n_components=1).fit(Y), Y.reshape(len(Y), -1)
    u, s, v = np.linalg.svd(matrix, full_matrices=False)
    np.testing.assert_allclose(
        fewer.decode(fewer.encode(Y)), (s[0] * np.outer(u[:, 0], v[0])).reshape(shape), atol=1e-12
    )
