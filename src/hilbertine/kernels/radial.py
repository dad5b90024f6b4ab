"""Kernels that fall with the distance of two vectors, in array-API lines."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..arrays import Array, as_floats, cast, device_of, exponential, is_array, namespace, product
from ..checks import positive
from .distances import (
    augmented,
    distinct_rows,
    manhattan_distances,
    median_distance,
    squared_distances,
    two_sides,
)
from .points import scaled_columns, spreads
from .vectors import OnVectors
from .widths import Width, multiple_of_rule, one_for_each


class Radial(OnVectors):
    """k(x, z) = profile(-gamma distance(x, z)); "median" takes gamma from the training points.

    Before `fit`, "median" is that of the points Z.
    """

    # gamma_j multiplies distances in feature j to this power; None where there is one gamma for all.
    power: int | None = 1

    def __init__(self, gamma: Width = "median"):
        self.gamma = gamma

    def fit(self, X: Any) -> Self:
        A = self.represent(X)
        if isinstance(self.gamma, str):
            self.__dict__.pop("gamma_", None)
            self.gamma_ = self._width(A)
        return super().fit(A)

    def values(self, A: Any, B: Any) -> Array:
        return self._profile(self._exponents(A, B))

    def squares(self, A: Any) -> Array:
        return namespace(A).ones(A.shape[0], dtype=A.dtype, device=device_of(A))

    def _median(self, A: Any) -> float:
        return 1.0 / median_distance(A, self._distances)

    def _distances(self, A: Any, B: Any) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must implement _distances(A, B).")

    def _profile(self, S: Array) -> Array:
        return namespace(S).exp(S)

    def _exponents(self, A: Any, B: Any) -> Array:
        """-gamma distance(a_i, b_j)."""
        A, B, gamma = *(self._scaled(points, B) for points in (A, B)), self._width(B)
        D = self._distances(A, B)
        D *= -gamma if isinstance(gamma, float) else -1.0
        return D

    def _scaled(self, A: Any, B: Any) -> Any:
        """The points A with the features in the units that the widths give them, where each has its own."""
        gamma = self._width(B)
        return A if isinstance(gamma, float) else scaled_columns(A, gamma ** (1.0 / (self.power or 1)))

    def _width(self, A: Any) -> Any:
        """gamma as a float, or a vector of one for each feature."""
        name = f"{type(self).__name__}.gamma"
        if isinstance(self.gamma, str):
            found = getattr(self, "gamma_", None)
            return self._by_rule(A, *multiple_of_rule(self.gamma, name)) if found is None else found
        if self.power is None or np.ndim(self.gamma) == 0:
            return positive(self.gamma, name, finite=True)
        return one_for_each(self.gamma, int(A.shape[1]), name)

    def _by_rule(self, A: Any, factor: float, rule: str) -> Any:
        """The median rule on the points as they are, or on features that have been given one spread."""
        if rule == "median":
            return factor * self._median(A)
        if self.power is None:
            raise ValueError(
                f"{type(self).__name__}.gamma has no rule 'auto', one width for each feature; use 'median'."
            )
        factors = 1.0 / spreads(distinct_rows(A))
        return factor * self._median(scaled_columns(A, factors)) * factors**self.power

    def _row(self, X: Array) -> Any:
        """gamma, to be multiplied with rows of X."""
        gamma = self._width(X)
        return gamma if isinstance(gamma, float) else as_floats(gamma, X)[None, :]

    def frequencies(self, G: Array, rng: Any) -> Array:
        """Rows w with k(x, z) = E cos <w, x - z>.

        Parameters
        ----------
        G : array of shape (p, d)
            Standard normal numbers.
        rng : RandomState
            Where further ones come from.

        Returns
        -------
        array of shape (p, d)
            The rows.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement frequencies(G, rng).")


def pulled(Q: Array, X: Array) -> Array:
    """sum_j Q_ij (x_j - x_i)."""
    return product(Q, X) - namespace(X).sum(Q, axis=1)[:, None] * X


class Gaussian(Radial):
    """k(x, z) = exp(-gamma |x - z|^2), or exp(-sum_j gamma_j (x_j - z_j)^2) with one gamma for each feature.

    Parameters
    ----------
    gamma : float, array-like of shape (d,), "median", "auto" or a multiple such as "0.5 median", default="median"
        "median" is 1 / (2 s^2), s the median distance between training inputs; "0.5 median" is half of that. "auto" is
        the same after each feature has been divided by its standard deviation: one gamma for each, in any units.

    Attributes
    ----------
    gamma_ : float
        The gamma taken from the training points, where it was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> Gaussian(gamma=1.0)(np.array([[0.0]]), np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.368]])
    >>> Gaussian(gamma=[1.0, 0.0])(np.array([[0.0, 5.0]]), np.array([[1.0, 0.0]])).round(3)
    array([[0.368]])
    """

    takes_sparse = True
    power = 2

    def _median(self, A: Any) -> float:
        return 0.5 * super()._median(A)

    def _distances(self, A: Any, B: Any) -> Array:
        return squared_distances(A, B)

    def tiles(self, A: Any) -> Callable[[slice, slice], Array]:
        if not is_array(A):
            return super().tiles(A)
        L, R, _ = augmented(self._scaled(A, A))
        gamma = self._width(A)
        L = (-gamma if isinstance(gamma, float) else -1.0) * L
        return lambda rows, columns: exponential(product(L[rows, :], R[:, columns]))

    def towards(self, A: Any, B: Any) -> Array:
        # One product with two columns more than the points have, and the exponential in its place.
        if not is_array(A) or not is_array(B):
            return super().towards(A, B)
        gamma, centre = self._width(B), namespace(B).mean(B, axis=0, keepdims=True)
        L, R = two_sides(*(cast(self._scaled(C - centre, B), A) for C in (A, B)))
        return exponential(product((-gamma if isinstance(gamma, float) else -1.0) * L, R), most=0.0)

    def frequencies(self, G: Array, rng: Any) -> Array:
        return (2.0 * self._row(G)) ** 0.5 * G

    def pullback(self, X: Array, M: Array) -> Array:
        return 4.0 * self._row(X) * pulled(M * self(X, X), X)


class Laplacian(Radial):
    """k(x, z) = exp(-gamma sum_j |x_j - z_j|), or exp(-sum_j gamma_j |x_j - z_j|) with one gamma for each feature.

    Parameters
    ----------
    gamma : float, array-like of shape (d,), "median" or a multiple such as "0.5 median", default="median"
        "median" is one over the median distance between training inputs; "0.5 median" is half of that.

    Attributes
    ----------
    gamma_ : float
        The gamma taken from the training points, where it was asked for.
    """

    def _distances(self, A: Array, B: Array) -> Array:
        return manhattan_distances(A, B)

    def frequencies(self, G: Array, rng: Any) -> Array:
        # Cauchy numbers: normal ones over others.
        return self._row(G) * G / np.abs(rng.standard_normal(G.shape))

    def pullback(self, X: Array, M: Array) -> Array:
        # Where two points agree in a coordinate, the middle of the subdifferential.
        xp = namespace(X)
        Q = M * self(X, X)
        coordinates = (X[:, j] for j in range(X.shape[1]))
        signs = [xp.sum(Q * xp.sign(x[:, None] - x[None, :]), axis=1) for x in coordinates]
        return -2.0 * self._row(X) * xp.stack(signs, axis=1)
