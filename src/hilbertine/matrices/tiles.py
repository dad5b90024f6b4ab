"""K by the tiles of its lower half, each made when it is needed: nothing of size n x n is held."""

from collections.abc import Callable, Iterator
from typing import Any

from ..arrays import Array, as_floats, device_of, is_foreign, namespace, product, shifted
from ..memory import BLOCK
from ..threads import each
from .blocks import joined, transposed

# (rows, columns) -> the values there, a new array that may be overwritten.
Values = Callable[[slice, slice], Array]
# The side of a tile on a processor: what is made of it happens in the cache.
SIDE = 512


class Tiles:
    """A symmetric matrix by its values on slices.

    Parameters
    ----------
    values : callable
        (rows, columns) -> the values there, for slices.
    size : int
        n.
    like : array
        An array of the library and on the device to work in, in double precision.

    Attributes
    ----------
    products : int
        How many products there were.
    """

    def __init__(self, values: Values, size: int, like: Array):
        self.values = values
        self.size = size
        self.like = like
        self.products = 0

    def times(self, V: Array) -> Array:
        """K V: a tile k below the diagonal gives k V_j to the rows i, and k^T V_i to the rows j.

        Parameters
        ----------
        V : array of shape (n, m)
            A matrix of few columns.

        Returns
        -------
        array of shape (n, m)
            The product.
        """
        self.products += 1
        total = namespace(V).zeros_like(V)
        for rows, own, above in self._all(lambda rows: self._strip(rows, V)):
            total[rows, :] += own
            if above is not None:
                total[: rows.start, :] += above
        return total

    def _strip(self, rows: slice, V: Array) -> tuple[slice, Array, Array | None]:
        """What the tiles in these rows, up to the diagonal, give to them and to all rows above."""
        own, above = 0.0, []
        for columns in self._columns(rows.start):
            K = self._tile(rows, columns)
            own = own + product(K, V[columns, :])
            above.append(product(transposed(K), V[rows, :]))
        own = own + product(self._tile(rows, rows), V[rows, :])
        return rows, own, joined(above) if above else None

    def _tile(self, rows: slice, columns: slice) -> Array:
        return as_floats(self.values(rows, columns), self.like)

    def _all(self, act: Callable[[slice], Any]) -> Iterator[Any]:
        # Of the longest strips first; a device has its own threads.
        return each(act, list(self._rows())[::-1], alone=is_foreign(self.like))

    def _rows(self) -> Iterator[slice]:
        """The strips, thinner where they are long and not cut into tiles."""
        start, foreign = 0, is_foreign(self.like)
        while start < self.size:
            # A device is kept busy by few large tiles.
            height = min(max(SIDE, BLOCK // (start + SIDE)), 8 * SIDE) if foreign else SIDE
            yield slice(start, min(start + height, self.size))
            start += height

    def _columns(self, stop: int) -> Iterator[slice]:
        side = max(stop, 1) if is_foreign(self.like) else SIDE
        return (slice(start, min(start + side, stop)) for start in range(0, stop, side))

    def matrix(self, shift: float = 0.0) -> Array:
        """All n x n numbers of K + shift I in a new array, both halves of it.

        Parameters
        ----------
        shift : float, default=0.0
            What is added to the diagonal.

        Returns
        -------
        array of shape (n, n)
            The matrix.
        """
        K = namespace(self.like).empty((self.size, self.size), dtype=self.like.dtype, device=device_of(self.like))

        def write(rows: slice) -> None:
            for columns in [*self._columns(rows.start), rows]:
                part = self._tile(rows, columns)
                K[rows, columns] = part
                K[columns, rows] = transposed(part)

        for _ in self._all(write):
            pass
        return shifted(K, shift, overwrite=True)
