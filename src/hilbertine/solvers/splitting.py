"""Robust losses at the price of ridge: factor once, then cheap steps."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..arrays import Array, frobenius, namespace, row_norms
from ..dual import Dual
from ..losses import Coefficients
from .anderson import Anderson
from .base import Solver, Step
from .proximal_point import ProximalPoint

RELAXATION = 1.7
# Steps after which the step size is looked at again, and the factor it must be off by to pay for a refactorisation.
REVIEWS = (12, 36, 108, 324, 972, 2916, 8748)
WORTHWHILE = 3.0
# A problem with one output that is not solved by then is one for Newton steps.
HANDOVER = 40


class Splitting(Solver):
    """Douglas-Rachford on the residual u = T - P - a W, with Anderson acceleration, for every (a, b, c).

    phi(|r|) = min_u |r - u|^2/(2a) + h(u) with h(u) = c (|u| - b)_+, so that eliminating the function leaves
    min_u <T - u, (G + aI)^-1 (T - u)>/2 + sum_i h(u_i), G standing for G/(lam n). With a step delta,

        z = prox_{delta h}(s),   W = (G + (a + delta) I)^-1 (T - 2z + s),   F = delta W - (s - z),   s <- s + 1.7 F.

    At the fixed point W = (s - z)/delta, and that is returned: feasible, and exactly zero on rows inside the tube.
    One factorisation serves all steps until delta is found to be badly chosen. With one output, what is left after
    forty steps goes to `ProximalPoint`.
    """

    def missing(self, dual: Dual) -> str | None:
        if dual.loss.coefficients is None:
            return f"needs a loss with coefficients (a, b, c), and {dual.loss!r} has none"
        return None if dual.gram.separable else "needs one separable term, and this kernel is a sum"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        loss = dual.loss.coefficients
        assert loss is not None
        T = dual.targets
        warm = frobenius(W) > 0
        sweep = Sweep(dual, loss, _reuse(dual, loss, first_step(dual, loss, W, P if warm else None)))
        s = T - P + (sweep.delta - loss.a) * W if warm else sweep.delta * sweep.solve(T)
        anderson = Anderson(RELAXATION, int(T.shape[0]) * int(T.shape[1]))
        watch = Watch(self.tolerance)
        best = math.inf, s, s
        count = 0
        while True:
            state = sweep(s)
            if watch.due() and watch.promising(float(dual.gap(state.Y, state.P))):
                P = dual.predict(state.Y)
                yield Step(state.Y, P, watch.correct(float(dual.gap(state.Y, P))))
            else:
                yield Step(state.Y, None, math.inf)
            count += 1
            if count == HANDOVER and not ProximalPoint().missing(dual):
                yield from ProximalPoint().iterates(dual, state.Y, dual.predict(state.Y))
            if count in REVIEWS:
                delta = state.balanced_step(loss)
                # The estimate is rough: never more than one decade at a time.
                delta = min(max(delta, sweep.delta / 10), sweep.delta * 10)
                if not _close(delta, sweep.delta):
                    sweep.set_step(delta)
                    s = state.z + sweep.delta * state.Y
                    anderson.restart()
                    best = math.inf, s, s
                    continue
            size = frobenius(state.F)
            if size > 2.0 * best[0]:
                anderson.restart()
                s = best[1] + best[2]
                best = math.inf, s, s
                continue
            if size < best[0]:
                best = size, s, state.F
            s = anderson.advance(s, state.F)


class Watch:
    """When to look at the gap, and when a look is worth a product.

    The free look pairs Y with the predictions of W, and errs by a factor that certificates teach. Between two looks
    lies half of the way that their decrease says is left.
    """

    def __init__(self, tol: float):
        self.tol = tol
        self.inflation = 1.0
        self.guess = math.inf
        self.pause = 0
        self.wait = 0

    def due(self) -> bool:
        """Count a step, and say whether to look at this one."""
        self.wait -= 1
        return self.wait < 0

    def promising(self, seen: float) -> bool:
        """Whether the gap, of which `seen` is the free estimate, may be below the tolerance."""
        last, self.guess = self.guess, self.inflation * seen
        self.pause, elapsed = 0, self.pause + 1
        if max(self.tol, 1e-300) < self.guess < last < math.inf:
            left = math.log(self.guess / max(self.tol, 1e-300)) / math.log(last / self.guess) * elapsed
            self.pause = int(min(left / 2, 10))
        self.wait = self.pause
        # Written so that NaN is looked at.
        return not self.guess > self.tol

    def correct(self, gap: float) -> float:
        """The certified gap, remembered beside the guess it replaces."""
        if self.guess > 0:
            self.inflation = min(self.inflation * max(gap / self.guess, 1.0), 1e6)
        return gap


class State(NamedTuple):
    """One sweep: z and the feasible Y = (s - z)/delta, then W with its predictions P, and the residual F."""

    z: Array
    Y: Array
    W: Array
    P: Array
    F: Array

    def balanced_step(self, loss: Coefficients) -> float:
        """delta = sqrt(|u|/|w| (a + <W, G W>/<W, W>)): residual against coefficient, in the metric W lives in."""
        xp = namespace(self.W)
        weight = max(frobenius(self.W), 1e-300)
        rayleigh = max(float(xp.sum(self.W * self.P)), 0.0) / weight**2
        return _balanced(frobenius(self.z), weight, loss, rayleigh)


class Sweep:
    """s -> State, for one delta: the rows first, then one linear solve."""

    factor: Callable[[Array], Array] | None

    def __init__(self, dual: Dual, loss: Coefficients, delta: float):
        self.gram, self.targets, self.scale, self.loss = dual.gram, dual.targets, dual.scale, loss
        # On the null space of a singular kernel nothing bounds the balanced step from below.
        self.smallest = 1e-3 * mean_diagonal(dual)
        self.set_step(delta)

    def set_step(self, delta: float) -> None:
        """Factor for a step; the old factor goes first, so that there is never more than one."""
        self.factor = None
        self.delta = max(delta, self.smallest)
        self.factor = self.gram.factor((self.loss.a + self.delta) * self.scale)

    def solve(self, R: Array) -> Array:
        """(G + (a + delta) I)^-1 R."""
        assert self.factor is not None
        return self.factor(self.scale * R)

    def __call__(self, s: Array) -> State:
        xp = namespace(s)
        a, b, c = self.loss
        lengths = row_norms(s)
        # |z| = |s| inside the tube, b on its border, and beyond it |s| less the pull delta c.
        pull = xp.clip(lengths - b, min=0.0, max=self.delta * c)
        direction = s / xp.where(lengths > 0, lengths, xp.ones_like(lengths))[:, None]
        Y = direction * (pull / self.delta)[:, None]
        z = s - self.delta * Y
        R = self.targets - 2.0 * z + s
        W = self.solve(R)
        return State(z, Y, W, R - (a + self.delta) * W, self.delta * (W - Y))


def first_step(dual: Dual, loss: Coefficients, W: Array, P: Array | None) -> float:
    """The balanced step at W, or at W = 0 the one for samples each alone with its own kernel value."""
    a, b, c = loss
    if P is not None:
        return State(dual.targets - P - a * W, W, W, P, W).balanced_step(loss)
    xp = namespace(dual.targets)
    g = mean_diagonal(dual)
    if a + g == 0:
        return 1.0
    t = row_norms(dual.targets)
    w = xp.clip((t - b) / (a + g), min=0.0, max=c)
    return _balanced(frobenius(t - (a + g) * w), max(frobenius(w), 1e-300), loss, g)


def mean_diagonal(dual: Dual) -> float:
    """The mean of the diagonal of G / (lam n)."""
    n, m = (int(size) for size in dual.targets.shape)
    return dual.gram.largest_possible / (n * (1 if dual.gram.terms[0][1] is None else m)) / dual.scale


def _balanced(u: float, w: float, loss: Coefficients, g: float) -> float:
    floor = 0.1 if loss.b == 0 else 1e-3
    return max(math.sqrt(u / w * (loss.a + g)), floor * (loss.a + g), 1e-300)


def _close(delta: float, other: float) -> bool:
    return 1 / WORTHWHILE < delta / other < WORTHWHILE


def _reuse(dual: Dual, loss: Coefficients, delta: float) -> float:
    """The step that the factor at hand stands for, if it is close enough to the one wanted."""
    theta = dual.gram.factored_at
    given = -1.0 if theta is None else theta / dual.scale - loss.a
    return given if given > 0 and _close(given, delta) else delta
