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
        return CountVectorizer(analyzer="char", ngram_range=(1, longest), lowercase=False)

    def __call__(self, X: Any, Z: Any) -> Array:
        counter = self._counter()
        try:
            # Substrings that no z has add nothing.
            right = counter.fit_transform(list(Z))
        except ValueError:
            # No z has any character.
            return np.zeros((len(X), len(Z)))
        return np.asarray((counter.transform(list(X)) @ right.T).todense(), dtype=np.float64)

    def diagonal(self, X: Any) -> Array:
        try:
            counts = self._counter().fit_transform(list(X))
        except ValueError:
            return np.zeros(len(X))
        return np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel()
