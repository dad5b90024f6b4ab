"""Very many rows and few features: steps on p x m numbers, each of which reads the features once."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, inner, namespace, product, random_normal, shifted
from ..dual import Dual
from ..factors import cholesky_solver
from ..matrices import LowRank, Tall
from ..operator_kernels import Kronecker
from ..risk import OfBlocks, parts_of, pulled_and_value
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
        F = dual.gram.tall()
        assert F is not None
        B, H = _from_sample(dual)
        B = B if self.begun is None else self.begun
        solve = cholesky_solver(shifted(H, 0.0))
        act, rows = OfBlocks(pulled_and_value, dual.risk), parts_of(dual.risk)
        anderson = Anderson(1.0, int(B.shape[0]) * int(B.shape[1]))
        while True:
            W, FW, values = F.there_and_back(B, act, rows)
            g, xp = dual.scale * B - FW, namespace(B)
            primal = float(values) + dual.scale * float(xp.sum(B * B)) / 2.0
            gap = float(xp.sum(g * product(H, g))) / (2.0 * dual.scale**2)
            yield Step(W, None, gap / max(abs(primal), 1e-300), partial(_itself, B))
            B = anderson.advance(B, -solve(g))


def _itself(B: Array) -> Array:
    return B


def _from_sample(dual: Dual) -> tuple[Array, Array]:
    """(B, H): the function of some of the rows, and the curvature of all as these have it there."""
    small, _ = sampled(dual)
    tall = small.gram.tall()
    assert tall is not None
    # In double precision: the curvature has to be positive however small it is.
    F = Tall.whole(tall.array())
    small = Dual(Kronecker([(LowRank(F), None)], dual.gram.shape[1]), small.risk, dual.lam)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solution = Splitting(ROUGH).solve(small)
    B = F.transposed_times(solution.W) / small.scale
    h = _curvatures(small, solution.predictions)
    share = dual.scale / small.scale
    return B, shifted(share * F.scaled(h**0.5).section(), dual.scale)


def _curvatures(dual: Dual, P: Array) -> Array:
    """How fast the dual row of each sample falls with its prediction, in a random direction."""
    xp, directions = namespace(P), random_normal(tuple(P.shape), P)
    move: Any = SMALL_MOVE * float(xp.mean(xp.abs(dual.targets - P))) + 1e-300
    changed = dual.risk.pulled(P) - dual.risk.pulled(P + move * directions)
    return xp.clip(inner(changed, directions) / (move * inner(directions, directions)), min=0.0)
