"""The square loss in closed form."""

import math
from collections.abc import Iterator

from ..arrays import Array, frobenius
from ..dual import Dual
from .base import Solver
from .solution import Step


class Direct(Solver):
    """W = (G / (lam n) + I)^-1 T for phi*(s) = s^2/2: kernel ridge regression with one factorisation.

    The first step is the solution up to rounding; further ones refine it with the same factor, as long as they do.
    """

    def missing(self, dual: Dual) -> str | None:
        if not dual.risk.loss.square:
            return f"solves the square loss only, not {dual.risk.loss!r}"
        if dual.risk.mask is not None:
            return "needs outputs that are known in full"
        return None if dual.gram.solvable else "needs a kernel that can be factored, and this one has another form"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        solve = dual.gram.solver(dual.scale)
        assert solve is not None
        W = dual.risk.supported(solve(dual.scale * dual.targets))
        last = math.inf
        while True:
            P = dual.predict(W)
            yield Step(W, P, float(dual.gap(W, P)))
            left = dual.targets - P - W
            # A step that does not halve what is left shows rounding, and further ones would add to it.
            if not frobenius(left) < last / 2.0:
                return
            last = frobenius(left)
            W = dual.risk.supported(W + solve(dual.scale * left))
