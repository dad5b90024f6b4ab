"""Infimal convolution: conjugates add."""

from .base import Coefficients
from .robust import Robust


class InfConv(Robust):
    """l(p, y) = min_u f(p - u) + g(u - y), hence l* = f* + g*: add a, add b, take the smaller c.

    >>> from hilbertine.losses import Ball, Huber
    >>> epsilon_huber = InfConv(Huber(kappa=2.0), Ball(radius=0.5))
    >>> epsilon_huber.coefficients
    Coefficients(a=1.0, b=0.5, c=2.0)
    """

    def __init__(self, f: Robust, g: Robust):
        self.f = f
        self.g = g

    @property
    def coefficients(self) -> Coefficients:
        for part in (self.f, self.g):
            if not isinstance(part, Robust):
                raise TypeError(f"InfConv needs two losses with coefficients (a, b, c), got {part!r}.")
        (a, b, c), (d, e, f) = self.f.coefficients, self.g.coefficients
        return Coefficients(a + d, b + e, min(c, f))
