"""K = F F^T with few columns: nothing of size n x n."""

from functools import cached_property
from typing import Any

from ..arrays import Array, cholesky_solver, eigh, inner, namespace, orthonormal, outer, product, shifted
from .base import EigenPairs, Positive, Solve


class LowRank(Positive):
    """K = F F^T: two thin products to multiply, and to solve one p x p Cholesky factor by Woodbury's identity,

        (F F^T + theta I)^-1 R = (R - F (F^T F + theta I)^-1 F^T R) / theta.

    Parameters
    ----------
    F : array of shape (n, p)
        The features, one row for each point.

    Examples
    --------
    >>> import numpy as np
    >>> K = LowRank(np.array([[1.0], [1.0]]))
    >>> K.solver(1.0)(np.array([[3.0], [0.0]]))
    array([[ 2.],
           [-1.]])
    """

    def __init__(self, F: Array):
        super().__init__(F, int(F.shape[0]))
        self.F = F
        self.Ft = namespace(F).permute_dims(F, (1, 0))

    def __matmul__(self, V: Array) -> Array:
        return product(self.F, product(self.Ft, V))

    def diagonal(self) -> Array:
        return inner(self.F, self.F)

    def restricted(self, rows: Array) -> "LowRank":
        return LowRank(namespace(self.F).take(self.F, rows, axis=0))

    def weighted(self, root: Any) -> "LowRank":
        return LowRank(self.F * (root if isinstance(root, float) else root[:, None]))

    def plus(self, other: Positive) -> Positive | None:
        F = other.features()
        if F is not None and F.shape[1] + self.F.shape[1] < self.size:
            return LowRank(namespace(F).concat([self.F, F], axis=1))
        return None if other.entries() is None else other.plus(self)

    @cached_property
    def section(self) -> Array:
        """F^T F, formed once for all shifts."""
        return product(self.Ft, self.F)

    def _solver(self, theta: float) -> Solve:
        solve = cholesky_solver(shifted(self.section, theta))

        def once(R: Array) -> Array:
            return (R - product(self.F, solve(product(self.Ft, R)))) / theta

        def refined(R: Array, start: Any = None) -> Array:
            # The difference cancels what lies in the range of F, more so the smaller theta is: once more, and exact.
            W = once(R)
            return W + once(R - (self @ W) - theta * W)

        return refined

    def features(self) -> Array:
        return self.F

    @cached_property
    def eigenpairs(self) -> EigenPairs:
        # By QR the vectors are orthonormal to rounding, however small an eigenvalue is.
        Q = orthonormal(self.F)
        k, V = eigh(outer(product(namespace(Q).permute_dims(Q, (1, 0)), self.F)))
        return namespace(k).clip(k, min=0.0), product(Q, V)

    def inverse(self, theta: float, T: Array) -> tuple[Array, Array]:
        solve = cholesky_solver(shifted(self.section, theta))
        leverages = inner(product(self.F, solve(shifted(0.0 * self.section, 1.0))), self.F)
        solved = self._solver(theta)(T)
        return solved, (1.0 - leverages) / theta
