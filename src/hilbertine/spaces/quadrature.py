"""Integrals over an interval as weighted sums over a grid."""

from typing import Any

import numpy as np
from scipy.integrate import simpson

from ..arrays import Array
from ..containers.grids import places
from ..memory import rows_of

RULES = ("mean", "trapezoid", "simpson")


def quadrature_weights(grid: Array, rule: Any) -> Array:
    """w with sum_t w_t f(t) for the integral of f: "mean" (of mass one), "trapezoid", "simpson", or given weights.

    >>> quadrature_weights(np.array([0.0, 1.0, 3.0]), "trapezoid")
    array([0.5, 1.5, 1. ])
    """
    if not isinstance(rule, str):
        return _given(rule, grid)
    if rule not in RULES:
        raise ValueError(f"quadrature must be one of {', '.join(RULES)}, or the weights themselves, got {rule!r}.")
    if rule == "mean":
        return np.full(grid.size, 1.0 / grid.size)
    if grid.size == 1:
        raise ValueError(f"Curves with one point have no {rule} rule; use quadrature='mean'.")
    weights: Array = _simpson(grid) if rule == "simpson" else _trapezoid(grid)
    if weights.min() < 0:
        raise ValueError("Simpson's rule has negative weights on this uneven grid; use quadrature='trapezoid'.")
    return weights


def _trapezoid(grid: Array) -> Array:
    halves = np.diff(grid) / 2
    return np.append(halves, 0.0) + np.insert(halves, 0, 0.0)


def _simpson(grid: Array) -> Array:
    """The integrals of the functions that are one at one point and zero at the others."""
    # The rule makes a few arrays as large as a block.
    size = rows_of(grid.size, 1 / 16)
    starts = range(0, grid.size, size)
    return np.concatenate([simpson(np.eye(min(size, grid.size - k), grid.size, k), x=grid) for k in starts])


def _given(rule: Any, grid: Array) -> Array:
    try:
        weights = np.asarray(rule, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"quadrature must be one of {', '.join(RULES)}, or weights, got {rule!r} ({error}).") from error
    if weights.shape != grid.shape:
        raise ValueError(f"quadrature has shape {weights.shape}; give one weight for each of the {grid.size} points.")
    if not np.all(np.isfinite(weights)) or weights.min() < 0 or weights.sum() == 0:
        raise ValueError("Quadrature weights must be finite and >= 0, not all zero.")
    return weights


def observed_weights(times: Array, grid: Array, weights: Array, rule: Any) -> Array:
    """The quadrature on the points where one curve was seen, of the mass of the whole.

    A named rule is applied to these points. Given weights are those of the points seen; points that are not of the
    grid get the trapezoid rule.
    """
    at = None if isinstance(rule, str) else places(times, grid)
    if at is None:
        named = rule if isinstance(rule, str) else "trapezoid"
        w = quadrature_weights(times, named if times.size > 1 else "mean")
    else:
        w = weights[at]
    return w * (weights.sum() / w.sum()) if w.sum() > 0 else w
