"""What the ways to hold a kernel matrix take of the memory, known before anything is taken."""

from ..arrays import Array, namespace
from ..memory import BLOCK, Rest, Road
from ..threads import AHEAD, threads
from . import tiled
from .blocks import SHARE

# n x n arrays at the peak of a fit: the matrix and its factor.
PEAK = 2
# Copies of F^T F and of what is made of it.
SQUARES = 6
# Of what has a row for each sample, the part that is there while a sample of the rows is solved.
BEFORE = 0.4
KEPT, MADE = "kept", "made again"


def by_entries(n: int, operator: bool, rest: Rest) -> Road:
    """All n x n numbers; with an output operator their eigenvectors too."""
    size = 8.0 * (PEAK + operator + rest.copies) * n * n + rest.rows(operator)
    return Road("dense", f"A kernel matrix of {n} x {n} numbers and its factor", size)


def by_factor(n: int, rest: Rest) -> Road:
    """One factor, products by tiles."""
    return Road("factored", f"A factor of {n} x {n} numbers", 8.0 * (1 + rest.copies) * n * n + rest.fast)


def by_tiles(n: int, there: float, rest: Rest) -> Road:
    """Values made for each product, beside pivots that precondition: as many as a part of the memory holds."""
    near = 4.0 * n * min(tiled.RANK * n**0.5, n)
    return Road(
        "tiled", f"A fit of {n} samples by tiles of their kernel matrix", min(near, tiled.SHARE * there) + rest.slow
    )


def by_features(n: int, C: Array, width: int, operator: bool, rest: Rest) -> list[Road]:
    """n x p features, kept, or made again a block of rows at a time; C is one row of them."""
    size, columns, rows = namespace(C).finfo(C.dtype).bits // 8, int(C.shape[1]), rest.rows(operator)
    small, kept = 8.0 * SQUARES * width**2, float(size * columns * n)
    # Blocks that wait for one another.
    blocks = min(kept / 2, AHEAD * threads() * SHARE * BLOCK * size)
    sample = 8.0 * rest.sample * width
    while_sampled = 16.0 * rest.sample * columns + BEFORE * rows
    beside = small + sample + max(rows, while_sampled)
    what = f"A fit of {n} samples with {width} features"
    return [
        Road(KEPT, f"{what} in memory", kept + beside),
        Road(MADE, f"{what}, made again a block at a time,", beside + blocks),
    ]
