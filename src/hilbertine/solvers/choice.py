"""Which solver for which problem."""

from typing import Any

from sklearn.base import clone

from ..dual import Dual
from .base import Solver
from .direct import Direct
from .proximal_gradient import ProximalGradient
from .proximal_point import ProximalPoint
from .row_newton import RowNewton
from .splitting import Splitting

NAMES: dict[str, type[Solver]] = {
    "direct": Direct,
    "row_newton": RowNewton,
    "splitting": Splitting,
    "proximal_gradient": ProximalGradient,
    "proximal_point": ProximalPoint,
}


def choose(solver: Any, dual: Dual, **settings: Any) -> Solver:
    """A solver object as a copy, a solver by name, or for "auto" the first of the list that fits the problem.

    Settings such as tol fill what the solver leaves at None.
    """
    chosen = _pick(solver, dual)
    chosen.set_params(**{name: value for name, value in settings.items() if getattr(chosen, name) is None})
    return chosen


def _pick(solver: Any, dual: Dual) -> Solver:
    if isinstance(solver, Solver):
        copy: Solver = clone(solver)
        return copy
    if isinstance(solver, str) and solver == "auto":
        candidates = (kind() for kind in NAMES.values())
        return next(each for each in candidates if not each.missing(dual) and each.worthwhile(dual))
    if isinstance(solver, str) and solver in NAMES:
        return NAMES[solver]()
    raise ValueError(f"solver must be 'auto', one of {sorted(NAMES)}, or a Solver object; got {solver!r}.")
