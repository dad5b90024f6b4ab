"""Laws of operator-valued kernels: symmetric positive linear maps, and their factorisations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import OPERATOR_KERNELS
from hilbertine import operator_kernels as ok
from hilbertine.kernels import Gaussian

rng = np.random.default_rng(0)
X, T = rng.standard_normal((8, 2)), rng.standard_normal((8, 3))
X[3] = X[5]
every_kernel = pytest.mark.parametrize("kernel", OPERATOR_KERNELS, ids=repr)


def as_matrix(gram, n=8, m=3):
    """The map on n x m matrices as an nm x nm matrix."""
    return np.stack([(gram @ E.reshape(n, m)).ravel() for E in np.eye(n * m)], axis=1)


@every_kernel
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-6, 1.0, 1e6]), n=st.sampled_from([1, 2, 7]))
def test_gram_is_a_symmetric_positive_map(kernel, seed, scale, n):
    rng = np.random.default_rng(seed)
    inputs, targets = scale * rng.standard_normal((n, 2)), scale * rng.standard_normal((n, 3))
    inputs[n // 2], targets[-1] = inputs[0], 0.0
    gram = kernel.gram(inputs, inputs, targets)
    G = as_matrix(gram, n)
    values = np.linalg.eigvalsh((G + G.T) / 2)
    assert np.allclose(G, G.T, atol=1e-12 * abs(values).max())
    assert values[0] >= -1e-12 * values[-1]
    assert values[-1] <= gram.largest_possible * (1 + 1e-12)


@every_kernel
def test_gram_is_the_block_matrix_of_operators(kernel):
    G = as_matrix(kernel.gram(X, X, T)).reshape(8, 3, 8, 3)
    W = rng.standard_normal((8, 3))
    assert np.allclose((kernel.gram(X[2:3], X, T) @ W)[0], np.einsum("ajb,jb->a", G[2], W))


@every_kernel
def test_norm_bounds_the_largest_eigenvalue_closely(kernel):
    gram = kernel.gram(X, X, T)
    largest = np.linalg.eigvalsh(as_matrix(gram))[-1]
    assert largest <= gram.norm((8, 3)) <= 1.05 * largest


@every_kernel
@pytest.mark.parametrize("theta", [1e-3, 1.0, 1e3])
def test_factor_inverts_the_shifted_map(kernel, theta):
    gram = kernel.gram(X, X, T)
    R = rng.standard_normal((8, 3))
    if not gram.separable:
        with pytest.raises(ValueError, match="auto"):
            gram.factor(theta)
        return
    W = gram.factor(theta)(R)
    assert np.allclose((gram @ W) + theta * W, R)


def test_separable_is_the_kronecker_product():
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    G = as_matrix(ok.Separable(Gaussian(0.5), ok.Matrix(A)).gram(X, X, T))
    assert np.allclose(G, np.kron(Gaussian(0.5)(X, X), A))


def test_covariance_is_the_sum_of_outer_products():
    S = ok.Covariance().matrix(T)
    assert np.allclose(S, sum(np.outer(t, t) for t in T))


def test_an_operator_is_recovered_from_its_gram():
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(ok.FromGram(T @ A @ T.T).matrix(T), A)


def test_a_scalar_kernel_is_times_the_identity():
    W = rng.standard_normal((8, 3))
    assert np.allclose(ok.as_operator_kernel(Gaussian(0.5)).gram(X, X, T) @ W, Gaussian(0.5)(X, X) @ W)
