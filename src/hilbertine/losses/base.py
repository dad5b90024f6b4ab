"""What the dual problem asks of a loss: three methods, row by row."""

import math
from typing import NamedTuple

from sklearn.base import BaseEstimator

from ..arrays import Array


class Coefficients(NamedTuple):
    """phi*(s) = a s^2/2 + b s + [s <= c]: curvature a, insensitivity b, cap c."""

    a: float
    b: float
    c: float


class Loss(BaseEstimator):
    """l(p, y), convex in p; l_i(p) = l(p, t_i) for the i-th target.

    Must implement `value`, `conjugate` and `prox`, which take and return whole matrices: row i belongs to
    sample i. They are tied together by the inequality of Fenchel and Young,

        l(p_i, t_i) + l_i*(-w_i) + <w_i, p_i> >= 0,  with equality iff w_i = -l_i'(p_i).

    May implement `check_trainable`, `cap` (the radius of the ball that dual rows live in), `coefficients`, which make
    fast solvers faster, and `beyond`, for losses whose dual rows a truncated basis does not hold.
    """

    @property
    def coefficients(self) -> Coefficients | None:
        return None

    @property
    def cap(self) -> float:
        return math.inf

    @property
    def square(self) -> bool:
        """Whether this is |p - y|^2 / 2, for which closed forms exist."""
        return self.coefficients == Coefficients(1.0, 0.0, math.inf)

    def value(self, P: Array, T: Array) -> Array:
        """l(p_i, t_i)."""
        raise NotImplementedError(f"{type(self).__name__} must implement value(P, T).")

    def conjugate(self, W: Array, T: Array) -> Array:
        """l_i*(-w_i), infinite outside the domain."""
        raise NotImplementedError(f"{type(self).__name__} must implement conjugate(W, T).")

    def prox(self, W: Array, T: Array, step: float) -> Array:
        """argmin_u  step l_i*(-u) + |u - w_i|^2 / 2."""
        raise NotImplementedError(f"{type(self).__name__} must implement prox(W, T, step).")

    def beyond(self, W: Array, T: Array, tails: Array) -> Array:
        """What dual rows have along y_i - t_i, the part of norm tail_i that the basis leaves out: for most nothing."""
        return 0.0 * tails

    def check_trainable(self) -> None:
        """Raise if the parameters are invalid or if no model can be trained with this loss alone."""
