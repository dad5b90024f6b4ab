"""Kernels known only by their values."""

from typing import Any, Self

import numpy as np

from ..arrays import Array, device_of, is_array, namespace, to_numpy
from ..checks import check_gram
from .base import Domain, Kernel


class Precomputed(Kernel):
    """k(i, j) = gram[i, j]: a kernel on indices, so that data known by a Gram matrix can be sliced and split.

    >>> import numpy as np
    >>> k = Precomputed(np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> k([1], [0, 1])
    array([[1., 3.]])
    """

    domain: Domain = "objects"

    def __init__(self, gram: Array):
        self.gram = gram

    def __sklearn_clone__(self) -> "Precomputed":
        """Clones share the Gram matrix, which nobody writes to: copies of it would be all the memory there is."""
        return Precomputed(self.gram)

    def fit(self, X: Any) -> Self:
        self._indices(X)
        check_gram(self._gram(), "Precomputed.gram")
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        K = self._gram()
        xp = namespace(K)
        rows, columns = (xp.asarray(self._indices(points), device=device_of(K)) for points in (X, Z))
        return xp.take(xp.take(K, rows, axis=0), columns, axis=1)

    def diagonal(self, X: Any) -> Array:
        K = self._gram()
        xp = namespace(K)
        return xp.take(xp.linalg.diagonal(K), xp.asarray(self._indices(X), device=device_of(K)))

    def _gram(self) -> Array:
        return self.gram if is_array(self.gram) else np.asarray(self.gram, dtype=np.float64)

    def _indices(self, X: Any) -> Array:
        given = to_numpy(X)
        values = given[:, 0] if given.ndim == 2 and given.shape[1] == 1 else given
        size = self._gram().shape[0]
        try:
            whole = values.astype(np.int64)
            valid = values.ndim == 1 and bool(np.all(whole == values)) and bool(np.all((whole >= 0) & (whole < size)))
        except (TypeError, ValueError):
            valid = False
        if not valid:
            raise ValueError(
                f"Precomputed is a kernel on the indices 0 .. {size - 1} of its {size} x {size} Gram matrix; "
                "pass such indices in place of the data."
            )
        return whole


class PrecomputedRows(Kernel):
    """k(x_i, z_j) = X_ij: the inputs already are rows of a Gram matrix (kernel="precomputed").

    `fit` takes the n x n training Gram, prediction the n_new x n values against the training points.
    """

    domain: Domain = "gram"

    def fit(self, X: Array) -> Self:
        check_gram(X, "The precomputed Gram matrix")
        return self

    def __call__(self, X: Array, Z: Array) -> Array:
        return X

    def diagonal(self, X: Array) -> Array:
        return namespace(X).linalg.diagonal(X)
