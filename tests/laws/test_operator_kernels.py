"""Laws of operator-valued kernels: symmetric positive linear maps, and their factorisations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

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
    gram = kernel.fit(inputs, targets).gram()
    G = as_matrix(gram, n)
    values = np.linalg.eigvalsh((G + G.T) / 2)
    assert np.allclose(G, G.T, atol=1e-12 * abs(values).max())
    assert values[0] >= -1e-12 * values[-1]
    assert values[-1] <= gram.trace() * (1 + 1e-12)


def parts(kernel):
    """Every parameter, and of those that are estimators what they hold."""
    deep = kernel.get_params()
    return {name: {k: id(v) for k, v in vars(part).items()} for name, part in deep.items() if hasattr(part, "__dict__")}


@every_kernel
def test_a_fit_leaves_its_parameters_as_they_were(kernel):
    kernel = clone(kernel)
    before = parts(kernel)
    kernel.fit(X, T).gram()
    assert parts(kernel) == before


@every_kernel
def test_gram_is_the_block_matrix_of_operators(kernel):
    G = as_matrix(kernel.fit(X, T).gram()).reshape(8, 3, 8, 3)
    W = rng.standard_normal((8, 3))
    assert np.allclose(ok.apply(kernel.cross(X[2:3]), kernel.condense(W))[0], np.einsum("ajb,jb->a", G[2], W))


@every_kernel
def test_norm_bounds_the_largest_eigenvalue_closely(kernel):
    gram = kernel.fit(X, T).gram()
    largest = np.linalg.eigvalsh(as_matrix(gram))[-1]
    assert largest <= gram.norm() <= 1.05 * largest


@every_kernel
@pytest.mark.parametrize("theta", [1e-3, 1.0, 1e3])
def test_factor_inverts_the_shifted_map(kernel, theta):
    gram = kernel.fit(X, T).gram()
    R = rng.standard_normal((8, 3))
    W = gram.solver(theta)(R)
    assert np.allclose((gram @ W) + theta * W, R)
    each = theta * np.linspace(1.0, 2.0, 8)
    W = gram.solver(each)(R)
    assert np.allclose((gram @ W) + each[:, None] * W, R)


@every_kernel
def test_the_diagonal_is_that_of_the_matrix(kernel):
    gram = kernel.fit(X, T).gram()
    assert np.allclose(gram.diagonal().ravel(), np.diag(as_matrix(gram)))
    assert gram.trace() == pytest.approx(np.trace(as_matrix(gram)))


@every_kernel
def test_some_rows_and_weighted_rows_are_those_of_the_matrix(kernel):
    gram = kernel.fit(X, T).gram()
    G, rows, root = as_matrix(gram).reshape(8, 3, 8, 3), np.array([6, 0, 3]), np.linspace(0.0, 2.0, 8)
    assert np.allclose(as_matrix(gram.restricted(rows), 3), G[rows][:, :, rows].reshape(9, 9))
    weighted = np.einsum("i,iajb,j->iajb", root, G, root).reshape(24, 24)
    assert np.allclose(as_matrix(gram.weighted(root)), weighted)


def test_separable_is_the_kronecker_product():
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    G = as_matrix(ok.Separable(Gaussian(0.5), ok.Matrix(A)).fit(X, T).gram())
    assert np.allclose(G, np.kron(Gaussian(0.5)(X, X), A))


def test_covariance_is_the_sum_of_outer_products():
    S = ok.Covariance().matrix(T)
    assert np.allclose(S, sum(np.outer(t, t) for t in T))


def test_an_operator_is_recovered_from_its_gram():
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(ok.FromGram(T @ A @ T.T).matrix(T), A)


def test_a_scalar_kernel_is_times_the_identity():
    W = rng.standard_normal((8, 3))
    assert np.allclose(ok.as_operator_kernel(Gaussian(0.5)).fit(X, T).gram() @ W, Gaussian(0.5)(X, X) @ W)
