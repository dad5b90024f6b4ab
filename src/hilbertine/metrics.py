"""How far predictions are from outputs, in the space where the outputs live."""

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from .arrays import Array, as_floats, inner, namespace, to_numpy
from .spaces import Space


def squared_norms(space: Space, C: Array, Y: Any) -> Array:
    """|sum_j c_ij e_j - y_i|^2 = |c_i - t_i|^2 + (|y_i|^2 - |t_i|^2), the second part off the span of the e_j."""
    T = as_floats(space.encode(Y), C)
    return inner(C - T, C - T) + truncation_tails(space, Y, T) ** 2


def truncation_tails(space: Space, Y: Any, T: Array) -> Array:
    """sqrt(|y_i|^2 - |t_i|^2), what the coordinates T miss of the outputs; zero where it is only rounding."""
    xp = namespace(T)
    squares = as_floats(space.norms(Y), T) ** 2
    missing = squares - inner(T, T)
    return xp.sqrt(xp.where(missing > 1e-13 * squares, missing, xp.zeros_like(missing)))


def mean_squared_norm(space: Space, C: Array, Y: Any) -> float:
    """The mean over the samples of the squared output norm of the error."""
    return float(namespace(C).mean(squared_norms(space, C, Y)))


def r2(T: Array, C: Array) -> float:
    """The coefficient of determination, averaged over the outputs."""
    return float(r2_score(to_numpy(T), to_numpy(C)))


def hamming(Y: Any, P: Any, threshold: float = 0.5) -> Array:
    """The fraction of wrong labels per sample, predictions clamped to 0/1 at the threshold.

    >>> hamming([[1, 0, 1, 0]], [[0.9, 0.6, 0.2, 0.1]])
    array([0.5])
    """
    return np.mean((to_numpy(P) > threshold) != (to_numpy(Y) > 0.5), axis=1)
