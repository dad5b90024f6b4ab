"""Kernels with few features that stand for kernels with many."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..arrays import Array, count, eigh, namespace, product, to_numpy
from ..checks import whole
from .base import Domain, Kernel
from .callables import as_kernel
from .composite import fitted
from .distances import inner_products, squared_norms
from .pivots import chosen, random_pivots
from .radial import Gaussian

# Eigenvalues below this share of the largest are rounding: their features would be noise.
CUTOFF = 1e-10


class ByFeatures(Kernel):
    """k(x, z) = <f(x), f(z)>, f(x) the representation, which `fit` learns; before it the points Z stand for all."""

    def __call__(self, X: Any, Z: Any) -> Array:
        if not hasattr(self, "kernel_"):
            return clone(self).fit(Z).cross(X)
        return self.between(self.represent(X), self.represent(Z))

    def represent(self, X: Any) -> Array:
        if not hasattr(self, "kernel_"):
            raise ValueError(f"{type(self).__name__} needs fit before it has features.")
        return self.mapped(self.kernel_.represent(X))

    def mapped(self, A: Any) -> Array:
        """f(x_i) from what the kernel it stands for reads.

        Parameters
        ----------
        A : object
            What the kernel it stands for reads off n points.

        Returns
        -------
        array of shape (n, p)
            The features.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement mapped(A).")

    def coordinates(self, A: Array) -> Array:
        return A

    def between(self, A: Array, B: Array) -> Array:
        return inner_products(A, B)

    def squares(self, A: Array) -> Array:
        return squared_norms(A)

    def diagonal(self, X: Any) -> Array:
        return self.squares(self.represent(X))


class Nystroem(ByFeatures):
    """k(x, z) = k(x, C) k(C, C)^+ k(C, z): the kernel projected on its values at the centres C.

    Never above the kernel it stands for, and inside its function space. For any kernel, between objects too.

    Parameters
    ----------
    kernel : kernel, default=None
        The kernel it stands for, None for `Gaussian`.
    n_components : int, default=100
        How many centres are chosen, where they are chosen.
    centres : "pivoted", "uniform" or a collection of points, default="pivoted"
        Training points by randomly pivoted Cholesky, which finds those that the others say least about; training
        points at random; or these.
    random_state : int, RandomState or None, default=0
        Seed of the choice.

    Attributes
    ----------
    kernel_ : Kernel
        The fitted kernel.
    centres_ : collection
        The centres.
    indices_ : array of int, or None
        Their places among the training points, None where they were given.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.kernels import Linear
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> kernel = Nystroem(Linear(), n_components=10).fit(X)
    >>> len(kernel.centres_), kernel.features(X).shape, bool(np.allclose(kernel.gram(), X @ X.T))
    (3, (100, 3), True)
    """

    def __init__(
        self,
        kernel: Any = None,
        n_components: int = 100,
        centres: Literal["pivoted", "uniform"] | Any = "pivoted",
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.centres = centres
        self.random_state = random_state

    @property
    def domain(self) -> Domain:
        return self._given().domain

    def fit(self, X: Any) -> Self:
        if self.domain == "gram":
            raise ValueError(
                "Rows of a Gram matrix do not hold the values of new points with the centres alone; use "
                "Nystroem(Precomputed(matrix)) on indices."
            )
        kernel = fitted(self._given(), X)
        self.indices_ = self._indices(kernel, X)
        self.centres_ = self.centres if self.indices_ is None else chosen(X, self.indices_)
        self.kernel_, self.read_ = kernel.compact(), kernel.represent(self.centres_)
        self.root_ = inverse_square_root(kernel.between(self.read_, self.read_))
        self.points_ = self.mapped(kernel.points_)
        return self

    def mapped(self, A: Any) -> Array:
        # k(X, C) k(C, C)^(-1/2), without the directions that are rounding.
        return product(self.kernel_.between(A, self.read_), self.root_)

    def _given(self) -> Kernel:
        return as_kernel(Gaussian() if self.kernel is None else self.kernel)

    def _indices(self, kernel: Kernel, X: Any) -> Array | None:
        if not isinstance(self.centres, str):
            return None
        size = min(whole(self.n_components, "Nystroem.n_components"), count(X))
        rng = check_random_state(self.random_state)
        if self.centres == "pivoted":
            return random_pivots(kernel, X, size, rng)
        if self.centres == "uniform":
            return np.sort(rng.choice(count(X), size, replace=False))
        raise ValueError(f"Nystroem.centres is 'pivoted', 'uniform' or points, not {self.centres!r}.")


def inverse_square_root(M: Array) -> Array:
    """R with R R^T = M^+, one column for each eigenvalue that is not rounding."""
    values, U = eigh((M + namespace(M).permute_dims(M, (1, 0))) / 2.0)
    cutoff = max(CUTOFF, float(namespace(M).finfo(M.dtype).eps)) * max(float(values[-1]), 0.0)
    kept = int(np.sum(to_numpy(values) > cutoff))
    if kept == 0:
        # A kernel that is zero has one feature, zero.
        return 0.0 * U[:, -1:]
    return U[:, -kept:] / namespace(M).sqrt(values[-kept:])[None, :]
