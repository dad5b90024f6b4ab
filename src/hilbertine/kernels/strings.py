"""Kernels on strings."""

from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import whole
from .base import Domain, Kernel


class Substrings(Kernel):
    """k(s, t) = sum_u |s|_u |t|_u over all substrings u of 1 to `length` characters, |s|_u how often u occurs in s.

    The spectrum kernel of several lengths at once; wrap it in `Normalised` to compare strings of different lengths.

    >>> Substrings(length=2)(["abab"], ["ab", "c"])
    array([[6., 0.]])
    """

    domain: Domain = "objects"

    def __init__(self, length: int = 3):
        self.length = length

    def _counter(self) -> Any:
        # Imported when used: it is slow to import.
        from sklearn.feature_extraction.text import CountVectorizer

        longest = whole(self.length, "Substrings.length")

        def substrings(s: str) -> list[str]:
            return [s[i : i + p] for p in range(1, longest + 1) for i in range(len(s) - p + 1)]

        return CountVectorizer(analyzer=substrings)

    def __call__(self, X: Any, Z: Any) -> Array:
        X, Z, counter = _strings(X), _strings(Z), self._counter()
        if not any(Z):
            return np.zeros((len(X), len(Z)))
        # Substrings that no z has add nothing.
        right = counter.fit_transform(Z)
        return np.asarray((counter.transform(X) @ right.T).todense(), dtype=np.float64)

    def diagonal(self, X: Any) -> Array:
        X = _strings(X)
        if not any(X):
            return np.zeros(len(X))
        counts = self._counter().fit_transform(X)
        return np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel()


def _strings(points: Any) -> list[str]:
    found = list(points)
    for i, point in enumerate(found):
        if not isinstance(point, str):
            raise TypeError(f"Substrings is a kernel on strings, and element {i} is {point!r}; drop or convert it.")
    return found
