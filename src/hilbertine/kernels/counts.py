"""Collections of counts over open vocabularies, which meet in the labels that both have."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..arrays import Array


class Counts(NamedTuple):
    """x_u for the labels u met in a collection: row i of the matrix is point i, labels are the columns they have.

    A label that only one of two collections knows adds nothing to their inner products and its share to the norms of
    that collection, so no vocabulary is ever agreed on. `width` is the length of vectors, None of anything else.
    """

    matrix: sparse.csr_matrix
    labels: dict[Any, int]
    width: int | None = None

    @classmethod
    def of(cls, points: Iterable[Iterable[Any]]) -> "Counts":
        """How often each label occurs in each point."""
        labels: dict[Any, int] = {}
        columns, ends = [], [0]
        for point in points:
            columns += [labels.setdefault(label, len(labels)) for label in point]
            ends.append(len(columns))
        matrix = sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(ends) - 1, len(labels)))
        matrix.sum_duplicates()
        return cls(matrix, labels)

    @classmethod
    def compact(cls, values: Array, rows: Array, columns: Array, n: int) -> "Counts":
        """sum of values at (row, column), the columns whole numbers of any size."""
        used, places = np.unique(columns, return_inverse=True)
        matrix = sparse.csr_matrix((values, (rows, places)), shape=(n, len(used)))
        return cls(matrix, {int(column): j for j, column in enumerate(used)})

    @classmethod
    def from_matrix(cls, A: Any) -> "Counts":
        """The columns of a matrix that are used: fingerprints that are not folded have 2^32 and more."""
        A = sparse.coo_matrix(A, dtype=np.float64)
        return cls.compact(A.data, A.row, A.col, A.shape[0])._replace(width=A.shape[1])

    def part(self, places: Any) -> "Counts":
        """Some of the points."""
        return self._replace(matrix=self.matrix[places])

    @property
    def shape(self) -> tuple[int, int]:
        """How many points and labels."""
        n, labels = self.matrix.shape
        return int(n), int(labels)

    def dot(self, other: "Counts") -> Array:
        """The inner products <x_i, z_j>."""
        places = np.array([other.labels.get(label, -1) for label in self.labels], dtype=np.int64)
        known = np.flatnonzero(places >= 0)
        left, right = self.matrix[:, known], other.matrix[:, places[known]]
        return np.asarray((left @ right.T).todense(), dtype=np.float64)

    def squares(self) -> Array:
        """The squared norms |x_i|^2."""
        return np.asarray(self.matrix.multiply(self.matrix).sum(axis=1), dtype=np.float64).ravel()
