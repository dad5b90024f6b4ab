"""How far predictions are from outputs, in the space where the outputs live."""

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from .arrays import Array, as_floats, inner, namespace, to_numpy
from .spaces import Space


def squared_norms(space: Space, C: Array, Y: Any) -> Array:
    """|sum_j c_ij e_j - y_i|^2 = |c_i - t_i|^2 + (|y_i|^2 - |t_i|^2), the second part off the span of the e_j."""
    xp = namespace(C)
    T = as_floats(space.encode(Y), C)
    tails = xp.clip(as_floats(space.norms(Y), C) ** 2 - inner(T, T), min=0.0)
    return inner(C - T, C - T) + tails


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
