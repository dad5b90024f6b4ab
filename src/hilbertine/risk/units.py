"""Units of a problem: solvers see numbers of the size of one, whatever the units of the user."""

import math

from ..arrays import Array, namespace
from ..losses import Loss
from ..losses.units import Units, in_units, power_of_two
from ..spread import is_spread
from .base import Risk

# Numbers whose exponents are below this part of the largest one are left as they are: products of a few of them are
# still far from the ends of what a double can be, and no solver knows a unit.
ORDINARY = 0.1


def extraordinary(risk: Risk, lam: float) -> bool:
    """Whether targets, lam, the cap or the curvature of the loss are so large or small that products may leave doubles.

    Parameters
    ----------
    risk : Risk
        The rows.
    lam : float
        The strength of the regularisation.

    Returns
    -------
    bool
        Whether to solve in other units. Rows on a cluster are taken as they are.
    """
    if is_spread(risk.targets):
        return False
    exponent = ORDINARY * math.log2(float(namespace(risk.targets).finfo(risk.targets.dtype).max))
    return any(abs(math.log2(size)) > exponent for size in (*lengths_of(risk.loss), largest(risk.targets), lam) if size)


def lengths_of(loss: Loss) -> list[float]:
    """The numbers in a loss that are known to have a unit, and are not "auto"."""
    if loss.automatic:
        return []
    return [size for size in (loss.cap, loss.cell_cap, loss.curvature) if math.isfinite(size)]


def largest(A: Array) -> float:
    """max |a_ij|, which no square can spoil."""
    return float(namespace(A).max(namespace(A).abs(A)))


def units_of(risk: Risk, diagonal: float) -> Units:
    """Units in which targets are of the size of one, and so are dual rows of samples each alone with its kernel value.

    Parameters
    ----------
    risk : Risk
        The rows.
    diagonal : float
        g, the mean of the diagonal of G / (lam n).

    Returns
    -------
    Units
        Those of targets, of predictions and of dual rows.
    """
    targets = power_of_two(largest(risk.targets) or 1.0)
    # A margin <p, y> has no unit.
    predictions = targets if risk.loss.shifts else 1.0 / targets
    if risk.loss.square:
        # The square loss stays the square loss.
        return Units(targets, predictions, predictions)
    curvature = 0.0 if risk.loss.automatic else risk.loss.curvature
    units = Units(targets, predictions, power_of_two(predictions / ((curvature + diagonal) or 1.0)))
    if risk.loss.automatic:
        return units
    stiffness = diagonal * (units.duals / predictions)
    there = counted_in(risk, units)
    alone = largest(there.prox(0.0 * there.targets, 1.0 / stiffness if stiffness else 1e300))
    return units._replace(duals=units.duals * power_of_two(alone or 1.0))


def counted_in(risk: Risk, units: Units) -> Risk:
    """The same rows in these units.

    Parameters
    ----------
    risk : Risk
        The rows.
    units : Units
        The units.

    Returns
    -------
    Risk
        Targets, tails and loss in them.
    """
    loss = risk.loss if risk.loss.automatic else in_units(risk.loss, units)
    tails = None if risk.tails is None else risk.tails / units.targets
    return Risk(loss, risk.targets / units.targets, tails, risk.weights, risk.mask)
