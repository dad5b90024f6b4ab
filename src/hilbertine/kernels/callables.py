"""What may stand for a kernel: a function of two collections, or rows of a Gram matrix."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Array, count, is_foreign, namespace, refuse_complex
from .base import Domain, Kernel
from .precomputed import PrecomputedRows


class FromCallable(Kernel):
    """k(x, z) = function(X, Z)_ij for any function on whole collections.

    Parameters
    ----------
    function : callable
        It takes two collections and returns the matrix of all values, as kernels of scikit-learn do.

    Examples
    --------
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
        name = getattr(self.function, "__name__", self.function)
        refuse_complex(K, f"What the kernel function {name!r} returned")
        K = K if is_foreign(K) else np.asarray(K, dtype=np.float64)
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
    """A Kernel from what may stand for one.

    Parameters
    ----------
    kernel : Kernel, callable or "precomputed"
        A function takes two whole collections; "precomputed" says that inputs are rows of a Gram matrix.

    Returns
    -------
    Kernel
        The kernel.
    """
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
