"""Fingerprints and label sets as matrices or counts, in whatever form they come."""

from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Array, as_floats, is_array, namespace, to_numpy
from .counts import Counts

# A dense matrix, or counts where they came sparse or as labels.
Fingerprints = Any
MIXED = (
    "Fingerprints and sets do not mix: give all points as rows of numbers, all as vectors of rdkit, or all as sets or "
    "tuples of labels."
)


def read(points: Any) -> Fingerprints:
    """Fingerprints as a matrix, or as counts where they are sparse; label sets as counts of their labels.

    What a point is, and never its length, says which it is: rows of a matrix, arrays, lists of numbers and vectors of
    rdkit are fingerprints; sets, tuples and lists of anything else are label sets.
    """
    found = _read(points)
    if not isinstance(found, list):
        return _checked(found)
    try:
        return Counts.of(map(set, found))
    except TypeError as error:
        raise TypeError(f"Labels must be hashable ({error}); give each set as a set or tuple of labels.") from error


def alike(A: Fingerprints, B: Fingerprints) -> tuple[Fingerprints, Fingerprints]:
    """Both as matrices, or both as counts."""
    widths = [each.width if isinstance(each, Counts) else int(each.shape[1]) for each in (A, B)]
    known = [width for width in widths if width is not None]
    if len(known) == 1:
        raise TypeError(MIXED)
    if known:
        _common(known)
    if not isinstance(A, Counts) and not isinstance(B, Counts):
        return A, B
    left, right = (each if isinstance(each, Counts) else Counts.from_matrix(to_numpy(each)) for each in (A, B))
    return left, right


def _read(points: Any) -> Any:
    """A matrix of fingerprints, or a list of label sets."""
    if sparse.issparse(points) or (is_array(points) and points.ndim == 2):
        return points
    if hasattr(points, "iloc") and points.ndim == 2:
        return points.to_numpy()
    points = list(points)
    readers = {_reader(i, point) for i, point in enumerate(points)}
    if len(readers) > 1:
        raise TypeError(MIXED)
    return readers.pop()(points) if readers else points


def _reader(i: int, point: Any) -> Callable[[list[Any]], Any]:
    """What turns points of this kind into a matrix, or leaves them label sets."""
    if isinstance(point, tuple) and _is_numeric(point) and len(set(point)) < len(point):
        raise TypeError(
            f"A tuple is a set of labels, and element {i} repeats numbers; give fingerprints as lists or arrays."
        )
    if isinstance(point, set | frozenset | tuple) or (isinstance(point, list) and not _is_numeric(point)):
        return list
    if isinstance(point, list) or (is_array(point) and _is_vector(point)):
        return _from_rows
    # Without importing rdkit: only its vectors have these.
    if hasattr(point, "GetOnBits") or hasattr(point, "GetNonzeroElements"):
        return from_rdkit
    raise TypeError(
        f"These are neither fingerprints nor sets: element {i} is {point!r}. Give a matrix, rows of numbers, vectors "
        "of rdkit, or sets of labels; SMILES become fingerprints by datasets.fingerprints."
    )


def _is_numeric(point: list[Any] | tuple[Any, ...]) -> bool:
    types = set(map(type, point))
    return bool(types) and all(issubclass(each, Real | np.bool_) for each in types)


def _is_vector(point: Array) -> bool:
    return point.ndim == 1 and bool(namespace(point).isdtype(point.dtype, ("bool", "numeric")))


def _common(lengths: Iterable[int]) -> int:
    found = sorted(set(lengths))
    if len(found) > 1:
        raise ValueError(
            f"The fingerprints have different lengths, {found}; they must be of one kind. Give sets of numbers as sets "
            "or tuples."
        )
    return found[0]


def _from_rows(points: list[Any]) -> Array:
    _common(map(len, points))
    return np.asarray(points, dtype=np.float64)


def from_rdkit(vectors: list[Any]) -> sparse.csr_matrix:
    widths, places, values = zip(*map(_entries, vectors), strict=True)
    columns = np.array([place for each in places for place in each], dtype=np.int64)
    # Places beyond 2^31 of a vector of bits come out of rdkit as negative numbers.
    columns = np.where(columns < 0, columns + 2**32, columns)
    data = np.array([value for each in values for value in each], dtype=np.float64)
    ends = np.cumsum([0] + [len(each) for each in places])
    return sparse.csr_matrix((data, columns, ends), shape=(len(vectors), min(_common(widths), 2**63 - 1)))


def _entries(vector: Any) -> tuple[int, list[int], list[int]]:
    """The length of a vector of rdkit, where it is not zero, and what it holds there: bits or counts."""
    if hasattr(vector, "GetNonzeroElements"):
        counts = vector.GetNonzeroElements()
        return vector.GetLength(), list(counts), list(counts.values())
    places = list(vector.GetOnBits())
    return vector.GetNumBits(), places, [1] * len(places)


def _checked(points: Any) -> Fingerprints:
    matrix = sparse.coo_matrix(points, dtype=np.float64) if sparse.issparse(points) else as_floats(points, points)
    values = matrix.data if sparse.issparse(matrix) else matrix
    xp = namespace(values)
    if not bool(xp.all(xp.isfinite(values))):
        raise ValueError("The fingerprints contain NaN or infinity; drop or impute these samples.")
    if bool(xp.any(values < 0)):
        raise ValueError("Fingerprints hold presences or counts, and these have negative entries.")
    return Counts.from_matrix(matrix) if sparse.issparse(matrix) else matrix
