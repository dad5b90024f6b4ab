"""Several input kernels at once, weighted alike or by their alignment with the outputs."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from scipy.optimize import nnls

from ..arrays import Array, as_floats, frobenius, namespace, product
from ..kernels import Kernel, Sum, as_kernel
from ..kernels.base import Domain, stricter
from ..kernels.composite import fitted
from .base import fresh
from .operators import Operator
from .separable import Separable


class WeightedSum(Separable):
    """K(x, z) = sum_t mu_t k_t(x, z) A, where `scalar` is the sum k_1 + .. + k_p and mu_t >= 0, sum_t mu_t = 1.

    Kernels on different scales are made comparable by `kernels.Normalised`. While weights are learned all p Gram
    matrices are in memory.

    Parameters
    ----------
    scalar : kernel or callable, default=None
        The sum of the scalar kernels; None is `kernels.Gaussian()`.
    weights : "uniform", "alignment" or array-like of shape (p,), default="uniform"
        Numbers are kept as they are; "alignment" takes those of ALIGNF (Cortes, Mohri and Rostamizadeh, 2012): the
        combination of the centred Gram matrices whose cosine with the Gram matrix of the outputs is largest.
    operator : Operator, default=None
        The output operator A; None is the identity.

    Attributes
    ----------
    weights_ : array of shape (p,)
        The weights mu_t.

    Examples
    --------
    >>> from hilbertine.kernels import Gaussian, Linear
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> kernel = WeightedSum(Linear() + Gaussian(50.0), weights="alignment")
    >>> kernel.fit(X, T=2.0 * X).weights_.round(3)
    array([1., 0.])
    """

    def __init__(self, scalar: Any = None, weights: Any = "uniform", operator: Operator | None = None):
        self.scalar = scalar
        self.weights = weights
        self.operator = operator

    @property
    def learned(self) -> bool:
        return self._aligned() or super().learned

    def _scalar(self, X: Any, T: Array) -> Kernel:
        kernels = [fitted(k, X) for k in terms(fresh(self.scalar))]
        self.weights_ = self._weights(kernels, T)
        return WeightedTerms(kernels, self.weights_)

    def times(self, scalar: Kernel) -> None:
        return None

    def _aligned(self) -> bool:
        return isinstance(self.weights, str) and self.weights == "alignment"

    def _weights(self, kernels: list[Kernel], T: Array) -> Array:
        if self._aligned():
            return alignment_weights([as_floats(k.gram(), T) for k in kernels], T)
        if isinstance(self.weights, str):
            if self.weights != "uniform":
                raise ValueError(f"WeightedSum.weights is 'uniform', 'alignment' or numbers, not {self.weights!r}.")
            return np.full(len(kernels), 1.0 / len(kernels))
        weights = np.asarray(self.weights, dtype=np.float64)
        p = len(kernels)
        if weights.shape != (p,) or not np.all(np.isfinite(weights)) or weights.min() < 0 or not weights.any():
            raise ValueError(f"WeightedSum.weights must be {p} finite numbers >= 0, not all zero, one for each kernel.")
        return weights


class WeightedTerms(Kernel):
    """sum_t mu_t k_t of kernels that are fitted already."""

    def __init__(self, kernels: list[Kernel], weights: Array):
        self.kernels = kernels
        self.weights = weights

    @property
    def domain(self) -> Domain:
        return self.kernels[0].domain if len(self.kernels) == 1 else reduce(stricter, (k.domain for k in self.kernels))

    def _sum(self, of_each: Callable[[Kernel], Array]) -> Array:
        return sum(float(mu) * of_each(k) for mu, k in zip(self.weights, self.kernels, strict=True) if mu > 0)

    @property
    def points_(self) -> Any:
        return tuple(k.points_ for k in self.kernels)

    def represent(self, X: Any) -> Any:
        return tuple(k.represent(X) for k in self.kernels)

    def between(self, A: Any, B: Any) -> Array:
        places = {id(k): i for i, k in enumerate(self.kernels)}
        return self._sum(lambda k: k.between(A[places[id(k)]], B[places[id(k)]]))

    def squares(self, A: Any) -> Array:
        places = {id(k): i for i, k in enumerate(self.kernels)}
        return self._sum(lambda k: k.squares(A[places[id(k)]]))

    def _gram(self) -> Array:
        return self._sum(lambda k: k.gram())

    def cross(self, X: Any) -> Array:
        return self._sum(lambda k: k.cross(X))


def terms(kernel: Kernel) -> list[Kernel]:
    """k_1, .., k_p of a sum, from left to right."""
    if not isinstance(kernel, Sum):
        return [kernel]
    return [term for part in (kernel.left, kernel.right) for term in terms(as_kernel(part))]


def alignment_weights(grams: list[Array], T: Array) -> Array:
    """mu >= 0 with sum one that maximises the cosine of sum_t mu_t C K_t C with T T^T, C = I - 1 1^T / n.

    Up to scale it minimises mu^T M mu - 2 <a, mu>, M_st = <C K_s C, C K_t C>, a_t = <C K_t C, T T^T>: with M = R^T R
    that is the non-negative least squares problem |R mu - R^-T a|^2.
    """
    xp = namespace(T)
    centred = [_centred(K) for K in grams]
    T = _unless_rounding(T - xp.mean(T, axis=0)[None, :], T)
    M = np.array([[float(xp.sum(K * L)) for L in centred] for K in centred])
    a = np.array([float(xp.sum(T * product(K, T))) for K in centred])
    # A cosine below this is rounding.
    a = np.where(a > 1e-12 * np.sqrt(np.diagonal(M)) * frobenius(T) ** 2, a, 0.0)
    scale = np.sqrt(np.where(np.diagonal(M) > 0, np.diagonal(M), 1.0))
    values, U = np.linalg.eigh(M / scale[:, None] / scale[None, :])
    kept = values > 1e-12 * values[-1]
    root, U = np.sqrt(values[kept]), U[:, kept]
    mu = nnls(root[:, None] * U.T, (U.T @ (a / scale)) / root)[0] / scale if kept.any() else 0.0 * a
    if not mu.any():
        raise ValueError(
            "No kernel of the WeightedSum is aligned with the outputs; use weights='uniform', or other kernels."
        )
    return np.asarray(mu / mu.sum())


def _centred(K: Array) -> Array:
    """C K C."""
    xp = namespace(K)
    means = xp.mean(K, axis=1)
    return _unless_rounding(K - means[:, None] - means[None, :] + xp.mean(means), K)


def _unless_rounding(centred: Array, given: Array) -> Array:
    """Zero where only rounding is left, as it is of constant kernels and outputs."""
    return centred if frobenius(centred) > 1e-12 * frobenius(given) else namespace(given).zeros_like(given)
