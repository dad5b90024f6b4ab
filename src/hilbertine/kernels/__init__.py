"""Scalar kernels k(x, z), for inputs and for outputs."""

from .algebra import Product, Scaled, Sum
from .base import FromCallable, Kernel, as_kernel
from .precomputed import Precomputed, PrecomputedRows
from .vectors import Constant, Gaussian, Laplacian, Linear, Polynomial

__all__ = [
    "Constant",
    "FromCallable",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Polynomial",
    "Precomputed",
    "PrecomputedRows",
    "Product",
    "Scaled",
    "Sum",
    "as_kernel",
]
