"""Operators that have no factor: solved as one matrix on vectors of n m numbers, which is never written out."""

from functools import cached_property

from ..arrays import Array, namespace, product, random_normal, shifted
from ..factors import inverse_root
from ..matrices import LowRank, Positive
from ..matrices.base import Solve
from ..matrices.blocks import transposed
from ..matrices.recycled import Recycled
from ..matrices.tiled import Iterated
from .gram import Gram

# Columns of the sketch for each root of n m, and at most so many.
RANK, MOST = 5, 600
ROUNDING = 1e-12


class AsOne(Positive):
    """G on column vectors, (G + theta I)^-1 by conjugate gradients preconditioned by a sketch of G.

    The sketch is G Q (Q^T G Q)^-1 Q^T G for random Q (Frangella, Tropp and Udell, 2023): never above G, G itself where
    that has no higher rank, and at the price of one product for each of its columns.

    Parameters
    ----------
    gram : Gram
        G.
    """

    # There is no room for a factor, and no hurry for one.
    room_for_factor = False

    def __init__(self, gram: Gram):
        super().__init__(gram.like, gram.shape[0] * gram.shape[1])
        # Not the operator itself, which holds this one.
        self.shape, self.many = gram.shape, gram.many
        self.recycled = Recycled()

    def __matmul__(self, V: Array) -> Array:
        xp, k = namespace(V), int(V.shape[1])
        stack = xp.permute_dims(xp.reshape(V, (*self.shape, k)), (0, 2, 1))
        found = xp.permute_dims(self.many(stack), (0, 2, 1))
        return xp.reshape(found, (self.size, k))

    @property
    def patience(self) -> int:
        """Products before something else is tried: there is nothing else."""
        return self.size

    @cached_property
    def near(self) -> LowRank:
        """The sketch."""
        rank = max(1, min(self.size, int(RANK * self.size**0.5), MOST))
        Q = random_normal((self.size, rank), self.like)
        Y = self @ Q
        C = product(transposed(Q), Y)
        shift = ROUNDING * float(namespace(C).sum(namespace(C).linalg.diagonal(C))) + 1e-300
        R = inverse_root(shifted((C + transposed(C)) / 2.0, shift))
        return LowRank(product(Y, transposed(R)))

    def near_beside(self, theta: float) -> LowRank:
        """The sketch, which is in double precision.

        Parameters
        ----------
        theta : float
            The shift.

        Returns
        -------
        LowRank
            What preconditions.
        """
        return self.near

    def _solver(self, theta: float) -> Solve:
        solve, (n, m) = Iterated(self, theta), self.shape

        def solved(R: Array, start: Array | None = None) -> Array:
            xp = namespace(R)
            begin = None if start is None else xp.reshape(start, (n * m, 1))
            return xp.reshape(solve(xp.reshape(R, (n * m, 1)), begin), (n, m))

        return solved
