"""What a path has solved, and where it leads: starts that need no product."""

import math

from ..arrays import Array
from ..dual import Dual
from .solution import Solution

# log lam, W / lam and predictions: with W in proportion to lam the function is the same.
Point = tuple[float, Array, Array]


class Known:
    """The last solutions of a path for each loss, from strong to weak regularisation.

    Parameters
    ----------
    most : int
        How many are kept for each loss; from two on starts are looked for on the lines through them.
    """

    def __init__(self, most: int):
        self.most = most
        self.points: dict[int, list[Point]] = {}

    def add(self, lam: float, j: int, solution: Solution) -> None:
        """Keep the solution for loss j at this lam.

        Parameters
        ----------
        lam : float
            The strength of the regularisation.
        j : int
            The place of the loss.
        solution : Solution
            The solution.
        """
        point = math.log(lam), solution.W / lam, solution.predictions
        self.points[j] = [point, *self.points.get(j, [])][: self.most]

    def at(self, lam: float, j: int) -> tuple[Array, ...]:
        """The last function for loss j as a start (W, P) at another lam, if there is one.

        Parameters
        ----------
        lam : float
            The strength of the regularisation.
        j : int
            The place of the loss.

        Returns
        -------
        tuple of arrays
            W and P, or nothing.
        """
        return () if j not in self.points else (lam * self.points[j][0][1], self.points[j][0][2])

    def nearest(self, dual: Dual, j: int, before: int | None, start: tuple[Array, ...]) -> tuple[Array, ...]:
        """The start with the smallest primal value: one given, or where the neighbours in lam and loss lead.

        Parameters
        ----------
        dual : Dual
            The problem.
        j : int
            The place of its loss.
        before : int or None
            That of the loss solved before it at this lam.
        start : tuple of arrays
            A start, or nothing.

        Returns
        -------
        tuple of arrays
            W and P, or nothing.
        """
        if self.most == 1 or j not in self.points:
            return start
        last, *earlier = self.points[j]
        here, others = math.log(dual.lam), [] if before is None else self.points[before]
        found = [start, (dual.lam * last[1], last[2])] if start else []
        if earlier and last[0] != earlier[0][0]:
            t = (here - last[0]) / (last[0] - earlier[0][0])
            found.append(_along(dual.lam, last, last, earlier[0], t))
        if len(others) > 1 and others[1][0] == last[0] and others[0][0] == here:
            # What changed for the loss before changes for this one.
            found.append(_along(dual.lam, last, others[0], others[1], 1.0))
        return min(found, key=lambda pair: float(dual.primal(*pair)))


def _along(lam: float, base: Point, to: Point, origin: Point, t: float) -> tuple[Array, Array]:
    """base + t (to - origin)."""
    return lam * (base[1] + t * (to[1] - origin[1])), base[2] + t * (to[2] - origin[2])
