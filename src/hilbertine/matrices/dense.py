"""All n x n numbers in memory."""

from functools import cached_property
from typing import Any

from ..arrays import Array, eigh, namespace, outer, product, shifted
from ..factors import cholesky_solver, inverse_root
from .base import EigenPairs, Positive, Solve
from .held import Held, bytes_of


class Dense(Positive):
    """K by its numbers: one product to multiply, one Cholesky factor to solve.

    Parameters
    ----------
    K : array of shape (n, n)
        The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> K = Dense(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> K.solver(1.0)(np.array([[4.0], [0.0]])).round(2)
    array([[ 1.5],
           [-0.5]])
    """

    def __init__(self, K: Array):
        super().__init__(K, int(K.shape[0]))
        self.K = K

    def __matmul__(self, V: Array) -> Array:
        return product(self.K, V)

    def diagonal(self) -> Array:
        return namespace(self.K).linalg.diagonal(self.K)

    def restricted(self, rows: Array) -> "Dense":
        xp = namespace(self.K)
        return Dense(xp.take(xp.take(self.K, rows, axis=0), rows, axis=1))

    def weighted(self, root: Any) -> "Dense":
        if isinstance(root, float):
            return Dense(root * root * self.K)
        return Dense(root[:, None] * self.K * root[None, :])

    def plus(self, other: Positive) -> "Dense | None":
        values = other.entries()
        if values is not None:
            return Dense(self.K + values)
        return None if other.width is None else Dense(self.K + outer(other.features()))

    def held(self) -> Held:
        return Held("dense", (self.size, self.size), bytes_of(self.K))

    def _solver(self, theta: float) -> Solve:
        solve = cholesky_solver(shifted(self.K, theta))
        return lambda R, start=None: solve(R)

    def entries(self) -> Array:
        return self.K

    @cached_property
    def eigenpairs(self) -> EigenPairs:
        k, U = eigh(self.K)
        # Rounding may leave eigenvalues a hair below zero.
        return namespace(k).clip(k, min=0.0), U

    def inverse(self, theta: float, T: Array) -> tuple[Array, Array]:
        R = inverse_root(shifted(self.K, theta))
        xp = namespace(T)
        return product(xp.permute_dims(R, (1, 0)), product(R, T)), xp.vecdot(R, R, axis=-2)
