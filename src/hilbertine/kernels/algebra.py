"""Sums, products and positive multiples of kernels are kernels."""

from typing import Any, Self

from ..arrays import Array
from ..checks import positive
from .base import Domain, Kernel, as_kernel, stricter


class _Pair(Kernel):
    """Two kernels on the same inputs."""

    def __init__(self, left: Any, right: Any):
        self.left = left
        self.right = right

    @property
    def domain(self) -> Domain:
        left, right = self._parts()
        return stricter(left.domain, right.domain)

    def fit(self, X: Any) -> Self:
        for part in self._parts():
            part.fit(X)
        return self

    def _parts(self) -> tuple[Kernel, Kernel]:
        return as_kernel(self.left), as_kernel(self.right)


class Sum(_Pair):
    """k(x, z) = left(x, z) + right(x, z)."""

    def __call__(self, X: Any, Z: Any) -> Array:
        left, right = self._parts()
        return left(X, Z) + right(X, Z)

    def diagonal(self, X: Any) -> Array:
        left, right = self._parts()
        return left.diagonal(X) + right.diagonal(X)

    def pullback(self, X: Array, M: Array) -> Array:
        left, right = self._parts()
        return left.pullback(X, M) + right.pullback(X, M)


class Product(_Pair):
    """k(x, z) = left(x, z) right(x, z)."""

    def __call__(self, X: Any, Z: Any) -> Array:
        left, right = self._parts()
        return left(X, Z) * right(X, Z)

    def diagonal(self, X: Any) -> Array:
        left, right = self._parts()
        return left.diagonal(X) * right.diagonal(X)

    def pullback(self, X: Array, M: Array) -> Array:
        left, right = self._parts()
        return left.pullback(X, M * right(X, X)) + right.pullback(X, M * left(X, X))


class Scaled(Kernel):
    """k(x, z) = factor kernel(x, z), factor > 0."""

    def __init__(self, factor: float, kernel: Any):
        self.factor = factor
        self.kernel = kernel

    @property
    def domain(self) -> Domain:
        return self._inner().domain

    def fit(self, X: Any) -> Self:
        self._inner().fit(X)
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        return positive(self.factor, "Scaled.factor", finite=True) * self._inner()(X, Z)

    def diagonal(self, X: Any) -> Array:
        return positive(self.factor, "Scaled.factor", finite=True) * self._inner().diagonal(X)

    def pullback(self, X: Array, M: Array) -> Array:
        return positive(self.factor, "Scaled.factor", finite=True) * self._inner().pullback(X, M)

    def _inner(self) -> Kernel:
        return as_kernel(self.kernel)
