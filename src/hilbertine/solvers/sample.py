"""Some of the rows stand for all: scales and starts of large problems at the price of small ones."""

import warnings
from collections.abc import Callable

from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, device_of, namespace, sample_rows
from ..dual import Dual
from ..operator_kernels import Gram
from ..spread import is_spread, placed
from .solution import Solution

# So many rows stand for all, where there are several times as many.
ROWS, SEVERAL, MOST = 20_000, 4, 30_000


def sample_size(n: int) -> int:
    """How many of n rows stand for all; none where there are not so many that some of them say nearly as much."""
    return max(ROWS, min(n // 20, MOST)) if n >= SEVERAL * ROWS else 0


def stands_for_many(dual: Dual) -> bool:
    """Whether there are so many rows that some of them say nearly as much."""
    return sample_size(dual.gram.shape[0]) > 0


def sampled(dual: Dual) -> tuple[Dual, Array]:
    """The problem of some of the rows at the same lam, and their places; its Gram operator is made once."""
    n = dual.gram.shape[0]
    rows = sample_rows(n, sample_size(n) or ROWS)
    if not is_spread(dual.targets):
        rows = namespace(dual.targets).asarray(rows, device=device_of(dual.targets))
    if dual.gram.sample is None:
        dual.gram.sample = dual.gram.restricted(rows)
    return Dual(dual.gram.sample, dual.risk.restricted(rows), dual.lam), rows


def rough_start(dual: Dual, solve: Callable[[Dual], Solution]) -> tuple[Array, Array]:
    """(W, P): what the function of some of the rows predicts for all, and the dual rows that go with it.

    They are near those of the solution, and P is not G W / (lam n): no certificate is to be made of them.
    """
    small, rows = sampled(dual)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = solve(small).W
    P = (dual.gram @ _spread(W, rows, dual.targets)) / small.scale
    return dual.risk.pulled(P), P


def start_nearby(dual: Dual, gram: Gram, solve: Callable[[Dual], Solution]) -> tuple[Array, Array]:
    """(W, P): the solution with another Gram operator near that of the problem, and what it predicts there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = solve(Dual(gram, dual.risk, dual.lam))
    return found.W, found.predictions


def _spread(W: Array, rows: Array, like: Array) -> Array:
    """Rows of zeros, but for those at these places, which are in order."""
    if is_spread(like):
        return placed(W, rows, like)
    xp = namespace(like)
    places = xp.arange(like.shape[0], device=device_of(like))
    at = xp.clip(xp.searchsorted(rows, places), max=rows.shape[0] - 1)
    known = xp.astype(xp.take(rows, at) == places, like.dtype)
    return known[:, None] * xp.take(W, at, axis=0)
