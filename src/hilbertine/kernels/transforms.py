"""Kernels made of a kernel: on its features, moved or scaled."""

from typing import Any, Self

from sklearn.base import clone

from ..arrays import Array, cast, count, inner, namespace, product, shifted
from ..containers import Chunks
from ..matrices import Tall
from ..matrices.blocks import joined
from ..memory import rows_of
from .base import Kernel
from .by_features import tall_features
from .callables import as_kernel
from .composite import Transformed
from .featured import Represent
from .precomputed import PrecomputedRows
from .representations import length_of, parts_of


class Normalised(Transformed):
    """k(x, z) / sqrt(k(x, x) k(z, z)): all features have norm one, those of norm zero stay zero.

    Parameters
    ----------
    kernel : kernel
        The kernel whose features are scaled.

    Examples
    --------
    >>> from hilbertine.kernels import Substrings
    >>> Normalised(Substrings(length=1))(["aab"], ["aab", "ab", "c"]).round(3)
    array([[1.   , 0.949, 0.   ]])
    """

    @property
    def points_(self) -> Any:
        return self.kernel_.points_, self.roots_

    def fit(self, X: Any) -> Self:
        if isinstance(as_kernel(self.kernel), PrecomputedRows):
            raise ValueError(
                "Rows of a Gram matrix do not hold k(x, x) of new inputs, so they cannot be normalised; use "
                "Normalised(Precomputed(matrix)) on indices, or normalise the matrix beforehand."
            )
        super().fit(X)
        self.roots_ = _inverse_root(self.kernel_.squares(self.kernel_.points_))
        return self

    def over(self, X: Chunks, represent: Represent, places: Any) -> None:
        super().over(X, lambda rows: represent(rows)[0], places)
        parts = parts_of(self.kernel_.points_, rows_of(X.shape[1]))
        self.roots_ = joined([_inverse_root(self.kernel_.squares(part)) for part in parts])

    def __call__(self, X: Any, Z: Any) -> Array:
        k = self._inner()
        left, right = (_inverse_root(k.diagonal(points)) for points in (X, Z))
        return k(X, Z) * left[:, None] * right[None, :]

    def compact(self) -> Self:
        return self._without("roots_", kernel_=self.kernel_.compact())

    def exact(self) -> Any:
        if self.approximate:
            raise ValueError(
                f"{self!r} divides by norms that are too small, so that it is not below the kernel it stands for, and "
                "nothing certified for the one holds for the other; take Nystroem(Normalised(...)) instead."
            )
        return self

    def represent(self, X: Any) -> Any:
        A = self._inner().represent(X)
        return A, _inverse_root(self._inner().squares(A))

    def between(self, A: Any, B: Any) -> Array:
        return self._inner().between(A[0], B[0]) * A[1][:, None] * B[1][None, :]

    def squares(self, A: Any) -> Array:
        return self._inner().squares(A[0]) * A[1] ** 2

    def _gram(self) -> Array:
        return self.kernel_.gram() * self.roots_[:, None] * self.roots_[None, :]

    def diagonal(self, X: Any) -> Array:
        values = self._inner().diagonal(X)
        return values * _inverse_root(values) ** 2

    def coordinates(self, A: Any) -> Array | None:
        F = self._inner().coordinates(A[0])
        return None if F is None else F * A[1][:, None]

    def pullback(self, X: Array, M: Array) -> Array:
        # That of k with N - diag(s_i^2 sum_j N_ij k_ij) for M, where s_i = k_ii^(-1/2) and N_ij = s_i M_ij s_j.
        k = self._inner()
        K = k(X, X)
        xp = namespace(K)
        s = _inverse_root(xp.linalg.diagonal(K))
        N = s[:, None] * M * s[None, :]
        return k.pullback(X, shifted(N, -(s**2) * xp.sum(N * K, axis=1)))


def _inverse_root(values: Array) -> Array:
    xp = namespace(values)
    return xp.where(values > 0, 1.0 / xp.sqrt(xp.where(values > 0, values, xp.ones_like(values))), 0.0 * values)


def _mean_row(F: Tall) -> Array:
    return F.transposed_times(0.0 * F.squares()[:, None] + 1.0 / F.shape[0])[:, 0]


class Centred(Transformed):
    """k(x, z) - E k(x, t) - E k(t, z) + E k(t, t'), E the mean over the training points: features less their mean.

    Before `fit` the points Z stand for the training points. A precomputed Gram matrix is centred in the same way, and
    so are rows of new values against the training points. The centred Gram matrix is kept until `gram()` hands it
    over; a kernel with features needs none.

    Parameters
    ----------
    kernel : kernel
        The kernel whose features are centred.

    Attributes
    ----------
    means_ : array of shape (n,), or None
        E k(t_i, t); None where the kernel has features.
    centre_ : array of shape (p,), or None
        The mean of the features, for a kernel that has them.
    """

    @property
    def points_(self) -> Any:
        return self.kernel_.points_ if self.means_ is None else (self.kernel_.points_, self.means_)

    def fit(self, X: Any) -> Self:
        super().fit(X)
        self.means_ = self.centre_ = None
        F = tall_features(self.kernel_, count(X))
        if F is None:
            self._fit_values(self.kernel_.gram())
        else:
            self.centre_ = _mean_row(F)
        return self

    def over(self, X: Chunks, represent: Represent, places: Any) -> None:
        super().over(X, represent, places)
        F = tall_features(self.kernel_, len(X), lambda C, width: False)
        assert F is not None
        self.centre_ = _mean_row(F)

    def _fit_values(self, K: Array) -> None:
        xp = namespace(K)
        self.means_ = xp.mean(K, axis=1)
        self.total_ = xp.mean(self.means_)
        self.centred_ = self._moved(K, self.means_, self.means_)

    def compact(self) -> Self:
        # Without features the mean is one over the training points.
        return self if self.means_ is not None else self._without(kernel_=self.kernel_.compact())

    def exact(self) -> Any:
        # The mean over all pairs, a block of rows at a time.
        if not self.approximate:
            return self
        inner = self.kernel_.exact()
        kept, n = self._without(kernel_=inner, centre_=None), length_of(inner.points_)
        rows = (inner.between(part, inner.points_) for part in parts_of(inner.points_, rows_of(n)))
        kept.means_ = joined([namespace(K).mean(K, axis=1) for K in rows])
        kept.total_ = namespace(kept.means_).mean(kept.means_)
        return kept

    def _moved(self, K: Array, left: Array, right: Array) -> Array:
        return K - left[:, None] - right[None, :] + self.total_

    def _gram(self) -> Array:
        if self.means_ is None:
            return self.between(self.points_, self.points_)
        known = self.__dict__.pop("centred_", None)
        return self._moved(self.kernel_.gram(), self.means_, self.means_) if known is None else known

    def cross(self, X: Any) -> Array:
        if self.means_ is None:
            return super().cross(X)
        K = self.kernel_.cross(X)
        return self._moved(K, namespace(K).mean(K, axis=1), self.means_)

    def __call__(self, X: Any, Z: Any) -> Array:
        if not hasattr(self, "kernel_"):
            return clone(self).fit(Z).cross(X)
        # The columns of rows of a Gram matrix are the training points, whatever stands for them.
        return self.cross(X) if self.domain == "gram" else self.between(self.represent(X), self.represent(Z))

    def represent(self, X: Any) -> Any:
        self._fitted("represent")
        A = self.kernel_.represent(X)
        if self.centre_ is not None:
            return A
        K = X if self.domain == "gram" else self.kernel_.between(A, self.kernel_.points_)
        return A, namespace(K).mean(K, axis=1)

    def between(self, A: Any, B: Any) -> Array:
        if self.means_ is None:
            G = self.coordinates(B)
            return product(self.coordinates(A), namespace(G).permute_dims(G, (1, 0)))
        return self._moved(self.kernel_.between(A[0], B[0]), A[1], B[1])

    def squares(self, A: Any) -> Array:
        if self.means_ is None:
            F = self.coordinates(A)
            return inner(F, F)
        return self.kernel_.squares(A[0]) - 2.0 * A[1] + self.total_

    def diagonal(self, X: Any) -> Array:
        self._fitted("diagonal")
        return self.squares(self.represent(X))

    def coordinates(self, A: Any) -> Array | None:
        self._fitted("coordinates")
        if self.centre_ is None:
            return None
        F = self.kernel_.coordinates(A)
        return F - cast(self.centre_, F)[None, :]

    def _fitted(self, method: str) -> None:
        if not hasattr(self, "kernel_"):
            raise ValueError(f"Centred needs fit before {method}: the mean is that of the training points.")


def is_centred(kernel: Any) -> bool:
    """Whether features less their mean are part of this kernel: each training point then moves the values of all.

    Parameters
    ----------
    kernel : object
        A kernel, or what may stand for one.

    Returns
    -------
    bool
        Whether `Centred` is in it.
    """
    parts = kernel.get_params().values() if isinstance(kernel, Kernel) else ()
    return isinstance(kernel, Centred) or any(isinstance(part, Centred) for part in parts)
