"""A problem as data: kernel, space and rows, before lam and the loss are chosen."""

from typing import Any, NamedTuple

from ..arrays import Array
from ..dual import Dual
from ..losses import Loss
from ..operator_kernels import OperatorValuedKernel
from ..risk import Risk
from ..solvers import rest_of
from ..spaces import Space
from ..spaces.centre import centre_of
from ..spread import evaluated
from .inputs import check_weights
from .rows import observed_entries


class Posed(NamedTuple):
    """A regression problem before lam and the loss are chosen: what a path over these two shares."""

    kernel: OperatorValuedKernel
    space: Space
    dual: Dual
    centre: Array | None
    # (X, y, sample_weight), X as the kernel reads it.
    given: tuple[Any, Any, Any]


def posed(
    kernel: OperatorValuedKernel, given: tuple[Any, Any, Any], space: Space, risk: Risk, centre: Array | None,
    lam: float,
) -> Posed:  # fmt: skip
    """The problem with its kernel fitted, which knows before what the rest of the fit will take of the memory."""
    n, m = map(int, risk.targets.shape)
    kernel.rest = rest_of(risk.loss, n, m, risk.weights is not None)
    kernel.fit(given[0], risk.targets, space)
    gram = kernel.gram()
    # Known no longer: the class says nothing of it.
    del kernel.rest
    return Posed(kernel, space, Dual(gram, risk, lam), centre, given)


def bound(loss: Loss, T: Array, tails: Array, sample_weight: Any, rule: Any, missing: Any) -> tuple[Risk, Array | None]:
    """(the loss bound to its rows, what was taken off the targets)."""
    weights, observed = check_weights(sample_weight, T), None if missing is None else observed_entries(T)
    risk = Risk(loss, T, tails, weights, observed)
    centre = centre_of(risk.targets, rule, weights, risk.mask) if loss.shifts else None
    if centre is None:
        return risk, None
    return risk.with_targets(*evaluated(risk.targets - centre[None, :], tails)), centre
