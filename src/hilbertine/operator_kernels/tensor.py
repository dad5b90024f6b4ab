"""The general operator-valued kernel: every K(x, z) in memory."""

from collections.abc import Callable
from typing import Any

from ..arrays import Array, as_floats, count, is_array, namespace, product
from ..checks import check_gram, positive
from ..kernels.base import Domain
from .base import Gram, OperatorValuedKernel
from .mapped import DenseGram


class Tensor(OperatorValuedKernel):
    """K(x, z) given point by point, as a function or by the tensor M_ijkl = <y_k, K(x_i, x_j) y_l> of the paper.

    operators : a function (x, z) -> the m x m matrix of K(x, z) in the coordinates of the output space, or the
        n x n x n x n array M on the training samples, which can train and not predict
    limit : gigabytes that the operators may take; more is refused before anything is allocated

    >>> import numpy as np
    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> kernel = Tensor(lambda x, z: float(x @ z) * A)
    >>> X, T = np.array([[1.0], [2.0]]), np.eye(2)
    >>> kernel.gram(X, X, T) @ np.eye(2)
    array([[ 4.,  5.],
           [ 8., 10.]])
    """

    domain: Domain = "objects"

    def __init__(self, operators: Callable[[Any, Any], Any] | Any, limit: float = 2.0):
        self.operators = operators
        self.limit = limit

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        q, n, m = count(X), count(Z), int(T.shape[1])
        size = 8.0 * q * n * m * m / 2**30
        if size > positive(self.limit, "Tensor.limit"):
            raise ValueError(
                f"Tensor would hold {q} x {n} operators of {m} x {m} numbers, {size:.1f} GiB, and its limit is "
                f"{self.limit:g}; use a sum of separable kernels, fewer samples or output components, or raise limit."
            )
        blocks = self._from_function(X, Z, T) if callable(self.operators) else self._from_array(X, Z, T)
        if X is Z:
            xp = namespace(T)
            check_gram(xp.reshape(blocks, (n * m, n * m)), "The matrix of all operators K(x_i, x_j)")
        return DenseGram(blocks)

    def _from_function(self, X: Any, Z: Any, T: Array) -> Array:
        xp = namespace(T)
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

    def _from_array(self, X: Any, Z: Any, T: Array) -> Array:
        if X is not Z:
            raise ValueError(
                "Tensor knows its operators on the training samples only, so it cannot predict; give it a function "
                "(x, z) -> operator. Predictions on the training set follow from residual_norms_ and dual_coef_."
            )
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
