"""Kernels on fingerprints and sets: what two of them share, and how much of it."""

from typing import Any, Self

import numpy as np
from scipy import sparse

from ..arrays import Array, as_floats, inner, is_array, namespace, product
from ..checks import positive
from .base import Domain, Kernel

Features = Any


def features(*collections: Any) -> list[Features]:
    """Binary or count vectors as matrices, dense or sparse; sequences of sets as indicators of their elements."""
    forms = [_as_matrix(points) for points in collections]
    if all(form is None for form in forms):
        return _indicators(*collections)
    if any(form is None for form in forms):
        raise TypeError("Fingerprints and sets do not mix: give both collections as matrices, or both as sets.")
    widths = {int(form.shape[1]) for form in forms}
    if len(widths) > 1:
        raise ValueError(f"The fingerprints have different lengths, {sorted(widths)}; they must be of one kind.")
    return [_checked(form) for form in forms]


def _as_matrix(points: Any) -> Any:
    """A matrix of fingerprints, rows of numbers included; None for a sequence of sets."""
    if sparse.issparse(points) or (is_array(points) and points.ndim == 2):
        return points
    points = list(points) if not hasattr(points, "iloc") or points.ndim == 1 else points.to_numpy()
    if isinstance(points, np.ndarray):
        return points
    if points and all(is_array(point) or isinstance(point, list | tuple) for point in points):
        try:
            matrix = np.asarray(points, dtype=np.float64)
        except (TypeError, ValueError):
            return None
        return matrix if matrix.ndim == 2 else None
    return None


def _indicators(*collections: Any) -> list[Features]:
    # Imported when used: it is slow to import.
    from sklearn.preprocessing import MultiLabelBinarizer

    try:
        elements = sorted({element for points in collections for point in points for element in point}, key=repr)
    except TypeError as error:
        raise TypeError(f"These are neither fingerprints nor sets of hashable elements ({error}).") from error
    binarizer = MultiLabelBinarizer(classes=elements, sparse_output=True)
    return [sparse.csr_matrix(binarizer.fit_transform(list(points)), dtype=np.float64) for points in collections]


def _checked(points: Any) -> Features:
    matrix: Any = sparse.csr_matrix(points, dtype=np.float64) if sparse.issparse(points) else as_floats(points, points)
    values = matrix.data if sparse.issparse(matrix) else matrix
    xp = namespace(values)
    if not bool(xp.all(xp.isfinite(values))):
        raise ValueError("The fingerprints contain NaN or infinity; drop or impute these samples.")
    if bool(xp.any(values < 0)):
        raise ValueError("Fingerprints hold presences or counts, and these have negative entries.")
    return matrix


def _dot(A: Features, B: Features) -> Array:
    if sparse.issparse(A) or sparse.issparse(B):
        return np.asarray(sparse.csr_matrix(A).dot(sparse.csr_matrix(B).T).todense())
    return product(A, namespace(B).permute_dims(B, (1, 0)))


def _squares(A: Features) -> Array:
    return np.asarray(A.multiply(A).sum(axis=1)).ravel() if sparse.issparse(A) else inner(A, A)


class Intersection(Kernel):
    """k(x, z) = <x, z> on fingerprints, |x & z| on sets.

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

    Takes binary or count fingerprints, dense or sparse, or sequences of sets. Two empty ones are alike: k = 1.

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
