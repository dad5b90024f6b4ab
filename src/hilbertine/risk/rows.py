"""Rows that count as often as their weights say; None for weights is once."""

from ..arrays import Array, namespace


def counted(values: Array, weights: Array | None) -> Array:
    """v_i values_i; a row without weight counts nothing, whatever its value."""
    if weights is None:
        return values
    xp = namespace(values)
    return weights * xp.where(weights > 0, values, xp.zeros_like(values))


def each(W: Array, weights: Array | None) -> Array:
    """w_i / v_i, one of the rows that row i stands for."""
    if weights is None:
        return W
    xp = namespace(W)
    return W / xp.where(weights > 0, weights, xp.ones_like(weights))[:, None]
