"""Sets with two ends for each output, or for each point of a curve, that hold as a whole."""

from typing import Any

import numpy as np

from ..arrays import Array
from ..spaces import L2, Space
from .outputs import masses
from .sets import Sets


class Box(Sets):
    """{y : |y_j - c_ij| <= h_ij for all j}: intervals that hold together, all outputs at once.

    Parameters
    ----------
    space : Space
        The fitted space of the outputs.
    level : float
        The confidence level.
    middle : array of shape (n, q)
        The values c_ij.
    half : array of shape (n, q)
        The half widths h_ij; infinite for the set of everything.
    """

    EACH = ("middle", "half")

    def __init__(self, space: Space, level: float, middle: Array, half: Array):
        super().__init__(space, level)
        self.middle = middle
        self.half = half

    @property
    def centres(self) -> Array:
        """The centres, in the shape of the outputs."""
        return self._shaped(self.middle)

    @property
    def lower(self) -> Array:
        """The lower ends, in the shape of the outputs."""
        return self._shaped(self.middle - self.half)

    @property
    def upper(self) -> Array:
        """The upper ends, in the shape of the outputs."""
        return self._shaped(self.middle + self.half)

    @property
    def infinite(self) -> Array:
        return np.isinf(self.half).any(axis=1)

    @property
    def measure(self) -> str:
        return "volume"

    @property
    def size(self) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.prod(2.0 * self.half, axis=1))

    def contains(self, Y: Any) -> Array:
        V = self.outputs(Y).values
        # What was not seen is not outside.
        return np.asarray(np.all((np.abs(V - self.middle) <= self.half) | np.isnan(V), axis=1))

    def _shaped(self, V: Array) -> Array:
        return V[:, 0] if getattr(self.space, "flat_", False) else V


class Band(Box):
    """{y : |y(t) - c_i(t)| <= h_i(t) for all t}: a band that holds the whole curve, at all points of the grid.

    Parameters
    ----------
    space : L2
        The fitted space of the curves.
    level : float
        The confidence level.
    middle : array of shape (n, q)
        The values c_i(t), points first, then components.
    half : array of shape (n, q)
        The half widths h_i(t); infinite for the set of everything.
    """

    space: L2

    @property
    def grid(self) -> Array:
        """The points of the curves."""
        return np.asarray(self.space.grid_)

    @property
    def measure(self) -> str:
        return "mean width"

    @property
    def size(self) -> Array:
        weights = masses(self.space)
        return np.asarray(2.0 * self.half @ weights / weights.sum())

    def _shaped(self, V: Array) -> Array:
        components = self.space.components_
        return V if components == 1 else V.reshape(len(V), -1, components)
