"""Which solver for which problem, and which one goes on where another ends: all of it data."""

from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Any, NamedTuple

from sklearn.base import clone

from ..arrays import Array
from ..doors import door
from ..dual import Dual
from .base import Solver
from .direct import Direct
from .proximal_gradient import ProximalGradient
from .proximal_point import ProximalPoint
from .row_newton import RowNewton
from .sampled_newton import SampledNewton
from .solution import Progress, Solution, Step
from .splitting import Splitting

NAMES: dict[str, type[Solver]] = {
    "direct": Direct,
    "row_newton": RowNewton,
    "sampled_newton": SampledNewton,
    "splitting": Splitting,
    "proximal_gradient": ProximalGradient,
    "proximal_point": ProximalPoint,
}


def _many_outputs(dual: Dual) -> bool:
    # A step of RowNewton costs 5 n^3 + 6 n^2 m operations, one of Splitting 4 n^2 m, and that takes some thirty.
    n, m = dual.gram.shape
    return 4 * m >= n


def _before_newton(dual: Dual) -> int:
    # A Newton step costs (n m)^3 / 3 operations, one of Splitting 2 n^2 m: with several outputs not before the steps
    # taken have cost as much as two of them, or are very many.
    n, m = dual.gram.shape
    return 28 if m == 1 else max(28, min(n * m * m // 3, 1000))


# "auto" takes the first of these that can solve the problem, where it is worth its price.
AUTO: list[tuple[type[Solver], Callable[[Dual], bool]]] = [
    (Direct, lambda dual: True),
    (SampledNewton, lambda dual: True),
    (RowNewton, _many_outputs),
    (Splitting, lambda dual: True),
    (ProximalGradient, lambda dual: True),
]
# After so many steps of the first, so many of the second, then the third: Newton steps for what is nearly solved, and
# first-order ones where Newton steps end in rounding.
_LEGS: list[tuple[type[Solver], Callable[[Dual], int]]] = [
    (Splitting, _before_newton),
    (ProximalPoint, lambda dual: 40),
    (Splitting, lambda dual: 10**9),
]
# Newton steps that leave so large a gap began where subproblems are not easy: from zero they are.
STUCK = 1e-2
RELAYS: dict[Any, list[tuple[Any, Callable[[Dual], int]]]] = {
    Splitting: _LEGS,
    RowNewton: [(RowNewton, lambda dual: 40), *_LEGS],
    SampledNewton: [(SampledNewton, lambda dual: 40), *_LEGS],
}


class Relay(Solver):
    """One solver after another, each from the best W of the one before it."""

    def __init__(
        self, first: Solver, tol: Any = None, max_iter: Any = None, check_every: int = 10, callback: Any = None
    ):
        super().__init__(tol, max_iter, check_every, callback)
        self.first = first

    @property
    def title(self) -> str:
        return self.first.title

    def missing(self, dual: Dual) -> str | None:
        return self.first.missing(dual)

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        for k, (kind, steps) in enumerate(legs(type(self.first), dual)):
            best = yield from self._leg(kind, steps, dual, W, P, self.begun if k == 0 else None)
            if kind is ProximalPoint and (best.guess or 0.0) > STUCK:
                again = yield from self._leg(kind, steps, dual, 0.0 * W, 0.0 * W)
                best = min(best, again, key=lambda step: step.guess or 0.0)
            W = best.W
            P = dual.predict(W) if best.predictions is None else best.predictions

    def _leg(
        self, kind: type[Solver], steps: int, dual: Dual, W: Array, P: Array, begun: Any = None
    ) -> Generator[Step, None, Step]:
        """So many steps of a solver; returns the best of them, as far as guesses say."""
        best, leg = Step(W, P, float("inf")), kind(self.tol)
        leg.begun = begun
        for step in islice(leg.iterates(dual, W, P), steps):
            yield step
            best = step if not (step.guess or 0.0) > (best.guess or 0.0) else best
        return best


def legs(first: type[Solver], dual: Dual) -> list[tuple[type[Solver], int]]:
    """Those of the relay that can solve the problem, with their numbers of steps; none is relieved by itself."""
    able = [(kind, steps(dual)) for kind, steps in RELAYS[first] if not kind().missing(dual)]
    return [leg for leg, following in zip(able, [*able[1:], (None, 0)], strict=True) if leg[0] is not following[0]]


class Recipe(NamedTuple):
    """How to solve: what every fit of an estimator, fold or path has in common.

    Parameters
    ----------
    solver : Solver or str, default="auto"
        A solver, its name, or "auto".
    tol : float, default=1e-6
        The relative duality gap at which to stop.
    max_iter : int, default=10_000
        At most so many steps.
    callback : callable, default=None
        Called with a `Progress` at each certificate.
    """

    solver: Any = "auto"
    tol: float = 1e-6
    max_iter: int = 10_000
    callback: Callable[[Progress], Any] | None = None

    def solve(self, dual: Dual, *start: Array) -> Solution:
        """A certified solution, from W and its predictions if they are known.

        Parameters
        ----------
        dual : Dual
            The problem.
        *start : arrays of shape (n, m)
            Where to start, W, and its predictions.

        Returns
        -------
        Solution
            The best certified iterate.
        """
        chosen = choose(self.solver, dual, tol=self.tol, max_iter=self.max_iter, callback=self.callback)
        return chosen.solve(dual, *start)


@door
def choose(solver: Any, dual: Dual, **settings: Any) -> Solver:
    """A solver object as a copy, a solver by name, or for "auto" the first of `AUTO` that fits the problem.

    Parameters
    ----------
    solver : Solver or str
        A solver, its name, or "auto".
    dual : Dual
        The problem.
    **settings : settings such as tol
        They fill what the solver leaves at None.

    Returns
    -------
    Solver
        A solver for this problem.
    """
    chosen = _pick(solver, dual.whitened)
    chosen.set_params(**{name: value for name, value in settings.items() if getattr(chosen, name) is None})
    if type(chosen) not in RELAYS:
        return chosen
    return Relay(chosen, chosen.tol, chosen.max_iter, chosen.check_every, chosen.callback)


def _pick(solver: Any, dual: Dual) -> Solver:
    if isinstance(solver, Solver):
        copy: Solver = clone(solver)
        return copy
    if isinstance(solver, str) and solver == "auto":
        return next(kind() for kind, worthwhile in AUTO if not kind().missing(dual) and worthwhile(dual))
    if isinstance(solver, str) and solver in NAMES:
        return NAMES[solver]()
    raise ValueError(f"solver must be 'auto', one of {sorted(NAMES)}, or a Solver object; got {solver!r}.")
