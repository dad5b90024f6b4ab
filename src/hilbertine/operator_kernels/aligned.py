"""Kernels made of the training outputs, which keep their span: the appendix's (i) to (vi); (i), (iv) in `families`.

| kernel               | K(s, t)                                                       | one application         |
|----------------------|---------------------------------------------------------------|-------------------------|
| AlignedFamily        | (i)   sum_i k_i(s, t) y_i (x) y_i                             | n kernels, streamed     |
| AlignedWeighted      | (ii)  sum_i mu_i k(s, t) y_i (x) y_i                          | O(n^2 m), separable     |
| AlignedAnchored      | (iii) sum_i k(s, x_i) k(t, x_i) y_i (x) y_i                   | O(n^2 m)                |
| PairAlignedFamily    | (iv)  sum_ij k_ij(s, t) (y_i + y_j) (x) (y_i + y_j)           | one kernel at a time    |
| PairAlignedWeighted  | (v)   sum_ij mu_ij k(s, t) (y_i + y_j) (x) (y_i + y_j)        | O(n^2 m), separable     |
| PairAlignedAnchored  | (vi)  sum_ij k(s, x_i, x_j) k(t, x_i, x_j) (y_i + y_j) (x) .. | n slices, n^3 numbers   |
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..arrays import Array, as_floats, count, device_of, inner, is_array, namespace, product, to_numpy
from ..kernels import Kernel
from ..kernels.base import Domain
from ..kernels.composite import fitted
from ..memory import check_room
from .base import OperatorValuedKernel, domain_of, fresh
from .gram import Gram
from .operators import Covariance, Operator, PairCovariance
from .separable import Separable


class AlignedWeighted(Separable):
    """K(s, t) = sum_i mu_i k(s, t) y_i (x) y_i, weights mu_i >= 0: S = T^T diag(mu) T.

    Parameters
    ----------
    scalar : kernel or callable, default=None
        k; None is `kernels.Gaussian()`.
    weights : array-like of shape (n,), default=None
        mu; None is one for all.
    """

    def __init__(self, scalar: Any = None, weights: Any = None):
        self.scalar = scalar
        self.weights = weights

    def _operator(self) -> Operator:
        return Covariance(self.weights)

    def times(self, scalar: Kernel) -> Separable | None:
        return Separable(scalar * fresh(self.scalar), self._operator())


class PairAlignedWeighted(AlignedWeighted):
    """K(s, t) = sum_ij mu_ij k(s, t) (y_i + y_j) (x) (y_i + y_j), mu_ij >= 0: S = T^T (D + mu + mu^T) T.

    Parameters
    ----------
    scalar : kernel or callable, default=None
        k; None is `kernels.Gaussian()`.
    weights : array-like of shape (n, n), default=None
        mu; None is one for all.
    """

    def _operator(self) -> Operator:
        return PairCovariance(self.weights)


class AlignedAnchored(OperatorValuedKernel):
    """K(s, t) = sum_i k(s, x_i) k(t, x_i) y_i (x) y_i over the training samples.

    W -> K (q * T) with q_i = <(K^T W)_i, t_i>: two products.

    Parameters
    ----------
    scalar : kernel or callable, default=None
        k; None is `kernels.Gaussian()`. Any function of two collections will do: the products k(s, x_i) k(t, x_i) are
        positive whatever it is.
    """

    def __init__(self, scalar: Any = None):
        self.scalar = scalar

    @property
    def domain(self) -> Domain:
        return domain_of(self.scalar)

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        self.scalar_, self.targets_ = fitted(fresh(self.scalar), X), T
        self.values_ = as_floats(self.scalar_.gram(), T)
        return self

    def gram(self) -> Gram:
        return AnchoredGram(self.values_, self.targets_)

    def cross(self, X: Any) -> Array:
        return as_floats(self.scalar_.cross(X), self.targets_)

    def condense(self, W: Array) -> Array:
        return anchored(self.values_, self.targets_, W)


def anchored(K: Array, T: Array, W: Array) -> Array:
    """q * T with q_i = <(K^T W)_i, t_i>."""
    return inner(product(namespace(W).permute_dims(K, (1, 0)), W), T)[:, None] * T


class AnchoredGram(Gram):
    """W -> K (q * T), q_i = <(K^T W)_i, t_i>, where k_si = k(x_s, x_i)."""

    def __init__(self, K: Array, T: Array):
        super().__init__(T, (int(T.shape[0]), int(T.shape[1])))
        self.K, self.T = K, T

    def __matmul__(self, W: Array) -> Array:
        return product(self.K, anchored(self.K, self.T, W))

    def diagonal(self) -> Array:
        return product(self.K * self.K, self.T * self.T)


class PairAlignedAnchored(OperatorValuedKernel):
    """K(s, t) = sum_ij k(s, x_i, x_j) k(t, x_i, x_j) (y_i + y_j) (x) (y_i + y_j) over pairs of training samples.

    Parameters
    ----------
    function : callable
        (S, A, B) -> the matrix of k(s, a_l, b_l), for inputs S and two collections of the same length.
    """

    domain: Domain = "objects"

    def __init__(self, function: Callable[[Any, Any, Any], Any]):
        self.function = function

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        if not callable(self.function):
            raise TypeError(f"PairAlignedAnchored needs a function k(S, A, B), got {self.function!r}.")
        check_room(
            count(X) ** 3, "PairAlignedAnchored, a matrix for each sample,", "use AlignedAnchored, which holds one"
        )
        self.points_, self.targets_ = X, T
        self.slices_ = [self._slice(X, j) for j in range(count(X))]
        return self

    def gram(self) -> Gram:
        T = self.targets_
        parts = [AnchoredGram(K, T + T[j : j + 1, :]) for j, K in enumerate(self.slices_)]
        return SummedGram(parts)

    def cross(self, X: Any) -> Array:
        return namespace(self.targets_).concat([self._slice(X, j) for j in range(count(self.points_))], axis=1)

    def condense(self, W: Array) -> Array:
        T = self.targets_
        parts = [anchored(K, T + T[j : j + 1, :], W) for j, K in enumerate(self.slices_)]
        return namespace(W).concat(parts)

    def _slice(self, S: Any, j: int) -> Array:
        """k(s, x_i, x_j) for all i."""
        return as_floats(self._values(S, self.points_, repeated(self.points_, j)), self.targets_)

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


class SummedGram(Gram):
    """A sum of many operators of one form."""

    def __init__(self, parts: list[AnchoredGram]):
        super().__init__(parts[0].like, parts[0].shape)
        self.parts = parts

    def __matmul__(self, W: Array) -> Array:
        return sum((part @ W for part in self.parts[1:]), self.parts[0] @ W)

    def diagonal(self) -> Array:
        return sum((part.diagonal() for part in self.parts[1:]), self.parts[0].diagonal())


def repeated(Z: Any, j: int) -> Any:
    """A collection of the same length that holds its j-th point throughout."""
    n = count(Z)
    if is_array(Z):
        xp = namespace(Z)
        return xp.take(Z, xp.full((n,), j, dtype=xp.int64, device=device_of(Z)), axis=0)
    return [Z[j]] * n
