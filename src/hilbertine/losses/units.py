"""A loss in units in which targets, predictions and dual rows are of the size of one."""

import math
from typing import Any, NamedTuple

from ..arrays import Array
from .base import Coefficients, Loss
from .robust import Known


class Units(NamedTuple):
    """T = targets T', P = predictions P', W = duals W': powers of two, so that nothing is rounded on the way.

    Parameters
    ----------
    targets, predictions, duals : float
        The three units.
    """

    targets: float
    predictions: float
    duals: float

    def coefficients(self, known: Coefficients) -> Coefficients:
        """The (a, b, c) of phi(predictions t) / (predictions duals).

        Parameters
        ----------
        known : Coefficients
            Those of phi.

        Returns
        -------
        Coefficients
            The new ones.
        """
        a, b, c = known
        return Coefficients(a * (self.duals / self.predictions), b / self.predictions, c / self.duals)


def power_of_two(size: float) -> float:
    """The power of two below a number > 0, kept off the ends of what a double can be.

    >>> power_of_two(5.0), power_of_two(0.3)
    (4.0, 0.25)
    """
    return 2.0 ** min(max(math.frexp(size)[1] - 1, -1000), 1000)


class Rescaled(Loss):
    """l'(p, y) = l(predictions p, targets y) / (predictions duals), hence l'_i*(-w) = l_i*(-duals w) / the same.

    Parameters
    ----------
    loss : Loss
        l.
    units : Units
        The three units.
    """

    def __init__(self, loss: Loss, units: Units):
        self.loss = loss
        self.units = units
        self.shifts, self.entrywise = loss.shifts, loss.entrywise

    @property
    def height(self) -> float:
        """What the loss is divided by."""
        return self.units.predictions * self.units.duals

    @property
    def coefficients(self) -> Coefficients | None:
        known = self.loss.coefficients
        return None if known is None else self.units.coefficients(known)

    @property
    def cap(self) -> float:
        return self.loss.cap / self.units.duals

    @property
    def cell_cap(self) -> float:
        return self.loss.cell_cap / self.units.duals

    @property
    def curvature(self) -> float:
        return self.loss.curvature * (self.units.duals / self.units.predictions)

    def flat(self) -> Loss:
        return in_units(self.loss.flat(), self.units)

    def reach(self, W: Array) -> Array:
        return self.loss.reach(self.units.duals * W)

    def value(self, P: Array, T: Array) -> Array:
        return self.loss.value(self.units.predictions * P, self.units.targets * T) / self.height

    def conjugate(self, W: Array, T: Array) -> Array:
        return self.loss.conjugate(self.units.duals * W, self.units.targets * T) / self.height

    def prox(self, W: Array, T: Array, step: float) -> Array:
        return self.loss.prox(*self._given(W, T, step)) / self.units.duals

    def derivative(self, W: Array, T: Array, step: float) -> Array:
        return self.loss.derivative(*self._given(W, T, step))

    def beyond(self, W: Array, T: Array, tails: Array) -> Array:
        tails = self.units.targets * tails
        return self.loss.beyond(self.units.duals * W, self.units.targets * T, tails) / self.units.duals

    def _given(self, W: Array, T: Array, step: float) -> tuple[Any, ...]:
        duals, targets = self.units.duals, self.units.targets
        return duals * W, targets * T, step * (duals / self.units.predictions)


def in_units(loss: Loss, units: Units) -> Loss:
    """The loss where targets, predictions and dual rows are counted in these units, and its values in their product.

    Parameters
    ----------
    loss : Loss
        l.
    units : Units
        The three units.

    Returns
    -------
    Loss
        l(predictions p, targets y) / (predictions duals): three numbers where l is three numbers.
    """
    known = None if loss.automatic else loss.coefficients
    return Rescaled(loss, units) if known is None else Known(units.coefficients(known))
