"""Kernels made of a kernel: on its features moved or scaled, or on other features of the inputs."""

from typing import Any, Self

from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from ..arrays import Array, as_floats, is_foreign, namespace, shifted, to_numpy
from .base import Domain, Kernel, as_kernel
from .precomputed import PrecomputedRows


class _Transformed(Kernel):
    """A kernel on the features of another."""

    def __init__(self, kernel: Any):
        self.kernel = kernel

    @property
    def domain(self) -> Domain:
        return as_kernel(self.kernel).domain

    def _inner(self) -> Kernel:
        return getattr(self, "kernel_", None) or as_kernel(self.kernel)


class Normalised(_Transformed):
    """k(x, z) / sqrt(k(x, x) k(z, z)): all features have norm one, those of norm zero stay zero.

    >>> from hilbertine.kernels import Substrings
    >>> Normalised(Substrings(length=1))(["aab"], ["aab", "ab", "c"]).round(3)
    array([[1.   , 0.949, 0.   ]])
    """

    def fit(self, X: Any) -> Self:
        if isinstance(as_kernel(self.kernel), PrecomputedRows):
            raise ValueError(
                "Rows of a Gram matrix do not hold k(x, x) of new inputs, so they cannot be normalised; use "
                "Normalised(Precomputed(gram)) on indices, or normalise the matrix beforehand."
            )
        self.kernel_ = as_kernel(clone(self.kernel, safe=False)).fit(X)
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        k = self._inner()
        K = k(X, Z)
        squares = (namespace(K).linalg.diagonal(K),) * 2 if X is Z else (k.diagonal(X), k.diagonal(Z))
        left, right = map(_inverse_root, squares)
        return K * left[:, None] * right[None, :]

    def diagonal(self, X: Any) -> Array:
        values = self._inner().diagonal(X)
        return values * _inverse_root(values) ** 2

    def pullback(self, X: Array, M: Array) -> Array:
        """That of k with N - diag(s_i^2 sum_j N_ij k_ij) for M, where s_i = k_ii^(-1/2) and N_ij = s_i M_ij s_j."""
        k = self._inner()
        K = k(X, X)
        xp = namespace(K)
        s = _inverse_root(xp.linalg.diagonal(K))
        N = s[:, None] * M * s[None, :]
        return k.pullback(X, shifted(N, -(s**2) * xp.sum(N * K, axis=1)))


def _inverse_root(values: Array) -> Array:
    xp = namespace(values)
    return xp.where(values > 0, 1.0 / xp.sqrt(xp.where(values > 0, values, xp.ones_like(values))), 0.0 * values)


class Centred(_Transformed):
    """k(x, z) - E k(x, t) - E k(t, z) + E k(t, t'), E the mean over the training points: features less their mean.

    Before `fit` the points Z stand for the training points. A precomputed Gram matrix is centred in the same way, and
    so are rows of new values against the training points.
    """

    def fit(self, X: Any) -> Self:
        self.kernel_ = as_kernel(clone(self.kernel, safe=False)).fit(X)
        self.points_ = X
        K = self.kernel_(X, X)
        xp = namespace(K)
        self.means_ = xp.mean(K, axis=1)
        self.total_ = xp.mean(self.means_)
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        k = self._inner()
        xp = namespace(K := k(X, Z))
        if not hasattr(self, "points_"):
            among = k(Z, Z)
            columns, total = xp.mean(among, axis=0), xp.mean(among)
            return K - xp.mean(K, axis=1)[:, None] - columns[None, :] + total
        return K - self._mean(X)[:, None] - self._mean(Z)[None, :] + self.total_

    def diagonal(self, X: Any) -> Array:
        if not hasattr(self, "points_"):
            raise ValueError("Centred needs fit before diagonal: the mean is that of the training points.")
        return self._inner().diagonal(X) - 2.0 * self._mean(X) + self.total_

    def _mean(self, X: Any) -> Array:
        """E k(x, t) for the points X; known for the training points themselves."""
        k = self._inner()
        # The columns of rows of a Gram matrix are the training points, known by their number alone.
        if X is self.points_ or (k.domain == "gram" and isinstance(X, range)):
            return self.means_
        values = k(X, self.points_)
        return namespace(values).mean(values, axis=1)


class Features(_Transformed):
    """k(f(x), f(z)) for a function f of a collection, or a transformer of scikit-learn, fitted on the training inputs.

    Scores, derivatives and scales are features of vectors, fingerprints those of molecules:
    `Features(datasets.fingerprints, GaussianTanimoto())` is a kernel on SMILES. The features of the training inputs are
    computed once. Before `fit` the points Z stand for the training inputs.

    >>> import numpy as np
    >>> from hilbertine.kernels import Derivative, Linear
    >>> lines = np.array([[0.0, 1.0, 2.0], [5.0, 6.0, 7.0]])
    >>> Features(Derivative(grid=[0.0, 1.0, 2.0]), Linear())(lines, lines)
    array([[3., 3.],
           [3., 3.]])
    >>> Features(lambda words: [[len(word)] for word in words], Linear())(["ab"], ["a", "abc"])
    array([[2., 6.]])
    """

    def __init__(self, transformer: Any, kernel: Any):
        super().__init__(kernel)
        self.transformer = transformer

    @property
    def domain(self) -> Domain:
        """What the transformer takes: vectors, or objects such as texts and dictionaries; functions take objects."""
        learns = hasattr(self.transformer, "transform")
        return "vectors" if learns and get_tags(self.transformer).input_tags.two_d_array else "objects"

    def fit(self, X: Any) -> Self:
        transformer = self.transformer
        if not hasattr(transformer, "transform"):
            if not callable(transformer) or isinstance(transformer, Kernel):
                raise TypeError(f"{transformer!r} is neither a function nor a transformer with fit and transform.")
            transformer = FunctionTransformer(transformer)
        kernel = as_kernel(clone(self.kernel, safe=False))
        if kernel.domain == "gram":
            raise ValueError("Features are not rows of a Gram matrix; give a kernel between them, such as Linear().")
        self.transformer_ = clone(transformer).fit(_on_host(X))
        self.__dict__.pop("trained_", None)
        self.trained_ = X, self._features(X)
        self.kernel_ = kernel.fit(self.trained_[1])
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        fitted = self if hasattr(self, "kernel_") else clone(self).fit(Z)
        return fitted.kernel_(fitted._features(X), fitted._features(Z))

    def diagonal(self, X: Any) -> Array:
        if not hasattr(self, "kernel_"):
            raise ValueError("Features needs fit before diagonal: its transformer is fitted on the training inputs.")
        return self.kernel_.diagonal(self._features(X))

    def _features(self, X: Any) -> Any:
        """f(x_i): for a kernel on vectors numbers in the library of X, for other kernels what the transformer gives."""
        inputs, features = getattr(self, "trained_", (None, None))
        if inputs is X and X is not None:
            return features
        values = self.transformer_.transform(_on_host(X))
        if as_kernel(self.kernel).domain != "vectors":
            return values
        return as_floats(values.toarray() if sparse.issparse(values) else values, X)


def _on_host(X: Any) -> Any:
    return to_numpy(X) if is_foreign(X) else X
