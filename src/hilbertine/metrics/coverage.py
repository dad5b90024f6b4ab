"""How often sets hold the truth, and how large they are for it."""

from typing import Any

import numpy as np

from .errors import averaged
from .reading import one_weight_each


def coverage(sets: Any, Y: Any, sample_weight: Any = None) -> float:
    """The share of outputs that lie in their sets, to be compared with `sets.level`.

    Parameters
    ----------
    sets : conformal.Sets
        What `ConformalRegressor.predict_set` returned.
    Y : array-like or list
        The true outputs, one for each set.
    sample_weight : array-like of shape (n,), default=None
        How often each sample counts.

    Returns
    -------
    float
        Between zero and one.
    """
    inside = _sets(sets).contains(Y)
    return float(np.average(inside, weights=one_weight_each(sample_weight, len(inside))))


def set_size(sets: Any, average: str = "median") -> float:
    """The typical size of the sets, by `sets.measure`: volume, width, radius, or number of candidates.

    Parameters
    ----------
    sets : conformal.Sets
        What `ConformalRegressor.predict_set` returned.
    average : {"mean", "median", "trimmed"}, default="median"
        How to average, as in `averaged`.

    Returns
    -------
    float
        Infinite where the typical set holds everything.
    """
    return float(averaged(np.asarray(_sets(sets).size, dtype=np.float64), average))


def _sets(given: Any) -> Any:
    if isinstance(given, list) or not hasattr(given, "contains"):
        raise TypeError(
            f"{type(given).__name__} is no collection of sets; give what predict_set returns, one level at a time."
        )
    return given
