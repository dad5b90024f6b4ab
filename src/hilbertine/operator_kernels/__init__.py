"""Operator-valued kernels as linear maps on n x m matrices, and the operators they are made of."""

from .base import Gram, OperatorValuedKernel, as_operator_kernel
from .operators import Covariance, FromGram, Identity, Matrix, Operator
from .separable import Separable, Sum

__all__ = [
    "Covariance",
    "FromGram",
    "Gram",
    "Identity",
    "Matrix",
    "Operator",
    "OperatorValuedKernel",
    "Separable",
    "Sum",
    "as_operator_kernel",
]
