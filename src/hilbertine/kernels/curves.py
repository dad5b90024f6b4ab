"""Kernels on curves sampled on a common grid: rows of a matrix, one column for each point of the grid."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Array, as_floats, device_of, namespace
from ..checks import whole
from ..site import Linked
from .distances import manhattan_distances, median_distance
from .radial import Radial


class IntegralLaplacian(Radial):
    """k(x, z) = sum_t w_t exp(-gamma |x(t) - z(t)|), the integral over the grid by its quadrature weights w.

    Parameters
    ----------
    gamma : float, "median" or a multiple such as "0.5 median", default="median"
        "median" is one over the median of the mean distance of two curves; "0.5 median" is half of that.
    weights : array-like of shape (n_points,), default=None
        Weights of a quadrature on the grid, None for the mean.

    Attributes
    ----------
    gamma_ : float
        The gamma taken from the training curves, where it was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> IntegralLaplacian(gamma=7.0)(np.zeros((1, 3)), np.array([[0.0, 0.1, 1.0]])).round(3)
    array([[0.499]])
    """

    power = None

    def __init__(self, gamma: float | str = "median", weights: Any = None):
        super().__init__(gamma)
        self.weights = weights

    def _weights(self, X: Array) -> Array:
        points = int(X.shape[1])
        w = as_floats(np.full(points, 1.0 / points) if self.weights is None else self.weights, X)
        if tuple(w.shape) != (points,):
            raise ValueError(
                f"IntegralLaplacian.weights has shape {tuple(w.shape)}, but the curves have {points} points; give one "
                "weight for each point of the grid, or None for the mean."
            )
        if not bool(namespace(w).all((w >= 0) & namespace(w).isfinite(w))):
            raise ValueError("IntegralLaplacian.weights must be finite and >= 0, or the kernel is not positive.")
        return w

    def _median(self, X: Array) -> float:
        w = self._weights(X)
        return float(namespace(w).sum(w)) / median_distance(X * w[None, :], manhattan_distances)

    def values(self, A: Array, B: Array) -> Array:
        gamma, w = self._width(B), self._weights(B)
        xp = namespace(A)
        K = xp.zeros((A.shape[0], B.shape[0]), dtype=A.dtype, device=device_of(A))
        # One point of the grid at a time: no n x q x points array.
        for t in range(A.shape[1]):
            K += w[t] * xp.exp(-gamma * xp.abs(A[:, t][:, None] - B[:, t][None, :]))
        return K

    def squares(self, A: Array) -> Array:
        return super().squares(A) * namespace(A).sum(self._weights(A))


class Derivative(TransformerMixin, Linked, BaseEstimator):
    """x -> the derivative of x of a given order, by differences on the grid (None: equally spaced on [0, 1]).

    A transformer of scikit-learn, for `Features` or a pipeline.

    Parameters
    ----------
    grid : array-like of shape (n_points,), default=None
        Increasing points, one for each column.
    order : int, default=1
        How often to differentiate.

    Examples
    --------
    >>> import numpy as np
    >>> Derivative(grid=[0.0, 1.0, 3.0]).fit_transform(np.array([[0.0, 2.0, 6.0]]))
    array([[2., 2., 2.]])
    """

    def __init__(self, grid: Any = None, order: int = 1):
        self.grid = grid
        self.order = order

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the grid against the curves.

        Parameters
        ----------
        X : array of shape (n, n_points)
            Curves.
        y : None, default=None
            Ignored.

        Returns
        -------
        Self
            The fitted transformer.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_features=2)
        points = X.shape[1]
        grid = np.linspace(0.0, 1.0, points) if self.grid is None else np.asarray(self.grid, dtype=np.float64)
        if grid.shape != (points,) or not np.all(np.diff(grid) > 0):
            raise ValueError(
                f"Derivative.grid must be {points} increasing numbers, one for each column of the curves; got "
                f"{grid.size} numbers"
                + ("." if grid.size != points else " that do not increase.")
                + (f" For a derivative of that order: Derivative(order={self.grid})." if grid.ndim == 0 else "")
            )
        whole(self.order, "Derivative.order")
        self.grid_ = grid
        return self

    def transform(self, X: Any) -> Array:
        """The derivatives at the same points.

        Parameters
        ----------
        X : array of shape (n, n_points)
            Curves.

        Returns
        -------
        array of shape (n, n_points)
            Their derivatives.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        for _ in range(self.order):
            X = np.gradient(X, self.grid_, axis=1)
        return X
