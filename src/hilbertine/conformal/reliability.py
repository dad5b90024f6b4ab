"""How often sets hold the truth, against how often they promise to."""

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import betabinom

from ..arrays import Array

# The probability with which an exchangeable sample stays within the range of each level.
SURE = 0.99


class Reliability(NamedTuple):
    """Confidence levels, and the share of test outputs that the sets hold; `print` it.

    `low` and `high` are where that share lies, with a probability of 99 % at each level, if calibration and test rows
    can be exchanged: the share of a split set is a beta variable, its count over the test rows a beta-binomial one.

    Parameters
    ----------
    levels : array of shape (n_levels,)
        What was asked for.
    covered : array of shape (n_levels,)
        What was found.
    low, high : arrays of shape (n_levels,)
        Where that is to be expected.
    """

    levels: Array
    covered: Array
    low: Array
    high: Array

    @property
    def unexpected(self) -> Array:
        """The levels at which the share is outside that range."""
        return self.levels[(self.covered < self.low) | (self.covered > self.high)]

    def __str__(self) -> str:
        rows = zip(self.levels, self.covered, self.low, self.high, strict=True)
        lines = [f"{level:6.3g}  {share:6.3f}  expected {a:.3f} to {b:.3f}" for level, share, a, b in rows]
        strange = len(self.unexpected)
        end = f"outside that range at {strange} of {len(self.levels)} levels" if strange else "all within that range"
        return "\n".join([" level   found", *lines, end])


def reliability(levels: Any, held: Array, ranks: Array, rows: int) -> Reliability:
    """The curve from which set holds which output, (n_test, n_levels), and the ranks of the radii among the rows."""
    low, high = expected(ranks, rows, len(held))
    return Reliability(np.asarray(levels, dtype=np.float64), held.mean(axis=0), low, high)


def expected(ranks: Array, rows: int, tests: int) -> tuple[Array, Array]:
    """The range of the share covered of so many test rows, where the radius is a score of this rank among so many.

    >>> low, high = expected(np.array([91.0]), 100, 1000)
    >>> low.round(2), high.round(2)
    (array([0.81]), array([0.96]))
    """
    everything, ranks = ranks > rows, np.clip(ranks, 1.0, rows)
    ends = [betabinom.ppf(q, tests, ranks, rows + 1 - ranks) / tests for q in ((1 - SURE) / 2, (1 + SURE) / 2)]
    return np.where(everything, 1.0, ends[0]), np.where(everything, 1.0, ends[1])
