"""The general operator-valued kernel: every K(x, z) in memory."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from ..arrays import Array, as_floats, count, is_array, namespace, product
from ..checks import check_gram, positive
from ..kernels.base import Domain
from .base import OperatorValuedKernel
from .gram import Gram


class Tensor(OperatorValuedKernel):
    """K(x, z) given point by point, as a function or by the tensor M_ijkl = <y_k, K(x_i, x_j) y_l> of the paper.

    Parameters
    ----------
    operators : callable or array-like of shape (n, n, n, n)
        A function (x, z) -> the m x m matrix of K(x, z) in the coordinates of the output space, or M on the training
        samples, which can train and not predict.
    limit : float, default=2.0
        Gigabytes that the operators may take; more is refused before anything is allocated.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> kernel = Tensor(lambda x, z: float(x @ z) * A)
    >>> X, T = np.array([[1.0], [2.0]]), np.eye(2)
    >>> kernel.fit(X, T).gram() @ np.eye(2)
    array([[ 4.,  5.],
           [ 8., 10.]])
    """

    domain: Domain = "objects"

    def __init__(self, operators: Callable[[Any, Any], Any] | Any, limit: float = 2.0):
        self.operators = operators
        self.limit = limit

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        self.points_, self.like_ = X, T
        return self

    def gram(self) -> Gram:
        T = self.like_
        n, m = (int(size) for size in T.shape)
        self._guard(n)
        operators = self._from_function(self.points_) if callable(self.operators) else self._from_array(T)
        flat = namespace(T).reshape(operators, (n * m, n * m))
        check_gram(flat, "The matrix of all operators K(x_i, x_j)")
        return DenseGram(flat, (n, m))

    def cross(self, X: Any) -> "Blocks":
        if not callable(self.operators):
            raise ValueError(
                "Tensor knows its operators on the training samples only, so it cannot predict; give it a function "
                "(x, z) -> operator. Predictions on the training set follow from residual_norms_ and dual_coef_."
            )
        self._guard(count(X))
        return Blocks(self._from_function(X))

    def _guard(self, q: int) -> None:
        n, m = (int(size) for size in self.like_.shape)
        size = 8.0 * q * n * m * m / 2**30
        if size > positive(self.limit, "Tensor.limit"):
            raise ValueError(
                f"Tensor would hold {q} x {n} operators of {m} x {m} numbers, {size:.1f} GiB, and its limit is "
                f"{self.limit:g}; use a sum of separable kernels, fewer samples or output components, or raise limit."
            )

    def _from_function(self, X: Any) -> Array:
        """K(x_i, z_j) as an array (q, m, n, m)."""
        T, Z, xp = self.like_, self.points_, namespace(self.like_)
        m = int(T.shape[1])
        rows = []
        for i in range(count(X)):
            row = [as_floats(self.operators(_point(X, i), _point(Z, j)), T) for j in range(count(Z))]
            if tuple(row[0].shape) != (m, m):
                raise ValueError(
                    f"Tensor's function returned shape {tuple(row[0].shape)}; it must return the {m} x {m} matrix of "
                    "K(x, z) in the coordinates of the output space."
                )
            rows.append(xp.stack(row, axis=1))
        return xp.stack(rows)

    def _from_array(self, T: Array) -> Array:
        M = as_floats(self.operators, T)
        n, m = (int(size) for size in T.shape)
        if tuple(M.shape) != (n, n, n, n):
            raise ValueError(f"Tensor.operators has shape {tuple(M.shape)} for {n} samples; give {(n, n, n, n)}.")
        xp = namespace(T)
        # <y_k, A y_l> = t_k^T S t_l for all k and l: S = T^+ M_ij T^+^T.
        inverse = xp.linalg.pinv(T)
        half = product(xp.reshape(M, (n * n * n, n)), xp.permute_dims(inverse, (1, 0)))
        half = xp.permute_dims(xp.reshape(half, (n, n, n, m)), (0, 1, 3, 2))
        whole = product(xp.reshape(half, (n * n * m, n)), xp.permute_dims(inverse, (1, 0)))
        return xp.permute_dims(xp.reshape(whole, (n, n, m, m)), (0, 3, 1, 2))


def _point(X: Any, i: int) -> Any:
    return X[i, ...] if is_array(X) else X[i]


class Blocks(NamedTuple):
    """K(x_i, z_j), (q, m, n, m), applied to a matrix (n, m)."""

    operators: Array

    def __matmul__(self, W: Array) -> Array:
        q, m, n, _ = self.operators.shape
        xp = namespace(W)
        flat = product(xp.reshape(self.operators, (q * m, n * m)), xp.reshape(W, (n * m, 1)))
        return xp.reshape(flat, (q, m))


class DenseGram(Gram):
    """The operators as one nm x nm matrix."""

    def __init__(self, matrix: Array, shape: tuple[int, int]):
        super().__init__(matrix, shape)
        self.flat = matrix

    def __matmul__(self, W: Array) -> Array:
        xp, (n, m) = namespace(W), self.shape
        return xp.reshape(product(self.flat, xp.reshape(W, (n * m, 1))), (n, m))

    def diagonal(self) -> Array:
        return namespace(self.flat).reshape(namespace(self.flat).linalg.diagonal(self.flat), self.shape)
