"""Pivots of a kernel matrix that is never formed: randomly pivoted Cholesky, several pivots at a time."""

from typing import Any

import numpy as np

from ..arrays import Array, as_floats, as_sequence, device_of, inner, is_array, namespace, product, to_numpy
from .base import Kernel
from .representations import part_of

# Less of the trace than this is rounding: the matrix has no further pivot.
EXHAUSTED = 1e-13


def chosen(X: Any, places: Array) -> Any:
    """The points at these places of a collection."""
    return part_of(X if is_array(X) else as_sequence(X), places)


def random_pivots(kernel: Kernel, points: Any, size: int, rng: Any) -> Array:
    """At most `size` places of a representation, drawn in proportion to the diagonal of what those before leave of K.

    A block of places is drawn at once, and of those only as many kept as are independent: the matrix left is
    K - F F^T, F the partial Cholesky factor. Of a kernel that is zero the first point is taken.
    """
    left = np.clip(to_numpy(kernel.squares(points)), 0.0, None)
    block, enough = -(-size // 10), EXHAUSTED * left.sum()
    pivots: list[int] = []
    F: list[Array] = []
    while len(pivots) < size and left.sum() > enough:
        drawn = np.unique(rng.choice(len(left), size=block, p=left / left.sum()))
        G = kernel.between(points, part_of(points, drawn))
        for part in F:
            G = G - product(part, namespace(part).permute_dims(chosen(part, drawn), (1, 0)))
        kept, L = independent(to_numpy(chosen(G, drawn)), size - len(pivots))
        # What rounding leaves nothing of is not drawn again.
        spent = drawn[kept] if kept else drawn
        pivots += [int(i) for i in drawn[kept]]
        F.append(_factor(G, kept, L))
        left = np.clip(left - to_numpy(inner(F[-1], F[-1])), 0.0, None)
        left = np.where(np.isin(np.arange(len(left)), spent), 0.0, left)
    return np.array(pivots or [0], dtype=np.int64)


def independent(H: Array, most: int) -> tuple[list[int], Array]:
    """Greedy pivots of a small matrix until what is left has the trace of one mean pivot, and their Cholesky factor."""
    left = np.clip(np.diagonal(H), 0.0, None)
    enough = left.sum() / len(left)
    kept: list[int] = []
    L = np.zeros((len(left), 0))
    while len(kept) < most and (left.sum() > enough or not kept) and left.max() > 0:
        i = int(np.argmax(left))
        column = (H[:, i] - L @ L[i]) / np.sqrt(left[i])
        kept.append(i)
        L = np.column_stack([L, column])
        left = np.where(np.isin(np.arange(len(left)), kept), 0.0, np.clip(left - column**2, 0.0, None))
    return kept, L[kept]


def _factor(G: Array, kept: list[int], L: Array) -> Array:
    """The columns G L^-T of the Cholesky factor that the pivots add."""
    xp = namespace(G)
    columns = xp.take(G, xp.asarray(np.array(kept, dtype=np.int64), device=device_of(G)), axis=1)
    return product(columns, as_floats(np.linalg.inv(L).T, G))
