"""Kernels for rows on a cluster: learned from some of them at the client, their features made where the rows are."""

from functools import partial
from typing import Any

from ..arrays import as_floats, count, product, sample_rows
from ..matrices import RowBlocks
from ..memory import rows_of
from ..spread import by_blocks, evaluated, room, sample_of, summed
from .base import Kernel
from .representations import length_of, part_of

# So many rows stand for all when a kernel learns its widths and centres.
ROWS = 20_000
# Features are kept where they take at most this part of the memory of the workers.
KEPT = 0.5


def representatives(X: Any) -> Any:
    """The rows that a kernel is fitted to, at the client."""
    return sample_of(X, sample_rows(count(X), ROWS))


def places_of_representatives(n: int, most: int | None) -> tuple[Any, Any]:
    """(places among the representatives, places among the n rows) of so many of them, or of all."""
    rows = sample_rows(n, ROWS)
    some = sample_rows(len(rows), len(rows) if most is None else most)
    return some, rows[some]


def reached(kernel: Any, places: Any, X: Any, V: Any) -> Any:
    """K(Z, X) V for some representatives Z and all rows X: the sum over blocks is all that comes to the client."""
    Z = part_of(kernel.points_, places)
    found: Any = summed(partial(_reached, kernel.compact(), Z), X, V)
    return found


def _reached(kernel: Any, Z: Any, X: Any, V: Any) -> Any:
    size = rows_of(length_of(Z))
    parts = (slice(k, k + size) for k in range(0, len(X), size))
    return sum(product(as_floats(kernel.between(Z, kernel.represent(X[part])), V), V[part]) for part in parts)


def row_blocks(kernel: Kernel, X: Any) -> RowBlocks:
    """The features of the rows X of a fitted kernel, kept by the workers where they have room."""
    factors = kernel.factors(part_of(kernel.points_, slice(0, 1))) if kernel.featured else None
    if factors is None:
        raise ValueError(
            f"The rows are on a cluster, and {kernel!r} needs a matrix with a row and a column for each of them. Take "
            "one with few features: kernel=kernels.Nystroem(kernels.Gaussian('auto'), 1000)."
        )
    C, R = factors
    # What travels with the work is the kernel without its points.
    light: Any = kernel.compact()
    F = by_blocks(lambda part: light.factors(light.represent(part))[0], X, columns=int(C.shape[1]), dtype=C.dtype)
    kept = F.nbytes <= KEPT * room()
    return RowBlocks(evaluated(F)[0] if kept else F, None if R is None else as_floats(R, R))
