"""Grids: points of an interval, and when two of them are the same."""

from typing import Any

import numpy as np

from ..arrays import Array

# Points nearer than this part of the smallest step are the same point, up to rounding.
ROUNDING = 1e-4


def check_grid(grid: Any) -> Array:
    """A grid of finite points that increase strictly."""
    try:
        if np.iscomplexobj(grid):
            raise TypeError("complex ones have no order")
        points = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"A grid is a sequence of numbers, or of dates, which pandas.to_datetime makes of words ({error})."
        ) from error
    if points.ndim != 1 or points.size == 0 or not np.all(np.isfinite(points)):
        raise ValueError(f"A grid is a sequence of finite numbers, got shape {points.shape}.")
    steps = np.diff(points)
    if np.any(steps == 0):
        where = points[1:][steps == 0][0]
        raise ValueError(f"The grid repeats the point {where:g}; average the values there and drop one of them.")
    if np.any(steps < 0):
        raise ValueError("The grid is not sorted; sort it, and the columns of the curves with it, by np.argsort(grid).")
    return points


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
