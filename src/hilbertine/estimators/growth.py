"""More centres for a kernel that has a target, until its price in the exact problem is what was asked."""

import warnings
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..arrays import count
from ..doors import caller
from ..kernels import Nystroem
from ..memory import SURE, available, written
from ..operator_kernels import OperatorValuedKernel
from .posed import Posed, posed

# Rows from which the price is estimated.
ROWS = 500
# How much more of them the next fit has.
GROWTH = 2


def with_targets(kernel: OperatorValuedKernel) -> dict[str, Nystroem]:
    """The parts of a kernel that have a target, by their names."""
    parts = kernel.get_params(deep=True).items()
    return {name: part for name, part in parts if isinstance(part, Nystroem) and part.target is not None}


def enlarged(model: Any, problem: Posed) -> Posed | None:
    """The problem of a fitted model with more centres; None where it needs none, or may have none."""
    parts = with_targets(problem.kernel)
    if not parts or not problem.kernel.approximate:
        return None
    n = count(problem.dual.targets)
    target, gap = min(part.target or 0.0 for part in parts.values()), model.approximation_gap(min(ROWS, n))
    if gap + 2.0 * gap.standard_error <= target:
        return None
    sizes = {name: min(GROWTH * part.n_components, n) for name, part in parts.items()}
    if why := _spent(problem, parts, n):
        size = max(part.n_components for part in parts.values())
        warnings.warn(
            f"With {size} centres the gap in the problem of the exact kernel is {gap!r}, above the target "
            f"{target:.3g}, and {why}. Raise lam, take a kernel that falls more slowly, or accept the gap.",
            ConvergenceWarning,
            stacklevel=caller(),
        )
        return None
    kernel = clone(problem.kernel, safe=False).set_params(**{f"{name}__n_components": p for name, p in sizes.items()})
    dual = problem.dual
    return posed(kernel, problem.given, problem.space, dual.risk, problem.centre, dual.lam)


def _spent(problem: Posed, parts: dict[str, Nystroem], n: int) -> str | None:
    """Why there can be no more centres."""
    if any(not isinstance(part.centres, str) for part in parts.values()):
        return "its centres were given"
    held, free = problem.dual.gram.held().bytes, available(problem.dual.targets)
    if GROWTH * held > SURE * free:
        return f"twice as many would take {written(GROWTH * held)} where {written(free)} are free"
    return "no more points are there" if all(part.n_components >= n for part in parts.values()) else None
