"""Kernels on fingerprints and sets: what two of them share, and how much of it."""

from typing import Any, Self

from ..arrays import Array, inner, namespace, product
from ..checks import positive
from .base import Read
from .counts import Counts
from .fingerprint_forms import Fingerprints, alike, read


class Intersection(Read):
    """k(x, z) = <x, z> on fingerprints, |x & z| on sets; both as `Tanimoto` takes them.

    Examples
    --------
    >>> Intersection()([{"a", "b"}], [{"b", "c"}, set()])
    array([[1., 0.]])
    """

    def represent(self, X: Any) -> Fingerprints:
        return read(X)

    def between(self, A: Fingerprints, B: Fingerprints) -> Array:
        left, right = alike(A, B)
        if isinstance(left, Counts):
            return left.dot(right)
        return product(left, namespace(right).permute_dims(right, (1, 0)))

    def squares(self, A: Fingerprints) -> Array:
        return A.squares() if isinstance(A, Counts) else inner(A, A)


class Tanimoto(Intersection):
    """k(x, z) = <x, z> / (|x|^2 + |z|^2 - <x, z>): on sets |x & z| / |x | z|, the share of what they have in common.

    Takes binary or count fingerprints: a matrix, dense or sparse, lists of numbers, arrays, or vectors of rdkit. Or
    label sets: sets, tuples (whatever they hold and however long they are), or lists of what is no number. Two empty
    ones are alike: k = 1.

    Examples
    --------
    >>> Tanimoto()([{"a", "b"}], [{"b", "c"}, {"a", "b"}])
    array([[0.33333333, 1.        ]])
    """

    def between(self, A: Fingerprints, B: Fingerprints) -> Array:
        dot = super().between(A, B)
        xp = namespace(dot)
        union = super().squares(A)[:, None] + super().squares(B)[None, :] - dot
        return xp.where(union > 0, dot / xp.where(union > 0, union, xp.ones_like(union)), xp.ones_like(union))

    def squares(self, A: Fingerprints) -> Array:
        return namespace(sizes := super().squares(A)).ones_like(sizes)


class GaussianTanimoto(Tanimoto):
    """k(x, z) = exp(-2 gamma (1 - t(x, z))), t the Tanimoto kernel: Gaussian in the distance of its feature space.

    Parameters
    ----------
    gamma : float, default=1.0
        The larger, the more local.

    Examples
    --------
    >>> GaussianTanimoto(gamma=0.5)([{"a"}], [{"a"}, {"b"}]).round(3)
    array([[1.   , 0.368]])
    """

    def __init__(self, gamma: float = 1.0):
        self.gamma = gamma

    def fit(self, X: Any) -> Self:
        positive(self.gamma, "GaussianTanimoto.gamma", finite=True)
        return super().fit(X)

    def between(self, A: Fingerprints, B: Fingerprints) -> Array:
        gamma = positive(self.gamma, "GaussianTanimoto.gamma", finite=True)
        K = super().between(A, B)
        return namespace(K).exp(-2.0 * gamma * (1.0 - K))
