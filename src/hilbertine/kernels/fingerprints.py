"""Kernels on fingerprints and sets: what two of them share, and how much of it."""

from typing import Any, Self

import numpy as np
from scipy import sparse

from ..arrays import Array, inner, namespace, product
from ..checks import positive
from .base import Domain, Kernel
from .fingerprint_forms import Features, features


def _dot(A: Features, B: Features) -> Array:
    if sparse.issparse(A) or sparse.issparse(B):
        return np.asarray(sparse.csr_matrix(A).dot(sparse.csr_matrix(B).T).todense())
    return product(A, namespace(B).permute_dims(B, (1, 0)))


def _squares(A: Features) -> Array:
    return np.asarray(A.multiply(A).sum(axis=1)).ravel() if sparse.issparse(A) else inner(A, A)


class Intersection(Kernel):
    """k(x, z) = <x, z> on fingerprints, |x & z| on sets; both as `Tanimoto` takes them.

    >>> Intersection()([{"a", "b"}], [{"b", "c"}, set()])
    array([[1., 0.]])
    """

    domain: Domain = "objects"

    def __call__(self, X: Any, Z: Any) -> Array:
        return _dot(*features(X, Z))

    def diagonal(self, X: Any) -> Array:
        return _squares(*features(X))


class Tanimoto(Kernel):
    """k(x, z) = <x, z> / (|x|^2 + |z|^2 - <x, z>): on sets |x & z| / |x | z|, the share of what they have in common.

    Takes binary or count fingerprints: a matrix, dense or sparse, lists of numbers, arrays, or vectors of rdkit. Or
    label sets: sets, tuples (whatever they hold and however long they are), or lists of what is no number. Two empty
    ones are alike: k = 1.

    >>> Tanimoto()([{"a", "b"}], [{"b", "c"}, {"a", "b"}])
    array([[0.33333333, 1.        ]])
    """

    domain: Domain = "objects"

    def __call__(self, X: Any, Z: Any) -> Array:
        A, B = features(X, Z)
        dot = _dot(A, B)
        xp = namespace(dot)
        union = _squares(A)[:, None] + _squares(B)[None, :] - dot
        return xp.where(union > 0, dot / xp.where(union > 0, union, xp.ones_like(union)), xp.ones_like(union))

    def diagonal(self, X: Any) -> Array:
        squares = _squares(*features(X))
        return namespace(squares).ones_like(squares)


class GaussianTanimoto(Kernel):
    """k(x, z) = exp(-2 gamma (1 - t(x, z))), t the Tanimoto kernel: Gaussian in the distance of its feature space.

    >>> GaussianTanimoto(gamma=0.5)([{"a"}], [{"a"}, {"b"}]).round(3)
    array([[1.   , 0.368]])
    """

    domain: Domain = "objects"

    def __init__(self, gamma: float = 1.0):
        self.gamma = gamma

    def fit(self, X: Any) -> Self:
        positive(self.gamma, "GaussianTanimoto.gamma", finite=True)
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        gamma = positive(self.gamma, "GaussianTanimoto.gamma", finite=True)
        K = Tanimoto()(X, Z)
        return namespace(K).exp(-2.0 * gamma * (1.0 - K))

    def diagonal(self, X: Any) -> Array:
        return Tanimoto().diagonal(X)
