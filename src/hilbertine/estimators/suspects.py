"""Outliers in words: which samples the model does not believe, worst first."""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, count, sample_rows, to_numpy
from ..checks import number
from ..spread import is_spread, largest, numbers, sample_of

# A residual norm beyond the median by so many times its robust spread is one of a hundred clean ones, or fewer.
FAR = 3.5
# Of normal numbers the median absolute deviation is this part of the standard deviation.
NORMAL = 0.6745
# Of samples on a cluster so many say what is usual, and so many are listed.
SAMPLE, LISTED = 20_000, 1000


class Suspects(NamedTuple):
    """Samples by their residual norms, worst first; `print` it.

    Attributes
    ----------
    samples : array of int
        Their indices in the training set, worst first.
    ratios : array of float
        Residual norm over the median one.
    flagged : array of bool
        Whether a sample is beyond what clean samples do: less than one in a hundred of them is.
    """

    samples: Array
    ratios: Array
    flagged: Array

    @property
    def counts(self) -> tuple[int, int]:
        """How many samples are flagged, and of how many."""
        return int(self.flagged.sum()), len(self.samples)

    def __str__(self) -> str:
        bad, all_of_them = self.counts
        lines = [f"{bad} of {all_of_them} samples are suspects"]
        named = [(i, ratio) for i, ratio, flag in zip(*self, strict=True) if flag][:20]
        lines += [f"  sample {i}: residual {ratio:.1f} times the median one" for i, ratio in named]
        more = bad - len(named)
        return "\n".join(lines + ([f"  and {more} more"] if more > 0 else []))


class Worst(Suspects):
    """The worst samples of many on a cluster; `counts` are of all."""

    counts: Any = (0, 0)


def suspects(residual_norms: Any, contamination: float | None = None) -> Suspects:
    """Samples ranked by residual norm, and those flagged: a share of them where one is given.

    Of norms on a cluster the worst come to the client, at most `LISTED` of them, and some that say what is usual.

    >>> found = suspects([0.9, 1.0, 1.1, 9.0, 1.2])
    >>> found.samples[found.flagged].tolist(), float(found.ratios[0].round(1))
    ([3], 8.2)
    """
    if contamination is not None and not 0 <= number(contamination, "contamination") < 1:
        raise ValueError(f"contamination is the share of bad samples, from 0 up to 1; got {contamination!r}.")
    if is_spread(residual_norms):
        return _worst(residual_norms, contamination)
    norms = np.asarray(to_numpy(residual_norms), dtype=np.float64)
    # Samples without weight were not seen, and are no suspects.
    seen = np.flatnonzero(~np.isnan(norms))
    norms = norms[seen]
    middle, bar = _usual(norms)
    order = np.argsort(-norms, kind="stable")
    flagged = norms > bar
    if contamination is not None:
        flagged = np.zeros(norms.shape, dtype=bool)
        flagged[order[: round(contamination * norms.size)]] = True
    return Suspects(seen[order], norms[order] / (middle or 1.0), flagged[order])


def _usual(norms: Array) -> tuple[float, float]:
    """The median, and what is far beyond it."""
    middle = float(np.median(norms))
    return middle, middle + FAR * float(np.median(np.abs(norms - middle))) / NORMAL


def _worst(residual_norms: Any, contamination: float | None) -> Worst:
    n = count(residual_norms)
    middle, bar = _usual(sample_of(residual_norms, sample_rows(n, SAMPLE)))
    places, norms = largest(residual_norms, LISTED)
    bad = int(numbers((residual_norms > bar).sum())[0]) if contamination is None else round(contamination * n)
    found = Worst(places, norms / (middle or 1.0), np.arange(len(places)) < bad)
    found.counts = bad, n
    return found
