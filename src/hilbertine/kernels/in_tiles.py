"""What a kernel gives where its matrix is never held: values on slices of the points, and a few features of all."""

from collections.abc import Callable
from typing import Any

from ..arrays import Array
from ..matrices import Tall
from .representations import part_of


class InTiles:
    """Values among points a tile at a time, from their representation A."""

    def tiles(self, A: Any) -> Callable[[slice, slice], Array]:
        """The values among points, for slices of them; each a new array.

        Parameters
        ----------
        A : object
            The representation of n points.

        Returns
        -------
        callable
            (rows, columns) -> k(x_i, x_j) for i and j in these slices.
        """
        return lambda rows, columns: self.between(part_of(A, rows), part_of(A, columns))

    def between(self, A: Any, B: Any) -> Array:
        """The matrix k(x_i, z_j) from the representations of X and Z.

        Parameters
        ----------
        A, B : object
            The representations of n and q points.

        Returns
        -------
        array of shape (n, q)
            The values.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement between(A, B).")

    def towards(self, A: Any, B: Any) -> Array:
        """`between` up to rounding, in the least time: what a block of many points has for features.

        Parameters
        ----------
        A, B : object
            The representations of n and q points.

        Returns
        -------
        array of shape (n, q)
            The values, a new array.
        """
        return self.between(A, B)

    def part(self, A: Any, places: Any) -> Any:
        """The representation of some of the points.

        Parameters
        ----------
        A : object
            The representation of n points.
        places : slice or array of int
            Which of them.

        Returns
        -------
        object
            Theirs.
        """
        return part_of(A, places)

    def projected(self, A: Any, rank: int, dtype: Any) -> Tall:
        """F with F F^T the kernel projected on pivots among the points: below it, and near it where it matters.

        Parameters
        ----------
        A : object
            The representation of n points.
        rank : int
            The number of columns, at most.
        dtype : {"float32", "float64"}
            The precision of F.

        Returns
        -------
        Tall
            F, n x p.
        """
        from .nystroem import projection

        return projection(self, A, rank, dtype)
