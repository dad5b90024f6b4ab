"""F, n x p, whose blocks of rows are on the workers of a cluster: what comes and goes is p x m."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Array, as_floats, cast, inner, product, section
from ..spread import added, aligned, by_blocks, is_spread, sample_of, summed
from .blocks import block_rows, transposed
from .tall import Tall


class RowBlocks(Tall):
    """F = diag(d) C R, C a Dask array of blocks of rows; R and all sums over rows are at the client.

    Parameters
    ----------
    C : Dask array of shape (n, q)
        The blocks.
    right : array of shape (q, p), default=None
        R; None is the identity.
    left : float or Dask array of shape (n,), default=1.0
        d; one number stands for all rows.
    """

    def __init__(self, C: Array, right: Array | None = None, left: float | Array = 1.0):
        columns = int(C.shape[1] if right is None else right.shape[1])
        super().__init__([np.empty((0, int(C.shape[1])), C.dtype)], (int(C.shape[0]), columns), right, left)
        self.C = C

    @property
    def like(self) -> Array:
        """An array at the client, in double precision."""
        return np.zeros((1, 1))

    def times(self, B: Array) -> Array:
        right = self._after(B)
        return self._by_row(by_blocks(partial(_times, right), self.C, columns=int(right.shape[1])))

    def transposed_times(self, V: Array) -> Array:
        found = summed(_turned, self.C, aligned(self._by_row(V), self.C))
        return self._before(found)

    def there_and_back(self, B: Array, act: Callable[..., Any], rows: Sequence[Array]) -> tuple[Array, Array, Any]:
        # One task for each block, and one wait. The rows are made again where they are asked for.
        once = Once(act, self._after(B), is_spread(self.left))
        blocks = [self.C, *([self.left] if once.scaled else []), *(aligned(each, self.C) for each in rows)]
        found, s = summed(once, *blocks)
        V = by_blocks(once.rows, *blocks, columns=int(B.shape[1]))
        return V, self._before(found), s

    def section(self) -> Array:
        S = summed(_section, self.C, *([self.left] if is_spread(self.left) else []))
        S = S if is_spread(self.left) else self.left**2 * S
        return S if self.right is None else self._before(product(S, self.right))

    def squares(self, B: Array | None = None) -> Array:
        right = self.right if B is None else self._after(B)
        return self.left**2 * by_blocks(partial(_squares, right), self.C)

    def restricted(self, places: Array) -> Tall:
        """Some of the rows, at the client.

        Parameters
        ----------
        places : array of int
            Which rows.

        Returns
        -------
        Tall
            The rows.
        """
        left = sample_of(self.left, places) if is_spread(self.left) else self.left
        rows = Tall.whole(as_floats(sample_of(self.C, places), self.like)).parts
        return Tall.whole(Tall(rows, (len(places), self.shape[1]), self.right, left).array())

    def scaled(self, left: float | Array) -> Tall:
        return RowBlocks(self.C, self.right, (aligned(left, self.C) if is_spread(left) else left) * self.left)

    def array(self) -> Array:
        raise ValueError(
            "The features of the training rows are on a cluster, and this asks for all of them at once; fit on fewer "
            "rows as a NumPy array for it."
        )

    def _by_row(self, A: Array, rows: slice = slice(None)) -> Array:
        if is_spread(self.left):
            return self.left[:, None] * A
        return A if self.left == 1.0 else self.left * A


class Once:
    """A block of C, its d where rows have one, and other rows -> (C^T d V, s) for (V, s) = act(d C B, *rows).

    Parameters
    ----------
    act : callable
        What is made of rows of F B.
    right : array of shape (q, m)
        What C meets.
    scaled : bool
        Whether the first of the other rows is d.
    """

    def __init__(self, act: Callable[..., Any], right: Array, scaled: bool):
        self.act, self.right, self.scaled = act, right, scaled

    def rows(self, C: Array, *rows: Array) -> Array:
        """V.

        Parameters
        ----------
        C : array
            A block.
        *rows : arrays
            The other rows.

        Returns
        -------
        array
            The rows.
        """
        return np.concatenate([self._both(*part)[0] for part in _parts(C, *rows)])

    def _both(self, C: Array, *rows: Array) -> Any:
        P = product(C, self.right)
        return self.act(rows[0][:, None] * P, *rows[1:]) if self.scaled else self.act(P, *rows)

    def _sums(self, C: Array, *rows: Array) -> tuple[Array, Any]:
        V, s = self._both(C, *rows)
        return product(transposed(C), rows[0][:, None] * V if self.scaled else V), s

    def __call__(self, C: Array, *rows: Array) -> tuple[Array, Any]:
        """The sums."""
        found: tuple[Array, Any] = added([self._sums(*part) for part in _parts(C, *rows)])
        return found


def _parts(C: Array, *rows: Array) -> Iterator[tuple[Array, ...]]:
    """Parts of a block and of other rows that a processor's cache holds, C in double precision."""
    size = block_rows(int(C.shape[1]), C)
    for k in range(0, max(len(C), 1), size):
        part = slice(k, k + size)
        yield np.asarray(C[part], dtype=np.float64), *(each[part] for each in rows)


def _times(right: Array, C: Array) -> Array:
    return np.concatenate([product(part, right) for (part,) in _parts(C)])


def _turned(C: Array, V: Array) -> Array:
    found: Array = added([product(transposed(part), rows) for part, rows in _parts(C, V)])
    return found


def _section(C: Array, left: Any = None) -> Array:
    return section([C if left is None else cast(left[:, None], C) * C], np.zeros((1, 1)))


def _squares(right: Array | None, C: Array) -> Array:
    F = as_floats(C, np.zeros(1))
    F = F if right is None else product(F, right)
    return inner(F, F)
