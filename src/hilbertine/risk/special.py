"""Which rows the solution leaves out, and which the loss holds back."""

from ..arrays import Array, namespace, row_norms
from ..spread import evaluated, numbers, true_places
from .base import Risk

# Rows within this fraction of the largest row, or of the cap, count as zero, or as saturated.
ROW_TOLERANCE = 1e-8


def special_rows(risk: Risk, W: Array, P: Array) -> tuple[Array, Array]:
    """The rows with w_i != 0, and those at the cap.

    W is so only up to the gap. At the optimum W = prox(W - step P), and the step taken once more ends exactly at
    zero, or at the cap, for the rows whose residual is clearly inside or outside.

    Parameters
    ----------
    risk : Risk
        The problem.
    W, P : array of shape (n, m)
        Dual variables and their predictions.

    Returns
    -------
    tuple of two arrays of int
        The places of these rows.
    """
    xp = namespace(W)
    length, distance = numbers(xp.sum(row_norms(W)), xp.sum(row_norms(risk.residuals(P))))
    if distance > 0:
        step = length / distance or 1.0
        (W,) = evaluated(risk.prox(W - step * P, step))
    (lengths,) = evaluated(row_norms(W))
    support = lengths > ROW_TOLERANCE * float(xp.max(lengths))
    return true_places(support), true_places(risk.reach(W) >= 1.0 - ROW_TOLERANCE)
