"""Roots of increasing functions of one length, many at once."""

from collections.abc import Callable

from ..arrays import Array, namespace

MOST_STEPS = 100


def increasing_root(
    function: Callable[[Array], Array], level: Array, lower: Array, upper: Array, loss: object = "The function"
) -> Array:
    """x in [lower, upper] with function(x) = level, element by element, for increasing functions, jumps included.

    Newton steps with a difference quotient for the derivative; one that leaves the bracket, or that follows a step
    which did not halve the error, is replaced by bisection. Where the level lies outside the range of the function, the
    end of the bracket that is nearest to it. `loss` is who is to blame where no root is found.
    """
    xp = namespace(level)
    numbers = xp.finfo(level.dtype)
    highest = xp.clip(upper, max=numbers.max)
    below, above = function(lower) >= level, function(highest) <= level
    answer, settled = xp.where(below, lower, upper), below | above | xp.isnan(level)
    # What is settled goes along, as numbers.
    level = xp.where(settled, xp.zeros_like(level), level)
    start_lower = lower = xp.clip(lower, max=numbers.max)
    upper = x = xp.where(below, lower, highest)
    before = xp.full_like(level, float("inf"))
    for step in range(MOST_STEPS):
        if bool(xp.all(settled)):
            break
        value = function(x)
        excess = value - level
        high = excess > 0
        # NaN fails all comparisons: it moves neither end, and finds no root.
        upper, lower = xp.where(high, x, upper), xp.where(excess < 0, x, lower)
        h = 1e-7 * x + 1e-7 * (upper - lower)
        # Towards the root, so that no kink lies between, unless that would leave the domain.
        rate = quotient(function, x, value, xp.where(high & (x - h >= start_lower), -h, h))
        rising = rate > 0
        rate = xp.where(rising, rate, xp.ones_like(rate))
        newton = x - excess / rate
        good = rising & (newton >= lower) & (newton <= upper) & (xp.abs(excess) <= before / 2.0)
        before = xp.abs(excess)
        # Rounding of the function moves the root by its relative size over the rate.
        blur = xp.where(rising, xp.minimum(level, value) / rate, xp.zeros_like(x))
        noise = 1e-15 * (x + blur) + numbers.smallest_normal
        close = (upper - lower <= noise) | (rising & (xp.abs(excess / rate) <= noise))
        answer = xp.where(settled, answer, x)
        settled = settled | (excess == 0) | (close & ~xp.isnan(excess))
        x = xp.where(settled, x, xp.where(good, newton, middle(lower, upper, step)))
    if not bool(xp.all(settled)):
        raise not_found(loss, level[~settled], lower[~settled], upper[~settled])
    return answer


def quotient(function: Callable[[Array], Array], x: Array, value: Array, h: Array) -> Array:
    """(function(x + h) - value) / h."""
    xp = namespace(x)
    h = xp.where(h != 0, h, xp.ones_like(h))
    return (function(x + h) - value) / h


def middle(lower: Array, upper: Array, step: int) -> Array:
    """Halfway between the ends on a logarithmic scale: the bracket may span hundreds of decades.

    No geometric mean leads away from zero: there it is a fraction of the upper end, half at first, then squared.
    """
    xp = namespace(lower)
    start = xp.where(lower > 0, lower, upper * 4.0 ** -(2.0 ** min(step, 8)))
    return xp.sqrt(start) * xp.sqrt(upper)


def not_found(loss: object, level: Array, lower: Array, upper: Array) -> ArithmeticError:
    """The error that names the first root that is missing."""
    return ArithmeticError(
        f"{loss!r}: no root was found at level {float(level[0]):.3g} between {float(lower[0]):.3g} and "
        f"{float(upper[0]):.3g} in {MOST_STEPS} steps. The `inverse` of a loss must increase and be a number up to its "
        "cap, as hilbertine.assumptions.check_admissible tests; if it does, bring the outputs nearer to unit scale."
    )
