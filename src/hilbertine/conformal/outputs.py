"""Outputs and predictions side by side: coordinates, what these miss, and values at which a band can be drawn."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, to_numpy
from ..spaces import L2, Euclidean, Space
from ..spaces.coordinates import synthesised


class Residuals(NamedTuple):
    """y - prediction, in all its forms.

    Parameters
    ----------
    coordinates : array of shape (n, m)
        In coordinates.
    tails : array of shape (n,)
        What the coordinates miss of the outputs.
    values : array of shape (n, q), or None
        As numbers, or values of curves on their grid, where there are any.
    """

    coordinates: Array
    tails: Array
    values: Array | None


class Outputs:
    """Outputs as a fitted space sees them, read once for all predictions they are compared with.

    Parameters
    ----------
    space : Space
        The fitted space.
    Y : array-like or list
        The outputs.
    """

    def __init__(self, space: Space, Y: Any):
        self.space = space
        self.Y = Y

    @cached_property
    def coordinates(self) -> Array:
        """t_ij = <y_i, e_j>."""
        return to_numpy(self.space.encode(self.Y))

    @cached_property
    def tails(self) -> Array:
        """What the coordinates miss of each output."""
        return to_numpy(self.space.tails(self.Y, self.space.encode(self.Y)))

    @cached_property
    def values(self) -> Array:
        """Numbers in R^p, values on the grid of curves, (n, q)."""
        if isinstance(self.space, L2):
            return _flat(to_numpy(self.space.sampled(self.Y)))
        return self.coordinates

    def residuals(self, C: Array) -> Residuals:
        """What is left of the outputs at predictions C, in coordinates; entries that were not seen count as right.

        Parameters
        ----------
        C : array of shape (n, m)
            Predictions in coordinates.

        Returns
        -------
        Residuals
            In all three forms.
        """
        shown = _seen(self.values - values(self.space, C)) if has_values(self.space) else None
        return Residuals(_seen(self.coordinates - C), self.tails, shown)


def _seen(R: Array) -> Array:
    return np.where(np.isnan(R), 0.0, R)


def _flat(V: Array) -> Array:
    return V.reshape(len(V), -1)


def has_values(space: Space) -> bool:
    """Whether points of this space are numbers, or functions with values."""
    return isinstance(space, Euclidean | L2)


def values(space: Space, C: Array) -> Array:
    """Predictions as numbers, of curves their values on the grid, (n, q): points first, then components."""
    C = to_numpy(C)
    return _flat(synthesised(C, space.functions_, space.components_)) if isinstance(space, L2) else C


def masses(space: Space) -> Array:
    """(q,) with |v|^2 = sum_t mass_t v_t^2: ones in R^p, the quadrature of curves, once for each component."""
    if isinstance(space, L2):
        return np.repeat(space.weights_, space.components_)
    return np.ones(getattr(space, "dimension_", 1))
