"""K(x, z) = k(x, z) A."""

from collections.abc import Iterator
from typing import Any, Self

from ..arrays import Array, as_floats, count, eigh, namespace, product, to_numpy
from ..kernels import Kernel
from ..kernels.base import Domain
from ..kernels.by_features import tall_features
from ..kernels.composite import fitted
from ..kernels.representations import in_chunks, part_of, parts_of
from ..kernels.row_blocks import reached, representatives, row_blocks
from ..kernels.transforms import is_centred
from ..matrices import LowRank, Positive, RowBlocks, Tall
from ..matrices.blocks import block_rows
from ..matrices.roads import KEPT, by_features
from ..memory import first_road
from ..spread import at_client, is_spread
from .across import Across
from .base import OperatorValuedKernel, domain_of, fresh, replaced
from .gram import Gram
from .holding import held
from .kronecker import Kronecker
from .operators import Identity, Operator

FEWER = "use fewer features in single precision, kernel=kernels.Nystroem(None, 500, dtype='float32') for instance"


class Separable(OperatorValuedKernel):
    """K(x, z) = scalar(x, z) A: W -> K W S. Without an operator, A is the identity.

    A scalar kernel that has features, fewer than there are samples, is never written out as a matrix: `LowRank`.

    Parameters
    ----------
    scalar : kernel or callable, default=None
        The scalar kernel; None is `kernels.Gaussian()`.
    operator : Operator, default=None
        The output operator A; None is the identity.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.kernels import Linear
    >>> from hilbertine.operator_kernels import Matrix
    >>> X, T = np.array([[1.0], [2.0]]), np.eye(2)
    >>> Separable(Linear(), Matrix([[2.0, 0.0], [0.0, 3.0]])).fit(X, T).gram() @ np.eye(2)
    array([[ 2.,  6.],
           [ 4., 12.]])
    """

    def __init__(self, scalar: Any = None, operator: Operator | None = None):
        self.scalar = scalar
        self.operator = operator

    @property
    def domain(self) -> Domain:
        return domain_of(self.scalar)

    @property
    def learned(self) -> bool:
        return self.of_outputs or is_centred(self.scalar)

    @property
    def of_outputs(self) -> bool:
        return self._operator().learned

    def _operator(self) -> Operator:
        return checked(self.operator)

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        if is_spread(X):
            return self._fit_in_blocks(X, T, space)
        self.like_ = T
        self.scalar_ = self._scalar(X, T)
        self.matrix_ = self._operator().matrix(T, space)
        F = tall_features(self.scalar_, count(X), self._kept)
        self.features_ = None if F is None or F.shape[1] >= count(X) else F
        return self

    def _kept(self, C: Array, width: int) -> bool:
        """Whether features are kept in memory: chosen before they are made."""
        n = int(self.like_.shape[0])
        if width >= n:
            return False
        road = first_road(by_features(n, C, width, self.matrix_ is not None, self.rest), FEWER, self.like_)
        self.needed_ = road.bytes
        return road.name == KEPT

    def _fit_in_blocks(self, X: Any, T: Array, space: Any) -> Self:
        """Where the rows are on a cluster some of them come here, and the kernel learns from these."""
        operator, self.like_ = self._operator(), at_client(T)
        self.scalar_ = self._scalar(representatives(X), self.like_)
        S = operator.matrix(T if operator.learned else self.like_, space)
        self.matrix_ = to_numpy(S) if is_spread(S) else S
        self.features_ = row_blocks(self.scalar_, X)
        self.needed_ = float(self.features_.C.nbytes)
        return self

    def _scalar(self, X: Any, T: Array) -> Kernel:
        """The fitted scalar kernel."""
        return fitted(fresh(self.scalar), X)

    def compact(self) -> Self:
        if self.features_ is None:
            return self
        return self._with(self.scalar_.compact(), self.features_.without_rows())

    def without_features(self) -> Self:
        return self if self.features_ is None else self._with(self.scalar_, self.features_.without_rows())

    @property
    def approximate(self) -> bool:
        return self.scalar_.approximate

    def exact(self) -> Self:
        return self._with(self.scalar_.exact(), None)

    def _with(self, scalar: Kernel, features: Tall | None) -> Self:
        return replaced(self, scalar_=scalar, features_=features, like_=self.like_[:1])

    def gram(self) -> Gram:
        K, needed = self._positive()
        self.largest_ = max(float(namespace(part).max(part)) for part in self._squares(K))
        return Kronecker([(K, self.matrix_)], int(self.like_.shape[1]), needed)

    def _squares(self, K: Positive) -> Iterator[Array]:
        """Bounds of k(x_i, x_i), a block of points at a time."""
        if self.features_ is None or isinstance(self.features_, RowBlocks):
            yield K.diagonal()
        else:
            parts = parts_of(self.scalar_.points_, block_rows(self.features_.shape[1], self.like_))
            yield from (self.scalar_.bounds(part) for part in parts)

    def _positive(self) -> tuple[Positive, float]:
        if self.features_ is not None:
            return LowRank(self.features_), self.needed_
        return held(self.scalar_, self.like_, self.matrix_ is not None, self.rest)

    def cross(self, X: Any) -> Array:
        if self.features_ is None:
            return as_floats(self.scalar_.cross(X), self.like_)
        return self._factors(self.scalar_.represent(X))

    def among(self, places: Any) -> Any:
        points = self.scalar_.points_
        part = part_of(points, places)
        if self.features_ is not None:
            return self._factors(part)
        if in_chunks(points):
            return Across(self.scalar_, part, points)
        return as_floats(self.scalar_.between(part, points), self.like_)

    def _factors(self, A: Any) -> Array:
        factors = self.scalar_.factors(A)
        assert factors is not None
        return as_floats(factors[0], self.like_)

    def at_some(self, places: Any, X: Any, W: Array) -> Array:
        """sum_j K(z, x_j) w_j at some of the rows z that the kernel was fitted to, for rows X on a cluster.

        Parameters
        ----------
        places : array of int
            Their places among these.
        X : Dask array
            All rows.
        W : Dask array of shape (n, m)
            Dual variables.

        Returns
        -------
        array
            The values.
        """
        found = reached(self.scalar_, places, X, W)
        return found if self.matrix_ is None else product(found, self.matrix_)

    def condense(self, W: Array) -> Array:
        W, F = W if self.matrix_ is None else product(W, self.matrix_), self.features_
        if F is None:
            return W
        B = F.transposed_times(W)
        return B if F.right is None else product(F.right, B)

    def operator_norm(self) -> float:
        return self.largest_ * (1.0 if self.matrix_ is None else float(eigh(self.matrix_)[0][-1]))

    def times(self, scalar: Kernel) -> "Separable | None":
        return Separable(scalar * fresh(self.scalar), self.operator)


def checked(operator: Operator | None) -> Operator:
    """The output operator, the identity where none is given."""
    if operator is None:
        return Identity()
    if not isinstance(operator, Operator):
        raise TypeError(f"{operator!r} is not an output operator; pass Identity(), Covariance() or Matrix(A).")
    return operator
