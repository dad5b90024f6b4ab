"""K(x, z) = k(x, z) A, and sums of these."""

from typing import Any, Self

from sklearn.base import clone

from ..arrays import Array, as_floats
from ..kernels import Gaussian, Kernel, as_kernel
from ..kernels.base import Domain, stricter
from .base import Gram, OperatorValuedKernel, as_operator_kernel
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
        return self._operator().learned

    def fit(self, X: Any) -> Self:
        self.scalar_ = self._given().fit(X)
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        K = as_floats(self._scalar()(X, Z), T)
        return Gram(((K, self._operator().matrix(T)),))

    def _scalar(self) -> Kernel:
        return getattr(self, "scalar_", None) or self._given()

    def _given(self) -> Kernel:
        return as_kernel(Gaussian() if self.scalar is None else clone(self.scalar, safe=False))

    def _operator(self) -> Operator:
        if self.operator is None:
            return Identity()
        if not isinstance(self.operator, Operator):
            raise TypeError(f"{self.operator!r} is not an output operator; pass Identity(), Covariance() or Matrix(A).")
        return self.operator


class Sum(OperatorValuedKernel):
    """K(x, z) = left(x, z) + right(x, z): W -> sum_t K_t W S_t."""

    def __init__(self, left: Any, right: Any):
        self.left = left
        self.right = right

    @property
    def domain(self) -> Domain:
        left, right = self._parts()
        return stricter(left.domain, right.domain)

    @property
    def learned(self) -> bool:
        return any(part.learned for part in self._parts())

    def fit(self, X: Any) -> Self:
        self.left_, self.right_ = (as_operator_kernel(part).fit(X) for part in (self.left, self.right))
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        left, right = (part.gram(X, Z, T) for part in self._parts())
        return Gram(left.terms + right.terms)

    def _parts(self) -> tuple[OperatorValuedKernel, OperatorValuedKernel]:
        left, right = getattr(self, "left_", self.left), getattr(self, "right_", self.right)
        return as_operator_kernel(left), as_operator_kernel(right)
