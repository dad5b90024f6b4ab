"""The descent of an autoencoder: L-BFGS on all layers but the last, first for smaller problems."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, as_floats, namespace, to_numpy
from ..risk.certificates import TINY
from .layers import Layers

# So many steps together say how fast the objective still falls: one alone may be a short one.
WINDOW = 2
# The first step, as a part of the length of A.
FIRST = 0.3
MOST_TRIALS = 20
# The part of what the slope promises that a step must gain.
ARMIJO = 1e-4

# From so many points on there are cheaper problems to start with: on every third point, then, where there are so many
# outputs for each point that they are the price of a step, on the leading coordinates, which hold this share of the
# squared norms, but are at most this part of all.
MANY_POINTS = 300
STRIDE = 3
MANY_OUTPUTS = 0.25
LEADING = 0.95
FEW = 0.25


class Iterate(NamedTuple):
    """What a callback is told at each accepted step, and what `history_` holds; the first is the start.

    Attributes
    ----------
    n_iter : int
        The number of steps taken.
    objective : float
        The value reached.
    slope : float
        |gradient| |A| / objective, A all coefficients but those of the last layer: to first order, the largest relative
        decrease within a step as long as A.
    gap : float
        The relative duality gap of the last layer.
    """

    n_iter: int
    objective: float
    slope: float
    gap: float


class Descent(NamedTuple):
    """Where it ended, how it got there, whether it had come to rest, and the last pairs of L-BFGS."""

    A: list[Array]
    history: list[Iterate]
    converged: bool
    pairs: "deque[Pair]"


class Pair(NamedTuple):
    """A step s, and by how much the gradient changed along it, y."""

    s: Any
    y: Any


def descend(
    layers: Layers, A: list[Array], tol: float, max_iter: int, callback: Callable[[Iterate], Any] | None
) -> Descent:
    """From A downhill until a step gains no more than a part `tol` of the objective.

    Many points come after some of them: a better start, and its curvature, for less.
    """
    # Five pairs of vectors: each has the size of the first layer, and ten would save no step.
    pairs: deque[Pair] = deque(maxlen=5)
    for part in smaller(layers):
        A = lbfgs(part, A, pairs, tol, max_iter, None).A
    return lbfgs(layers, A, pairs, tol, max_iter, callback)


def smaller(layers: Layers) -> Iterator[Layers]:
    """The problems to solve first, for the square loss: other second layers are no easier to solve for fewer outputs.

    A deep layer has coefficients for all points: those cannot be left out.
    """
    n, m = layers.T.shape
    if n < MANY_POINTS or not layers.loss.square:
        return
    held = np.cumsum(to_numpy(namespace(layers.T).sum(layers.T**2, axis=0)))
    many = m >= MANY_OUTPUTS * n
    columns = min(int(np.searchsorted(held, LEADING * held[-1])) + 1, int(FEW * m)) if many else m
    if len(layers.kernels) == 1:
        yield layers.reduced(STRIDE, columns)
    if many:
        yield layers.reduced(1, columns)


def lbfgs(
    layers: Layers, A: list[Array], pairs: deque[Pair], tol: float, max_iter: int,
    callback: Callable[[Iterate], Any] | None,
) -> Descent:  # fmt: skip
    """L-BFGS with steps that never raise the objective, from the curvature that the pairs hold."""
    a = pack(A)
    value, g, gap = evaluate(layers, a, A)
    history: list[Iterate] = []
    while True:
        slope = float(np.linalg.norm(g) * np.linalg.norm(a)) / max(value, TINY)
        history.append(Iterate(len(history), value, slope, gap))
        asked = callback is not None and callback(history[-1]) is True
        if asked or at_rest(history, tol) or unsure(history) or len(history) > max_iter:
            break
        found = line_search(layers, A, a, value, g, direction(g, pairs, a))
        if found is None and pairs:
            # The curvature misled: once more, along the gradient.
            pairs.clear()
            found = line_search(layers, A, a, value, g, direction(g, pairs, a))
        if found is None:
            break
        following, (value, h, gap) = found
        if (following - a) @ (h - g) > 0:
            pairs.append(Pair(following - a, h - g))
        a, g = following, h
    return Descent(unpack(a, A), history, at_rest(history, tol), pairs)


def direction(g: Any, pairs: deque[Pair], a: Any) -> Any:
    """-H g with the inverse Hessian H of the pairs; without any, down the gradient by a part of the length of A."""
    if not pairs:
        return g * (-FIRST * float(np.linalg.norm(a)) / max(float(np.linalg.norm(g)), TINY))
    q, weights = g.copy(), []
    for s, y in reversed(pairs):
        weights.append((s @ q) / (s @ y))
        q -= weights[-1] * y
    s, y = pairs[-1]
    q *= (s @ y) / (y @ y)
    for (s, y), weight in zip(pairs, reversed(weights), strict=True):
        q += (weight - (y @ q) / (s @ y)) * s
    return -q


def line_search(
    layers: Layers, A: list[Array], a: Any, value: float, g: Any, d: Any
) -> tuple[Any, tuple[float, Any, float]] | None:
    """Step 1, or shorter ones to the minima of parabolas through what is known, until one gains enough; else None."""
    t, slope = 1.0, float(g @ d)
    for _ in range(MOST_TRIALS):
        found = evaluate(layers, a + t * d, A)
        if found[0] <= value + ARMIJO * t * slope:
            return a + t * d, found
        t *= min(max(0.1, -0.5 * t * slope / (found[0] - value - t * slope)), 0.5)
    return None


def evaluate(layers: Layers, a: Any, like: list[Array]) -> tuple[float, Any, float]:
    value, gradient, gap = layers(unpack(a, like))
    return value, pack(gradient), gap


def pack(arrays: list[Array]) -> Any:
    return np.concatenate([to_numpy(each).ravel() for each in arrays])


def unpack(a: Any, like: list[Array]) -> list[Array]:
    ends = np.cumsum([each.shape[0] * each.shape[1] for each in like])[:-1]
    parts = zip(np.split(a, ends), like, strict=True)
    return [as_floats(part.reshape(tuple(each.shape)), each) for part, each in parts]


def at_rest(history: list[Iterate], tol: float) -> bool:
    """The last steps lowered the objective by a part `tol` of it each, or less; or no step of the length of A can."""
    last = history[-1]
    if last.slope <= tol:
        return True
    before = history[-1 - WINDOW :][0]
    settled = before.objective - last.objective <= WINDOW * tol * last.objective
    return len(history) > WINDOW and settled and 10.0 * max(before.gap, last.gap) <= tol


def unsure(history: list[Iterate]) -> bool:
    """Whether the last step gained no more than the inner gaps can vouch for."""
    before, last = history[-2:][0], history[-1]
    return len(history) > 1 and before.objective - last.objective <= 10.0 * max(before.gap, last.gap) * last.objective
