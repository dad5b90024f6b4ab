"""What a Gram is made of: a matrix that multiplies, and says by None what it cannot do."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..arrays import Array, is_array, namespace, product, random_normal
from ..lanczos import lanczos
from .held import Held, arrays_within, bytes_of

# (R, start) -> (K + theta I)^-1 R; a matrix that iterates begins at `start`.
Solve = Callable[..., Array]
EigenPairs = tuple[Array, Array]


def per_row(theta: Any) -> bool:
    """Whether a shift is one number per row."""
    return is_array(theta) and theta.ndim > 0


def conjugated(matrix: Any, theta: Array) -> Solve | None:
    """(K + diag(theta))^-1 = r (r K r + I)^-1 r with r = theta^(-1/2): one shift per row from one for all."""
    root = (theta**-0.5)[:, None]
    inner = matrix.weighted(root[:, 0]).solver(1.0)
    return None if inner is None else lambda R, start=None: root * inner(root * R)


class Positive:
    """K, symmetric positive semi-definite, n x n.

    Must implement `@`, `diagonal`, `restricted` and `weighted`. May implement `_solver`, `entries`, `eigenpairs` and
    `inverse`: what a matrix cannot do it answers by None, and whoever asked takes another way.

    Parameters
    ----------
    like : array
        An array of the library and on the device that the matrix works in.
    size : int
        n.
    """

    def __init__(self, like: Array, size: int):
        self.like = like
        self.size = size

    def __matmul__(self, V: Array) -> Array:
        """K V."""
        raise NotImplementedError(f"{type(self).__name__} must implement matrix @ V.")

    def diagonal(self) -> Array:
        """k_ii."""
        raise NotImplementedError(f"{type(self).__name__} must implement diagonal().")

    def restricted(self, rows: Array) -> "Positive":
        """The matrix among some of the points.

        Parameters
        ----------
        rows : array of int
            The places of these points.

        Returns
        -------
        Positive
            The smaller matrix.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement restricted(rows).")

    def weighted(self, root: Any) -> "Positive":
        """diag(root) K diag(root); one number stands for all.

        Parameters
        ----------
        root : float or array of shape (n,)
            The factors.

        Returns
        -------
        Positive
            The matrix with rows and columns multiplied.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement weighted(root).")

    def plus(self, other: "Positive") -> "Positive | None":
        """K + L as one matrix where the two are of one kind.

        Parameters
        ----------
        other : Positive
            L.

        Returns
        -------
        Positive or None
            The sum; None where the kinds differ.
        """
        return None

    def solver(self, theta: float | Array) -> Solve | None:
        """R -> (K + diag(theta))^-1 R for a shift, or one per row; None where the matrix cannot.

        Parameters
        ----------
        theta : float or array of shape (n,)
            The shift, > 0.

        Returns
        -------
        callable or None
            (R, start) -> the solution; a matrix that iterates begins at `start`.
        """
        return conjugated(self, theta) if per_row(theta) else self._solver(float(theta))

    def _solver(self, theta: float) -> Solve | None:
        return None

    def column_solver(self, s: Array, theta: float) -> Solve | None:
        """R -> W whose columns are w_j = (s_j K + theta I)^-1 r_j: one eigendecomposition for all s_j.

        Parameters
        ----------
        s : array of shape (m,)
            A factor >= 0 for each column.
        theta : float
            The shift, > 0.

        Returns
        -------
        callable or None
            (R, start) -> W; None where the matrix cannot.
        """
        if self.eigenpairs is None:
            return None
        k, U = self.eigenpairs
        Ut, inside = namespace(U).permute_dims(U, (1, 0)), 1.0 / (k[:, None] * s[None, :] + theta)
        return lambda R, start=None: product(U, inside * product(Ut, R))

    def entries(self) -> Array | None:
        """All n x n numbers, where they are at hand."""
        return None

    @property
    def width(self) -> int | None:
        """How many columns `features` has; None where there is no such matrix."""
        return None

    def tall(self) -> Any:
        """`features` as a `Tall`; None where there is no such matrix."""
        return None

    def features(self) -> Array:
        """F with K = F F^T and fewer columns than rows, for matrices of a known width."""
        raise NotImplementedError(f"{type(self).__name__} has no features.")

    def approximation(self) -> "Positive | None":
        """A matrix near this one in which problems are solved at a small part of the price, where this one is dear."""
        return None

    @cached_property
    def eigenpairs(self) -> EigenPairs | None:
        """(k, U) with K = U diag(k) U^T, without the eigenvalues that are known to be zero; None where too dear."""
        return None

    def inverse(self, theta: float, T: Array) -> tuple[Array, Array] | None:
        """(A^-1 T, the diagonal of A^-1) for A = K + theta I.

        Parameters
        ----------
        theta : float
            The shift, > 0.
        T : array of shape (n, m)
            Right hand sides.

        Returns
        -------
        tuple of two arrays, or None
            Solutions (n, m) and diagonal (n,); None where the matrix cannot.
        """
        return None

    def largest(self, steps: int = 30) -> float:
        """A Ritz estimate of the largest eigenvalue: never above it.

        Parameters
        ----------
        steps : int, default=30
            Products with the matrix, at most.

        Returns
        -------
        float
            The estimate.
        """
        start = random_normal((self.size, 1), self.like)
        return float(lanczos(self.__matmul__, start, min(steps, self.size))[-1])

    def held(self) -> Held:
        """How it is held, in words and bytes."""
        return Held("by products", (self.size, self.size), sum(map(bytes_of, arrays_within(list(vars(self).values())))))

    def trace(self) -> float:
        """The sum of the diagonal."""
        return float(namespace(self.like).sum(self.diagonal()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.held()})"
