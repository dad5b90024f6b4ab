"""Scalar kernels k(x, z), for inputs and for outputs."""

from ..containers.spectra import MassSpectrum
from .algebra import Product, Scaled, Sum
from .base import FromCallable, Kernel, as_kernel
from .curves import Derivative, IntegralLaplacian
from .features import Features
from .fingerprints import GaussianTanimoto, Intersection, Tanimoto
from .graphs import Graphs
from .precomputed import Precomputed, PrecomputedRows
<<<<<<< HEAD
from .spectra import NeutralLosses, Peaks
=======
from .radial import Exponential, Gaussian, Laplacian, Matern
from .spectra import NeutralLosses, Peaks, Spectrum
>>>>>>> 28b25de (Kernels on vectors: one gamma for each feature, multiples of the median, Matern, sparse points, one reading step)
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
<<<<<<< HEAD
    "MassSpectrum",
=======
    "Matern",
>>>>>>> 28b25de (Kernels on vectors: one gamma for each feature, multiples of the median, Matern, sparse points, one reading step)
    "NeutralLosses",
    "Normalised",
    "Peaks",
    "Polynomial",
    "Precomputed",
    "PrecomputedRows",
    "Product",
    "Scaled",
    "Substrings",
    "Sum",
    "Tanimoto",
    "as_kernel",
]
