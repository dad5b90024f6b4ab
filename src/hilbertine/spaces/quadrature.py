"""Integrals over an interval as weighted sums over a grid."""

from typing import Any

import numpy as np
from scipy.integrate import simpson

from ..arrays import Array

RULES = ("mean", "trapezoid", "simpson")
# Points nearer than this part of the smallest step are the same point, up to rounding.
ROUNDING = 1e-4
# So many weights of Simpson's rule at a time: memory stays linear in the points.
BLOCK = 256


def check_grid(grid: Any) -> Array:
    """A grid of finite points that increase strictly."""
    try:
        points = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"A grid is a sequence of numbers ({error}).") from error
    if points.ndim != 1 or points.size == 0 or not np.all(np.isfinite(points)):
        raise ValueError(f"A grid is a sequence of finite numbers, got shape {points.shape}.")
    steps = np.diff(points)
    if np.any(steps == 0):
        where = points[1:][steps == 0][0]
        raise ValueError(f"The grid repeats the point {where:g}; average the values there and drop one of them.")
    if np.any(steps < 0):
        raise ValueError("The grid is not sorted; sort it, and the columns of the curves with it, by np.argsort(grid).")
    return points


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
    starts = range(0, grid.size, BLOCK)
    return np.concatenate([simpson(np.eye(min(BLOCK, grid.size - k), grid.size, k), x=grid) for k in starts])


def _given(rule: Any, grid: Array) -> Array:
    weights = np.asarray(rule, dtype=np.float64)
    if weights.shape != grid.shape:
        raise ValueError(f"quadrature has shape {weights.shape}; give one weight for each of the {grid.size} points.")
    if not np.all(np.isfinite(weights)) or weights.min() < 0 or weights.sum() == 0:
        raise ValueError("Quadrature weights must be finite and >= 0, not all zero.")
    return weights


def places(times: Array, grid: Array) -> Array | None:
    """Where these points are in the grid, up to rounding; None where one of them is not.

    >>> places(np.array([0.1 + 0.2, 1.0]), np.array([0.0, 0.3, 1.0]))
    array([1, 2])
    """
    nearest = np.searchsorted((grid[1:] + grid[:-1]) / 2, times)
    slack = ROUNDING * np.diff(grid).min() if grid.size > 1 else 0.0
    return nearest if np.all(np.abs(grid[nearest] - times) <= slack) else None


def same_points(times: Array, grid: Array) -> bool:
    """Whether two grids are the same up to rounding."""
    return times.size == grid.size and places(times, grid) is not None


def within(times: Array, grid: Array) -> Array:
    """These points, which must lie in the interval of the grid."""
    first, last = grid[0], grid[-1]
    slack = 1e-9 * (last - first)
    low, high = times.min(), times.max()
    if low < first - slack or high > last + slack:
        raise ValueError(
            f"The points {low:g} to {high:g} leave the interval [{first:g}, {last:g}] of the curves; a curve is known "
            "only there. Where new curves may reach further than those of `fit`, as in cross-validation, give points "
            "over the whole interval as grid=."
        )
    return np.clip(times, first, last)


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
