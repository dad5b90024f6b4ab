"""Kernels on the rows of a numeric matrix, in array-API lines."""

from typing import Any, Literal, Self

import numpy as np

from ..arrays import Array, as_floats, blocks, count, device_of, inner, namespace, product, to_numpy
from ..checks import nonnegative, positive
from .base import Kernel, Read


def squared_distances(X: Array, Z: Array) -> Array:
    """|x_i - z_j|^2 as |x|^2 + |z|^2 - 2 <x, z>, zero where it is only rounding, in blocks of rows."""
    xp = namespace(X)
    # Centring costs nothing and saves the digits that a common offset would eat.
    centre = xp.mean(Z, axis=0, keepdims=True)
    B = Z - centre
    Bt, z2 = xp.permute_dims(B, (1, 0)), inner(B, B)[None, :]
    rounding = 16 * xp.finfo(B.dtype).eps

    def rows(A: Array) -> Array:
        size = inner(A, A)[:, None] + z2
        D = product(A, Bt)
        D *= -2.0
        D += size
        return xp.where(rounding * size >= D, xp.zeros_like(D), D)

    return xp.concat([rows(part - centre) for part in blocks(X, 256)])


def manhattan_distances(X: Array, Z: Array) -> Array:
    """sum_j |x_ij - z_kj|, one feature at a time: no n x q x d array."""
    xp = namespace(X)
    D = xp.zeros((X.shape[0], Z.shape[0]), dtype=X.dtype, device=device_of(X))
    for j in range(X.shape[1]):
        D += xp.abs(X[:, j][:, None] - Z[:, j][None, :])
    return D


def median_distance(X: Array, distances: Any, most: int = 1000) -> float:
    """The median distance between distinct pairs among at most `most` evenly spaced rows; 1 if all coincide."""
    n = X.shape[0]
    xp = namespace(X)
    if n > most:
        X = xp.take(X, xp.asarray(np.linspace(0, n - 1, most).astype(np.int64), device=device_of(X)), axis=0)
    values = to_numpy(distances(X, X))[np.triu_indices(X.shape[0], 1)]
    values = values[values > 0]
    return float(np.median(values)) if values.size else 1.0


class Linear(Kernel):
    """k(x, z) = <x, z>."""

    def __call__(self, X: Array, Z: Array) -> Array:
        return product(X, namespace(Z).permute_dims(Z, (1, 0)))

    def features(self, X: Array) -> Array:
        """The points themselves."""
        return X

    def diagonal(self, X: Array) -> Array:
        return inner(X, X)

    def pullback(self, X: Array, M: Array) -> Array:
        return 2.0 * product(M, X)


class Polynomial(Kernel):
    """k(x, z) = (gamma <x, z> + coef0)^degree, with gamma > 0, coef0 >= 0 and a whole degree >= 1.

    >>> import numpy as np
    >>> float(Polynomial(degree=2, coef0=1.0)(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]]))[0, 0])
    16.0
    """

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

    def __call__(self, X: Array, Z: Array) -> Array:
        return self._apply(Linear()(X, Z))

    def diagonal(self, X: Array) -> Array:
        return self._apply(inner(X, X))

    def pullback(self, X: Array, M: Array) -> Array:
        return Linear().pullback(X, M * self._apply(Linear()(X, X), derivative=1))


class _Radial(Kernel):
    """Kernels exp(-gamma distance); "median" takes gamma from the training points."""

    def __init__(self, gamma: float | Literal["median"] = "median"):
        self.gamma = gamma

    def fit(self, X: Array) -> Self:
        if isinstance(self.gamma, str):
            self.__dict__.pop("gamma_", None)
            self.gamma_ = self._width(X)
        return super().fit(X)

    def _width(self, X: Array) -> float:
        name = f"{type(self).__name__}.gamma"
        if not isinstance(self.gamma, str):
            return positive(self.gamma, name, finite=True)
        if self.gamma != "median":
            raise ValueError(f"{name} must be a number > 0 or 'median', got {self.gamma!r}.")
        return float(getattr(self, "gamma_", 0.0)) or self._median(X)

    def _median(self, X: Array) -> float:
        raise NotImplementedError(f"{type(self).__name__} must implement _median(X).")

    def _distances(self, X: Array, Z: Array) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must implement _distances(X, Z).")

    def __call__(self, X: Array, Z: Array) -> Array:
        # Before fit, "median" is that of the reference points Z.
        gamma = self._width(Z)
        D = self._distances(X, Z)
        D *= -gamma
        return namespace(X).exp(D)

    def diagonal(self, X: Array) -> Array:
        return namespace(X).ones(X.shape[0], dtype=X.dtype, device=device_of(X))


class Gaussian(_Radial):
    """k(x, z) = exp(-gamma |x - z|^2); gamma = "median" is 1 / (2 s^2), s the median distance between inputs.

    >>> import numpy as np
    >>> Gaussian(gamma=1.0)(np.array([[0.0]]), np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.368]])
    """

    def _median(self, X: Array) -> float:
        return 0.5 / median_distance(X, squared_distances)

    def _distances(self, X: Array, Z: Array) -> Array:
        return squared_distances(X, Z)

    def pullback(self, X: Array, M: Array) -> Array:
        Q = M * self(X, X)
        return 4.0 * self._width(X) * (product(Q, X) - namespace(X).sum(Q, axis=1)[:, None] * X)


class Laplacian(_Radial):
    """k(x, z) = exp(-gamma sum_j |x_j - z_j|); gamma = "median" is one over the median distance."""

    def _median(self, X: Array) -> float:
        return 1.0 / median_distance(X, manhattan_distances)

    def _distances(self, X: Array, Z: Array) -> Array:
        return manhattan_distances(X, Z)

    def pullback(self, X: Array, M: Array) -> Array:
        """Where two points agree in a coordinate, the middle of the subdifferential."""
        xp = namespace(X)
        Q = -2.0 * self._width(X) * (M * self(X, X))
        coordinates = (X[:, j] for j in range(X.shape[1]))
        return xp.stack([xp.sum(Q * xp.sign(x[:, None] - x[None, :]), axis=1) for x in coordinates], axis=1)


class Exponential(_Radial):
    """k(x, z) = exp(-gamma |x - z|), the Euclidean distance itself; gamma = "median" is one over its median."""

    def _median(self, X: Array) -> float:
        return 1.0 / median_distance(X, self._distances)

    def _distances(self, X: Array, Z: Array) -> Array:
        return namespace(X).sqrt(squared_distances(X, Z))


class Constant(Read):
    """k(x, z) = value: added to another kernel, a penalised intercept."""

    def __init__(self, value: float = 1.0):
        self.value = value

    def _checked(self) -> float:
        return nonnegative(self.value, "Constant.value")

    def represent(self, X: Any) -> Array:
        """Ones: all there is to know is how many points there are, and where they live."""
        xp = namespace(X)
        return xp.ones(count(X), dtype=xp.float64, device=device_of(X))

    def between(self, A: Array, B: Array) -> Array:
        # Columns may be known by their number alone, and live where the rows do.
        return self._checked() * (A[:, None] * as_floats(B, A)[None, :])

    def squares(self, A: Array) -> Array:
        return self._checked() * A

    def features(self, X: Any) -> Array:
        return self._checked() ** 0.5 * self.represent(X)[:, None]

    def pullback(self, X: Array, M: Array) -> Array:
        return 0.0 * X
