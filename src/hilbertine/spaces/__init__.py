"""Output Hilbert spaces, each an isometry of the span of the outputs onto R^m, and the way back to outputs."""

from .base import Space
from .decoding import Clamp, Decoder, InnerProduct, LossTrick, Nearest
from .euclidean import Euclidean
from .rkhs import RKHS

__all__ = ["RKHS", "Clamp", "Decoder", "Euclidean", "InnerProduct", "LossTrick", "Nearest", "Space"]
