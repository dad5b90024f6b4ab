"""The exact kernel without its matrix: products tile by tile, solutions by preconditioned conjugate gradients."""

from functools import cached_property
from typing import Any

from ..arrays import Array, as_floats, frobenius, is_array, namespace, rows_at, shifted, to_numpy
from ..factors import cholesky_solver
from ..memory import available
from .base import Positive, Solve
from .conjugate_gradients import BY_COLUMN, Map, Solved, conjugate_gradients
from .dense import Dense
from .held import Held, bytes_of
from .low_rank import LowRank
from .recycled import Recycled
from .tiles import Tiles

# The residual of a solution: of its right-hand side, of what that changed since the last one, and of rounding.
ACCURACY, FOLLOWING, ROUNDING = 1e-4, 1e-1, 1e-12
# Columns of the preconditioner for each root of n, so that it costs as much as a few products, and its share of memory.
RANK, SHARE = 10, 0.25
# n x n arrays at the peak of a fit by a factor alone, and what a product is worth beside one.
PEAK, FEWEST, PER_PRODUCT = 1.1, 100, 150
# Up to so many points a part of the matrix is written out.
WRITTEN = 4000


class Tiled(Positive):
    """K by its values on tiles, made when they are needed and never held: each product is n^2/2 values of the kernel.

    (K + theta I)^-1 R by conjugate gradients on all columns at once. They begin at the best combination of earlier
    solutions, are preconditioned by `near`, K projected on pivots, and end at a ten-thousandth of R, or at a tenth of
    what changed in R since the last time where that is less.

    Parameters
    ----------
    kernel : Kernel
        A fitted kernel.
    X : object
        What the kernel reads off n points, its `points_` for the training points.
    like : array, default=None
        An array of the library and on the device to work in, in double precision; None is that of the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.kernels import Gaussian
    >>> X = np.linspace(0.0, 1.0, 50)[:, None]
    >>> K, k = Tiled(Gaussian(1.0), X), Gaussian(1.0)(X, X)
    >>> bool(np.allclose(K @ X, k @ X)), bool(np.allclose(k @ K.solver(0.1)(X) + 0.1 * K.solver(0.1)(X), X, atol=1e-5))
    (True, True)
    """

    root: Any = 1.0

    def __init__(self, kernel: Any, X: Any, like: Array | None = None):
        squares = kernel.squares(X)
        self.squares = as_floats(squares, squares if like is None else like)
        super().__init__(self.squares, int(self.squares.shape[0]))
        self.kernel, self.points = kernel, X
        self.tiles = Tiles(kernel.tiles(X), self.size, self.squares)
        self.recycled = Recycled()

    def __matmul__(self, V: Array) -> Array:
        return self._by_root(self.tiles.times(self._by_root(V)))

    def _by_root(self, V: Array) -> Array:
        return self.root[:, None] * V if is_array(self.root) else V if self.root == 1.0 else self.root * V

    def diagonal(self) -> Array:
        return self.root**2 * self.squares

    def restricted(self, rows: Array) -> Positive:
        part = type(self)(self.kernel, self.kernel.part(self.points, to_numpy(rows)), self.like)
        root = rows_at(self.root, rows) if is_array(self.root) else self.root
        return (Dense(part.tiles.matrix()) if part.size <= WRITTEN else part).weighted(root)

    def weighted(self, root: Any) -> "Tiled":
        other = type(self).__new__(type(self))
        other.__dict__ |= {name: value for name, value in vars(self).items() if name != "near"}
        other.root, other.recycled = root * self.root, Recycled()
        return other

    @property
    def products(self) -> int:
        """How many products there were."""
        return self.tiles.products

    @cached_property
    def near(self) -> LowRank:
        """K projected on pivots, as many as there are roots of n times ten and memory for, in single precision."""
        return self._projected("float32")

    def _projected(self, dtype: str) -> LowRank:
        room = SHARE * available(self.like) / (8 * self.size)
        rank = max(1, int(min(RANK * self.size**0.5, self.size, room)))
        return LowRank(self.kernel.projected(self.points, rank, dtype)).weighted(self.root)

    def near_beside(self, theta: float, most: float = 1.0) -> LowRank:
        """`near`, made again in double precision where a shift is less than what single precision rounds.

        Parameters
        ----------
        theta : float
            The shift.
        most : float, default=1.0
            What the matrix is multiplied by.

        Returns
        -------
        LowRank
            What preconditions.
        """
        if self.near.steep(theta, most) and self.near.F.single:
            # The first one goes before the second one comes.
            del self.near
            self.near = self._projected("float64")
        return self.near

    def approximation(self) -> LowRank | None:
        return self.near

    @property
    def patience(self) -> int:
        """Products that cost about as much as a factor."""
        return max(FEWEST, self.size // PER_PRODUCT)

    @property
    def room_for_factor(self) -> bool:
        """Whether n x n numbers fit."""
        return 8.0 * PEAK * self.size**2 < available(self.like)

    def factored(self, theta: float) -> Solve:
        """R -> (K + theta I)^-1 R by a Cholesky factor in the place of the matrix.

        Parameters
        ----------
        theta : float
            The shift, > 0.

        Returns
        -------
        callable
            (R, start) -> the solution.
        """
        A = self.tiles.matrix()
        if is_array(self.root) or self.root != 1.0:
            A *= self.root[:, None] if is_array(self.root) else self.root**2
            A *= self.root[None, :] if is_array(self.root) else 1.0
        solve = cholesky_solver(shifted(A, theta, overwrite=True))
        return lambda R, start=None: solve(R)

    def _solver(self, theta: float) -> Solve:
        return Iterated(self, theta)

    def column_solver(self, s: Array, theta: float) -> Solve:
        return ByColumn(self, s, theta)

    def held(self) -> Held:
        size = sum(map(bytes_of, self.near.F.parts)) if "near" in vars(self) else 0
        rank = f", {self.near.width} pivots" if size else ""
        return Held("tiled", (self.size, self.size), size, f"{self.products} products{rank}")


class Factored(Tiled):
    """K by its values on tiles, and by the Cholesky factor of K + theta I in the place of a matrix written for it.

    n^2 numbers instead of the 2 n^2 of `Dense`: products make the kernel again.

    Parameters
    ----------
    kernel : Kernel
        A fitted kernel.
    X : object
        What the kernel reads off n points.
    like : array, default=None
        An array of the library and on the device to work in, in double precision; None is that of the kernel.
    """

    def approximation(self) -> None:
        return None

    def _solver(self, theta: float) -> Solve:
        return self.factored(theta)

    def held(self) -> Held:
        size = 8 * self.size * self.size
        return Held("factored", (self.size, self.size), size, f"{self.products} products by tiles")


class Iterated:
    """R -> (K + theta I)^-1 R, each from what the ones before it found.

    Where it takes more products than a factor is worth, a factor is made if there is room for one.
    """

    def __init__(self, matrix: Any, theta: float):
        self.matrix = matrix
        self.theta = theta
        self.precondition: Map = matrix.near_beside(theta).unrefined(theta)
        self.last: Array | None = None
        self.direct: Solve | None = None

    def __call__(self, R: Array, start: Array | None = None) -> Array:
        K, theta = self.matrix, self.theta
        if self.direct is not None:
            return self.direct(R)
        if start is not None and not K.recycled.found:
            K.recycled.learn(start, K @ start, 0.0 * R, 0.0)
        X, E = K.recycled.start(R, theta)
        found = self._found(R, X, E, K.patience)
        if not found.converged and K.room_for_factor:
            self.direct = K.factored(theta)
            return self.direct(R)
        if not found.converged:
            found = self._found(R, found.solution, found.residual, K.size)
        K.recycled.learn(found.solution - X, E - found.residual, R, theta)
        self.last = R
        return found.solution

    def _found(self, R: Array, X: Array, E: Array, most: int) -> Solved:
        K, theta, atol = self.matrix, self.theta, wanted(R, self.last)
        return conjugate_gradients(lambda V: (K @ V) + theta * V, R, self.precondition, X, E, atol, most)


class ByColumn:
    """R -> W with w_j = (s_j K + theta I)^-1 r_j, each from the one before it."""

    def __init__(self, matrix: Tiled, s: Array, theta: float):
        self.apply: Map = lambda V: s[None, :] * (matrix @ V) + theta * V
        near = matrix.near_beside(theta, float(namespace(s).max(s)))
        self.precondition: Map = near.column_solver(s, theta)
        self.most = matrix.size
        self.last: tuple[Array, ...] | None = None

    def __call__(self, R: Array, start: Array | None = None) -> Array:
        before, X, E = self.last or (None, start, None)
        E = None if before is None else E + (R - before)
        found = conjugate_gradients(self.apply, R, self.precondition, X, E, wanted(R, before), self.most, BY_COLUMN)
        self.last = R, found.solution, found.residual
        return found.solution


def wanted(R: Array, before: Array | None) -> float:
    """The norm of a residual that is small enough, beside R and beside what changed in it."""
    size = frobenius(R)
    changed = size if before is None or before.shape != R.shape else frobenius(R - before)
    return max(min(ACCURACY * size, FOLLOWING * changed), ROUNDING * size)
