"""What a kernel is: a symmetric positive semi-definite function, evaluated on whole collections."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array, blocks, count, is_foreign, namespace

Domain = Literal["vectors", "objects", "gram"]
# So many points at once where a diagonal is read off small matrices: few calls, and few values beside the diagonal.
DIAGONAL_BLOCK = 8


def stricter(left: Domain, right: Domain) -> Domain:
    """The domain of two kernels together: a constant accepts anything, so the stricter of the two decides."""
    if "gram" in (left, right):
        return "gram"
    return "vectors" if "vectors" in (left, right) else "objects"


class Kernel(BaseEstimator):
    """k(x, z), as the matrix of k(x_i, z_j).

    Must implement `__call__`. May implement `diagonal` (the values k(x_i, x_i) without the matrix), `fit`
    (parameters taken from the training points) and `domain`: "vectors" for rows of a numeric matrix,
    "objects" for any sequence, "gram" where the inputs already are rows of a Gram matrix. Where points are learned
    through it, as the codes of an autoencoder are, it needs `pullback`.

    Kernels add, multiply and scale:

    >>> from hilbertine.kernels import Gaussian, Constant
    >>> 2.0 * Gaussian(gamma=0.5) + Constant()
    Sum(left=Scaled(factor=2.0, kernel=Gaussian(gamma=0.5)), right=Constant())
    """

    @property
    def domain(self) -> Domain:
        return "vectors"

    def __call__(self, X: Any, Z: Any) -> Array:
        """The matrix k(x_i, z_j)."""
        raise NotImplementedError(f"{type(self).__name__} must implement __call__(X, Z).")

    def diagonal(self, X: Any) -> Array:
        """The vector k(x_i, x_i)."""
        grams = [self(part, part) for part in blocks(X, DIAGONAL_BLOCK)]
        xp = namespace(grams[0])
        return xp.concat([xp.linalg.diagonal(K) for K in grams])

    def pullback(self, X: Array, M: Array) -> Array:
        """The gradient with respect to the points X of <M, k(X, X)>, M symmetric: what learning the points needs."""
        raise NotImplementedError(
            f"{self!r} has no pullback(X, M), the gradient of sum_ij M_ij k(x_i, x_j), so points cannot be learned "
            "through it; use a differentiable kernel on vectors such as Gaussian, Linear or Polynomial."
        )

    def fit(self, X: Any) -> Self:
        """Take from the training points what the kernel learns from them; most kernels learn nothing."""
        return self

    def __add__(self, other: Any) -> "Kernel":
        from .algebra import Sum

        return Sum(self, as_kernel(other))

    def __mul__(self, other: Any) -> "Kernel":
        from .algebra import Product, Scaled

        if callable(getattr(other, "gram", None)):
            # An operator-valued kernel knows how to be multiplied by a scalar one.
            return NotImplemented
        return Scaled(float(other), self) if isinstance(other, float | Real) else Product(self, as_kernel(other))

    def __rmul__(self, other: Any) -> "Kernel":
        return self.__mul__(other)

    def __radd__(self, other: Any) -> "Kernel":
        # sum([k, l]) starts from the number 0.
        return self if isinstance(other, int) and other == 0 else self.__add__(other)


class FromCallable(Kernel):
    """k(x, z) = function(X, Z)_ij for any function on whole collections.

    >>> overlap = FromCallable(lambda A, B: [[len(set(a) & set(b)) for b in B] for a in A])
    >>> overlap(["cart", "care"], ["dart"])
    array([[3.],
           [2.]])
    """

    domain: Domain = "objects"

    def __init__(self, function: Callable[[Any, Any], Any]):
        self.function = function

    def __call__(self, X: Any, Z: Any) -> Array:
        K = self.function(X, Z)
        K = K if is_foreign(K) else np.asarray(K, dtype=np.float64)
        name = getattr(self.function, "__name__", self.function)
        expected = (count(X), count(Z))
        if tuple(K.shape) != expected:
            raise ValueError(
                f"The kernel function {name!r} returned shape {tuple(K.shape)} for {expected[0]} and {expected[1]} "
                f"points; it must take two whole collections and return the matrix of all k(x_i, z_j), here {expected}."
            )
        if not bool(namespace(K).all(namespace(K).isfinite(K))):
            raise ValueError(f"The kernel function {name!r} returned NaN or infinity; check its inputs.")
        return K


def as_kernel(kernel: Any) -> Kernel:
    """A Kernel from a Kernel, a callable, or the word "precomputed" (inputs are rows of a Gram matrix)."""
    from .precomputed import PrecomputedRows

    if isinstance(kernel, str) and kernel == "precomputed":
        return PrecomputedRows()
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel) and not isinstance(kernel, type):
        return FromCallable(kernel)
    raise TypeError(
        f"{kernel!r} is not a kernel; pass a kernel of hilbertine.kernels such as Gaussian(gamma=1.0), "
        "a function of two collections, or 'precomputed'."
    )
