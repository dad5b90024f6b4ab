"""What the sums of `terms`, a duality gap and a primal value, say."""

from ..arrays import Array, namespace

TINY = 1e-300


def relative(gap: Array, primal: Array) -> Array:
    """Where the loss overflows, or the conjugate is infinite, there is no certificate: infinity, not NaN."""
    xp, infinite = namespace(gap), namespace(gap).isinf(gap) | namespace(gap).isinf(primal)
    scale = xp.where(infinite, xp.ones_like(primal), xp.clip(xp.abs(primal), min=TINY))
    return xp.where(infinite, xp.full_like(gap, float("inf")), gap / scale)


def both(gap: Array, primal: Array) -> Array:
    """The relative gap and the gap itself, both infinite where there is no certificate."""
    xp, found = namespace(gap), relative(gap, primal)
    return xp.stack([found, xp.where(xp.isinf(found), found, gap)])


def second(gap: Array, primal: Array) -> Array:
    """The primal value."""
    return primal
