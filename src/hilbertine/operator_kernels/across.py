"""Kernel values against training points that are not all in memory."""

from typing import Any, NamedTuple

from ..arrays import Array, as_floats, namespace, product
from ..kernels import Kernel
from ..kernels.representations import length_of, parts_of
from ..memory import rows_of


class Across(NamedTuple):
    """The matrix k(a_i, x_j), made a block of columns at a time where it meets the rows of another.

    Parameters
    ----------
    kernel : Kernel
        A fitted kernel.
    part : object
        What it reads off the points a_i.
    points : object
        What it reads off the points x_j.
    """

    kernel: Kernel
    part: Any
    points: Any

    def __matmul__(self, V: Array) -> Array:
        size, found = rows_of(length_of(self.part), 0.25), 0.0 * V[:1, :]
        for k, columns in enumerate(parts_of(self.points, size)):
            rows = V[k * size : (k + 1) * size, :]
            found = found + product(as_floats(self.kernel.between(self.part, columns), V), rows)
        return namespace(V).broadcast_to(found, (length_of(self.part), V.shape[1]))
