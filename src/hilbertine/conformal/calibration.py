"""Which outputs a set holds: those whose score is beaten by too few of the calibration rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import number

# Sums of levels and weights are compared up to rounding.
ROUNDING = 1e-9
# What the bad rows among the calibration rows may be: those with the largest scores, or any.
BAD = ("large", "any")


class Calibration:
    """y is in the set iff the rows whose scores lie below its own weigh less than tau = level (clean mass + one).

    One model for all rows makes this the ball of the ceil(level (n + 1))-th smallest score; several models, each with
    rows that it was not trained on, make it the set of cross-conformal prediction, CV+ and the jackknife+.

    Parameters
    ----------
    scores : array of shape (n,)
        The score of each calibration row, under a model that has not seen it.
    owners : array of int of shape (n,)
        Which model that is.
    weights : array of shape (n,), default=None
        How much each row weighs; None is one for all.
    kinds : array of shape (n,), default=None
        Rows are compared with those of their own kind; None is one kind.

    Examples
    --------
    >>> scores = Calibration(np.arange(1.0, 10.0), np.zeros(9, dtype=int))
    >>> scores.radii(scores.targets(0.8, 1))
    array([8.])
    """

    def __init__(self, scores: Array, owners: Array, weights: Array | None = None, kinds: Array | None = None):
        self.scores = scores
        self.owners = owners
        self.weights = weights
        self.kinds = kinds

    def targets(
        self, level: float, size: int, kinds: Array | None = None, ones: Array | None = None,
        contamination: float = 0.0, bad: str = "large",
    ) -> Array:  # fmt: skip
        """tau for each of so many new samples.

        Bad rows with the largest scores do not count among the clean ones: tau is that of the n - b clean rows. If they
        may be any, b of the clean ones may stand behind them: tau is larger by b.

        Parameters
        ----------
        level : float
            The confidence level.
        size : int
            How many new samples.
        kinds : array of shape (size,), default=None
            Their kinds.
        ones : array of shape (size,), default=None
            How much each would weigh as a calibration row; None is one.
        contamination : float, default=0.0
            The share of calibration rows that may be bad.
        bad : {"large", "any"}, default="large"
            Which rows may be bad.

        Returns
        -------
        array of shape (size,)
            The masses.
        """
        targets = np.empty(size)
        for at, rows in self._alike(size, kinds):
            mass = self._mass(rows)
            spoiled = contamination * mass
            spoiled = float(np.floor(spoiled + ROUNDING)) if self.weights is None else spoiled
            own = 1.0 if ones is None else ones[at]
            targets[at] = level * (mass - spoiled + own) + (spoiled if bad == "any" else 0.0)
        return targets * (1.0 - ROUNDING)

    def below(self, D: Array, kinds: Array | None = None) -> Array:
        """What the rows with scores below those of new outputs weigh.

        Parameters
        ----------
        D : array of shape (size, n_models)
            The scores of the new outputs under each of the models.
        kinds : array of shape (size,), default=None
            The kinds of the new samples.

        Returns
        -------
        array of shape (size,)
            The masses, to be compared with `targets`.
        """
        found = np.zeros(len(D))
        for at, rows in self._alike(len(D), kinds):
            for k in np.unique(self.owners[rows]):
                scores, mass = self._sorted(rows[self.owners[rows] == k])
                found[at] += mass[np.searchsorted(scores, D[at, k], side="left")]
        return found

    def radii(self, targets: Array, kinds: Array | None = None) -> Array:
        """The largest score that is still in the set, where one model has all rows; infinite where every one is.

        Parameters
        ----------
        targets : array of shape (size,)
            tau.
        kinds : array of shape (size,), default=None
            The kinds of the new samples.

        Returns
        -------
        array of shape (size,)
            The radii.
        """
        found = np.empty(len(targets))
        for at, rows in self._alike(len(targets), kinds):
            scores, mass = self._sorted(rows)
            found[at] = np.append(scores, np.inf)[np.searchsorted(mass[1:], targets[at], side="left")]
        return found

    def outer(self, U: Array, targets: Array, kinds: Array | None = None) -> Array:
        """The same where each new sample has bounds of its own in place of the scores, along the last axis.

        Parameters
        ----------
        U : array of shape (size, ..., n)
            The bounds.
        targets : array of shape (size,)
            tau.
        kinds : array of shape (size,), default=None
            The kinds of the new samples.

        Returns
        -------
        array of shape (size, ...)
            For each sample the smallest bound that is beaten by rows of mass tau or more.
        """
        found = np.full(U.shape[:-1], np.inf)
        for at, rows in self._alike(len(U), kinds):
            mine = np.take(U[at], rows, axis=-1)
            order = np.argsort(mine, axis=-1)
            weights = np.ones(len(rows)) if self.weights is None else self.weights[rows]
            goal = targets[at].reshape(-1, *(1,) * (U.ndim - 1))
            short = np.sum(np.cumsum(weights[order], axis=-1) < goal, axis=-1, keepdims=True)
            ordered = np.concatenate([np.take_along_axis(mine, order, -1), np.full((*mine.shape[:-1], 1), np.inf)], -1)
            found[at] = np.take_along_axis(ordered, short, axis=-1)[..., 0]
        return found

    def _alike(self, size: int, kinds: Array | None) -> Iterator[tuple[Array, Array]]:
        """(the new samples of a kind, the rows of that kind), kind by kind."""
        if self.kinds is None or kinds is None:
            yield np.arange(size), np.arange(len(self.scores))
            return
        for kind in np.unique(kinds):
            yield np.flatnonzero(kinds == kind), np.flatnonzero(self.kinds == kind)

    def _mass(self, rows: Array) -> float:
        return float(len(rows) if self.weights is None else self.weights[rows].sum())

    def _sorted(self, rows: Array) -> tuple[Array, Array]:
        """Their scores in order, and what the first 0, 1, .., all of them weigh."""
        order = rows[np.argsort(self.scores[rows], kind="stable")]
        weights = np.ones(len(order)) if self.weights is None else self.weights[order]
        return self.scores[order], np.concatenate([[0.0], np.cumsum(weights)])


def check_level(level: Any, name: str = "confidence_level") -> float:
    """A confidence level, strictly between zero and one."""
    if not 0 < number(level, name) < 1:
        raise ValueError(f"{name} is the share of outputs that the sets are to hold, between 0 and 1; got {level!r}.")
    return float(level)
