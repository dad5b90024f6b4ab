"""Kernels made of the training outputs, which keep their span: the appendix's (i) to (vi); (i), (iv) in `families`.

| kernel               | K(s, t)                                                       | one application         |
|----------------------|---------------------------------------------------------------|-------------------------|
| AlignedFamily        | (i)   sum_i k_i(s, t) y_i (x) y_i                             | n kernels, streamed     |
| AlignedWeighted      | (ii)  sum_i mu_i k(s, t) y_i (x) y_i                          | O(n^2 m), separable     |
| AlignedAnchored      | (iii) sum_i k(s, x_i) k(t, x_i) y_i (x) y_i                   | O(n^2 m)                |
| PairAlignedFamily    | (iv)  sum_ij k_ij(s, t) (y_i + y_j) (x) (y_i + y_j)           | one kernel at a time    |
| PairAlignedWeighted  | (v)   sum_ij mu_ij k(s, t) (y_i + y_j) (x) (y_i + y_j)        | O(n^2 m), separable     |
| PairAlignedAnchored  | (vi)  sum_ij k(s, x_i, x_j) k(t, x_i, x_j) (y_i + y_j) (x) .. | n slices, streamed      |
"""

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import Array, as_floats, count, device_of, inner, is_array, namespace, product, to_numpy
from ..kernels import Gaussian, Kernel, as_kernel
from ..kernels.base import Domain
from .base import Gram, OperatorValuedKernel
from .mapped import MappedGram
from .operators import Covariance, Operator, PairCovariance
from .separable import Separable


class _Weighted(OperatorValuedKernel):
    """scalar(s, t) times an operator that weights make of the outputs."""

    def __init__(self, scalar: Any = None, weights: Any = None):
        self.scalar = scalar
        self.weights = weights

    def _operator(self) -> Operator:
        raise NotImplementedError

    def _separable(self) -> Separable:
        return getattr(self, "separable_", None) or Separable(self.scalar, self._operator())

    @property
    def domain(self) -> Domain:
        return self._separable().domain

    def fit(self, X: Any) -> Self:
        self.separable_ = Separable(self.scalar, self._operator()).fit(X)
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        return self._separable().gram(X, Z, T)


class AlignedWeighted(_Weighted):
    """K(s, t) = sum_i mu_i k(s, t) y_i (x) y_i, weights mu_i >= 0 (all one by default): S = T^T diag(mu) T."""

    def _operator(self) -> Operator:
        return Covariance(self.weights)


class PairAlignedWeighted(_Weighted):
    """K(s, t) = sum_ij mu_ij k(s, t) (y_i + y_j) (x) (y_i + y_j), mu_ij >= 0: S = T^T (D + mu + mu^T) T."""

    def _operator(self) -> Operator:
        return PairCovariance(self.weights)


class AlignedAnchored(OperatorValuedKernel):
    """K(s, t) = sum_i k(s, x_i) k(t, x_i) y_i (x) y_i over the training samples.

    W -> K (q * T) with q_i = <(K^T W)_i, t_i>: two products. Any function of two collections will do for k: the
    products k(s, x_i) k(t, x_i) are positive whatever it is.
    """

    def __init__(self, scalar: Any = None):
        self.scalar = scalar

    @property
    def domain(self) -> Domain:
        return self._scalar().domain

    def fit(self, X: Any) -> Self:
        self.scalar_ = self._given().fit(X)
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        k = self._scalar()
        right = as_floats(k(Z, Z), T)
        return AnchoredGram(right if X is Z else as_floats(k(X, Z), T), right, T)

    def _scalar(self) -> Kernel:
        return getattr(self, "scalar_", None) or self._given()

    def _given(self) -> Kernel:
        return as_kernel(Gaussian() if self.scalar is None else clone(self.scalar, safe=False))


class AnchoredGram(MappedGram):
    """W -> left (q * T), q_i = <(right^T W)_i, t_i>, where left_si = k(s, x_i) and right_ti = k(t, x_i)."""

    def __init__(self, left: Array, right: Array, T: Array):
        super().__init__(T, int(T.shape[0]))
        self.left, self.right = left, right

    def __matmul__(self, W: Array) -> Array:
        T = self.like
        q = inner(product(namespace(W).permute_dims(self.right, (1, 0)), W), T)
        return product(self.left, q[:, None] * T)

    @property
    def largest_possible(self) -> float:
        xp = namespace(self.like)
        return float(xp.sum(xp.sum(self.right**2, axis=0) * inner(self.like, self.like)))


class PairAlignedAnchored(OperatorValuedKernel):
    """K(s, t) = sum_ij k(s, x_i, x_j) k(t, x_i, x_j) (y_i + y_j) (x) (y_i + y_j) over pairs of training samples.

    `function(S, A, B)` takes inputs S and two collections of the same length, and returns the matrix of k(s, a_l, b_l).
    """

    domain: Domain = "objects"

    def __init__(self, function: Callable[[Any, Any, Any], Any]):
        self.function = function

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        if not callable(self.function):
            raise TypeError(f"PairAlignedAnchored needs a function k(S, A, B), got {self.function!r}.")
        return PairAnchoredGram(self._values, X, Z, T)

    def _values(self, S: Any, A: Any, B: Any) -> Any:
        values = np.asarray(to_numpy(self.function(S, A, B)), dtype=np.float64)
        expected = (count(S), count(A))
        if values.shape != expected or not np.all(np.isfinite(values)):
            raise ValueError(
                f"The function of PairAlignedAnchored returned {'NaN or infinity' if values.shape == expected else ''}"
                f"{'' if values.shape == expected else f'shape {values.shape}'}; for {expected[0]} inputs and "
                f"{expected[1]} pairs it must return the matrix of all k(s, a_l, b_l), here {expected}."
            )
        return values


class PairAnchoredGram(MappedGram):
    """One slice j of the pairs at a time, each as in `AnchoredGram` with y_i + y_j for y_i."""

    def __init__(self, function: Callable[[Any, Any, Any], Any], X: Any, Z: Any, T: Array):
        super().__init__(T, count(Z))
        self.function, self.X, self.Z = function, X, Z

    def _slices(self) -> Iterator[tuple[Array, Array, Array]]:
        """(left, right, targets) for each j."""
        for j in range(self.size):
            B = repeated(self.Z, j)
            right = as_floats(self.function(self.Z, self.Z, B), self.like)
            left = right if self.X is self.Z else as_floats(self.function(self.X, self.Z, B), self.like)
            yield left, right, self.like + self.like[j : j + 1, :]

    def __matmul__(self, W: Array) -> Array:
        total = None
        for left, right, targets in self._slices():
            part = AnchoredGram(left, right, targets) @ W
            total = part if total is None else total + part
        return total

    @property
    def largest_possible(self) -> float:
        return sum(AnchoredGram(left, right, targets).largest_possible for left, right, targets in self._slices())


def repeated(Z: Any, j: int) -> Any:
    """A collection of the same length that holds its j-th point throughout."""
    n = count(Z)
    if is_array(Z):
        xp = namespace(Z)
        return xp.take(Z, xp.full((n,), j, dtype=xp.int64, device=device_of(Z)), axis=0)
    return [Z[j]] * n
