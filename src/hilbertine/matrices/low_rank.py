"""K = F F^T with few columns: nothing of size n x n."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..arrays import Array, eigh, namespace, orthonormal, outer, product, shifted
from ..factors import cholesky_solver
from .base import EigenPairs, Positive, Solve
from .blocks import transposed
from .held import Held, bytes_of
from .row_blocks import RowBlocks
from .tall import Tall

# What Woodbury's identity loses, in digits, grows with trace / theta: beyond this each solution is refined once.
STEEP = 1e6


class LowRank(Positive):
    """K = F F^T: two thin products to multiply, and to solve one p x p Cholesky factor by Woodbury's identity,

        (F F^T + theta I)^-1 R = (R - F (F^T F + theta I)^-1 F^T R) / theta.

    Parameters
    ----------
    F : array of shape (n, p), or Tall
        The features, one row for each point.

    Examples
    --------
    >>> import numpy as np
    >>> K = LowRank(np.array([[1.0], [1.0]]))
    >>> K.solver(1.0)(np.array([[3.0], [0.0]]))
    array([[ 2.],
           [-1.]])
    """

    def __init__(self, F: Array | Tall):
        self.F = F if isinstance(F, Tall) else Tall.whole(F)
        super().__init__(self.F.like, self.F.shape[0])

    def __matmul__(self, V: Array) -> Array:
        return self.F.times(self.F.transposed_times(V))

    def diagonal(self) -> Array:
        return self.F.squares()

    def held(self) -> Held:
        return of_features(self.F)

    def trace(self) -> float:
        return float(namespace(self.like).sum(namespace(self.like).linalg.diagonal(self.section)))

    def restricted(self, rows: Array) -> "LowRank":
        return LowRank(self.F.restricted(rows))

    def weighted(self, root: Any) -> "LowRank":
        return LowRank(self.F.scaled(root))

    def plus(self, other: Positive) -> Positive | None:
        if other.width is not None and other.width + self.F.shape[1] < self.size:
            return LowRank(namespace(self.like).concat([self.F.array(), other.features()], axis=1))
        return None if other.entries() is None else other.plus(self)

    @cached_property
    def section(self) -> Array:
        """F^T F, formed once for all shifts."""
        return self.F.section()

    def unrefined(self, theta: float) -> Solve:
        """R -> (K + theta I)^-1 R up to the rounding of one pass, and symmetric: enough to precondition with.

        Parameters
        ----------
        theta : float
            The shift, > 0.

        Returns
        -------
        callable
            R -> the solution.
        """
        solve = self._inside(theta)
        return lambda R: (R - self.F.times(solve(self.F.transposed_times(R)))) / theta

    def _inside(self, theta: float) -> Callable[[Array], Array]:
        """R -> (F^T F + theta I)^-1 R."""
        try:
            return cholesky_solver(shifted(self.section, theta))
        except ValueError:
            if not self.F.single:
                raise
            # What single precision rounds may be more than theta: no factor of the sum, but eigenvalues in double.
            k, V = self.exactly
            k = namespace(k).clip(k, min=0.0)[:, None] + theta
            return lambda R: product(V, product(transposed(V), R) / k)

    def _solver(self, theta: float) -> Solve:
        once = self.unrefined(theta)

        def refined(R: Array, start: Any = None) -> Array:
            # The difference cancels what lies in the range of F, more so the smaller theta is.
            W = once(R)
            return W + once(R - (self @ W) - theta * W)

        return refined if self.steep(theta) else lambda R, start=None: once(R)

    def steep(self, theta: float, most: float = 1.0) -> bool:
        """Whether theta is so small beside the matrix that half the digits of a solution are lost.

        Parameters
        ----------
        theta : float
            The shift.
        most : float, default=1.0
            What the matrix is multiplied by.

        Returns
        -------
        bool
            Whether it is.
        """
        return self.trace() * most > STEEP * theta

    @cached_property
    def exactly(self) -> tuple[Array, Array]:
        """The eigenpairs of F^T F, formed in double precision."""
        F = self.F.doubled()
        return eigh(self.section if F is self.F else F.section())

    def column_solver(self, s: Array, theta: float) -> Solve:
        # In double precision throughout: s_j may be so small that what single products lose is all there is.
        F = self.F.doubled()
        # (R - F V d * (V^T F^T R)) / theta with d = s / (k s + theta), V diag(k) V^T = F^T F.
        k, V = self.exactly
        k = namespace(k).clip(k, min=0.0)[:, None]
        d, Vt = s[None, :] / (k * s[None, :] + theta), transposed(V)

        def once(R: Array) -> Array:
            inside = d * product(Vt, F.transposed_times(R))
            return (R - F.times(product(V, inside))) / theta

        def refined(R: Array, start: Any = None) -> Array:
            W = once(R)
            return W + once(R - F.times(F.transposed_times(W * s[None, :])) - theta * W)

        return refined if self.steep(theta, float(namespace(s).max(s))) else lambda R, start=None: once(R)

    @property
    def width(self) -> int:
        return self.F.shape[1]

    def tall(self) -> Tall:
        return self.F

    def features(self) -> Array:
        return self.F.array()

    @cached_property
    def eigenpairs(self) -> EigenPairs:
        # By QR the vectors are orthonormal to rounding, however small an eigenvalue is.
        F = self.F.array()
        Q = orthonormal(F)
        k, V = eigh(outer(product(transposed(Q), F)))
        return namespace(k).clip(k, min=0.0), product(Q, V)

    def inverse(self, theta: float, T: Array) -> tuple[Array, Array]:
        # The diagonal of F (F^T F + theta I)^-1 F^T from the rows of F V / sqrt(k + theta).
        k, V = eigh(self.section)
        leverages = self.F.squares(V / namespace(k).sqrt(namespace(k).clip(k, min=0.0) + theta)[None, :])
        return self._solver(theta)(T), (1.0 - leverages) / theta


def of_features(F: Tall) -> Held:
    """Features in memory, made again a block at a time, or on a cluster."""
    if isinstance(F, RowBlocks):
        size = F.shape[0] * int(F.C.shape[1]) * F.C.dtype.itemsize
        return Held("low rank", F.shape, size, f"in {F.C.numblocks[0]} blocks of rows on Dask")
    C, kept = F.parts[0], isinstance(F.parts, list)
    size = sum(map(bytes_of, F.parts if kept else [C])) + (0 if F.right is None else bytes_of(F.right))
    made = "" if kept else f"made again by blocks of {C.shape[0]} rows"
    single = "" if C.dtype == namespace(C).float64 else "single precision"
    return Held("low rank", F.shape, size, ", ".join(part for part in (single, made) if part))
