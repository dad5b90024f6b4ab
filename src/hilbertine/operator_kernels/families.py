"""Kernels with a scalar kernel for each training sample or pair: (i) and (iv) of `aligned`."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from ..arrays import Array, as_floats, count, device_of, namespace, product
from ..kernels import Kernel, as_kernel
from ..kernels.base import Domain
from ..kernels.composite import fitted
from ..memory import BLOCK
from .base import OperatorValuedKernel, fresh
from .gram import Gram

# Kernel values that a streamed operator keeps between applications rather than computing them again.
KEPT = 2 * BLOCK
# Kernel values that one application may need before (iv) refuses.
MOST_VALUES = 2**31


class _Family(OperatorValuedKernel):
    """sum_p k_p(s, t) v_p (x) v_p over places p: samples or pairs. Places may share a kernel object, and its values."""

    def __init__(self, family: Any):
        self.family = family

    def _members(self, n: int) -> list[Any]:
        """The kernels of all places of n samples."""
        raise NotImplementedError

    def _vectors(self, places: Any, T: Array) -> Array:
        """The vectors v_p."""
        raise NotImplementedError

    @property
    def domain(self) -> Domain:
        one = self._listed()
        while isinstance(one, list):
            one = one[0] if one else None
        return as_kernel(self._members(1)[0] if one is None else one).domain

    def _listed(self) -> list[Any] | None:
        """The family as a list, or None where it is a function."""
        if isinstance(self.family, np.ndarray | list | tuple) and len(self.family):
            listed: list[Any] = np.asarray(self.family, dtype=object).tolist()
            return listed
        if callable(self.family) and not isinstance(self.family, Kernel | type):
            return None
        raise TypeError(
            f"{type(self).__name__}.family must be a list of kernels, one for each place, or a function that gives "
            f"them; got {self.family!r}."
        )

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        n = count(X)
        members = self._members(n)
        places: dict[int, list[int]] = {}
        for p, k in enumerate(members):
            places.setdefault(id(k), []).append(p)
        self._guard(len(places), n * n)
        self.parts_ = [(fitted(fresh(members[at[0]]), X), self._vectors(np.asarray(at), T)) for at in places.values()]
        self.like_ = T
        return self

    def gram(self) -> Gram:
        return StreamedGram(self.parts_, self.like_)

    def cross(self, X: Any) -> Array:
        return namespace(self.like_).concat([as_floats(k.cross(X), self.like_) for k, _ in self.parts_], axis=1)

    def condense(self, W: Array) -> Array:
        return namespace(W).concat([inside(W, F) for _, F in self.parts_])

    def _guard(self, kernels: int, values: int) -> None:
        if kernels * values > MOST_VALUES:
            raise ValueError(
                f"{type(self).__name__} would evaluate {kernels} kernels of {values} values in every step, "
                f"{kernels * values * 8 / 2**30:.0f} GiB in all; let places share a few kernel objects, use fewer "
                "samples, or weights on one kernel, which cost one Gram matrix."
            )


class AlignedFamily(_Family):
    """K(s, t) = sum_i k_i(s, t) y_i (x) y_i: a scalar kernel for each training sample.

    Parameters
    ----------
    family : list of kernels or callable
        n kernels, or a function i -> kernel.
    """

    def _members(self, n: int) -> list[Any]:
        listed = self._listed()
        members = [self.family(i) for i in range(n)] if listed is None else listed
        if len(members) != n:
            raise ValueError(f"AlignedFamily has {len(members)} kernels for {n} training samples; give one for each.")
        return members

    def _vectors(self, places: Any, T: Array) -> Array:
        return _rows(T, places)


class PairAlignedFamily(_Family):
    """K(s, t) = sum_ij k_ij(s, t) (y_i + y_j) (x) (y_i + y_j): a scalar kernel for each pair of training samples.

    All n^2 different, they have n^4 values: for few samples, or for a few kernel objects that many pairs share.

    Parameters
    ----------
    family : nested list of kernels or callable
        n lists of n kernels, or a function (i, j) -> kernel.
    """

    def _members(self, n: int) -> list[Any]:
        listed = self._listed()
        if listed is None:
            return [self.family(i, j) for i in range(n) for j in range(n)]
        if len(listed) != n or any(not isinstance(row, list) or len(row) != n for row in listed):
            raise ValueError(f"PairAlignedFamily needs {n} lists of {n} kernels, one for each pair of samples.")
        return [k for row in listed for k in row]

    def _vectors(self, places: Any, T: Array) -> Array:
        n = int(T.shape[0])
        return _rows(T, places // n) + _rows(T, places % n)


def _rows(T: Array, places: Any) -> Array:
    xp = namespace(T)
    return xp.take(T, xp.asarray(places, device=device_of(T)), axis=0)


def inside(W: Array, F: Array) -> Array:
    """W F^T F."""
    return product(product(W, namespace(F).permute_dims(F, (1, 0))), F)


class StreamedGram(Gram):
    """W -> sum_r K_r (W F_r^T) F_r: the kernel matrices are kept where they fit, else computed when used."""

    def __init__(self, parts: Sequence[tuple[Kernel, Array]], T: Array):
        n = int(T.shape[0])
        super().__init__(T, (n, int(T.shape[1])))
        self.parts = parts
        self.kept = [self._values(k) for k, _ in parts] if len(parts) * n * n <= KEPT else None

    def _values(self, kernel: Kernel) -> Array:
        return as_floats(kernel.gram(), self.like)

    def _matrices(self) -> Iterator[Array]:
        return (self._values(k) for k, _ in self.parts) if self.kept is None else iter(self.kept)

    def __matmul__(self, W: Array) -> Array:
        pairs = zip(self._matrices(), self.parts, strict=True)
        terms = (product(K, inside(W, F)) for K, (_, F) in pairs)
        return sum(terms, next(terms))

    def diagonal(self) -> Array:
        xp = namespace(self.like)
        pairs = zip(self._matrices(), self.parts, strict=True)
        terms = (xp.linalg.diagonal(K)[:, None] * xp.sum(F * F, axis=0)[None, :] for K, (_, F) in pairs)
        return sum(terms, next(terms))
