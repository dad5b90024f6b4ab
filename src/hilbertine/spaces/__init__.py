"""Output Hilbert spaces, each an isometry of the span of the outputs onto R^m, and the way back to outputs."""

from .base import Space
from .bases import Basis, BSpline, Cosine, Fourier, Legendre, Points, Wavelet
from .decoding import Clamp, Decoder, FromCallable, InnerProduct, LossTrick, Nearest
from .eigenfunctions import BrownianEigenfunctions, Eigenfunctions, ExponentialEigenfunctions, PrincipalComponents
from .euclidean import Euclidean
from .l2 import L2
from .rkhs import RKHS

__all__ = [
    "L2",
    "RKHS",
    "BSpline",
    "Basis",
    "BrownianEigenfunctions",
    "Clamp",
    "Cosine",
    "Decoder",
    "Eigenfunctions",
    "Euclidean",
    "ExponentialEigenfunctions",
    "Fourier",
    "FromCallable",
    "InnerProduct",
    "Legendre",
    "LossTrick",
    "Nearest",
    "Points",
    "PrincipalComponents",
    "Space",
    "Wavelet",
]
