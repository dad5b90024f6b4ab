"""Sums, positive multiples, and products with scalar kernels of operator-valued kernels."""

from typing import Any, Self

from sklearn.base import clone

from ..arrays import Array, as_floats, device_of, namespace
from ..checks import positive
from ..kernels import Kernel, as_kernel
from ..kernels.base import Domain, stricter
from .base import Gram, OperatorValuedKernel, as_operator_kernel


class Sum(OperatorValuedKernel):
    """K(x, z) = left(x, z) + right(x, z)."""

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
        return left.plus(right)

    def _parts(self) -> tuple[OperatorValuedKernel, OperatorValuedKernel]:
        left, right = getattr(self, "left_", self.left), getattr(self, "right_", self.right)
        return as_operator_kernel(left), as_operator_kernel(right)


class Product(OperatorValuedKernel):
    """K(x, z) = scalar(x, z) kernel(x, z): positive by Schur's theorem."""

    def __init__(self, scalar: Any, kernel: Any):
        self.scalar = scalar
        self.kernel = kernel

    @property
    def domain(self) -> Domain:
        scalar, kernel = self._parts()
        return stricter(scalar.domain, kernel.domain)

    @property
    def learned(self) -> bool:
        return self._parts()[1].learned

    def fit(self, X: Any) -> Self:
        self.scalar_ = as_kernel(clone(self.scalar, safe=False)).fit(X)
        self.kernel_ = as_operator_kernel(self.kernel).fit(X)
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        scalar, kernel = self._parts()
        return kernel.gram(X, Z, T).times(as_floats(scalar(X, Z), T))

    def _parts(self) -> tuple[Kernel, OperatorValuedKernel]:
        scalar, kernel = getattr(self, "scalar_", self.scalar), getattr(self, "kernel_", self.kernel)
        return as_kernel(scalar), as_operator_kernel(kernel)


class Scaled(OperatorValuedKernel):
    """K(x, z) = factor kernel(x, z), factor > 0."""

    def __init__(self, factor: float, kernel: Any):
        self.factor = factor
        self.kernel = kernel

    @property
    def domain(self) -> Domain:
        return self._part().domain

    @property
    def learned(self) -> bool:
        return self._part().learned

    def fit(self, X: Any) -> Self:
        self.kernel_ = as_operator_kernel(self.kernel).fit(X)
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        factor = positive(self.factor, "factor", finite=True)
        number = namespace(T).full((1, 1), factor, dtype=T.dtype, device=device_of(T))
        return self._part().gram(X, Z, T).times(number)

    def _part(self) -> OperatorValuedKernel:
        return as_operator_kernel(getattr(self, "kernel_", self.kernel))
