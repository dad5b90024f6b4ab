"""Kernels for rows on a cluster: learned from some of them at the client, their features made where the rows are."""

from typing import Any

from ..arrays import as_floats, count, sample_rows
from ..matrices import RowBlocks
from ..spread import by_blocks, evaluated, room, sample_of
from .base import Kernel
from .representations import part_of

# So many rows stand for all when a kernel learns its widths and centres.
ROWS = 20_000
# Features are kept where they take at most this part of the memory of the workers.
KEPT = 0.5


def representatives(X: Any) -> Any:
    """The rows that a kernel is fitted to, at the client."""
    return sample_of(X, sample_rows(count(X), ROWS))


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
