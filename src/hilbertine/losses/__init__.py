"""Losses l(p, y), known by their values, their conjugates and the proximal maps of these."""

from .base import Coefficients, Loss
from .calculus import InfConv
from .radial import Radial
from .robust import Ball, EpsilonNorm, EpsilonSquare, Huber, Norm, Square

__all__ = [
    "Ball",
    "Coefficients",
    "EpsilonNorm",
    "EpsilonSquare",
    "Huber",
    "InfConv",
    "Loss",
    "Norm",
    "Radial",
    "Square",
]
