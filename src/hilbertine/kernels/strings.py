"""Kernels on strings."""

from typing import Any

from ..arrays import Array
from ..checks import whole
from .base import Read
from .counts import Counts


class Substrings(Read):
    """k(s, t) = sum_u |s|_u |t|_u over all substrings u of 1 to `length` characters, |s|_u how often u occurs in s.

    The spectrum kernel of several lengths at once; wrap it in `Normalised` to compare strings of different lengths.

    Parameters
    ----------
    length : int, default=3
        The longest substrings compared.

    Examples
    --------
    >>> Substrings(length=2)(["abab"], ["ab", "c"])
    array([[6., 0.]])
    """

    def __init__(self, length: int = 3):
        self.length = length

    def represent(self, X: Any) -> Counts:
        longest = whole(self.length, "Substrings.length")
        return Counts.of(_substrings(s, longest) for s in _strings(X))

    def between(self, A: Counts, B: Counts) -> Array:
        return A.dot(B)

    def squares(self, A: Counts) -> Array:
        return A.squares()


def _substrings(s: str, longest: int) -> list[str]:
    return [s[i : i + p] for p in range(1, longest + 1) for i in range(len(s) - p + 1)]


def _strings(points: Any) -> list[str]:
    found = list(points)
    for i, point in enumerate(found):
        if not isinstance(point, str):
            raise TypeError(f"Substrings is a kernel on strings, and element {i} is {point!r}; drop or convert it.")
    return found
