"""Sums, products and positive multiples of kernels are kernels."""

from collections.abc import Callable
from typing import Any

from ..arrays import Array, namespace
from ..checks import positive
from .composite import Pair, Transformed
from .operations import Formula

# A product of kernels with p and q features has p q of them, made only up to this number.
MOST_FEATURES = 4096


class Sum(Formula, Pair):
    """k(x, z) = left(x, z) + right(x, z).

    Parameters
    ----------
    left : kernel
        One kernel.
    right : kernel
        The other.
    """

    symbol = "+"

    def combined(self, left: Array, right: Array) -> Array:
        return left + right

    def pullback(self, X: Array, M: Array) -> Array:
        left, right = self._parts()
        return left.pullback(X, M) + right.pullback(X, M)

    def coordinates(self, A: Any) -> Array | None:
        # Those of both, side by side.
        found = self._coordinates(A)
        return None if found is None else namespace(found[0]).concat(found, axis=1)


class Product(Formula, Pair):
    """k(x, z) = left(x, z) right(x, z).

    Parameters
    ----------
    left : kernel
        One kernel.
    right : kernel
        The other.
    """

    symbol = "*"

    def combined(self, left: Array, right: Array) -> Array:
        return left * right

    def pullback(self, X: Array, M: Array) -> Array:
        left, right = self._parts()
        return left.pullback(X, M * right(X, X)) + right.pullback(X, M * left(X, X))

    def coordinates(self, A: Any) -> Array | None:
        # All products f_i g_j, where they are not too many.
        found = self._coordinates(A)
        if found is None or found[0].shape[1] * found[1].shape[1] > MOST_FEATURES:
            return None
        F, G = found
        return namespace(F).reshape(F[:, :, None] * G[:, None, :], (F.shape[0], -1))


class Scaled(Formula, Transformed):
    """k(x, z) = factor kernel(x, z), factor > 0.

    Parameters
    ----------
    factor : float
        The factor.
    kernel : kernel
        The kernel that is scaled.
    """

    symbol = "*"

    def __init__(self, factor: float, kernel: Any):
        super().__init__(kernel)
        self.factor = factor

    def __call__(self, X: Any, Z: Any) -> Array:
        return self._checked() * self._inner()(X, Z)

    def between(self, A: Any, B: Any) -> Array:
        return self._checked() * self._inner().between(A, B)

    def tiles(self, A: Any) -> Callable[[slice, slice], Array]:
        values = self._inner().tiles(A)
        return lambda rows, columns: self._checked() * values(rows, columns)

    def squares(self, A: Any) -> Array:
        return self._checked() * self._inner().squares(A)

    def _gram(self) -> Array:
        return self._checked() * self.kernel_.gram()

    def cross(self, X: Any) -> Array:
        return self._checked() * self._inner().cross(X)

    def diagonal(self, X: Any) -> Array:
        return self._checked() * self._inner().diagonal(X)

    def pullback(self, X: Array, M: Array) -> Array:
        return self._checked() * self._inner().pullback(X, M)

    def coordinates(self, A: Any) -> Array | None:
        F = self._inner().coordinates(A)
        return None if F is None else self._checked() ** 0.5 * F

    def operands(self) -> tuple[Any, Any]:
        return self.factor, self.kernel

    def _checked(self) -> float:
        return positive(self.factor, "Scaled.factor", finite=True)
