"""Every loss at the price of ridge: factor once, then cheap steps."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ..arrays import Array, frobenius, namespace
from ..dual import Dual
from ..spread import evaluated
from .anderson import Anderson
from .base import Solver
from .kept import condensed, expanded, features_of
from .sample import rough_start, stands_for_many, start_nearby
from .settling import settled_rows
from .solution import Step

RELAXATION = 1.7
# Steps after which the step size is looked at again, and the factor it must be off by to pay for a refactorisation.
REVIEWS = (12, 36, 108, 324, 972, 2916, 8748)
WORTHWHILE = 3.0
# The gap at which a problem of some of the rows is solved well enough to start from.
ROUGH = 1e-3
# The same for a problem with another matrix near the exact one, and the steps after which it is not worth waiting for.
NEARBY, ENOUGH = 1e-4, 200
# What is left of the tolerance, by the free look, where rows are made to follow the function.
SETTLED = 0.03


class Splitting(Solver):
    """Douglas-Rachford on the residual u = T - P - a W, with Anderson acceleration, for every loss.

    With coefficients (a, b, c), phi(|r|) = min_u |r - u|^2/(2a) + h(u) with h(u) = c (|u| - b)_+, so that eliminating
    the function leaves min_u <T - u, (G + aI)^-1 (T - u)>/2 + sum_i h(u_i), G standing for G/(lam n); without, a = 0
    and h(u) is the loss itself at the residual u. With a step delta,

        z = prox_{delta h}(s),   W = (G + (a + delta) I)^-1 (T - 2z + s),   F = delta W - (s - z),   s <- s + 1.7 F.

    At the fixed point W = (s - z)/delta, and that is returned: feasible, and exactly zero on rows inside the tube.
    One factorisation serves all steps until delta is found to be badly chosen.
    """

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        large = stands_for_many(dual)
        sweep, s = self._first(dual, W, P, large)
        anderson = Anderson(RELAXATION, int(s.shape[0]) * int(s.shape[1]))
        watch = Watch(self.tolerance)
        best = math.inf, s, s
        count, last, lowest = 0, math.inf, math.inf
        while True:
            state = sweep(s)
            if large and watch.settles(float(dual.gap(state.Y, state.P))):
                yield from settled_steps(dual, sweep, state)
            yield watch.look(dual, state.Y, state.P)._replace(state=partial(_worth_keeping, dual, state))
            count, lowest = count + 1, min(lowest, watch.guess)
            if count in REVIEWS:
                delta = first_step(dual, state.z, state.W, state.P)
                if lowest > last:
                    # Nothing gained since the last review: large rows in the null space of the kernel, copies of one
                    # input with other outputs for instance, have asked for too small a step.
                    delta = math.sqrt(sweep.delta * mean_diagonal(dual))
                last, lowest = lowest, math.inf
                # The estimate is rough: never more than two decades at a time.
                delta = min(max(delta, sweep.delta / 100), sweep.delta * 100)
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

    def _first(self, dual: Dual, W: Array, P: Array, large: bool) -> tuple["Sweep", Array]:
        """The first step size, and the state that it starts from."""
        near = dual.gram.approximation() if frobenius(W) == 0 else None
        if self.begun is not None:
            # What the function before predicts; W are the dual rows that go with it, and P would be what they predict.
            P = expanded(dual, self.begun)
        elif near is not None:
            W, P = start_nearby(dual, near, type(self)(NEARBY, max_iter=ENOUGH).solve)
        elif large and frobenius(W) == 0:
            W, P = rough_start(dual, type(self)(ROUGH).solve)
        T, warm, a = dual.targets, frobenius(W) > 0, linear_part(dual)
        delta = first_step(dual, T - P - a * W, W, P) if warm else cold_step(dual)
        sweep = Sweep(dual, _reuse(dual, delta))
        return sweep, T - P + (sweep.delta - a) * W if warm else sweep.delta * sweep.solve(T)


class Watch:
    """When to look at the gap, and when a look is worth a product.

    The free look pairs Y with the predictions of W, and errs by a factor that certificates teach. Between two looks
    lies half of the way that their decrease says is left.
    """

    def __init__(self, tol: float):
        self.tol = tol
        self.inflation = 1.0
        self.guess = math.inf
        self.settled = math.inf
        self.pause = 0
        self.wait = 0

    def look(self, dual: Dual, Y: Array, P: Array) -> Step:
        """A step to Y: certified where a look is due and P, predictions of a W nearby, promise a small gap."""
        self.wait -= 1
        if self.wait >= 0:
            return Step(Y, None, math.inf)
        if not self.promising(float(dual.gap(Y, P))):
            return Step(Y, None, self.guess)
        P = dual.predict(Y)
        return Step(Y, P, self.correct(float(dual.gap(Y, P))))

    def settles(self, seen: float) -> bool:
        """Whether the function is good enough, and better by a decade than when last asked, for rows to follow it."""
        worth = seen < min(SETTLED * self.tol, 0.1 * self.settled)
        self.settled = seen if worth else self.settled
        return worth

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


class Sweep:
    """s -> State, for one delta: the rows first, then one linear solve."""

    factor: Callable[..., Array] | None

    def __init__(self, dual: Dual, delta: float):
        self.dual, self.a = dual, linear_part(dual)
        # On the null space of a singular kernel nothing bounds the balanced step from below.
        self.smallest = 1e-5 * mean_diagonal(dual)
        self.set_step(delta)

    def set_step(self, delta: float) -> None:
        """Factor for a step; the old factor goes first, so that there is never more than one."""
        self.factor = None
        self.delta = max(delta, self.smallest)
        self.factor = self.dual.gram.solver((self.a + self.delta) * self.dual.scale)

    def solve(self, R: Array) -> Array:
        """(G + (a + delta) I)^-1 R."""
        assert self.factor is not None
        return self.factor(self.dual.scale * R)

    def __call__(self, s: Array) -> State:
        T, delta = self.dual.targets, self.delta
        Y = self.rows(s)
        z = s - delta * Y
        R = T - 2.0 * z + s
        W = self.solve(R)
        return State(*evaluated(z, Y, W, R - (self.a + delta) * W, delta * (W - Y)))

    def rows(self, s: Array) -> Array:
        """Y = (s - prox_{delta h}(s)) / delta, by Moreau's identity a proximal step on the conjugate."""
        flat = self.dual.risk.flat
        return flat.prox((s - flat.targets) / self.delta, 1.0 / self.delta)


def _worth_keeping(dual: Dual, state: State) -> Array:
    """Of features the function that the linear solve has found, else feasible rows."""
    return condensed(dual, state.Y if features_of(dual) is None else state.W)


def settled_steps(dual: Dual, sweep: "Sweep", state: State) -> Iterator[Step]:
    """Rows that follow the function of the state; after the first rounds a certificate each."""
    theta = sweep.a + sweep.delta
    rounds = settled_rows(dual.risk, state.Y, state.W, lambda R: R - theta * sweep.solve(R))
    for k, Y in enumerate(rounds, 1):
        P = dual.predict(Y) if k > 1 else None
        yield Step(Y, P, math.inf if P is None else float(dual.gap(Y, P)))


def linear_part(dual: Dual) -> float:
    """The curvature a that goes into the linear system."""
    return dual.risk.loss.curvature


def cold_step(dual: Dual) -> float:
    """The balanced step for samples each alone with its own kernel value."""
    g = mean_diagonal(dual)
    if linear_part(dual) + g == 0:
        return 1.0
    W = dual.risk.prox(0.0 * dual.targets, 1.0 / g if g else 1e300)
    a = linear_part(dual)
    return balanced(dual, dual.targets - (a + g) * W, W, a + g)


def first_step(dual: Dual, u: Array, W: Array, P: Array) -> float:
    """The balanced step at W with predictions P and residual u, in the metric W lives in."""
    energy = max(float(namespace(W).sum(W * P)), 0.0)
    return balanced(dual, u, W, linear_part(dual) + energy / max(frobenius(W), 1e-150) ** 2)


def balanced(dual: Dual, u: Array, W: Array, stiffness: float) -> float:
    """delta = sqrt(|u|/|w| stiffness), stiffness = a + <W, G W>/<W, W>: residual against coefficient."""
    known = dual.risk.loss.coefficients
    tube = known is not None and known.b > 0
    ratio = frobenius(u) / max(frobenius(W), 1e-300)
    return max(math.sqrt(ratio * stiffness), (1e-3 if tube else 0.1) * stiffness, 1e-300)


def mean_diagonal(dual: Dual) -> float:
    """The mean of the diagonal of G / (lam n)."""
    return dual.gram.mean_diagonal() / dual.scale


def _close(delta: float, other: float) -> bool:
    return 1 / WORTHWHILE < delta / other < WORTHWHILE


def _reuse(dual: Dual, delta: float) -> float:
    """The step that the factor at hand stands for, if it is close enough to the one wanted."""
    theta = dual.gram.factored_at
    given = -1.0 if theta is None else theta / dual.scale - linear_part(dual)
    return given if given > 0 and _close(given, delta) else delta
