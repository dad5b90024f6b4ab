"""Kernels made of other kernels: what they fit are clones of their parts, and never a parameter of their own."""

from collections.abc import Callable
from typing import Any, Self

from sklearn.base import clone

from ..arrays import Array, sample_rows
from ..containers import Chunks
from .base import Domain, Kernel, stricter
from .callables import as_kernel
from .featured import Represent

# Of points that are not all in memory so many are learned from.
LEARNED_FROM = 50_000


def fitted(kernel: Any, X: Any) -> Kernel:
    """A clone of the kernel, fitted; it remembers the points even where its own `fit` does not."""
    found = as_kernel(clone(kernel, safe=False))
    if isinstance(X, Chunks):
        return of_chunks(found, X)
    found = found.fit(X)
    if not hasattr(found, "points_"):
        found.points_ = found.represent(X)
    return found


def of_chunks(kernel: Kernel, X: Chunks) -> Kernel:
    """What a kernel learns it learns from a sample of the points, and reads all of them where it has features."""
    places = sample_rows(len(X), LEARNED_FROM if kernel.featured else len(X))
    kernel.fit(X.part(places))
    if kernel.featured:
        kernel.over(X, kernel.represent, places)
    return kernel


class Transformed(Kernel):
    """A kernel made of one other; before `fit` it is made of `kernel` as it is."""

    def __init__(self, kernel: Any):
        self.kernel = kernel

    @property
    def domain(self) -> Domain:
        return as_kernel(self.kernel).domain

    @property
    def points_(self) -> Any:
        return self.kernel_.points_

    def fit(self, X: Any) -> Self:
        self.kernel_ = fitted(self.kernel, X)
        return self

    def represent(self, X: Any) -> Any:
        return self._inner().represent(X)

    def over(self, X: Chunks, represent: Represent, places: Any) -> None:
        self.kernel_.over(X, represent, places)

    @property
    def featured(self) -> bool:
        return super().featured and self._inner().featured

    def compact(self) -> Self:
        return self._without(kernel_=self.kernel_.compact())

    @property
    def approximate(self) -> bool:
        return self._inner().approximate

    def exact(self) -> Any:
        return self._without(kernel_=self.kernel_.exact()) if self.approximate else self

    def _inner(self) -> Kernel:
        return getattr(self, "kernel_", None) or as_kernel(self.kernel)


class Pair(Kernel):
    """Two kernels on the same inputs, their values combined."""

    def __init__(self, left: Any, right: Any):
        self.left = left
        self.right = right

    @property
    def domain(self) -> Domain:
        left, right = self._parts()
        return stricter(left.domain, right.domain)

    @property
    def points_(self) -> Any:
        return self.left_.points_, self.right_.points_

    def fit(self, X: Any) -> Self:
        self.left_, self.right_ = fitted(self.left, X), fitted(self.right, X)
        return self

    def over(self, X: Chunks, represent: Represent, places: Any) -> None:
        self.left_.over(X, lambda rows: represent(rows)[0], places)
        self.right_.over(X, lambda rows: represent(rows)[1], places)

    @property
    def featured(self) -> bool:
        return super().featured and all(part.featured for part in self._parts())

    def compact(self) -> Self:
        return self._without(left_=self.left_.compact(), right_=self.right_.compact())

    @property
    def approximate(self) -> bool:
        return any(part.approximate for part in self._parts())

    def exact(self) -> Any:
        return self._without(left_=self.left_.exact(), right_=self.right_.exact()) if self.approximate else self

    def combined(self, left: Array, right: Array) -> Array:
        """One value from the values of the two kernels.

        Parameters
        ----------
        left, right : array
            The values of the two kernels.

        Returns
        -------
        array
            One value for each pair.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement combined(left, right).")

    def __call__(self, X: Any, Z: Any) -> Array:
        return self.combined(*(part(X, Z) for part in self._parts()))

    def represent(self, X: Any) -> Any:
        left, right = self._parts()
        return left.represent(X), right.represent(X)

    def between(self, A: Any, B: Any) -> Array:
        left, right = self._parts()
        return self.combined(left.between(A[0], B[0]), right.between(A[1], B[1]))

    def tiles(self, A: Any) -> Callable[[slice, slice], Array]:
        left, right = (part.tiles(points) for part, points in zip(self._parts(), A, strict=True))
        return lambda rows, columns: self.combined(left(rows, columns), right(rows, columns))

    def squares(self, A: Any) -> Array:
        left, right = self._parts()
        return self.combined(left.squares(A[0]), right.squares(A[1]))

    def bounds(self, A: Any) -> Array:
        left, right = self._parts()
        return self.combined(left.bounds(A[0]), right.bounds(A[1]))

    def _gram(self) -> Array:
        return self.combined(self.left_.gram(), self.right_.gram())

    def cross(self, X: Any) -> Array:
        return self.combined(*(part.cross(X) for part in self._parts()))

    def diagonal(self, X: Any) -> Array:
        return self.combined(*(part.diagonal(X) for part in self._parts()))

    def _parts(self) -> tuple[Kernel, Kernel]:
        if hasattr(self, "left_"):
            return self.left_, self.right_
        return as_kernel(self.left), as_kernel(self.right)

    def _coordinates(self, A: Any) -> tuple[Array, Array] | None:
        """The features of both kernels, where both have them."""
        left, right = self._parts()
        F = left.coordinates(A[0])
        G = None if F is None else right.coordinates(A[1])
        return None if F is None or G is None else (F, G)
