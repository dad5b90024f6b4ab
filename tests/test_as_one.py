"""Sums, aligned and general operators beyond what is written out: solved on products, down to small lam."""

import numpy as np
import pytest
from sklearn.base import clone

from examples import OPERATOR_KERNELS, POINTS, dual_of
from hilbertine import Ridge, operator_kernels
from hilbertine.kernels import Gaussian, Laplacian, RandomFourier
from hilbertine.losses import EpsilonNorm, EpsilonSquare, Huber, Square
from hilbertine.operator_kernels import AlignedAnchored, Matrix, Separable, gram
from hilbertine.operator_kernels.as_one import AsOne
from hilbertine.solvers import Recipe

rng = np.random.default_rng(0)
X = rng.standard_normal((90, 2))
T = np.sin(X @ rng.standard_normal((2, 3))) + 0.1 * rng.standard_normal((90, 3))
B = rng.standard_normal((3, 3))
FORMS = [
    Separable(Gaussian(0.5), Matrix(B @ B.T)) + Separable(Laplacian(0.5)),
    Separable(RandomFourier(Gaussian(), 40), Matrix(B @ B.T)) + Separable(RandomFourier(Laplacian(), 40)),
    AlignedAnchored(Gaussian(0.5)),
]
every_form = pytest.mark.parametrize("kernel", FORMS, ids=["sum", "sum of features", "aligned"])


@pytest.fixture
def nothing_small(monkeypatch):
    """No operator is written out."""
    monkeypatch.setattr(gram, "SMALL", 0)
    monkeypatch.setattr(operator_kernels.kronecker, "SMALL", 0)


def fitted(kernel, inputs=X, outputs=T):
    return clone(kernel).fit(inputs, outputs).gram()


@pytest.mark.parametrize("kernel", OPERATOR_KERNELS, ids=repr)
def test_many_products_are_products(kernel):
    inputs, outputs = POINTS, rng.standard_normal((12, 3))
    G, stack = fitted(kernel, inputs, outputs), rng.standard_normal((12, 4, 3))
    expected = np.stack([G @ stack[:, k, :] for k in range(4)], axis=1)
    assert np.allclose(G.many(stack), expected, atol=1e-10)


@every_form
@pytest.mark.parametrize("theta", [1e-4, 1.0])
def test_solutions_are_those_of_the_matrix_written_out(kernel, theta):
    G = fitted(kernel)
    solve = AsOne(G).solver(theta)
    for R in (T, T + 0.01 * T[::-1]):
        W = solve(R)
        assert np.linalg.norm(R - (G @ W) - theta * W) <= 1.01e-4 * np.linalg.norm(R)
    expected = np.linalg.solve(G.matrix + theta * np.eye(270), T.ravel()).reshape(T.shape)
    assert np.linalg.norm(solve(T) - expected) <= 1e-4 * np.linalg.norm(T) / theta


@every_form
@pytest.mark.parametrize("loss", [Square(), Huber(0.3), EpsilonSquare(0.1), EpsilonNorm(0.1)], ids=repr)
def test_small_lam_is_solved_where_gradients_fail(kernel, loss, nothing_small):
    dual = dual_of(fitted(kernel), loss, T, 1e-6)
    solution = Recipe(tol=1e-6, max_iter=300).solve(dual)
    assert solution.converged
    assert float(dual.gap(solution.W)) <= 1e-6


def test_models_say_how_much_is_held(nothing_small):
    held = Ridge(kernel=FORMS[2]).fit(X, T).matrix_
    assert held.kind == "by products"
    assert held.bytes > 8 * 90 * 90
