"""Losses with other profiles than (a, b, c): powers, |y| log |y|, exp |y| - 1."""

import math

from ..arrays import Array, namespace
from ..checks import positive
from .radial import Radial

# exp beyond this is taken for infinite: with a scale before it, it would overflow.
LARGEST_EXPONENT = 690.0


def _expm1(x: Array) -> Array:
    """exp(x) - 1, infinite rather than overflowing."""
    xp = namespace(x)
    return xp.where(x < LARGEST_EXPONENT, xp.expm1(xp.clip(x, max=LARGEST_EXPONENT)), xp.full_like(x, math.inf))


def _above(t: Array) -> Array:
    """Lengths: none is below zero."""
    return namespace(t).clip(t, min=0.0)


class Power(Radial):
    """l(p, y) = scale |p - y|^eta / eta for eta > 1: phi*(s) = scale (s/scale)^eta' / eta', 1/eta + 1/eta' = 1.

    Parameters
    ----------
    eta : float, default=1.5
        Exponent, above 1.
    scale : float, default=1.0
        Factor of the loss.

    Examples
    --------
    >>> import numpy as np
    >>> Power(eta=3.0).phi(np.array([1.0, 2.0])).round(3), Power(eta=3.0).profile(np.array([4.0])).round(3)
    (array([0.333, 2.667]), array([5.333]))
    """

    def __init__(self, eta: float = 1.5, scale: float = 1.0):
        self.eta = eta
        self.scale = scale

    def _numbers(self) -> tuple[float, float]:
        eta = positive(self.eta, "eta", finite=True)
        if eta <= 1:
            raise ValueError(f"Power needs eta > 1, got {self.eta!r}; for eta = 1 use Norm(scale).")
        return eta, positive(self.scale, "scale", finite=True)

    def phi(self, t: Array) -> Array:
        eta, scale = self._numbers()
        return scale * _above(t) ** eta / eta

    def slope(self, t: Array) -> Array:
        eta, scale = self._numbers()
        return scale * _above(t) ** (eta - 1)

    def profile(self, s: Array) -> Array:
        eta, _ = self._numbers()
        # s t - phi(t) at the t that has slope s.
        return s * self.inverse(s) * (1 - 1 / eta)

    def inverse(self, s: Array) -> Array:
        eta, scale = self._numbers()
        return (_above(s) / scale) ** (1 / (eta - 1))

    def check_trainable(self) -> None:
        self._numbers()


class LogNorm(Radial):
    """l(p, y) = scale (r log r + 1/e), r = |p - y| >= 1/e, and 0 below: phi*(s) = scale (exp(s/scale) - 1) / e.

    r log r falls until 1/e and is not convex as a function of the vector there; duality solves the problem with its
    convex hull, which is constant up to 1/e, and the constant is taken off so that a perfect fit costs nothing. So
    residuals below 1/e leave no coefficient. Beyond s = 690 scale the profile overflows and is infinite.

    Parameters
    ----------
    scale : float, default=1.0
        Factor of the loss.
    """

    def __init__(self, scale: float = 1.0):
        self.scale = scale

    def _scale(self) -> float:
        return positive(self.scale, "scale", finite=True)

    def phi(self, t: Array) -> Array:
        xp = namespace(t)
        t = xp.clip(t, min=1 / math.e)
        return xp.clip(self._scale() * (t * xp.log(t) + 1 / math.e), min=0.0)

    def slope(self, t: Array) -> Array:
        xp = namespace(t)
        return self._scale() * (xp.log(xp.clip(t, min=1 / math.e)) + 1.0)

    def profile(self, s: Array) -> Array:
        scale = self._scale()
        return (scale / math.e) * _expm1(s / scale)

    def inverse(self, s: Array) -> Array:
        return (_expm1(s / self._scale()) + 1.0) / math.e

    def check_trainable(self) -> None:
        self._scale()


class ExpNorm(Radial):
    """l(p, y) = scale (exp|p - y| - 1): phi*(s) = s log(s/scale) - s + scale beyond the scale, 0 below.

    At residuals beyond 690 the loss overflows and is infinite: standardise the outputs.

    Parameters
    ----------
    scale : float, default=1.0
        Factor of the loss.
    """

    def __init__(self, scale: float = 1.0):
        self.scale = scale

    def _scale(self) -> float:
        return positive(self.scale, "scale", finite=True)

    def phi(self, t: Array) -> Array:
        return self._scale() * _expm1(t)

    def slope(self, t: Array) -> Array:
        xp = namespace(t)
        # At zero every length up to the scale is a subgradient.
        return xp.where(t > 0, self._scale() * (_expm1(t) + 1.0), xp.zeros_like(t))

    def profile(self, s: Array) -> Array:
        scale = self._scale()
        xp = namespace(s)
        x = xp.clip(s / scale - 1.0, min=0.0)
        # (1 + x) log(1 + x) - x, arranged so that an infinite s gives infinity.
        return scale * (xp.log1p(x) + x * (xp.log1p(x) - 1.0))

    def inverse(self, s: Array) -> Array:
        xp = namespace(s)
        return xp.log1p(xp.clip(s / self._scale() - 1.0, min=0.0))

    def check_trainable(self) -> None:
        self._scale()
