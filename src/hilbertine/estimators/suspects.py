"""Outliers in words: which samples the model does not believe, worst first."""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, to_numpy
from ..checks import number

# A residual norm beyond the median by so many times its robust spread is one of a hundred clean ones, or fewer.
FAR = 3.5
# Of normal numbers the median absolute deviation is this part of the standard deviation.
NORMAL = 0.6745


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

    def __str__(self) -> str:
        lines = [f"{int(self.flagged.sum())} of {len(self.samples)} samples are suspects"]
        named = [(i, ratio) for i, ratio, flag in zip(*self, strict=True) if flag][:20]
        lines += [f"  sample {i}: residual {ratio:.1f} times the median one" for i, ratio in named]
        more = int(self.flagged.sum()) - len(named)
        return "\n".join(lines + ([f"  and {more} more"] if more > 0 else []))


def suspects(residual_norms: Any, contamination: float | None = None) -> Suspects:
    """Samples ranked by residual norm, and those flagged: a share of them where one is given.

    >>> found = suspects([0.9, 1.0, 1.1, 9.0, 1.2])
    >>> found.samples[found.flagged].tolist(), float(found.ratios[0].round(1))
    ([3], 8.2)
    """
    norms = np.asarray(to_numpy(residual_norms), dtype=np.float64)
    # Samples without weight were not seen, and are no suspects.
    seen = np.flatnonzero(~np.isnan(norms))
    norms = norms[seen]
    middle = float(np.median(norms))
    order = np.argsort(-norms, kind="stable")
    if contamination is None:
        spread = float(np.median(np.abs(norms - middle))) / NORMAL
        flagged = norms > middle + FAR * spread
    else:
        if not 0 <= number(contamination, "contamination") < 1:
            raise ValueError(f"contamination is the share of bad samples, from 0 up to 1; got {contamination!r}.")
        flagged = np.zeros(norms.shape, dtype=bool)
        flagged[order[: round(contamination * norms.size)]] = True
    return Suspects(seen[order], norms[order] / (middle or 1.0), flagged[order])
