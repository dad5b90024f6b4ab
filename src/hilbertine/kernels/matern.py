"""Kernels of the Euclidean distance itself, and the smoother ones of their family."""

from collections.abc import Callable
from typing import Any

from ..arrays import Array, is_array, namespace, product
from .distances import augmented, squared_distances
from .radial import Radial, pulled
from .widths import Width


class Exponential(Radial):
    """k(x, z) = exp(-gamma |x - z|), the Euclidean distance itself.

    Parameters
    ----------
    gamma : float, array-like of shape (d,), "median" or a multiple such as "0.5 median", default="median"
        "median" is one over the median distance between training inputs; "0.5 median" is half of that. One gamma for
        each feature multiplies the features.

    Attributes
    ----------
    gamma_ : float
        The gamma taken from the training points, where it was asked for.
    """

    takes_sparse = True

    def _distances(self, A: Any, B: Any) -> Array:
        D = squared_distances(A, B)
        return namespace(D).sqrt(D)

    def tiles(self, A: Any) -> Callable[[slice, slice], Array]:
        if not is_array(A):
            return super().tiles(A)
        L, R, rounding = augmented(self._scaled(A, A))
        gamma, xp = self._width(A), namespace(A)
        factor = -gamma if isinstance(gamma, float) else -1.0

        def values(rows: slice, columns: slice) -> Array:
            D = product(L[rows, :], R[:, columns])
            return self._profile(factor * xp.sqrt(xp.where(rounding < D, D, 0.0 * D)))

        return values

    def frequencies(self, G: Array, rng: Any) -> Array:
        return self._student(G, 1.0, rng)

    def _student(self, G: Array, degrees: float, rng: Any) -> Array:
        """Multivariate Student numbers, Cauchy's with one degree of freedom."""
        return self._row(G) * G * (degrees / rng.chisquare(degrees, G.shape[0]))[:, None] ** 0.5


class Matern(Exponential):
    """k(x, z) = exp(-s) times 1, 1 + s or 1 + s + s^2/3, s = sqrt(2 nu) gamma |x - z|, for nu = 1/2, 3/2, 5/2.

    `Exponential` has nu = 1/2. gamma is one over the `length_scale` of scikit-learn.

    Parameters
    ----------
    nu : {0.5, 1.5, 2.5}, default=1.5
        The smoothness.
    gamma : float, array-like of shape (d,), "median" or a multiple such as "0.5 median", default="median"
        "median" is one over the median distance between training inputs; "0.5 median" is half of that. One gamma for
        each feature multiplies the features.

    Attributes
    ----------
    gamma_ : float
        The gamma taken from the training points, where it was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> Matern(nu=2.5, gamma=0.5)(np.array([[0.0]]), np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.829]])
    """

    def __init__(self, nu: float = 1.5, gamma: Width = "median"):
        super().__init__(gamma)
        self.nu = nu

    def _profile(self, S: Array) -> Array:
        nu, s = self._checked(), -((2.0 * self.nu) ** 0.5) * S
        factor = {0.5: 1.0, 1.5: 1.0 + s, 2.5: 1.0 + s + s * s / 3.0}[nu]
        return factor * namespace(S).exp(-s)

    def frequencies(self, G: Array, rng: Any) -> Array:
        return self._student(G, 2.0 * self._checked(), rng)

    def pullback(self, X: Array, M: Array) -> Array:
        # With k' = -2 nu gamma^2 (x - z) exp(-s) times 1 for nu = 3/2, (1 + s) / 3 for 5/2.
        nu = self._checked()
        if nu == 0.5:
            return super().pullback(X, M)
        s = -((2.0 * nu) ** 0.5) * self._exponents(X, X)
        slopes = namespace(s).exp(-s) * (1.0 if nu == 1.5 else (1.0 + s) / 3.0)
        return 4.0 * nu * self._row(X) ** 2 * pulled(M * slopes, X)

    def _checked(self) -> float:
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"Matern.nu must be 0.5, 1.5 or 2.5, got {self.nu!r}; Gaussian is its limit.")
        return float(self.nu)
