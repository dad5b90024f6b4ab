"""Integrals over an interval as weighted sums over a grid."""

from typing import Any

import numpy as np
from scipy.integrate import simpson, trapezoid

from ..arrays import Array

RULES = ("mean", "trapezoid", "simpson")


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
    weights: Array = (trapezoid if rule == "trapezoid" else simpson)(np.eye(grid.size), x=grid)
    if weights.min() < 0:
        raise ValueError("Simpson's rule has negative weights on this uneven grid; use quadrature='trapezoid'.")
    return weights


def _given(rule: Any, grid: Array) -> Array:
    weights = np.asarray(rule, dtype=np.float64)
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
    if isinstance(rule, str):
        w = quadrature_weights(times, rule if times.size > 1 else "mean")
    elif np.all(np.isin(times, grid)):
        w = weights[np.searchsorted(grid, times)]
    else:
        w = quadrature_weights(times, "trapezoid" if times.size > 1 else "mean")
    return w * (weights.sum() / w.sum()) if w.sum() > 0 else w
