"""Kernels by features that `fit` learns, and the features of the training points, a block of them at a time."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from sklearn.base import clone

from ..arrays import Array, as_floats, device_of, is_array, is_foreign, namespace, product
from ..containers import Chunks
from ..matrices import Tall
from ..matrices.blocks import block_rows, joined, transposed
from ..memory import rows_of
from ..threads import each
from .base import Kernel
from .distances import squared_norms
from .featured import Represent
from .representations import length_of, part_of, parts_of

# So many blocks are one array: one block more is little beside them.
MANY = 32
Precision = Literal["float64", "float32"]


class ByFeatures(Kernel):
    """k(x, z) = <f(x), f(z)>, features f that `fit` learns; before it the points Z stand for all."""

    dtype: Precision = "float64"
    approximate = True

    def __call__(self, X: Any, Z: Any) -> Array:
        if not hasattr(self, "kernel_"):
            return clone(self).fit(Z).cross(X)
        return self.between(self.represent(X), self.represent(Z))

    def fit(self, X: Any) -> Self:
        raise NotImplementedError(f"{type(self).__name__} must implement fit(X).")

    def compact(self) -> Self:
        return self._without("points_", kernel_=self.kernel_.compact())

    def over(self, X: Chunks, represent: Represent, places: Any) -> None:
        super().over(X, represent, places)
        self.kernel_.over(X, represent, places)

    def represent(self, X: Any) -> Any:
        if not hasattr(self, "kernel_"):
            raise ValueError(f"{type(self).__name__} needs fit before it has features.")
        return self.kernel_.represent(X)

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

    def coordinates(self, A: Any) -> Array:
        return self.mapped(self._precise(A))

    def between(self, A: Any, B: Any) -> Array:
        return product(self.coordinates(A), transposed(self.coordinates(B)))

    def squares(self, A: Any) -> Array:
        return joined([squared_norms(self.coordinates(part)) for part in parts_of(A, rows_of(self.width))])

    @property
    def width(self) -> int:
        """How many features there are, about."""
        raise NotImplementedError(f"{type(self).__name__} must implement width.")

    def _gram(self) -> Array:
        F = self.coordinates(self.points_)
        return product(F, transposed(F))

    def diagonal(self, X: Any) -> Array:
        return self.squares(self.represent(X))

    def _precise(self, A: Any) -> Any:
        """Vectors in the precision of the features; other things as they are."""
        if self.dtype not in ("float64", "float32"):
            raise ValueError(f"{type(self).__name__}.dtype is 'float64' or 'float32', not {self.dtype!r}.")
        if not is_array(A) or A.ndim != 2:
            return A
        xp = namespace(A)
        return A if not xp.isdtype(A.dtype, "real floating") else xp.astype(A, getattr(xp, self.dtype), copy=False)


class Made(Sequence[Array]):
    """Blocks of features that are made when they are asked for."""

    def __init__(self, kernel: Kernel, points: Any, size: int):
        self.kernel = kernel
        self.points = points
        self.size = size

    def __len__(self) -> int:
        return -(-length_of(self.points) // self.size)

    def __getitem__(self, k: Any) -> Any:
        if not 0 <= k < len(self):
            raise IndexError(k)
        start = k * self.size
        factors = self.kernel.factors(
            part_of(self.points, slice(start, min(start + self.size, length_of(self.points))))
        )
        assert factors is not None
        return factors[0]


def tall_features(kernel: Kernel, n: int, kept: Callable[[Array, int], bool] = lambda C, width: True) -> Tall | None:
    """The features of the n training points of a fitted kernel, None where it has none.

    `kept` says whether they stay in memory, from one row of them and their number.
    """
    if not kernel.featured:
        return None
    factors = kernel.factors(part_of(kernel.points_, slice(0, 1)))
    if factors is None:
        return None
    C, R = factors
    columns = int(C.shape[1])
    made = Made(kernel, kernel.points_, block_rows(columns, C))
    width = columns if R is None else int(R.shape[1])
    return Tall(_kept(made, n, C) if kept(C, width) else made, (n, width), None if R is None else as_floats(R, R))


def _kept(made: Made, n: int, one: Array) -> list[Array]:
    """The blocks, many of them as slices of one array: what is asked for at once the system gives in large pages."""
    if len(made) < MANY:
        return list(each(made.__getitem__, range(len(made)), alone=is_foreign(one)))
    C = namespace(one).empty((n, int(one.shape[1])), dtype=one.dtype, device=device_of(one))

    def write(k: int) -> Array:
        part = C[k * made.size : (k + 1) * made.size, :]
        part[:, :] = made[k]
        return part

    return list(each(write, range(len(made)), alone=is_foreign(one)))
