"""Scalar kernels k(x, z), for inputs and for outputs."""

from .algebra import Product, Scaled, Sum
from .base import FromCallable, Kernel, as_kernel
from .curves import Derivative, IntegralLaplacian
from .fingerprints import GaussianTanimoto, Intersection, Tanimoto
from .precomputed import Precomputed, PrecomputedRows
from .strings import Substrings
from .transforms import Centred, Features, Normalised
from .vectors import Constant, Exponential, Gaussian, Laplacian, Linear, Polynomial

__all__ = [
    "Centred",
    "Constant",
    "Derivative",
    "Exponential",
    "Features",
    "FromCallable",
    "Gaussian",
    "GaussianTanimoto",
    "IntegralLaplacian",
    "Intersection",
    "Kernel",
    "Laplacian",
    "Linear",
    "Normalised",
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
