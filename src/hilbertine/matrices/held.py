"""How the kernel matrix of a fit is held: nothing about it is silent."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..arrays import Array, is_array, namespace
from ..memory import written


class Held(NamedTuple):
    """What was chosen for the kernel matrix, for people and for programs to read.

    Parameters
    ----------
    kind : str
        "dense", "low rank" or "by products", several of them with a plus between.
    shape : tuple of int
        Of the numbers that stand for the matrix.
    bytes : int
        What is in memory of them.
    detail : str, default=""
        What else there is to say.
    needed : int, default=0
        What the fit was expected to take at its peak, beside its inputs; zero where that is not known.

    Examples
    --------
    >>> Held("dense", (2000, 2000), 32_000_000)
    dense, 2000 x 2000, 32 MB
    """

    kind: str
    shape: tuple[int, ...]
    bytes: int
    detail: str = ""
    needed: int = 0

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.shape))
        return ", ".join(part for part in (self.kind, size, written(self.bytes), self.detail) if part)


def together(parts: Sequence[Held], shape: tuple[int, ...]) -> Held:
    """Several matrices as one: their bytes add up, and each is named."""
    if len(parts) == 1:
        return parts[0]
    kinds, size = " + ".join(part.kind for part in parts), sum(part.bytes for part in parts)
    return Held(kinds, shape, size, "; ".join(map(repr, parts)))


def bytes_of(A: Array) -> int:
    """What an array of floating numbers takes."""
    size = int(namespace(A).finfo(A.dtype).bits) // 8
    for length in A.shape:
        size *= int(length)
    return size


def arrays_within(holder: Any) -> list[Array]:
    """The arrays that an object holds by itself, or in lists and in objects of this package that are no points."""
    if is_array(holder):
        return [holder]
    if isinstance(holder, list | tuple):
        return [A for part in holder for A in arrays_within(part)]
    return [A for part in vars(holder).values() for A in arrays_within(part)] if hasattr(holder, "held") else []
