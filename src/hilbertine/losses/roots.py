"""Roots of increasing functions of one variable, many at once."""

from collections.abc import Callable

from ..arrays import Array, namespace

MOST_STEPS = 100


def increasing_root(function: Callable[[Array], Array], level: Array, lower: Array, upper: Array) -> Array:
    """x in [lower, upper] with function(x) = level, element by element, for increasing functions, jumps included.

    Newton steps with a difference quotient for the derivative; one that leaves the bracket, or that follows a step
    which did not halve the error, is replaced by bisection. Where the level lies outside the range of the function, the
    end of the bracket that is nearest to it.
    """
    xp = namespace(level)
    start_lower = lower
    below, above = function(lower) >= level, function(upper) <= level
    x = xp.where(below, lower, upper)
    settled = below | above
    before = xp.full_like(level, float("inf"))
    for _ in range(MOST_STEPS):
        if bool(xp.all(settled)):
            break
        excess = function(x) - level
        high = excess > 0
        upper, lower = xp.where(high, x, upper), xp.where(high, lower, x)
        h = 1e-7 * (xp.abs(x) + upper - lower)
        h = xp.where(h > 0, h, xp.ones_like(h))
        # Towards the root, so that no kink lies between, unless that would leave the domain.
        h = xp.where(high & (x - h >= start_lower), -h, h)
        rate = (function(x + h) - level - excess) / h
        rising = rate > 0
        rate = xp.where(rising, rate, xp.ones_like(rate))
        newton = x - excess / rate
        # NaN fails the comparisons.
        good = rising & (newton >= lower) & (newton <= upper) & (xp.abs(excess) <= before / 2.0)
        before = xp.abs(excess)
        # Rounding of the function moves the root by its relative size over the rate.
        noise = 1e-15 * (xp.abs(x) + xp.abs(level) / rate)
        following = xp.where(good, newton, (lower + upper) / 2.0)
        x = xp.where(settled | (excess == 0), x, following)
        settled = settled | (excess == 0) | (rising & (xp.abs(excess / rate) <= noise)) | (upper - lower <= noise)
    return x
