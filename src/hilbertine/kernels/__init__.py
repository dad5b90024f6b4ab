"""Scalar kernels k(x, z), for inputs and for outputs."""

from .algebra import Product, Scaled, Sum
from .base import FromCallable, Kernel, as_kernel
from .fingerprints import GaussianTanimoto, Intersection, Tanimoto
from .precomputed import Precomputed, PrecomputedRows
from .strings import Substrings
from .transforms import Centred, Normalised
from .vectors import Constant, Gaussian, Laplacian, Linear, Polynomial

__all__ = [
    "Centred",
    "Constant",
    "FromCallable",
    "Gaussian",
    "GaussianTanimoto",
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
