"""The square loss in closed form."""

from collections.abc import Iterator

from ..arrays import Array
from ..dual import Dual
from .base import Solver, Step


class Direct(Solver):
    """W = (G / (lam n) + a I)^-1 T for phi*(s) = a s^2/2: kernel ridge regression with one factorisation.

    The first step is the solution up to rounding; further ones refine it with the same factor.
    """

    def missing(self, dual: Dual) -> str | None:
        profile = dual.loss.coefficients
        if profile is None or profile.a == 0 or profile.b > 0 or profile.c < float("inf"):
            return f"solves the square loss only, not {dual.loss!r}"
        return None if dual.gram.separable else "needs one separable term, and this kernel is a sum or has another form"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        profile = dual.loss.coefficients
        assert profile is not None
        solve = dual.gram.factor(profile.a * dual.scale)
        W = solve(dual.scale * dual.targets)
        while True:
            P = dual.predict(W)
            yield Step(W, P)
            W = W + solve(dual.scale * (dual.targets - P - profile.a * W))
