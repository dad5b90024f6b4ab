"""Very many rows and few features: steps on p x m numbers, each of which reads the features once."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, frobenius, inner, namespace, product, random_normal, shifted
from ..dual import Dual
from ..factors import cholesky_solver
from ..risk import OfBlocks, parts_of, pulled_and_value
from ..spread import evaluated, is_spread, sample_of
from .anderson import Anderson
from .base import Solver
from .sample import sampled, stands_for_many
from .solution import Step
from .splitting import ROUGH, Splitting

# Of the typical residual, the move by which the curvature of a row is measured.
SMALL_MOVE = 1e-3


class SampledNewton(Solver):
    """B <- B - H^-1 g for h(x) = f(x) B, with g = lam n B - F^T W, W the dual rows that go with P = F B.

    H, p x p, is the curvature at the solution of a sample of the rows, in the mean over outputs; Anderson acceleration
    makes up for what it misses. The gap of W is g^T H g / (2 (lam n)^2), nearly, and says when to certify.
    """

    def missing(self, dual: Dual) -> str | None:
        if dual.gram.tall() is None:
            return "needs a kernel with features and the identity for its operator"
        if not dual.risk.loss.curvature:
            return f"needs a loss whose dual rows follow the residuals continuously, and {dual.risk.loss!r} is none"
        return None if stands_for_many(dual) else "takes its curvature from a sample, and there are few rows"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        F, scale = dual.gram.tall(), dual.scale
        assert F is not None
        act, rows, xp = OfBlocks(pulled_and_value, dual.risk), parts_of(dual.risk), namespace(dual.gram.like)
        if frobenius(W) == 0 or self.begun is not None:
            B, H = _from_sample(dual)
            B = B if self.begun is None else self.begun
            W, V, losses = F.there_and_back(B, act, rows)
        else:
            # What goes with P, and the function of W, in one pass.
            H, m, start = _curvature(dual, P), int(W.shape[1]), W
            W, losses = evaluated(*act(P, *rows))
            both = F.transposed_times(xp.concat([start, W], axis=1))
            B, V = both[:, :m] / scale, both[:, m:]
        solve, anderson = cholesky_solver(shifted(H, 0.0)), Anderson(1.0, int(B.shape[0]) * int(B.shape[1]))
        while True:
            g = scale * B - V
            primal = float(losses) + scale * float(xp.sum(B * B)) / 2.0
            gap = float(xp.sum(g * product(H, g))) / (2.0 * scale**2 * max(abs(primal), 1e-300))
            # V makes the predictions of W at half the price.
            yield Step(W, F.times(V / scale) if not gap > self.tolerance else None, gap, partial(_itself, B))
            B = anderson.advance(B, -solve(g))
            W, V, losses = F.there_and_back(B, act, rows)


def _itself(B: Array) -> Array:
    return B


def _from_sample(dual: Dual) -> tuple[Array, Array]:
    """(B, H): the function of some of the rows, and the curvature of all as these have it there."""
    small, _ = sampled(dual)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solution = Splitting(ROUGH).solve(small, *small.gram.solved)
    F = small.gram.tall()
    assert F is not None
    return F.transposed_times(solution.W) / small.scale, _of_all(dual, small, solution.predictions)


def _curvature(dual: Dual, P: Array) -> Array:
    """The curvature of all rows as some of them have it at predictions P."""
    small, rows = sampled(dual)
    P = sample_of(P, rows) if is_spread(P) else namespace(P).take(P, rows, axis=0)
    return _of_all(dual, small, P)


def _of_all(dual: Dual, small: Dual, P: Array) -> Array:
    F = small.gram.tall()
    assert F is not None
    share = dual.scale / small.scale
    return shifted(share * F.scaled(_curvatures(small, P) ** 0.5).section(), dual.scale)


def _curvatures(dual: Dual, P: Array) -> Array:
    """How fast the dual row of each sample falls with its prediction, in a random direction."""
    xp, directions = namespace(P), random_normal(tuple(P.shape), P)
    move: Any = SMALL_MOVE * float(xp.mean(xp.abs(dual.targets - P))) + 1e-300
    changed = dual.risk.pulled(P) - dual.risk.pulled(P + move * directions)
    return xp.clip(inner(changed, directions) / (move * inner(directions, directions)), min=0.0)
