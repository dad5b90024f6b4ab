"""Kernels of inner products on the rows of a numeric matrix, in array-API lines, and the constant."""

from typing import Any

from ..arrays import Array, as_floats, count, device_of, namespace, product
from ..checks import nonnegative, positive
from .base import Kernel, Read
from .distances import inner_products, squared_norms
from .points import as_points, dense


class OnVectors(Kernel):
    """A kernel on vectors by `values(A, B)` and `squares(A)`, of points that have been read."""

    takes_sparse = False

    def represent(self, X: Any) -> Any:
        return as_points(X, type(self).__name__, self.takes_sparse)

    def between(self, A: Any, B: Any) -> Array:
        if A.shape[1] != B.shape[1]:
            raise ValueError(
                f"{type(self).__name__} compares vectors of one length, and these have {A.shape[1]} and {B.shape[1]} "
                "numbers; give both the same features."
            )
        return self.values(A, B)

    def values(self, A: Any, B: Any) -> Array:
        """The matrix k(a_i, b_j).

        Parameters
        ----------
        A, B : array of shape (n, d) and (q, d)
            Vectors.

        Returns
        -------
        array of shape (n, q)
            The values.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement values(A, B).")

    def diagonal(self, X: Any) -> Array:
        return self.squares(self.represent(X))


class Linear(OnVectors):
    """k(x, z) = <x, z>."""

    takes_sparse = True

    def values(self, A: Any, B: Any) -> Array:
        return inner_products(A, B)

    def squares(self, A: Any) -> Array:
        return squared_norms(A)

    def coordinates(self, A: Any) -> Array:
        # The points themselves.
        return dense(A)

    def pullback(self, X: Array, M: Array) -> Array:
        return 2.0 * product(M, X)


class Polynomial(OnVectors):
    """k(x, z) = (gamma <x, z> + coef0)^degree, with gamma > 0, coef0 >= 0 and a whole degree >= 1.

    Parameters
    ----------
    degree : int, default=3
        The power.
    gamma : float, default=1.0
        The weight of the inner product.
    coef0 : float, default=1.0
        The weight of the terms of lower degree.

    Examples
    --------
    >>> import numpy as np
    >>> float(Polynomial(degree=2, coef0=1.0)(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]]))[0, 0])
    16.0
    """

    takes_sparse = True

    def __init__(self, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def _apply(self, dot: Array, derivative: int = 0) -> Array:
        degree = positive(self.degree, "Polynomial.degree")
        if degree != int(degree):
            raise ValueError(f"Polynomial.degree must be a whole number, got {self.degree!r}.")
        gamma = positive(self.gamma, "Polynomial.gamma", finite=True)
        factor = (gamma * degree) ** derivative
        return factor * (gamma * dot + nonnegative(self.coef0, "Polynomial.coef0")) ** (int(degree) - derivative)

    def values(self, A: Any, B: Any) -> Array:
        return self._apply(inner_products(A, B))

    def squares(self, A: Any) -> Array:
        return self._apply(squared_norms(A))

    def pullback(self, X: Array, M: Array) -> Array:
        return Linear().pullback(X, M * self._apply(inner_products(X, X), derivative=1))


class Constant(Read):
    """k(x, z) = value: added to another kernel, a penalised intercept.

    Parameters
    ----------
    value : float, default=1.0
        The value, >= 0.
    """

    def __init__(self, value: float = 1.0):
        self.value = value

    def represent(self, X: Any) -> Array:
        # Ones: all there is to know is how many points there are, and where they live.
        xp = namespace(X)
        return xp.ones(count(X), dtype=xp.float64, device=device_of(X))

    def between(self, A: Array, B: Array) -> Array:
        # Columns may be known by their number alone, and live where the rows do.
        return self._checked() * (A[:, None] * as_floats(B, A)[None, :])

    def squares(self, A: Array) -> Array:
        return self._checked() * A

    def coordinates(self, A: Array) -> Array:
        return self._checked() ** 0.5 * A[:, None]

    def pullback(self, X: Array, M: Array) -> Array:
        return 0.0 * X

    def _checked(self) -> float:
        return nonnegative(self.value, "Constant.value")
