"""Sums, positive multiples, and products with scalar kernels of operator-valued kernels."""

from typing import Any, NamedTuple, Self

from sklearn.base import clone

from ..arrays import Array, as_floats, blocks, namespace
from ..checks import positive
from ..kernels import Kernel, as_kernel
from ..kernels.base import Domain, stricter
from ..kernels.composite import fitted
from ..kernels.operations import Formula
from .base import OperatorValuedKernel, apply, as_operator_kernel, domain_of, fresh, replaced
from .gram import Gram


def own(kernel: Any) -> OperatorValuedKernel:
    """A copy to be fitted: no kernel writes into its own parameters."""
    return as_operator_kernel(clone(kernel, safe=False))


class Both(NamedTuple):
    """What two kernels need for their predictions, side by side."""

    left: Any
    right: Any

    def __matmul__(self, coefficients: Any) -> Array:
        return apply(self.left, coefficients[0]) + apply(self.right, coefficients[1])


class Sum(Formula, OperatorValuedKernel):
    """K(x, z) = left(x, z) + right(x, z).

    Parameters
    ----------
    left, right : operator-valued kernels, scalar kernels or callables
        The two terms; a scalar kernel is times the identity.
    """

    symbol = "+"

    def __init__(self, left: Any, right: Any):
        self.left = left
        self.right = right

    @property
    def domain(self) -> Domain:
        return stricter(domain_of(self.left), domain_of(self.right))

    @property
    def learned(self) -> bool:
        return any(as_operator_kernel(part).learned for part in (self.left, self.right))

    @property
    def of_outputs(self) -> bool:
        return any(as_operator_kernel(part).of_outputs for part in (self.left, self.right))

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        self.left_, self.right_ = (own(part).fit(X, T, space) for part in (self.left, self.right))
        return self

    def gram(self) -> Gram:
        return self.left_.gram().plus(self.right_.gram())

    def cross(self, X: Any) -> Both:
        return Both(self.left_.cross(X), self.right_.cross(X))

    def condense(self, W: Array) -> tuple[Any, Any]:
        return self.left_.condense(W), self.right_.condense(W)

    def compact(self) -> Self:
        return self._with(self.left_.compact(), self.right_.compact())

    def without_features(self) -> Self:
        return self._with(self.left_.without_features(), self.right_.without_features())

    @property
    def approximate(self) -> bool:
        return self.left_.approximate or self.right_.approximate

    def exact(self) -> Self:
        return self._with(self.left_.exact(), self.right_.exact())

    def among(self, places: Any) -> Both:
        return Both(self.left_.among(places), self.right_.among(places))

    def operator_norm(self) -> float:
        return self.left_.operator_norm() + self.right_.operator_norm()

    def _with(self, left: OperatorValuedKernel, right: OperatorValuedKernel) -> Self:
        return replaced(self, left_=left, right_=right)

    def times(self, scalar: Kernel) -> "Sum":
        return Sum(Product(scalar, self.left), Product(scalar, self.right))


class RowByRow(NamedTuple):
    """k(x, z_j) K(x, z_j) for kernels K of any form: one application for each point."""

    kernel: OperatorValuedKernel
    k: Array
    X: Any

    def __matmul__(self, W: Array) -> Array:
        rows = [
            apply(self.kernel.cross(point), self.kernel.condense(self.k[i, :][:, None] * W))
            for i, point in enumerate(blocks(self.X, 1))
        ]
        return namespace(W).concat(rows)


class Product(Formula, OperatorValuedKernel):
    """K(x, z) = scalar(x, z) kernel(x, z): positive by Schur's theorem.

    Parameters
    ----------
    scalar : kernel or callable
        The scalar kernel.
    kernel : operator-valued kernel, scalar kernel or callable
        What it multiplies.
    """

    symbol = "*"

    def __init__(self, scalar: Any, kernel: Any):
        self.scalar = scalar
        self.kernel = kernel

    def operands(self) -> tuple[Any, Any]:
        return self.scalar, self.kernel

    @property
    def domain(self) -> Domain:
        return stricter(domain_of(self.scalar), domain_of(self.kernel))

    @property
    def learned(self) -> bool:
        return as_operator_kernel(self.kernel).learned

    @property
    def of_outputs(self) -> bool:
        return as_operator_kernel(self.kernel).of_outputs

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        same = as_operator_kernel(self.kernel).times(as_kernel(self.scalar))
        self.same_ = None if same is None else own(same).fit(X, T, space)
        if self.same_ is None:
            self.scalar_, self.kernel_ = fitted(fresh(self.scalar), X), own(self.kernel).fit(X, T, space)
        self.like_ = T
        return self

    def gram(self) -> Gram:
        if self.same_ is not None:
            return self.same_.gram()
        return self.kernel_.gram().times(as_floats(self.scalar_.gram(), self.like_))

    def cross(self, X: Any) -> Any:
        if self.same_ is not None:
            return self.same_.cross(X)
        return RowByRow(self.kernel_, as_floats(self.scalar_.cross(X), self.like_), X)

    def condense(self, W: Array) -> Any:
        return W if self.same_ is None else self.same_.condense(W)

    def operator_norm(self) -> float:
        if self.same_ is not None:
            return self.same_.operator_norm()
        squares = self.scalar_.bounds(self.scalar_.points_)
        return float(namespace(squares).max(squares)) * self.kernel_.operator_norm()

    def compact(self) -> Self:
        return self if self.same_ is None else replaced(self, same_=self.same_.compact(), like_=self.like_[:1])

    def without_features(self) -> Self:
        return self if self.same_ is None else replaced(self, same_=self.same_.without_features())

    @property
    def approximate(self) -> bool:
        parts = (self.scalar_, self.kernel_) if self.same_ is None else (self.same_,)
        return any(part.approximate for part in parts)

    def exact(self) -> Self:
        return self if self.same_ is None else replaced(self, same_=self.same_.exact())

    def among(self, places: Any) -> Any:
        return super().among(places) if self.same_ is None else self.same_.among(places)


class Scaled(Formula, OperatorValuedKernel):
    """K(x, z) = factor kernel(x, z).

    Parameters
    ----------
    factor : float
        A number > 0.
    kernel : operator-valued kernel, scalar kernel or callable
        What it multiplies.
    """

    symbol = "*"

    def __init__(self, factor: float, kernel: Any):
        self.factor = factor
        self.kernel = kernel

    def operands(self) -> tuple[Any, Any]:
        return self.factor, self.kernel

    @property
    def domain(self) -> Domain:
        return domain_of(self.kernel)

    @property
    def learned(self) -> bool:
        return as_operator_kernel(self.kernel).learned

    @property
    def of_outputs(self) -> bool:
        return as_operator_kernel(self.kernel).of_outputs

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        self.factor_ = positive(self.factor, "factor", finite=True)
        self.kernel_ = own(self.kernel).fit(X, T, space)
        return self

    def gram(self) -> Gram:
        return self.kernel_.gram().weighted(self.factor_**0.5)

    def cross(self, X: Any) -> Any:
        return self.kernel_.cross(X)

    def condense(self, W: Array) -> Any:
        return self.kernel_.condense(self.factor_ * W)

    def operator_norm(self) -> float:
        return self.factor_ * self.kernel_.operator_norm()

    def compact(self) -> Self:
        return replaced(self, kernel_=self.kernel_.compact())

    def without_features(self) -> Self:
        return replaced(self, kernel_=self.kernel_.without_features())

    @property
    def approximate(self) -> bool:
        return self.kernel_.approximate

    def exact(self) -> Self:
        return replaced(self, kernel_=self.kernel_.exact())

    def among(self, places: Any) -> Any:
        return self.kernel_.among(places)

    def times(self, scalar: Kernel) -> "Scaled":
        return Scaled(self.factor, Product(scalar, self.kernel))
