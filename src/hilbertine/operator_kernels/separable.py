"""K(x, z) = k(x, z) A."""

from typing import Any, Self

from sklearn.base import clone

from ..arrays import Array, as_floats
from ..kernels import Gaussian, Kernel, as_kernel
from ..kernels.base import Domain
from .base import Gram, OperatorValuedKernel
from .operators import Identity, Operator


class Separable(OperatorValuedKernel):
    """K(x, z) = scalar(x, z) A: W -> K W S. Without an operator, A is the identity.

    >>> import numpy as np
    >>> from hilbertine.kernels import Linear
    >>> from hilbertine.operator_kernels import Matrix
    >>> X, T = np.array([[1.0], [2.0]]), np.eye(2)
    >>> Separable(Linear(), Matrix([[2.0, 0.0], [0.0, 3.0]])).gram(X, X, T) @ np.eye(2)
    array([[ 2.,  6.],
           [ 4., 12.]])
    """

    def __init__(self, scalar: Any = None, operator: Operator | None = None):
        self.scalar = scalar
        self.operator = operator

    @property
    def domain(self) -> Domain:
        return as_kernel(Gaussian() if self.scalar is None else self.scalar).domain

    @property
    def learned(self) -> bool:
        return checked(self.operator).learned

    def fit(self, X: Any) -> Self:
        self.scalar_ = self._given().fit(X)
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        K = as_floats(self._scalar()(X, Z), T)
        return Gram(((K, checked(self.operator).matrix(T)),))

    def _scalar(self) -> Kernel:
        return getattr(self, "scalar_", None) or self._given()

    def _given(self) -> Kernel:
        return as_kernel(Gaussian() if self.scalar is None else clone(self.scalar, safe=False))


def checked(operator: Operator | None) -> Operator:
    """The output operator, the identity where none is given."""
    if operator is None:
        return Identity()
    if not isinstance(operator, Operator):
        raise TypeError(f"{operator!r} is not an output operator; pass Identity(), Covariance() or Matrix(A).")
    return operator
