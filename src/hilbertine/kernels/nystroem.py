"""Kernels with few features that stand for kernels with many."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from ..arrays import Array, as_floats, cast, count, eigh, namespace, product, shifted, to_numpy
from ..checks import whole
from ..containers import Chunks
from ..factors import inverse_root, triangular_product
from ..matrices import Tall
from ..matrices.blocks import block_rows, transposed
from .base import Domain, Kernel
from .by_features import ByFeatures, Precision
from .callables import as_kernel
from .composite import fitted
from .featured import Represent
from .pivots import chosen, random_pivots
from .radial import Gaussian
from .representations import length_of, part_of, parts_of

# Eigenvalues below this share of the largest are rounding: their features would be noise.
CUTOFF = {"float64": 1e-10, "float32": 1e-7}
# Values at the centres stand for the features, up to p x p factors, where eigenvalues fall by no more than this.
MIXED = 1e-9
# Of the trace, by so much the values at pivots are moved to stay positive in floating point.
ROUNDING = 1e-13
# A root whose numbers are larger, for a kernel with values of 1, makes of single rounding more than that.
TAME = 100.0
# Pivots are looked for among so many training points for each that is wanted.
POOL = 20
# The same where they precondition, and need not be the best.
FEWER = 5


class Nystroem(ByFeatures):
    """k(x, z) = k(x, C) k(C, C)^+ k(C, z): the kernel projected on its values at the centres C.

    Never above the kernel it stands for, and inside its function space. For any kernel, between objects too.

    Parameters
    ----------
    kernel : kernel or "auto", default=None
        The kernel it stands for, None for `Gaussian()`, "auto" for `Gaussian("auto")`.
    n_components : int, default=100
        How many centres are chosen, where they are chosen.
    centres : "pivoted", "uniform" or a collection of points, default="pivoted"
        Training points by randomly pivoted Cholesky, which finds those that the others say least about (of very many
        points, among 20 n_components at random); training points at random; or these.
    random_state : int, RandomState or None, default=0
        Seed of the choice.
    dtype : {"float64", "float32"}, default="float64"
        The precision of the features; in "float32" they take half the memory and half the time. Everything they add up
        to, and the certificate, is in double precision all the same.
    target : float, default=None
        The relative gap in the problem of the kernel it stands for: estimators double `n_components` and fit again
        until `approximation_gap`, estimated from 500 rows, is at most that, or the memory is spent, which they say.

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
        dtype: Precision = "float64",
        target: float | None = None,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.centres = centres
        self.random_state = random_state
        self.dtype = dtype
        self.target = target

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
        read = kernel.represent(self.centres_)
        self.root_, spread = inverse_square_root(kernel.between(read, read), CUTOFF[self.dtype])
        self.mixed_ = spread < 1.0 / MIXED
        self.kernel_, self.read_, self.points_ = kernel, self._precise(read), kernel.points_
        return self

    def over(self, X: Chunks, represent: Represent, places: Any) -> None:
        super().over(X, represent, places)
        self.indices_ = None if self.indices_ is None else places[self.indices_]

    def mapped(self, A: Any) -> Array:
        # k(X, C) k(C, C)^(-1/2), without the directions that are rounding.
        C = self.kernel_.towards(A, self.read_)
        return product(C, cast(self.root_, C))

    def factors(self, A: Any) -> tuple[Array, Array | None]:
        # Where the root is tame it waits until p x m numbers are there to be multiplied with.
        return (
            (self.kernel_.towards(self._precise(A), self.read_), self.root_)
            if self.mixed_
            else (self.coordinates(A), None)
        )

    def exact(self) -> Any:
        return self.kernel_.exact()

    def bounds(self, A: Any) -> Array:
        # The kernel it stands for is above it.
        return self.kernel_.squares(A)

    @property
    def width(self) -> int:
        return int(self.root_.shape[1])

    def _given(self) -> Kernel:
        if self.kernel is None or (isinstance(self.kernel, str) and self.kernel == "auto"):
            return Gaussian("median" if self.kernel is None else "auto")
        return as_kernel(self.kernel)

    def _indices(self, kernel: Kernel, X: Any) -> Array | None:
        if not isinstance(self.centres, str):
            return None
        size = min(whole(self.n_components, "Nystroem.n_components"), count(X))
        rng = check_random_state(self.random_state)
        if self.centres == "pivoted":
            pool = np.sort(rng.choice(count(X), min(POOL * size, count(X)), replace=False))
            points = kernel.points_ if pool.size == count(X) else part_of(kernel.points_, pool)
            return pool[random_pivots(kernel, points, size, rng)]
        if self.centres == "uniform":
            return np.sort(rng.choice(count(X), size, replace=False))
        raise ValueError(f"Nystroem.centres is 'pivoted', 'uniform' or points, not {self.centres!r}.")


def inverse_square_root(M: Array, cutoff: float) -> tuple[Array, float]:
    """R with R R^T = M^+, one column for each eigenvalue that is not rounding, and the ratio of the extreme ones."""
    values, U = eigh((M + namespace(M).permute_dims(M, (1, 0))) / 2.0)
    least = cutoff * max(float(values[-1]), 0.0)
    kept = int(np.sum(to_numpy(values) > least))
    if kept == 0:
        # A kernel that is zero has one feature, zero.
        return 0.0 * U[:, -1:], 1.0
    return U[:, -kept:] / namespace(M).sqrt(values[-kept:])[None, :], float(values[-1] / values[-kept])


def projection(kernel: Any, points: Any, rank: int, dtype: Precision) -> Tall:
    """F with F F^T = K(X, C) K(C, C)^-1 K(C, X), C pivots of a sample of the points: made once, exact in its F^T F.

    A root by a Cholesky factor, of K(C, C) moved by rounding: for a preconditioner that is close enough.
    """
    n, rng = length_of(points), np.random.RandomState(0)
    pool = np.sort(rng.choice(n, min(FEWER * rank, n), replace=False))
    part = part_of(points, pool)
    centres = part_of(part, random_pivots(kernel, part, min(rank, len(pool)), rng))
    M = as_floats(kernel.between(centres, centres), kernel.squares(centres))
    trace = float(namespace(M).sum(namespace(M).linalg.diagonal(M)))
    right = transposed(inverse_root(shifted(M, ROUNDING * trace + 1e-300)))
    like = namespace(M).astype(right[:1, :1], getattr(namespace(M), dtype))
    tame = float(namespace(M).max(namespace(M).abs(right))) * (trace / int(M.shape[0])) ** 0.5 < TAME
    right = cast(right, like) if tame else right
    found = [
        cast(triangular_product(cast(kernel.between(A, centres), right), right), like)
        for A in parts_of(points, block_rows(int(M.shape[0]), M))
    ]
    return Tall(found, (n, int(M.shape[0])))
