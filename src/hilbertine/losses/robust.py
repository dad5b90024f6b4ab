"""The robust losses of the paper are three numbers: phi*(s) = a s^2/2 + b s + [s <= c].

| loss          | a | b       | c     | phi(t)                                      |
|---------------|---|---------|-------|---------------------------------------------|
| Square        | 1 | 0       | inf   | t^2/2                                       |
| EpsilonSquare | 1 | epsilon | inf   | max(t - epsilon, 0)^2/2                     |
| Huber         | 1 | 0       | kappa | t^2/2 up to kappa, then kappa (t - kappa/2) |
| EpsilonNorm   | 0 | epsilon | scale | scale max(t - epsilon, 0)                   |
| Norm          | 0 | 0       | scale | scale t                                     |
| Ball          | 0 | radius  | inf   | 0 up to the radius, infinite beyond         |
"""

import math
from typing import ClassVar

from ..arrays import Array, namespace
from ..checks import nonnegative, positive
from .base import Coefficients, Length
from .radial import Radial


class Robust(Radial):
    """phi*(s) = a s^2/2 + b s + [s <= c]; a subclass gives its `coefficients`, and nothing else."""

    @property
    def coefficients(self) -> Coefficients:
        raise NotImplementedError(f"{type(self).__name__} must give its coefficients (a, b, c).")

    @property
    def cap(self) -> float:
        return self.coefficients.c

    @property
    def curvature(self) -> float:
        return self.coefficients.a

    def flat(self) -> "Robust":
        return Known(self.coefficients._replace(a=0.0))

    def phi(self, t: Array) -> Array:
        xp = namespace(t)
        a, b, c = self.coefficients
        s, d = self.slope(t), xp.clip(t - b, min=0.0)
        # s (d - a s/2) with s = min(d/a, c), so that no infinity is taken from another.
        reach = d / 2 if a and math.isinf(c) else xp.maximum(d / 2, d - (a / 2 * c if a else 0.0))
        return s * reach

    def slope(self, t: Array) -> Array:
        xp = namespace(t)
        a, b, c = self.coefficients
        if a:
            return xp.clip((t - b) / a, min=0.0, max=c)
        return xp.where(t > b, xp.full_like(t, c), xp.zeros_like(t))

    def profile(self, s: Array) -> Array:
        xp = namespace(s)
        a, b, c = self.coefficients
        # A row put on the cap may exceed it by the rounding of its own norm.
        inside = s <= c * (1 + 16 * xp.finfo(s.dtype).eps)
        s = xp.clip(s, max=c)
        return xp.where(inside, (a / 2) * s * s + b * s, xp.full_like(s, math.inf))

    def inverse(self, s: Array) -> Array:
        a, b, _ = self.coefficients
        # Written so that an infinite s does not meet a = 0.
        return a * s + b if a else namespace(s).full_like(s, b)

    def bend(self, s: Array) -> Array:
        return namespace(s).full_like(s, self.coefficients.a)

    def shrink(self, s: Array, step: float) -> Array:
        a, b, c = self.coefficients
        return namespace(s).clip((s - step * b) / (1 + step * a), min=0.0, max=c)

    def check_trainable(self) -> None:
        check_finite(self, self.coefficients)


def check_finite(loss: Radial, coefficients: Coefficients) -> None:
    """Refuse a loss that is the indicator of a ball."""
    a, b, c = coefficients
    if a == 0 and math.isinf(c):
        raise ValueError(
            f"{loss!r} cannot be trained alone: it is infinite as soon as one residual exceeds {b:g}. "
            f"Use EpsilonSquare(epsilon={b:g}), or combine it with another loss by InfConv."
        )


class Known(Robust):
    """A loss given by its three numbers: what an infimal convolution of such losses is.

    Parameters
    ----------
    coefficients : Coefficients
        The three numbers (a, b, c).
    """

    def __init__(self, coefficients: Coefficients):
        self.numbers = coefficients

    @property
    def coefficients(self) -> Coefficients:
        return self.numbers


class Square(Robust):
    """l(p, y) = |p - y|^2 / 2: kernel ridge regression."""

    coefficients = Coefficients(1.0, 0.0, math.inf)


class EpsilonSquare(Robust):
    """l(p, y) = max(|p - y| - epsilon, 0)^2 / 2: residuals inside the tube cost nothing and leave no coefficient.

    Parameters
    ----------
    epsilon : float or "auto", default=0.1
        Radius of the tube, a length of outputs; "auto" is 0.3 of the scale of the residuals.

    Examples
    --------
    >>> import numpy as np
    >>> EpsilonSquare(epsilon=1.0).phi(np.array([0.5, 1.0, 3.0]))
    array([0., 0., 2.])
    """

    AUTO: ClassVar = {"epsilon": 0.3}

    def __init__(self, epsilon: Length = 0.1):
        self.epsilon = epsilon

    @property
    def coefficients(self) -> Coefficients:
        return Coefficients(1.0, nonnegative(self.given("epsilon"), "epsilon"), math.inf)


class Huber(Robust):
    """l(p, y) = |p - y|^2 / 2 up to kappa, then kappa (|p - y| - kappa/2): no sample pulls harder than kappa.

    Parameters
    ----------
    kappa : float or "auto", default=1.0
        Largest length of a dual row, a length of outputs; "auto" is the scale of the residuals.

    Examples
    --------
    >>> import numpy as np
    >>> Huber(kappa=1.0).phi(np.array([0.5, 1.0, 3.0]))
    array([0.125, 0.5  , 2.5  ])
    """

    AUTO: ClassVar = {"kappa": 1.0}

    def __init__(self, kappa: Length = 1.0):
        self.kappa = kappa

    @property
    def coefficients(self) -> Coefficients:
        return Coefficients(1.0, 0.0, positive(self.given("kappa"), "kappa"))


class EpsilonNorm(Robust):
    """l(p, y) = scale max(|p - y| - epsilon, 0): support vector regression for vectors.

    Parameters
    ----------
    epsilon : float or "auto", default=0.1
        Radius of the tube, a length of outputs; "auto" is 0.3 of the scale of the residuals.
    scale : float or "auto", default=1.0
        What the loss is multiplied by, and the largest length of a dual row; "auto" is the scale of the
        residuals, so that the model does not depend on the unit of the outputs.
    """

    AUTO: ClassVar = {"epsilon": 0.3, "scale": 1.0}

    def __init__(self, epsilon: Length = 0.1, scale: Length = 1.0):
        self.epsilon = epsilon
        self.scale = scale

    @property
    def coefficients(self) -> Coefficients:
        cap = positive(self.given("scale"), "scale", finite=True)
        return Coefficients(0.0, nonnegative(self.given("epsilon"), "epsilon"), cap)


class Norm(Robust):
    """l(p, y) = scale |p - y|.

    Parameters
    ----------
    scale : float, default=1.0
        Slope, the length of the dual row of every sample that is not fitted exactly.
    """

    def __init__(self, scale: float = 1.0):
        self.scale = scale

    @property
    def coefficients(self) -> Coefficients:
        return Coefficients(0.0, 0.0, positive(self.scale, "scale", finite=True))


class Ball(Robust):
    """l(p, y) = 0 if |p - y| <= radius, else infinity: an ingredient of `InfConv`, not trained alone.

    Parameters
    ----------
    radius : float or "auto", default=0.1
        Radius, a length of outputs; "auto" is 0.3 of the scale of the residuals.
    """

    AUTO: ClassVar = {"radius": 0.3}

    def __init__(self, radius: Length = 0.1):
        self.radius = radius

    @property
    def coefficients(self) -> Coefficients:
        return Coefficients(0.0, nonnegative(self.given("radius"), "radius"), math.inf)
