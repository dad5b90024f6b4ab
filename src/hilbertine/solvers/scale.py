"""A robust scale of residuals, so that lengths of a loss need no unit."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, row_norms, to_numpy
from ..doors import door
from ..dual import Dual
from ..losses import Cells, Huber, Loss
from .choice import Recipe
from .sample import sampled, stands_for_many

# Refits of a Huber regression, each from the one before it, fewer from the solution of a neighbour, and the gap that is
# good enough for a scale.
REFITS, REFITS_NEARBY, LOOSE = 3, 2, 1e-3
# Where fewer than this share of the residuals lie beyond so many medians nothing has to be held back, and the scale is
# so many medians: a bound costs precision.
FEW, BEYOND, CLEAN = 0.02, 4.0, 2.0


@door
def residual_scale(
    dual: Dual, recipe: Recipe | None = None, near: tuple[Array, ...] = ()
) -> tuple[float, tuple[Array, ...]]:
    """The median residual norm of a Huber regression whose kappa is that scale, and a start for what follows.

    A fixed point: kappa is a multiple of the median of |t_i - p_i|, and p depends on kappa. It begins at the median
    norm of the targets, or of the residuals of a solution nearby, is followed for some refits at a loose gap, and grows
    with the outputs: s times as large for s Y. With `Cells` the residuals are those of entries. Of very many rows some
    stand for all.

    Parameters
    ----------
    dual : Dual
        The problem; its own loss does not matter, but for `Cells`.
    recipe : Recipe, default=None
        How to solve; None is `Recipe()`.
    near : tuple of arrays, default=()
        W and its predictions of a problem nearby, such as another lam.

    Returns
    -------
    tuple of (float, arrays)
        The scale, and W and its predictions to start from.
    """
    cheaper = dual.gram.approximation()
    if cheaper is not None:
        return residual_scale(Dual(cheaper, dual.risk, dual.lam), recipe)[0], ()
    if stands_for_many(dual):
        return residual_scale(sampled(dual)[0], recipe)[0], ()
    recipe = (Recipe() if recipe is None else recipe)._replace(tol=LOOSE, callback=None)
    start = near
    scale = _median(dual, near[1] if near else 0.0 * dual.targets)
    for _ in range(REFITS_NEARBY if near else REFITS):
        if scale == 0:
            break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = recipe.solve(dual.at(loss=_huber(dual, scale)), *start)
        start = solution.W, solution.predictions
        scale = _median(dual, solution.predictions)
    return scale * (CLEAN if _clean(dual, start) else 1.0), start


@door
def settled(dual: Dual, recipe: Recipe | None = None, near: tuple[Array, ...] = ()) -> tuple[Dual, tuple[Array, ...]]:
    """The problem with every "auto" length of its loss a number, and a start where one was found on the way.

    Parameters
    ----------
    dual : Dual
        The problem.
    recipe : Recipe, default=None
        How to solve; None is `Recipe()`.
    near : tuple of arrays, default=()
        W and its predictions of a problem nearby.

    Returns
    -------
    tuple of (Dual, arrays)
        The problem, and W and its predictions to start from, where they are known.
    """
    if not dual.risk.loss.automatic:
        return dual, ()
    scale, start = residual_scale(dual, recipe, near)
    # Outputs that are all the same leave no residual: any length will do.
    return dual.at(loss=dual.risk.loss.at_scale(scale or 1.0)), start


def _huber(dual: Dual, scale: float) -> Loss:
    huber = Huber("auto").at_scale(scale)
    return Cells(huber) if dual.risk.loss.entrywise else huber


def _clean(dual: Dual, start: tuple[Array, ...]) -> bool:
    """Whether hardly any residual is far beyond the median one."""
    if not start:
        return True
    values, weights = _sizes(dual, start[1])
    return float(weights[values > BEYOND * _weighted_median(values, weights)].sum()) < FEW * float(weights.sum())


def _median(dual: Dual, P: Array) -> float:
    """The median size of the residuals, times 1 + 1/m: the fewer numbers a residual has, the more its size varies."""
    m = 1 if dual.risk.loss.entrywise else int(dual.targets.shape[1])
    return (1.0 + 1.0 / m) * _weighted_median(*_sizes(dual, P))


def _sizes(dual: Dual, P: Array) -> tuple[Any, Any]:
    """The sizes of residuals, of rows or of entries, and how often each counts."""
    risk = dual.risk
    R = risk.residuals(P)
    weights = np.ones(R.shape[0]) if risk.weights is None else to_numpy(risk.weights)
    if risk.loss.entrywise:
        seen = np.ones(R.shape) if risk.mask is None else to_numpy(risk.mask)
        return np.abs(to_numpy(R)).ravel(), (weights[:, None] * seen).ravel()
    return to_numpy(row_norms(R)), weights


def _weighted_median(values: Any, weights: Any) -> float:
    order = np.argsort(values)
    mass = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(mass, mass[-1] / 2)])
