"""Infimal convolution: conjugates add. The envelopes of the paper are infimal convolutions with one known part."""

import math
from typing import ClassVar

from ..arrays import Array, namespace
from ..checks import nonnegative, positive
from .base import Coefficients, Length, Loss
from .radial import Radial
from .robust import Known, Robust, check_finite
from .roots import increasing_root


class InfConv(Radial):
    """l(p, y) = min_u f(p - u) + g(u - y), hence l* = f* + g*, for any two radial losses.

    Where both have coefficients, so has it: add a, add b, take the smaller c. Otherwise phi'(t) is the s for which
    the two residuals phi_f*'(s) + phi_g*'(s) make up t.

    Parameters
    ----------
    f : Radial
        A radial loss, such as `Huber(1.0)`.
    g : Radial
        Another.

    Examples
    --------
    >>> from hilbertine.losses import Ball, ExpNorm, Huber
    >>> InfConv(Huber(kappa=2.0), Ball(radius=0.5)).coefficients
    Coefficients(a=1.0, b=0.5, c=2.0)
    >>> import numpy as np
    >>> InfConv(ExpNorm(), Ball(radius=0.5)).phi(np.array([0.4, 1.5])).round(4)
    array([0.    , 1.7183])
    """

    def __init__(self, f: Radial, g: Radial):
        self.f = f
        self.g = g

    def parts(self) -> tuple[Radial, Radial]:
        """The two losses, checked."""
        f, g = self.f, self._other()
        for part in (f, g):
            if not isinstance(part, Radial):
                raise TypeError(
                    f"{type(self).__name__} combines radial losses phi(|p - y|), and {part!r} is none; "
                    "pass losses such as Huber(1.0), Power(1.5) or Ball(0.1)."
                )
        return f, g

    def _other(self) -> Radial:
        return self.g

    @property
    def coefficients(self) -> Coefficients | None:
        left, right = (part.coefficients for part in self.parts())
        if left is None or right is None:
            return None
        return Coefficients(left.a + right.a, left.b + right.b, min(left.c, right.c))

    @property
    def cap(self) -> float:
        return min(part.cap for part in self.parts())

    @property
    def curvature(self) -> float:
        closed = self._closed()
        return 0.0 if closed is None else closed.curvature

    def flat(self) -> Loss:
        closed = self._closed()
        return self if closed is None else closed.flat()

    def _closed(self) -> Robust | None:
        """The loss with these coefficients, if it has any: all in closed form."""
        return None if self.coefficients is None else Known(self.coefficients)

    def phi(self, t: Array) -> Array:
        if closed := self._closed():
            return closed.phi(t)
        xp = namespace(t)
        s = self.slope(t)
        finite = xp.isfinite(s)
        safe = xp.where(finite, s, xp.zeros_like(s))
        profile, product = self.profile(safe), safe * t
        # Where the slope, the profile or the product overflows, so does the loss.
        finite = finite & xp.isfinite(profile) & xp.isfinite(product)
        zero = xp.zeros_like(t)
        # Only rounding lies below zero.
        value = xp.clip(xp.where(finite, product, zero) - xp.where(finite, profile, zero), min=0.0)
        return xp.where(finite, value, xp.full_like(t, math.inf))

    def slope(self, t: Array) -> Array:
        if closed := self._closed():
            return closed.slope(t)
        xp = namespace(t)
        f, g = self.parts()
        # Each part takes at most t, and one of them at least t/2.
        upper = xp.minimum(f.slope(t), g.slope(t))
        lower = xp.minimum(xp.minimum(f.slope(t / 2.0), g.slope(t / 2.0)), upper)
        return increasing_root(self.inverse, t, lower, upper, self)

    def profile(self, s: Array) -> Array:
        if closed := self._closed():
            return closed.profile(s)
        f, g = self.parts()
        return f.profile(s) + g.profile(s)

    def inverse(self, s: Array) -> Array:
        f, g = self.parts()
        return f.inverse(s) + g.inverse(s)

    def shrink(self, s: Array, step: float) -> Array:
        if closed := self._closed():
            return closed.shrink(s, step)
        xp = namespace(s)
        f, g = self.parts()
        # Of u, step phi_f*'(u) and step phi_g*'(u), which sum to s, none exceeds s and one is at least a third.
        upper = xp.clip(xp.minimum(s, xp.minimum(f.slope(s / step), g.slope(s / step))), max=self.cap)
        third = s / 3.0
        lower = xp.minimum(third, xp.minimum(f.slope(third / step), g.slope(third / step)))
        return increasing_root(lambda u: u + step * self.inverse(u), s, xp.minimum(lower, upper), upper, self)

    def check_trainable(self) -> None:
        if known := self.coefficients:
            check_finite(self, known)
        for part in self.parts():
            # Alone a ball cannot be trained; beside a finite loss it widens the tube.
            if part.coefficients is None:
                part.check_trainable()


class MoreauEnvelope(InfConv):
    """l(p, y) = min_u f(p - u) + |u - y|^2 / (2t): phi*(s) = f*(s) + t s^2/2.

    Parameters
    ----------
    f : Radial
        A radial loss, such as `Huber(1.0)`.
    t : float, default=1.0
        Curvature that the conjugate gains; the loss is smooth on this scale.

    Examples
    --------
    >>> from hilbertine.losses import Norm
    >>> MoreauEnvelope(Norm(scale=0.5), t=1.0).coefficients  # Huber(0.5)
    Coefficients(a=1.0, b=0.0, c=0.5)
    """

    def __init__(self, f: Radial, t: float = 1.0):
        self.f = f
        self.t = t

    def _other(self) -> Radial:
        return Known(Coefficients(positive(self.t, "t", finite=True), 0.0, math.inf))


class PaschHausdorff(InfConv):
    """l(p, y) = min_u f(p - u) + t |u - y|: phi*(s) = f*(s) + [s <= t], the largest t-Lipschitz loss below f.

    Parameters
    ----------
    f : Radial
        A radial loss, such as `Huber(1.0)`.
    t : float or "auto", default=1.0
        Largest slope, the cap of dual rows; "auto" is the scale of the residuals.

    Examples
    --------
    >>> from hilbertine.losses import Square
    >>> PaschHausdorff(Square(), t=0.5).coefficients  # Huber(0.5)
    Coefficients(a=1.0, b=0.0, c=0.5)
    """

    AUTO: ClassVar = {"t": 1.0}

    def __init__(self, f: Radial, t: Length = 1.0):
        self.f = f
        self.t = t

    def _other(self) -> Radial:
        return Known(Coefficients(0.0, 0.0, positive(self.given("t"), "t", finite=True)))


class EpsilonInsensitive(InfConv):
    """l(p, y) = min over |u - y| <= epsilon of f(p - u) = phi_f((|p - y| - epsilon)_+): phi*(s) = f*(s) + epsilon s.

    Parameters
    ----------
    f : Radial
        A radial loss, such as `Huber(1.0)`.
    epsilon : float or "auto", default=0.1
        Radius of the tube, a length of outputs; "auto" is 0.3 of the scale of the residuals.

    Examples
    --------
    >>> from hilbertine.losses import Square
    >>> EpsilonInsensitive(Square(), epsilon=0.2).coefficients  # EpsilonSquare(0.2)
    Coefficients(a=1.0, b=0.2, c=inf)
    """

    AUTO: ClassVar = {"epsilon": 0.3}

    def __init__(self, f: Radial, epsilon: Length = 0.1):
        self.f = f
        self.epsilon = epsilon

    def _other(self) -> Radial:
        return Known(Coefficients(0.0, nonnegative(self.given("epsilon"), "epsilon"), math.inf))
