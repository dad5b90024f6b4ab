"""Kernels known only by their values."""

from typing import Any, Self

import numpy as np

from ..arrays import Array, count, device_of, is_array, namespace, to_numpy
from ..checks import check_gram
from .base import Domain, Kernel


class Precomputed(Kernel):
    """k(i, j) = matrix[i, j]: a kernel on indices, so that data known by a Gram matrix can be sliced and split.

    Parameters
    ----------
    matrix : array of shape (n, n)
        The Gram matrix of all points.

    Examples
    --------
    >>> import numpy as np
    >>> k = Precomputed(np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> k([1], [0, 1])
    array([[1., 3.]])
    >>> k
    Precomputed(<2 x 2 matrix>)
    """

    domain: Domain = "objects"

    def __init__(self, matrix: Array):
        self.matrix = matrix

    def __sklearn_clone__(self) -> "Precomputed":
        """Clones share the Gram matrix, which nobody writes to: copies of it would be all the memory there is."""
        return Precomputed(self.matrix)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"Precomputed(<{' x '.join(map(str, np.shape(self.matrix)))} matrix>)"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self)}

    def fit(self, X: Any) -> Self:
        check_gram(self._matrix(), "Precomputed.matrix")
        return super().fit(X)

    def represent(self, X: Any) -> Array:
        return self._indices(X)

    def between(self, A: Array, B: Array) -> Array:
        K = self._matrix()
        xp = namespace(K)
        rows, columns = (xp.asarray(indices, device=device_of(K)) for indices in (A, B))
        return xp.take(xp.take(K, rows, axis=0), columns, axis=1)

    def squares(self, A: Array) -> Array:
        K = self._matrix()
        xp = namespace(K)
        return xp.take(xp.linalg.diagonal(K), xp.asarray(A, device=device_of(K)))

    def diagonal(self, X: Any) -> Array:
        return self.squares(self._indices(X))

    def _matrix(self) -> Array:
        return self.matrix if is_array(self.matrix) else np.asarray(self.matrix, dtype=np.float64)

    def _indices(self, X: Any) -> Array:
        given = to_numpy(X)
        values = given[:, 0] if given.ndim == 2 and given.shape[1] == 1 else given
        size = self._matrix().shape[0]
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

    `fit` takes the n x n training Gram, prediction the n_new x n values against the training points. The training Gram
    is kept only until `gram()` hands it over.

    Attributes
    ----------
    diagonal_ : array of shape (n,)
        k(t_i, t_i) of the training points.
    """

    domain: Domain = "gram"

    def fit(self, X: Array) -> Self:
        check_gram(X, "The precomputed Gram matrix")
        xp = namespace(X)
        self.points_, self.rows_ = range(count(X)), X
        # A view of the diagonal would keep the whole matrix.
        self.diagonal_ = xp.asarray(xp.linalg.diagonal(X), copy=True)
        return self

    def _gram(self) -> Array:
        if "rows_" not in self.__dict__:
            raise ValueError("The precomputed Gram matrix is handed over once; fit again, or keep it.")
        return self.__dict__.pop("rows_")

    def __call__(self, X: Array, Z: Any) -> Array:
        return X

    def squares(self, A: Any) -> Array:
        # The training points are known by their numbers.
        return self.diagonal_ if isinstance(A, range) else self.diagonal(A)

    def diagonal(self, X: Array) -> Array:
        return namespace(X).linalg.diagonal(X)
