"""Output Hilbert spaces, each an isometry of the span of the outputs onto R^m."""

from .base import Space
from .euclidean import Euclidean
from .rkhs import RKHS

__all__ = ["RKHS", "Euclidean", "Space"]
