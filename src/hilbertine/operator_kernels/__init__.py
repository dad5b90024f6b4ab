"""Operator-valued kernels as linear maps on n x m matrices, and the operators they are made of."""

from .algebra import Product, Scaled, Sum
from .aligned import AlignedAnchored, AlignedWeighted, PairAlignedAnchored, PairAlignedWeighted
from .base import OperatorValuedKernel, apply, as_operator_kernel
from .combined import WeightedSum
from .families import AlignedFamily, PairAlignedFamily
from .fourier import RandomFourier
from .gram import Gram
from .kronecker import Kronecker
from .operators import Covariance, FromGram, Identity, Matrix, Operator, PairCovariance, Spectrum
from .separable import Separable
from .tensor import Tensor

__all__ = [
    "AlignedAnchored",
    "AlignedFamily",
    "AlignedWeighted",
    "Covariance",
    "FromGram",
    "Gram",
    "Identity",
    "Kronecker",
    "Matrix",
    "Operator",
    "OperatorValuedKernel",
    "PairAlignedAnchored",
    "PairAlignedFamily",
    "PairAlignedWeighted",
    "PairCovariance",
    "Product",
    "RandomFourier",
    "Scaled",
    "Separable",
    "Spectrum",
    "Sum",
    "Tensor",
    "WeightedSum",
    "apply",
    "as_operator_kernel",
]
