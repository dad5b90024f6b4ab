"""Scalar kernels k(x, z), for inputs and for outputs."""

from ..containers.spectra import MassSpectrum
from .algebra import Product, Scaled, Sum
from .base import Kernel
from .callables import FromCallable, as_kernel
from .curves import Derivative, IntegralLaplacian
from .features import Features
from .fingerprints import GaussianTanimoto, Intersection, Tanimoto
from .fourier import RandomFourier
from .graphs import Graphs
from .matern import Exponential, Matern
from .nystroem import Nystroem
from .precomputed import Precomputed, PrecomputedRows
from .radial import Gaussian, Laplacian
from .spectra import NeutralLosses, Peaks
from .strings import Substrings
from .transforms import Centred, Normalised
from .vectors import Constant, Linear, Polynomial

__all__ = [
    "Centred",
    "Constant",
    "Derivative",
    "Exponential",
    "Features",
    "FromCallable",
    "Gaussian",
    "GaussianTanimoto",
    "Graphs",
    "IntegralLaplacian",
    "Intersection",
    "Kernel",
    "Laplacian",
    "Linear",
    "MassSpectrum",
    "Matern",
    "NeutralLosses",
    "Normalised",
    "Nystroem",
    "Peaks",
    "Polynomial",
    "Precomputed",
    "PrecomputedRows",
    "Product",
    "RandomFourier",
    "Scaled",
    "Substrings",
    "Sum",
    "Tanimoto",
    "as_kernel",
]
