"""Shift-invariant operator-valued kernels as sums of separable ones: the remark under Assumption 4."""

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from ..arrays import Array, as_floats, device_of, namespace, product
from ..checks import positive, whole
from .base import OperatorValuedKernel
from .gram import Gram


class RandomFourier(OperatorValuedKernel):
    """K(x, z) = 1/D sum_d cos(<w_d, x - z>) A(w_d), w_d ~ N(0, 2 gamma I): Bochner's theorem with D frequencies.

    The error falls as 1/sqrt(D), and no n x n matrix is formed: one application costs O(n m D).

    Parameters
    ----------
    density : callable, default=None
        w -> A(w), an m x m positive semi-definite matrix: the spectral density of K relative to that of exp(-gamma |x -
        z|^2); None is the identity, which gives that kernel times the identity. With w w^T the fields are curl-free,
        with |w|^2 I - w w^T divergence-free.
    gamma : float, default=1.0
        As in `kernels.Gaussian`.
    n_terms : int, default=500
        D.
    random_state : int or RandomState, default=0
        Seed of the frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> X, T = np.array([[0.0, 0.0], [1.0, 0.0]]), np.eye(2)
    >>> K = RandomFourier(gamma=0.5, n_terms=4000).fit(X, T).gram()
    >>> (K @ T).round(1)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    def __init__(
        self,
        density: Callable[[Any], Any] | None = None,
        gamma: float = 1.0,
        n_terms: int = 500,
        random_state: Any = 0,
    ):
        self.density = density
        self.gamma = gamma
        self.n_terms = n_terms
        self.random_state = random_state

    @property
    def learned(self) -> bool:
        return False

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        width = math.sqrt(2.0 * positive(self.gamma, "gamma", finite=True))
        shape = whole(self.n_terms, "n_terms"), int(X.shape[1])
        drawn = width * check_random_state(self.random_state).standard_normal(shape)
        self.frequencies_, self.operators_ = as_floats(drawn, T), self._operators(drawn, T)
        self.features_ = self.cross(X)
        return self

    def gram(self) -> Gram:
        return FeatureGram(self.features_, self.operators_)

    def cross(self, X: Any) -> Array:
        return self._features(as_floats(X, self.frequencies_), self.frequencies_)

    def condense(self, W: Array) -> Array:
        return filtered(self.features_, self.operators_, W)

    def _features(self, points: Array, frequencies: Array) -> Array:
        """cos and sin, so that cos(<w, x - z>) = cos cos + sin sin."""
        xp = namespace(points)
        phases = product(points, xp.permute_dims(frequencies, (1, 0)))
        return xp.concat([xp.cos(phases), xp.sin(phases)], axis=1)

    def _operators(self, frequencies: Any, T: Array) -> Array:
        xp = namespace(T)
        terms, m = len(frequencies), int(T.shape[1])
        if self.density is None:
            identity = xp.eye(m, dtype=T.dtype, device=device_of(T))
            return xp.broadcast_to(identity / terms, (2 * terms, m, m))
        if not callable(self.density):
            raise TypeError(f"RandomFourier.density must be a function w -> A(w), got {self.density!r}.")
        operators = np.stack([np.asarray(self.density(w), dtype=np.float64) for w in frequencies])
        if operators.shape != (terms, m, m):
            raise ValueError(
                f"RandomFourier.density returned shape {operators.shape[1:]} for outputs of {m} coordinates; it must "
                f"return the {m} x {m} matrix A(w)."
            )
        symmetric = np.allclose(operators, np.swapaxes(operators, 1, 2), rtol=1e-8)
        if not symmetric or np.linalg.eigvalsh(operators)[:, 0].min() < -1e-8 * np.abs(operators).max():
            raise ValueError("RandomFourier.density returned a matrix that is not symmetric positive semi-definite.")
        both = as_floats(operators / terms, T)
        return xp.concat([both, both])


def filtered(F: Array, operators: Array, W: Array) -> Array:
    """(F^T W)_d A_d, one row for each feature d."""
    xp = namespace(W)
    U = product(xp.permute_dims(F, (1, 0)), W)
    return xp.matmul(U[:, None, :], operators)[:, 0, :]


class FeatureGram(Gram):
    """W -> sum_d f_d f_d^T W A_d for features F = (f_d), n x D, and operators A, (D, m, m)."""

    def __init__(self, F: Array, operators: Array):
        super().__init__(F, (int(F.shape[0]), int(operators.shape[1])))
        self.F, self.operators = F, operators

    def __matmul__(self, W: Array) -> Array:
        return product(self.F, filtered(self.F, self.operators, W))

    def diagonal(self) -> Array:
        return product(self.F * self.F, namespace(self.F).linalg.diagonal(self.operators))
