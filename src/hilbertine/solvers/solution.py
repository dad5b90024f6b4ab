"""What a solver yields, what a callback is told, and what is returned."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..arrays import Array
from ..dual import Dual


class Step(NamedTuple):
    """One iterate: W, its predictions where they came for free, and a guess of its gap where one is at hand.

    A guess says when a certificate is worth its price; it never replaces one.

    Parameters
    ----------
    W : array of shape (n, m)
        The dual variables.
    predictions : array of shape (n, m), default=None
        Their predictions.
    guess : float, default=None
        The guess.
    state : callable, default=None
        Makes what is worth keeping of it; None is `condensed` W.
    """

    W: Array
    predictions: Array | None = None
    guess: float | None = None
    state: Callable[[], Array] | None = None


class Progress(NamedTuple):
    """What a callback is told at each certificate.

    Parameters
    ----------
    n_iter : int
        Steps so far.
    gap : float
        The relative duality gap.
    tol : float
        The gap to be reached.
    """

    n_iter: int
    gap: float
    tol: float


@dataclass
class Solution:
    """The best certified W, with its own predictions and its own relative duality gap.

    Parameters
    ----------
    W : array of shape (n, m)
        The dual variables.
    predictions : array of shape (n, m)
        Their predictions on the training inputs.
    gap : float
        The relative duality gap.
    excess : float
        The gap itself, not relative to anything: by at most so much is n times the risk above the least one.
    n_iter : int
        Steps taken.
    converged : bool
        Whether the gap is at most `tol`.
    history : list of Progress
        Every certificate on the way.
    dual : Dual, default=None
        Of a path: the problem that it solves.
    """

    W: Array
    predictions: Array
    gap: float
    excess: float
    n_iter: int
    converged: bool
    history: list[Progress] = field(repr=False)
    dual: Dual | None = field(default=None, repr=False)

    def better(self, other: "Solution") -> "Solution":
        """The one of the two that is nearer to the optimum, by its certificate.

        Where the optimal value is nearly zero, relative gaps say that W = 0 is as good as anything.

        Parameters
        ----------
        other : Solution
            Another.

        Returns
        -------
        Solution
            This one or the other.
        """
        return min(self, other, key=lambda each: (not each.converged, each.excess))
