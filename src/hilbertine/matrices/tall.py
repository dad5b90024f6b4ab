"""F, n x p with n >> p, read a block of rows at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..arrays import (
    Array,
    as_floats,
    cast,
    inner,
    is_array,
    is_foreign,
    namespace,
    product,
    rows_at,
    section,
    to_numpy,
)
from ..threads import each
from .blocks import block_rows, joined, transposed
from .doubled import Doubled

# Squares of what R multiplies by differ by no more than this where sums of squares may be rounded to single precision.
MILD = 1e5


class Tall:
    """F = diag(d) C R, where C is read block by block: kept in memory, or made again each time.

    d and R are applied to what F meets, never to C. Blocks may be kept in single precision; each is turned into double
    precision in the cache when it is multiplied, so that nothing is lost of what it meets.

    Parameters
    ----------
    parts : sequence of arrays
        The blocks of rows of C, in order; a sequence may make them when they are asked for.
    shape : tuple of int
        (n, p), the shape of F.
    right : array of shape (q, p), default=None
        R; None is the identity.
    left : float or array of shape (n,), default=1.0
        d; one number stands for all rows.

    Examples
    --------
    >>> import numpy as np
    >>> F = Tall.whole(np.array([[1.0, 0.0], [2.0, 1.0]]))
    >>> F.times(np.array([[1.0], [1.0]])), F.transposed_times(np.array([[1.0], [1.0]]))
    (array([[1.],
           [3.]]), array([[3.],
           [1.]]))
    """

    def __init__(
        self, parts: Sequence[Array], shape: tuple[int, int], right: Array | None = None, left: float | Array = 1.0
    ):
        self.parts = parts
        self.shape = shape
        self.right: Any = right
        self.left: Any = left

    @classmethod
    def whole(cls, F: Array) -> "Tall":
        """F as it lies in memory.

        Parameters
        ----------
        F : array of shape (n, p)
            The matrix.

        Returns
        -------
        Tall
            The same.
        """
        n, p = map(int, F.shape)
        size = block_rows(p, F)
        return cls([F[i : min(i + size, n), :] for i in range(0, n, size)], (n, p))

    @property
    def like(self) -> Array:
        """An array of the library and on the device of F, in double precision."""
        if self.right is not None:
            return as_floats(self.right[:1, :1], self.right)
        C = self.parts[0]
        return as_floats(C[:1, :1], C)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """The blocks of C, each with its place among the rows."""
        return ((self._rows(k, C), C) for k, C in enumerate(self._each(self.parts.__getitem__)))

    def _each(self, act: Callable[[int], Any]) -> Iterator[Any]:
        one = self.parts[0] if self.right is None and isinstance(self.parts, list) else self.right
        return each(act, range(len(self.parts)), alone=is_foreign(one))

    def _rows(self, k: int, C: Array) -> slice:
        # All blocks but the last are of one size.
        start = k * int(C.shape[0]) if k + 1 < len(self.parts) else self.shape[0] - int(C.shape[0])
        return slice(start, start + int(C.shape[0]))

    def times(self, B: Array) -> Array:
        """F B.

        Parameters
        ----------
        B : array of shape (p, m)
            A matrix of few columns.

        Returns
        -------
        array of shape (n, m)
            The product.
        """
        right = self._after(B)
        return self._by_row(joined(list(self._each(lambda k: product(self._block(k), right)))))

    def transposed_times(self, V: Array) -> Array:
        """F^T V.

        Parameters
        ----------
        V : array of shape (n, m)
            A matrix of few columns.

        Returns
        -------
        array of shape (p, m)
            The product.
        """
        V = self._by_row(V)

        def part(k: int) -> Array:
            C = self._block(k)
            return product(transposed(C), V[self._rows(k, C), :])

        return self._before(sum(self._each(part)))

    def there_and_back(self, B: Array, act: Callable[..., Any], rows: Sequence[Array]) -> tuple[Array, Array, Any]:
        """(V, F^T V, s) for (V, s) = act(F B, *rows), where s is a sum over rows: each block of F is read once.

        Parameters
        ----------
        B : array of shape (p, m)
            A matrix of few columns.
        act : callable
            What is made of rows of F B and of the other rows: as many rows, and a sum.
        rows : sequence of arrays
            The other rows.

        Returns
        -------
        tuple of an array of shape (n, m), one of shape (p, m), and the sum
            The rows, their product, and the sum.
        """
        right = self._after(B)

        def part(k: int) -> tuple[Array, Array, Any]:
            C = self._block(k)
            there = self._rows(k, C)
            V, s = act(self._by_row(product(C, right), there), *(each[there, ...] for each in rows))
            return V, product(transposed(C), self._by_row(V, there)), s

        found: list[Array] = []
        turned: Any = 0.0
        total: Any = 0.0
        for V, one, s in self._each(part):
            found.append(V)
            turned, total = turned + one, total + s
        return joined(found), self._before(turned), total

    def section(self) -> Array:
        """F^T F."""
        S = section(self._scaled_parts(), self.like)
        S = S if is_array(self.left) else self.left**2 * S
        return S if self.right is None else self._before(product(S, self.right))

    def squares(self, B: Array | None = None) -> Array:
        """The squared norms of the rows of F, or of F B.

        Parameters
        ----------
        B : array of shape (p, q), default=None
            A matrix; None is the identity.

        Returns
        -------
        array of shape (n,)
            The squares.
        """
        right = self.right if B is None else self._after(B)
        found = (C if right is None else product(C, right) for C in map(self._block, range(len(self.parts))))
        return self.left**2 * joined([inner(F, F) for F in found])

    def restricted(self, places: Array) -> "Tall":
        """Some of the rows, by their numbers, in double precision: small problems have small lam n.

        Parameters
        ----------
        places : array of int
            Which rows.

        Returns
        -------
        Tall
            The rows.
        """
        wanted = to_numpy(places)
        order = np.argsort(wanted, kind="stable")
        ordered, found = wanted[order], []
        for rows, C in self.blocks():
            first, last = np.searchsorted(ordered, [rows.start, rows.stop])
            found += [rows_at(C, ordered[first:last] - rows.start)] if last > first else []
        C = joined(found) if np.array_equal(ordered, wanted) else rows_at(joined(found), np.argsort(order))
        part = Tall.whole(as_floats(C, self.like))
        left = rows_at(self.left, wanted) if is_array(self.left) else self.left
        return Tall.whole(Tall(part.parts, (int(wanted.size), self.shape[1]), self.right, left).array())

    def scaled(self, left: float | Array) -> "Tall":
        """diag(left) F; one number stands for all rows.

        Parameters
        ----------
        left : float or array of shape (n,)
            The factors.

        Returns
        -------
        Tall
            The matrix with its rows multiplied.
        """
        return Tall(self.parts, self.shape, self.right, left * self.left)

    @property
    def single(self) -> bool:
        """Whether the blocks are in single precision."""
        return bool(self.parts[0].dtype != self.like.dtype)

    def doubled(self) -> "Tall":
        """The same numbers in double precision, a block of them at a time."""
        return Tall(Doubled(self.parts, self.like), self.shape, self.right, self.left) if self.single else self

    def without_rows(self) -> "Tall":
        """What is left to know of it where predictions are all that is asked: how many columns, and R."""
        return Tall([self.like[:0]], (0, self.shape[1]), self.right)

    def array(self) -> Array:
        """All n x p numbers, in double precision."""
        F = joined([self._block(k) for k in range(len(self.parts))])
        return self._by_row(F if self.right is None else product(F, self.right))

    def _after(self, B: Array) -> Array:
        return B if self.right is None else product(self.right, B)

    def _before(self, A: Array) -> Array:
        return A if self.right is None else product(transposed(self.right), A)

    def _block(self, k: int) -> Array:
        return as_floats(self.parts[k], self.like)

    def _by_row(self, A: Array, rows: slice = slice(None)) -> Array:
        if is_array(self.left):
            return self.left[rows, None] * A
        return A if self.left == 1.0 else self.left * A

    def _scaled_parts(self) -> Iterator[Array]:
        blocks = self.blocks() if self._mild else self.doubled().blocks()
        if not is_array(self.left):
            return (C for _, C in blocks)
        return (cast(self.left[rows, None], C) * C for rows, C in blocks)

    @property
    def _mild(self) -> bool:
        """Whether R is tame enough for what single precision rounds in C^T C."""
        if self.right is None:
            return True
        xp, lengths = namespace(self.right), inner(transposed(self.right), transposed(self.right))
        return float(xp.max(lengths)) <= MILD * float(xp.min(lengths))
