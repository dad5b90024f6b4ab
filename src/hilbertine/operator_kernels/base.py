"""What an operator-valued kernel is: for each pair of inputs a positive operator on the outputs."""

from collections.abc import Callable
from functools import cached_property
from numbers import Real
from typing import Any, Self

from sklearn.base import BaseEstimator

from ..arrays import (
    Array,
    cholesky_solver,
    device_of,
    eigh,
    extreme_eigenvalues,
    lanczos,
    namespace,
    product,
    random_normal,
    shifted,
)
from ..kernels import Gaussian, as_kernel
from ..kernels.base import Domain

Term = tuple[Array, Array | None]


class Gram:
    """W -> sum_t K_t W S_t, the matrix of operators K(x_i, z_j) acting on n x m matrices.

    `terms` are the pairs (K_t, S_t); S_t is None for the identity. A kernel of another form derives from `MappedGram`.
    """

    def __init__(self, terms: tuple[Term, ...]):
        self.terms = terms
        self._factored: tuple[float, Callable[[Array], Array]] | None = None

    def __matmul__(self, W: Array) -> Array:
        total = None
        for K, S in self.terms:
            # The small product first: n m^2 operations before n^2 m.
            part = product(K, W if S is None else product(W, S))
            total = part if total is None else total + part
        return total

    @property
    def separable(self) -> bool:
        """Whether there is one term, so that `factor` exists."""
        return len(self.terms) == 1

    def restricted(self, rows: Array, columns: Array | None = None) -> "Gram":
        """The Gram operator between some of the points and others, or among the same."""
        xp = namespace(self.terms[0][0])
        columns = rows if columns is None else columns
        return Gram(tuple((xp.take(xp.take(K, rows, axis=0), columns, axis=1), S) for K, S in self.terms))

    def times(self, k: Array) -> "Gram":
        """The matrix of operators k_ij K(x_i, z_j)."""
        return Gram(tuple((k * K, S) for K, S in self.terms))

    def plus(self, other: "Gram") -> "Gram":
        """The sum of two Gram operators."""
        return Gram(self.terms + other.terms) if other.terms else other.plus(self)

    @property
    def largest_possible(self) -> float:
        """sum_t tr(K_t) tr(S_t) (tr(S) counted as 1 without S): no eigenvalue of the operator exceeds it."""
        xp = namespace(self.terms[0][0])
        return sum(
            float(xp.sum(xp.linalg.diagonal(K))) * (1.0 if S is None else float(xp.sum(xp.linalg.diagonal(S))))
            for K, S in self.terms
        )

    def mean_diagonal(self, shape: tuple[int, int]) -> float:
        """The mean of the diagonal of the operator as an nm x nm matrix, over the columns that an identity copies."""
        n, m = shape
        return self.largest_possible / (n * (1 if all(S is None for _, S in self.terms) else m))

    def operator_norm(self, shape: tuple[int, int]) -> float:
        """max_i |K(x_i, x_i)|, the gamma^2 of the stability bounds on these points."""
        xp = namespace(self.terms[0][0])
        diagonals = [xp.linalg.diagonal(K) for K, _ in self.terms]
        if self.separable:
            S = self.terms[0][1]
            return float(xp.max(diagonals[0])) * (1.0 if S is None else float(eigh(S)[0][-1]))
        like = self.terms[0][0]
        identity = xp.eye(shape[1], dtype=like.dtype, device=device_of(like))
        operators = [identity if S is None else S for _, S in self.terms]
        return max(
            float(eigh(sum(float(d[i]) * S for d, S in zip(diagonals, operators, strict=True)))[0][-1])
            for i in range(shape[0])
        )

    def norm(self, shape: tuple[int, int]) -> float:
        """The largest eigenvalue by Lanczos, 2 % above what it found."""
        if self.separable:
            ((K, S),) = self.terms
            largest = extreme_eigenvalues(K)[1] * (1.0 if S is None else extreme_eigenvalues(S)[1])
        else:
            largest = float(lanczos(self.__matmul__, random_normal(shape, self._like), steps=30)[-1])
        return 1.02 * max(largest, 0.0)

    @property
    def _like(self) -> Array:
        """An array of the library and device that the operator works in."""
        return self.terms[0][0]

    @property
    def factored_at(self) -> float | None:
        """The theta of the factor at hand, which costs nothing to use again."""
        return None if self._factored is None else self._factored[0]

    def factor(self, theta: float) -> Callable[[Array], Array]:
        """R -> the W that solves K W S + theta W = R, for one term; the last factor is kept, and only that one."""
        if not self.separable:
            raise ValueError(
                "Only one separable term has a factorisation, and this kernel is of another form; use solver='auto'."
            )
        if self._factored is None or self._factored[0] != theta:
            self._factored = None
            self._factored = theta, self._factor(theta)
        return self._factored[1]

    def _factor(self, theta: float) -> Callable[[Array], Array]:
        ((K, S),) = self.terms
        if S is None:
            return cholesky_solver(shifted(K, theta))
        xp = namespace(K)
        (k, U), (s, V) = self.eigenbases
        weights = 1.0 / (k[:, None] * s[None, :] + theta)
        Ut, Vt = xp.permute_dims(U, (1, 0)), xp.permute_dims(V, (1, 0))
        return lambda R: product(product(U, weights * product(product(Ut, R), V)), Vt)

    @cached_property
    def eigenbases(self) -> tuple[tuple[Array, Array], tuple[Array, Array | None]]:
        """((k, U), (s, V)) in which the one term is diagonal: U^T (K W S) V = k s * (U^T W V); V is None without S.

        Rounding may leave eigenvalues a hair below zero: they are clipped.
        """
        ((K, S),) = self.terms
        xp = namespace(K)
        k, U = eigh(K)
        s, V = (xp.ones(1, dtype=K.dtype, device=device_of(K)), None) if S is None else eigh(S)
        return (xp.clip(k, min=0.0), U), (xp.clip(s, min=0.0), V)


class OperatorValuedKernel(BaseEstimator):
    """K(x, z), a bounded operator on the outputs, with K(x, z) = K(z, x)^# and positive Gram operators.

    Must implement `gram(X, Z, T)`, the Gram operator between inputs X and training inputs Z with targets T.
    May implement `fit` and `domain`, as scalar kernels do, and `learned`. Operator-valued kernels add, scale, and
    multiply with scalar kernels:

    >>> from hilbertine.kernels import Gaussian, Linear
    >>> from hilbertine.operator_kernels import Covariance, Separable
    >>> 2.0 * Separable(Linear()) + Gaussian(0.5) * Separable(Linear(), Covariance())
    Sum(left=Scaled(factor=2.0, kernel=Separable(scalar=Linear())),
        right=Product(kernel=Separable(operator=Covariance(), scalar=Linear()),
                      scalar=Gaussian(gamma=0.5)))
    """

    def __add__(self, other: Any) -> "OperatorValuedKernel":
        from .algebra import Sum

        return Sum(self, other)

    def __mul__(self, other: Any) -> "OperatorValuedKernel":
        from .algebra import Product, Scaled

        return Scaled(float(other), self) if isinstance(other, Real) else Product(as_kernel(other), self)

    def __rmul__(self, other: Any) -> "OperatorValuedKernel":
        return self.__mul__(other)

    @property
    def domain(self) -> Domain:
        return "vectors"

    @property
    def learned(self) -> bool:
        """Whether the operators depend on the training outputs, so that leaving one out changes them."""
        return True

    def fit(self, X: Any) -> Self:
        """Take from the training inputs what the scalar kernels learn from them."""
        return self

    def gram(self, X: Any, Z: Any, T: Array) -> Gram:
        """The operators K(x_i, z_j) as one linear map; T are the coordinates of the training outputs."""
        raise NotImplementedError(f"{type(self).__name__} must implement gram(X, Z, T).")


def as_operator_kernel(kernel: Any) -> OperatorValuedKernel:
    """An operator-valued kernel as it is; a scalar kernel, a callable or "precomputed" times the identity."""
    from .separable import Separable

    if kernel is None:
        return Separable(Gaussian())
    if callable(getattr(kernel, "gram", None)):
        operator_valued: OperatorValuedKernel = kernel
        return operator_valued
    return Separable(as_kernel(kernel))
