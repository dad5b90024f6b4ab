"""Sets of objects: lists of candidates."""

from typing import Any

import numpy as np

from ..arrays import Array
from ..containers.identity import identities
from ..spaces import RKHS
from .sets import Sets


class Candidates(Sets):
    """The candidates z with |phi(z) - h(x_i)| <= radius_i, nearest first.

    `contains` asks whether an output lies within the radius, which is what the level is about; `lists` whether it is
    among the members, which only a candidate can be.

    Parameters
    ----------
    space : RKHS
        The fitted space of the outputs.
    level : float
        The confidence level.
    members : list of lists
        The candidates in each set.
    distances : list of arrays
        How far each of them is, smallest first.
    offered : array of int of shape (n,)
        How many candidates there were to choose from.
    within : Sets
        The sets in the space of the outputs, of which these are the candidates.
    """

    EACH = ("members", "distances", "offered", "within")
    space: RKHS

    def __init__(self, space: RKHS, level: float, members: Any, distances: Any, offered: Array, within: Sets):
        super().__init__(space, level)
        self.members = members
        self.distances = distances
        self.offered = offered
        self.within = within

    @property
    def infinite(self) -> Array:
        return self.within.infinite

    @property
    def measure(self) -> str:
        return "number of candidates"

    @property
    def size(self) -> Array:
        return np.array([len(each) for each in self.members], dtype=np.int64)

    @property
    def empty(self) -> Array:
        """Where no candidate is near enough."""
        return self.size == 0

    def contains(self, Y: Any) -> Array:
        return self.within.contains(Y)

    def lists(self, Y: Any) -> Array:
        """Whether the output of each input is among the members of its set.

        Parameters
        ----------
        Y : array-like or list of length n
            One output for each set.

        Returns
        -------
        array of bool of shape (n,)
            Yes or no.
        """
        keys, read = identities(self.space.read(Y)), self.space.read
        pairs = zip(keys, self.members, strict=True)
        return np.array([len(each) > 0 and key in set(identities(read(each))) for key, each in pairs], dtype=bool)

    def __str__(self) -> str:
        words, empty = super().__str__(), int(self.empty.sum())
        return words + (f"; {empty} are empty" if empty else "")

    __repr__ = __str__
