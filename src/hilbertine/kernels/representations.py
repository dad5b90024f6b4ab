"""What kernels read off collections, cut into parts: arrays, lists, sparse matrices, or what has its own `part`."""

from collections.abc import Iterator
from typing import Any

from ..arrays import count, device_of, is_array, namespace
from ..containers import Chunks

# A slice, or places as an array of int on the host.
Places = Any


def part_of(A: Any, places: Places) -> Any:
    """The representation of some of the points; a tuple holds one for each part of a kernel."""
    if hasattr(A, "part"):
        return A.part(places)
    if isinstance(A, tuple):
        return tuple(part_of(each, places) for each in A)
    if hasattr(A, "iloc"):
        return A.iloc[places]
    if isinstance(places, slice):
        return A[places, ...] if is_array(A) else A[places]
    if is_array(A):
        return namespace(A).take(A, namespace(A).asarray(places, device=device_of(A)), axis=0)
    return A[places] if hasattr(A, "tocsr") else [A[i] for i in places]


def parts_of(A: Any, size: int) -> Iterator[Any]:
    """The representation of at most `size` points after another."""
    n = length_of(A)
    return (part_of(A, slice(start, min(start + size, n))) for start in range(0, n, size))


def length_of(A: Any) -> int:
    """How many points a representation is of."""
    return length_of(A[0]) if isinstance(A, tuple) and not hasattr(A, "part") else count(A)


def in_chunks(A: Any) -> bool:
    """Whether points, or what a part of a kernel reads off them, are not all in memory."""
    return isinstance(A, Chunks) or (isinstance(A, tuple) and any(map(in_chunks, A)))
