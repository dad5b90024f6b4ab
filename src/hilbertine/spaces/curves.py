"""Curves as people keep them: matrices, data frames, scikit-fda's containers, or pairs of times and values."""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, as_floats, is_foreign
from .quadrature import check_grid

# Curves that each have their own points are compared on at most so many.
MOST_POINTS = 401


class Curves(NamedTuple):
    """n curves with d components on a common grid: values (n, points, d), NaN where a curve was not seen.

    `grid` is None where nothing says at which points the values were taken. `own` holds the pairs (times, values) of
    curves that each came with their own points.
    """

    grid: Array | None
    values: Array
    own: list[tuple[Array, Array]] | None = None


def is_fda(Y: Any) -> bool:
    """Whether this is a container of scikit-fda."""
    return type(Y).__module__.split(".")[0] == "skfda"


def read_curves(Y: Any, name: str = "The curves") -> Curves:
    """Curves from any of these: (n, points) or (n, points, d) arrays, frames, scikit-fda, lists of (times, values)."""
    if is_fda(Y):
        return _from_fda(Y, name)
    if isinstance(Y, list | tuple) and len(Y) > 0 and all(isinstance(pair, tuple) and len(pair) == 2 for pair in Y):
        return own_points(Y)
    grid = None
    if hasattr(Y, "iloc"):
        grid, Y = _column_grid(Y), Y.to_numpy()
    try:
        values = as_floats(Y, Y) if is_foreign(Y) else np.asarray(Y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} are not a matrix of numbers, one row for each curve ({error}); curves that each have their own "
            "points are a list of pairs (times, values)."
        ) from error
    if values.ndim not in (2, 3) or 0 in values.shape:
        raise ValueError(f"{name} must have shape (n, points) or (n, points, components), got {tuple(values.shape)}.")
    return Curves(grid, values[:, :, None] if values.ndim == 2 else values)


def own_points(pairs: Any) -> Curves:
    """Curves seen at points of their own, on the union of these points, or evenly spaced ones where that is large."""
    own = [_pair(times, values, i) for i, (times, values) in enumerate(pairs)]
    if len({values.shape[1] for _, values in own}) > 1:
        raise ValueError("Curves of one set must have the same number of components.")
    grid = np.unique(np.concatenate([times for times, _ in own]))
    if grid.size > MOST_POINTS:
        grid = np.linspace(grid[0], grid[-1], MOST_POINTS)
    return Curves(grid, np.stack([interpolate(times, values, grid) for times, values in own]), own)


def interpolate(times: Array, values: Array, grid: Array) -> Array:
    """The curve on another grid: linear between its points, constant beyond them."""
    return np.stack([np.interp(grid, times, component) for component in values.T], axis=1)


def on_grid(curves: Curves, grid: Array | None) -> Array:
    """The values on this grid: interpolated where they were taken elsewhere, or are missing."""
    taken = np.linspace(0.0, 1.0, curves.values.shape[1]) if curves.grid is None else curves.grid
    if curves.own is None and (grid is None or curves.grid is None or np.array_equal(taken, grid)):
        grid = taken
        if not np.isnan(curves.values).any():
            return curves.values
    pairs = seen_pairs(curves, taken)
    return np.stack([interpolate(times, values, taken if grid is None else grid) for times, values in pairs])


def seen_pairs(curves: Curves, grid: Array) -> list[tuple[Array, Array]]:
    """(times, values) of what was seen of each curve, all components at once."""
    if curves.own is not None:
        return curves.own
    seen = ~np.isnan(curves.values).any(axis=2)
    if not seen.any(axis=1).all():
        raise ValueError(f"Curve {int(np.argmin(seen.any(axis=1)))} has no value at all; drop it.")
    return [(grid[at], values[at]) for at, values in zip(seen, curves.values, strict=True)]


def like_container(container: Any, values: Array, grid: Array) -> Any:
    """Curves (n, points, d) as the training outputs came: scikit-fda's FDataGrid, or an array."""
    if container == "fda":
        from skfda import FDataGrid

        return FDataGrid(values, grid)
    return values[:, :, 0] if container == "matrix" else values


def container_of(Y: Any) -> str:
    """What `like_container` is to return for such outputs."""
    if is_fda(Y):
        return "fda"
    return "components" if getattr(Y, "ndim", 2) == 3 else "matrix"


def _pair(times: Any, values: Any, i: int) -> tuple[Array, Array]:
    t, v = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    v = v[:, None] if v.ndim == 1 else v
    if t.ndim != 1 or v.ndim != 2 or t.size != v.shape[0] or t.size == 0:
        raise ValueError(f"Curve {i}: times of shape {t.shape} and values of shape {v.shape} do not go together.")
    if not np.all(np.isfinite(t)) or not np.all(np.isfinite(v)):
        raise ValueError(f"Curve {i}: a pair (times, values) holds the points that were seen; leave out NaN.")
    order = np.argsort(t, kind="stable")
    return check_grid(t[order]), v[order]


def _column_grid(frame: Any) -> Array | None:
    """The grid that numeric column names spell."""
    try:
        points = [float(name) for name in frame.columns]
    except (TypeError, ValueError):
        return None
    return check_grid(points)


def _from_fda(Y: Any, name: str) -> Curves:
    if Y.dim_domain != 1:
        raise ValueError(f"{name} are functions of {Y.dim_domain} variables; curves have one.")
    if hasattr(Y, "start_indices"):
        parts = np.split(np.arange(len(Y.points)), Y.start_indices[1:])
        return own_points([(Y.points[part, 0], Y.values[part]) for part in parts])
    sampled = Y if hasattr(Y, "data_matrix") else Y.to_grid()
    return Curves(check_grid(sampled.grid_points[0]), np.asarray(sampled.data_matrix, dtype=np.float64))
