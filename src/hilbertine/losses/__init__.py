"""Losses l(p, y), known by their values, their conjugates and the proximal maps of these."""

from .base import Coefficients, Loss
from .calculus import EpsilonInsensitive, InfConv, MoreauEnvelope, PaschHausdorff
from .cells import Cells
from .margin import Hinge, Margin, MaxMargin, ScalarFunction, SquaredMaxMargin
from .profiles import ExpNorm, LogNorm, Power
from .radial import Radial
from .robust import Ball, EpsilonNorm, EpsilonSquare, Huber, Norm, Square

__all__ = [
    "Ball",
    "Cells",
    "Coefficients",
    "EpsilonInsensitive",
    "EpsilonNorm",
    "EpsilonSquare",
    "ExpNorm",
    "Hinge",
    "Huber",
    "InfConv",
    "LogNorm",
    "Loss",
    "Margin",
    "MaxMargin",
    "MoreauEnvelope",
    "Norm",
    "PaschHausdorff",
    "Power",
    "Radial",
    "ScalarFunction",
    "Square",
    "SquaredMaxMargin",
]
