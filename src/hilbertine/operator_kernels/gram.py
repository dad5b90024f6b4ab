"""Gram operators: linear maps on n x m matrices, symmetric and positive, that multiply and solve."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ..arrays import Array, device_of, eigh, namespace, random_normal, shifted
from ..doors import Doors
from ..factors import cholesky_solver
from ..lanczos import lanczos
from ..matrices import Held, Positive, Tall
from ..matrices.base import Solve, conjugated, per_row
from ..matrices.held import arrays_within, bytes_of

# Numbers in W up to which the operator is written out as one matrix, where it has no other way to solve.
SMALL = 1500
# Diagonal blocks cost one application for each coordinate: beyond this many the norm of the whole bounds them.
FEW = 4096
# Above its Ritz value by this factor, the largest eigenvalue is hardly ever.
MARGIN = 1.02


class Gram(Doors):
    """W -> G W, the operators K(x_i, x_j) among the training points acting on n x m matrices.

    Must implement `@` and `diagonal`. What a solver needs beyond that it asks for: `solver(theta)`, `entries()` and
    `left_out(T, thetas)` answer None where the operator cannot.

    Parameters
    ----------
    like : array
        An array of the library and on the device that the operator works in.
    shape : tuple of int
        (n, m), the shape of the matrices it acts on.
    """

    DOORS: ClassVar = ("__matmul__",)

    def __init__(self, like: Array, shape: tuple[int, int]):
        self.like = like
        self.shape = shape
        # The operator among some of the points that stand for all, once a solver has asked for it, and W with its
        # predictions of the last problem solved there.
        self.sample: Gram | None = None
        self.solved: tuple[Array, ...] = ()
        self._factored: tuple[Any, Solve | None] | None = None

    def __matmul__(self, W: Array) -> Array:
        """G W.

        Parameters
        ----------
        W : array of shape (n, m)
            What it acts on.

        Returns
        -------
        array of shape (n, m)
            The image.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement gram @ W.")

    def diagonal(self) -> Array:
        """<e_ij, G e_ij> as an n x m matrix: the diagonal of G as an nm x nm matrix."""
        raise NotImplementedError(f"{type(self).__name__} must implement diagonal().")

    def weighted(self, root: Any) -> "Gram":
        """W -> root * G (root * W), for one number or one per row.

        Parameters
        ----------
        root : float or array of shape (n,)
            The factors.

        Returns
        -------
        Gram
            The operator with rows multiplied before and after.
        """
        from . import composed

        return composed.Weighted(self, root)

    def restricted(self, rows: Array) -> "Gram":
        """The operator among some of the points.

        Parameters
        ----------
        rows : array of int
            The places of these points.

        Returns
        -------
        Gram
            The smaller operator.
        """
        from . import composed

        return composed.Restricted(self, rows)

    def times(self, k: Array) -> "Gram":
        """The operators k_ij K(x_i, x_j).

        Parameters
        ----------
        k : array of shape (n, n)
            Values of a scalar kernel.

        Returns
        -------
        Gram
            Their product with this one.
        """
        from . import composed

        return composed.Multiplied(self, k)

    def plus(self, other: "Gram") -> "Gram":
        """The sum of two operators.

        Parameters
        ----------
        other : Gram
            The other.

        Returns
        -------
        Gram
            The sum.
        """
        from . import composed

        return composed.Added(self, other)

    def entries(self) -> tuple[Array, Array | None] | None:
        """(K, S) where the operator is W -> K W S and the numbers of K are at hand; S is None for the identity."""
        return None

    def tall(self) -> Tall | None:
        """F where the operator is W -> F F^T W with few columns."""
        return None

    def by_features(self) -> tuple[Tall, Array | None] | None:
        """(F, S) where the operator is W -> F F^T W S with few columns; S is None for the identity."""
        return None

    def approximation(self) -> "Gram | None":
        """An operator near this one in which problems are solved at a small part of its price, where it is dear."""
        return None

    def left_out(self, T: Array, thetas: Sequence[float]) -> Iterator[tuple[Array, Array]] | None:
        """For each theta C = A^-1 T and e_i = [A^-1 T]_i / [A^-1]_ii, with A = G + theta I.

        Parameters
        ----------
        T : array of shape (n, m)
            Targets.
        thetas : sequence of float
            The shifts, > 0.

        Returns
        -------
        iterator of (C, E), or None
            Two arrays (n, m) for each theta; None where there is no closed form.
        """
        return None

    def mean_diagonal(self) -> float:
        """The mean eigenvalue."""
        return float(namespace(self.like).mean(self.diagonal()))

    def trace(self) -> float:
        """The sum of all eigenvalues: none exceeds it."""
        return self.mean_diagonal() * self.shape[0] * self.shape[1]

    def held(self) -> Held:
        """How it is held, in words and bytes."""
        size = self.shape[0] * self.shape[1]
        return Held("by products", (size, size), sum(map(bytes_of, arrays_within(list(vars(self).values())))))

    def norm(self) -> float:
        """The largest eigenvalue by Lanczos, 2 % above what it found."""
        return MARGIN * max(float(lanczos(self.__matmul__, random_normal(self.shape, self.like), steps=30)[-1]), 0.0)

    def operator_norm(self) -> float:
        """max_i |K(x_i, x_i)|, the gamma^2 of the stability bounds on these points."""
        if self.shape[0] * self.shape[1] > FEW:
            # A diagonal block is a compression of the whole operator: an upper bound.
            return self.norm()
        return max(float(eigh(block)[0][-1]) for block in self.blocks())

    def blocks(self) -> list[Array]:
        """The operators K(x_i, x_i), by one application for each coordinate of each point."""
        xp, (n, m) = namespace(self.like), self.shape
        return [xp.stack([(self @ self.unit(i * m + j))[i, :] for j in range(m)], axis=1) for i in range(n)]

    def unit(self, place: int) -> Array:
        """The matrix with a one at this place, counted along the rows.

        Parameters
        ----------
        place : int
            From 0 to n m - 1.

        Returns
        -------
        array of shape (n, m)
            The matrix.
        """
        xp, (n, m) = namespace(self.like), self.shape
        flat = xp.arange(n * m, device=device_of(self.like)) == place
        return xp.reshape(xp.astype(flat, self.like.dtype), (n, m))

    def solver(self, theta: float | Array) -> Solve | None:
        """Solves G W + theta W = R; the last factor is kept.

        Parameters
        ----------
        theta : float or array of shape (n,)
            The shift, or one per row, > 0.

        Returns
        -------
        callable or None
            R -> W; None where the operator cannot.
        """
        if per_row(theta):
            return conjugated(self, theta)
        if self._factored is None or self._factored[0] != theta:
            # The old factor goes first, so that there is never more than one.
            self._factored = None
            self._factored = theta, self._solver(float(theta))
        return self._factored[1]

    @property
    def factored_at(self) -> float | None:
        """The theta of the factor at hand, which costs nothing to use again."""
        return None if self._factored is None else self._factored[0]

    @property
    def solvable(self) -> bool:
        """Whether `solver` has a factor; without one it iterates."""
        return self.shape[0] * self.shape[1] <= SMALL

    def _solver(self, theta: float) -> Solve | None:
        if not self.solvable:
            return self.as_one.solver(theta)
        solve, column = cholesky_solver(shifted(self.matrix, theta)), (self.shape[0] * self.shape[1], 1)
        return lambda R, start=None: namespace(R).reshape(solve(namespace(R).reshape(R, column)), self.shape)

    @cached_property
    def as_one(self) -> Positive:
        """G on vectors of n m numbers, which solves by conjugate gradients."""
        from .as_one import AsOne

        return AsOne(self)

    def many(self, stack: Array) -> Array:
        """G W_k for many matrices at once.

        Parameters
        ----------
        stack : array of shape (n, k, m)
            W_k is stack[:, k, :].

        Returns
        -------
        array of shape (n, k, m)
            The products.
        """
        return namespace(stack).stack([self @ stack[:, k, :] for k in range(int(stack.shape[1]))], axis=1)

    @cached_property
    def matrix(self) -> Array:
        """G as an nm x nm matrix, written out by one application for each of its columns."""
        xp, size = namespace(self.like), self.shape[0] * self.shape[1]
        G = xp.stack([xp.reshape(self @ self.unit(place), (size,)) for place in range(size)], axis=1)
        return (G + xp.permute_dims(G, (1, 0))) / 2.0
