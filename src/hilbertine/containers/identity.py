"""When two outputs are the same: objects by equality, vectors by their numbers, collections by their members."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from ..arrays import as_sequence, is_array, to_numpy
from ..doors import door


@door
def identities(outputs: Any) -> list[Hashable]:
    """One key for each output; two outputs are the same iff their keys are equal.

    Vectors compare by value, whatever their library or type, and sparse ones equal dense ones.

    Parameters
    ----------
    outputs : array-like or list
        The outputs.

    Returns
    -------
    list of hashable keys
        One for each.

    Examples
    --------
    >>> identities(["a", "b", "a"])
    ['a', 'b', 'a']
    >>> identities(np.eye(2)) == identities([[1, 0], [0, 1]])
    False
    >>> identities(np.eye(2)) == identities([np.array([1, 0]), np.array([0, 1])])
    True
    """
    if hasattr(outputs, "tocsr"):
        rows = outputs.tocsr().copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
        parts = [slice(*ends) for ends in zip(rows.indptr, rows.indptr[1:], strict=False)]
        return [_vector(rows.shape[1], rows.indices[part], rows.data[part]) for part in parts]
    return [_identity(each) for each in (to_numpy(outputs) if is_array(outputs) else as_sequence(outputs))]


@door
def distinct(outputs: Any) -> list[int]:
    """Where each output stands first.

    Parameters
    ----------
    outputs : array-like or list
        The outputs.

    Returns
    -------
    list of int
        The place of the first of each, in order.
    """
    first: dict[Hashable, int] = {}
    for i, key in enumerate(identities(outputs)):
        first.setdefault(key, i)
    return list(first.values())


def _identity(output: Any) -> Hashable:
    if hasattr(output, "tocsr"):
        return tuple(identities(output)) if output.shape[0] > 1 else identities(output)[0]
    if is_array(output):
        values = np.ravel(to_numpy(output))
        if values.dtype.kind not in "biuf":
            return tuple(values.tolist())
        at = np.flatnonzero(values)
        return _vector(values.size, at, values[at])
    if isinstance(output, list | tuple):
        return tuple(_identity(each) for each in output)
    if isinstance(output, set | frozenset):
        return frozenset(output)
    if isinstance(output, dict):
        return frozenset((name, _identity(value)) for name, value in output.items())
    if not isinstance(output, Hashable):
        raise TypeError(f"Outputs of type {type(output).__name__} cannot be told apart; give them __eq__ and __hash__.")
    return output


def _vector(size: int, at: Any, values: Any) -> Hashable:
    """A vector by its size and the numbers that are not zero; one number is itself."""
    if size == 1:
        return float(values[0]) if len(values) else 0.0
    return size, np.asarray(at, dtype=np.int64).tobytes(), np.asarray(values, dtype=np.float64).tobytes()
