"""What metrics are given, read in one way."""

from typing import Any

import numpy as np

from ..arrays import Array, as_sequence, to_numpy


def one_weight_each(sample_weight: Any, n: int) -> Array | None:
    """Weights as n finite numbers >= 0 that are not all zero; None where there are none."""
    if sample_weight is None:
        return None
    try:
        found = np.asarray(to_numpy(sample_weight), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"sample_weight must be numbers, one for each sample ({error}).") from error
    if found.shape != (n,) or not np.isfinite(found).all() or found.min() < 0 or not found.any():
        raise ValueError(f"sample_weight must be {n} finite numbers >= 0, not all zero; got shape {found.shape}.")
    return found


def collected(values: Any, name: str) -> Any:
    try:
        return as_sequence(values)
    except TypeError as error:
        raise TypeError(f"{name} = {error}") from error


def labels(Y: Any, name: str) -> Array:
    """Labels or their scores as a matrix of numbers."""
    try:
        found = np.asarray(to_numpy(Y), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a matrix of labels or a list of sets; its entries are no numbers.") from error
    if found.ndim != 2:
        raise ValueError(f"{name} must be a matrix, one row for each sample; got shape {found.shape}.")
    return found
