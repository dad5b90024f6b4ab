"""A robust scale of residuals, so that lengths of a loss need no unit."""

import warnings
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, row_norms, to_numpy
from ..doors import door
from ..dual import Dual
from ..losses import Cells, Huber, Loss
from ..spread import is_spread
from .choice import Recipe
from .sample import sampled, stands_for_many

# Refits of a Huber regression, each from the one before it, fewer from the solution of a neighbour, and the gap that is
# good enough for a scale.
REFITS, REFITS_NEARBY, LOOSE = 3, 2, 1e-3
# Residuals beyond so many medians are far out. The scale is for a tenth of them; where there are fewer it grows up to
# `CLEAN` times as long, since a bound costs precision.
BEYOND, USUAL, CLEAN = 4.0, 0.1, 2.0


@door
def residual_scale(
    dual: Dual, recipe: Recipe | None = None, near: tuple[Array, ...] = ()
) -> tuple[float, tuple[Array, ...]]:
    """The median residual norm of a Huber regression whose kappa is that scale, and a start for what follows.

    A fixed point: kappa is a multiple of the median of |t_i - p_i|, and p depends on kappa. It begins at the median
    norm of the targets, or of the residuals of a solution nearby, is followed for some refits at a loose gap, and grows
    with the outputs: s times as large for s Y. Residuals far beyond the median are left aside, and the more they are
    the shorter is the scale, as Huber's bound for their share. With `Cells` the residuals are those of entries. Of very
    many rows some stand for all.

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
    if stands_for_many(dual) or is_spread(dual.targets):
        small, _ = sampled(dual)
        scale, small.gram.solved = residual_scale(small, recipe)
        return scale, ()
    recipe = (Recipe() if recipe is None else recipe)._replace(tol=LOOSE, callback=None)
    start = near
    typical, factor = _scale(dual, near[1] if near else 0.0 * dual.targets)
    for _ in range(REFITS_NEARBY if near else REFITS):
        if typical == 0:
            return 0.0, start
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = recipe.solve(dual.at(loss=_huber(dual, typical * min(factor, 1.0))), *start)
        start = solution.W, solution.predictions
        typical, factor = _scale(dual, solution.predictions)
    return typical * factor, start


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


def _scale(dual: Dual, P: Array) -> tuple[float, float]:
    """(the median size of the residuals that are not far out, times 1 + 1/m; what the share of the others makes of it).

    The fewer numbers a residual has, the more its size varies.
    """
    m = 1 if dual.risk.loss.entrywise else int(dual.targets.shape[1])
    values, weights = _sizes(dual, P)
    far = values > BEYOND * _quantile(values, weights, 0.5)
    share = float(weights[far].sum() / weights.sum())
    factor = min(CLEAN, huber_bound(share) / huber_bound(USUAL)) if share else CLEAN
    return (1.0 + 1.0 / m) * _quantile(values, weights, 0.5 * (1.0 - share)), factor


def huber_bound(share: float) -> float:
    """k of the minimax estimate of a mean in a share of gross errors: 2 phi(k)/k - 2 Phi(-k) = share / (1 - share).

    In standard deviations; P. J. Huber, Robust estimation of a location parameter, Ann. Math. Statist. 35 (1964).

    Parameters
    ----------
    share : float
        The share of gross errors, between 0 and 1.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> [round(huber_bound(share), 2) for share in (0.01, 0.1, 0.3)]
    [1.95, 1.14, 0.68]
    """
    odds = share / (1.0 - share)
    return float(brentq(lambda k: 2 * norm.pdf(k) / k - 2 * norm.cdf(-k) - odds, 1e-6, 10.0))


def _sizes(dual: Dual, P: Array) -> tuple[Any, Any]:
    """The sizes of residuals, of rows or of entries, and how often each counts."""
    risk = dual.risk
    R = risk.residuals(P)
    weights = np.ones(R.shape[0]) if risk.weights is None else to_numpy(risk.weights)
    if risk.loss.entrywise:
        seen = np.ones(R.shape) if risk.mask is None else to_numpy(risk.mask)
        return np.abs(to_numpy(R)).ravel(), (weights[:, None] * seen).ravel()
    return to_numpy(row_norms(R)), weights


def _quantile(values: Any, weights: Any, share: float) -> float:
    order = np.argsort(values)
    mass = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(mass, share * mass[-1])])
