"""Inner products and distances of the rows of two matrices, dense or sparse."""

from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Array, blocks, device_of, inner, is_foreign, namespace, product, to_numpy
from ..memory import rows_of

# Rows up to which they are compared with each other, to find those that are there twice.
MOST_COMPARED = 50_000


def inner_products(A: Any, B: Any) -> Array:
    """<a_i, b_j>."""
    if sparse.issparse(A) or sparse.issparse(B):
        values = A @ B.T
        return values.toarray() if sparse.issparse(values) else np.asarray(values)
    return product(A, namespace(B).permute_dims(B, (1, 0)))


def squared_norms(A: Any) -> Array:
    """|a_i|^2."""
    return np.asarray(A.multiply(A).sum(axis=1)).ravel() if sparse.issparse(A) else inner(A, A)


def squared_distances(X: Any, Z: Any) -> Array:
    """|x_i - z_j|^2 as |x|^2 + |z|^2 - 2 <x, z>, zero where it is only rounding, in blocks of rows."""
    # Centring costs nothing and saves the digits that a common offset would eat; sparse points have no such offset.
    centre = 0.0 if sparse.issparse(X) or sparse.issparse(Z) else namespace(Z).mean(Z, axis=0, keepdims=True)
    B = _less(Z, centre)
    z2 = squared_norms(B)[None, :]
    xp = namespace(z2)
    rounding = 16 * xp.finfo(z2.dtype).eps

    def rows(A: Any) -> Array:
        size = squared_norms(A)[:, None] + z2
        D = inner_products(A, B)
        D *= -2.0
        D += size
        return xp.where(rounding * size >= D, xp.zeros_like(D), D)

    size = rows_of(int(z2.shape[1])) if is_foreign(z2) else 256
    return xp.concat([rows(_less(part, centre)) for part in blocks(X, size)])


def augmented(A: Array) -> tuple[Array, Array, float]:
    """(L, R, what is rounding) with (L R)_ij = |a_i - a_j|^2, from one product with two columns more than A has."""
    xp = namespace(A)
    L, R = two_sides(*2 * (A - xp.mean(A, axis=0, keepdims=True),))
    return L, R, 32 * xp.finfo(A.dtype).eps * float(xp.max(R[-1, :]))


def two_sides(A: Array, B: Array) -> tuple[Array, Array]:
    """(L, R) with (L R)_ij = |a_i - b_j|^2."""
    xp = namespace(A)
    (a, ones), (b, others) = ((squared_norms(C)[:, None], xp.ones_like(C[:, :1])) for C in (A, B))
    return xp.concat([-2.0 * A, a, ones], axis=1), xp.permute_dims(xp.concat([B, others, b], axis=1), (1, 0))


def _less(A: Any, centre: Any) -> Any:
    return A if isinstance(centre, float) else A - centre


def manhattan_distances(X: Array, Z: Array) -> Array:
    """sum_j |x_ij - z_kj|, one feature at a time: no n x q x d array."""
    xp = namespace(X)
    D = xp.zeros((X.shape[0], Z.shape[0]), dtype=X.dtype, device=device_of(X))
    for j in range(X.shape[1]):
        D += xp.abs(X[:, j][:, None] - Z[:, j][None, :])
    return D


def median_distance(X: Any, distances: Any, most: int = 1000) -> float:
    """The median distance between distinct pairs among at most `most` evenly spaced rows; 1 if all coincide."""
    X = distinct_rows(X)
    n = X.shape[0]
    X = X if n <= most else _rows(X, np.linspace(0, n - 1, most).astype(np.int64))
    values = to_numpy(distances(X, X))[np.triu_indices(X.shape[0], 1)]
    values = values[values > 0]
    return float(np.median(values)) if values.size else 1.0


def distinct_rows(X: Any) -> Any:
    """Every row once, so that what is learned of the points does not depend on how often each is there."""
    if X.shape[0] > MOST_COMPARED or (sparse.issparse(X) and X.shape[0] * X.shape[1] > 100 * MOST_COMPARED):
        return X
    rows = X.toarray() if sparse.issparse(X) else to_numpy(X)
    _, places = np.unique(rows, axis=0, return_index=True)
    return X if places.size == X.shape[0] else _rows(X, places)


def _rows(X: Any, places: Array) -> Any:
    if sparse.issparse(X):
        return X[places]
    xp = namespace(X)
    return xp.take(X, xp.asarray(places, device=device_of(X)), axis=0)
