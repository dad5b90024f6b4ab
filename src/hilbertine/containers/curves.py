"""Curves as people keep them: matrices, data frames, scikit-fda's containers, or pairs of times and values."""

import re
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, as_floats, is_foreign, namespace, to_numpy
from ..doors import door
from .grids import check_grid, same_points
from .times import are_moments, common_origin, read_grid, read_points

# Curves that each have their own points are compared on at most so many.
MOST_POINTS = 401
# Input curves may reach beyond the interval of the others by this part of its length, and must be seen on as much.
OVERLAP = 0.1
# Names that are times or dates, as far as one can see: 01:00, 2020-01-31, 31.1.2020, 1/31.
CLOCK = re.compile(r"\d+([:/-]|\.\d+\.)\d+.*")


class Curves(NamedTuple):
    """n curves with d components on a common grid.

    Parameters
    ----------
    grid : array of shape (n_points,) or None
        The points; None where nothing says at which the values were taken.
    values : array of shape (n, n_points, d)
        The values, NaN where a curve was not seen.
    own : list of tuples (times, values), default=None
        The points and values of curves that each came with their own.
    origin : datetime64, default=None
        The date from which points count days, None for numbers.
    """

    grid: Array | None
    values: Array
    own: list[tuple[Array, Array]] | None = None
    origin: Any = None


def is_fda(Y: Any) -> bool:
    """Whether this is a container of scikit-fda."""
    return type(Y).__module__.split(".")[0] == "skfda"


def as_pairs(Y: Any) -> list[tuple[Any, Any]] | None:
    """The pairs (times, values) where Y is made of them, tuples in a list or an array of objects; two numbers are none.

    >>> as_pairs([([0.0, 0.5], [1.0, 2.0])]), as_pairs([(0.1, 0.2), (0.3, 0.4)])
    ([([0.0, 0.5], [1.0, 2.0])], None)
    """
    if isinstance(Y, np.ndarray) and Y.dtype == object:
        Y = [tuple(each) if isinstance(each, np.ndarray) else each for each in Y]
    if not isinstance(Y, list | tuple) or len(Y) == 0:
        return None
    return list(Y) if all(isinstance(each, tuple) and len(each) == 2 and _sequence(each[0]) for each in Y) else None


def _sequence(times: Any) -> bool:
    return hasattr(times, "__len__") and not isinstance(times, str)


@door
def read_curves(Y: Any, name: str = "The curves", grid: Array | None = None, origin: Any = None) -> Curves:
    """Curves from any of these: (n, points) or (n, points, d) arrays, frames, scikit-fda, lists of (times, values).

    Parameters
    ----------
    Y : array, data frame, container of scikit-fda, or list of tuples (times, values)
        The curves.
    name : str, default="The curves"
        What errors call them.
    grid : array, default=None
        Points that are known already: a frame with as many columns is a matrix on them, whatever these are called.
    origin : datetime64, default=None
        The date from which dates count days; None is the earliest of these curves.

    Returns
    -------
    curves : Curves
        Their points and values, as numbers.
    """
    if is_fda(Y):
        return _from_fda(Y, name)
    pairs = as_pairs(Y)
    if pairs is not None:
        return own_points(pairs, origin)
    columns, dates = None, None
    if hasattr(Y, "columns"):
        if grid is None or grid.size != Y.shape[1]:
            columns, dates = _column_grid(Y, name, origin)
        Y = Y.to_numpy()
    try:
        values = _floats(Y)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} are not a matrix of numbers, one row for each curve ({error}); curves that each have their own "
            "points are a list of pairs, tuples (times, values)."
        ) from error
    if values.ndim not in (2, 3) or 0 in values.shape:
        raise ValueError(f"{name} must have shape (n, points) or (n, points, components), got {tuple(values.shape)}.")
    if isinstance(Y, list | tuple) and values.ndim == 3 and values.shape[1] == 2:
        raise ValueError(
            f"{name} are lists of two lists, which may be times and values, or two points; give pairs as tuples "
            "(times, values), [tuple(pair) for pair in pairs], and curves of two points as an array."
        )
    return Curves(columns, values[:, :, None] if values.ndim == 2 else values, origin=dates)


def _floats(values: Any) -> Array:
    foreign = is_foreign(values)
    if namespace(values).isdtype(values.dtype, "complex floating") if foreign else np.iscomplexobj(values):
        # Libraries would drop the imaginary part with no more than a warning.
        raise TypeError("complex numbers; give real and imaginary parts as two components")
    if are_moments(values):
        raise TypeError("dates or durations; give numbers, days since the first one for instance")
    return as_floats(values, values) if foreign else np.asarray(values, dtype=np.float64)


def own_points(pairs: Any, origin: Any = None) -> Curves:
    """Curves seen at points of their own, on the union of these points, or evenly spaced ones where that is large."""
    origin = common_origin((times for times, _ in pairs), origin)
    own = [_pair(read_points(times, origin)[0], values, i) for i, (times, values) in enumerate(pairs)]
    if len({values.shape[1] for _, values in own}) > 1:
        raise ValueError("Curves of one set must have the same number of components.")
    grid = np.unique(np.concatenate([times for times, _ in own]))
    if grid.size > MOST_POINTS:
        grid = np.linspace(grid[0], grid[-1], MOST_POINTS)
    return Curves(grid, np.stack([interpolate(times, values, grid) for times, values in own]), own, origin)


def interpolate(times: Array, values: Array, grid: Array) -> Array:
    """The curve on another grid: linear between its points, constant beyond them."""
    return np.stack([np.interp(grid, times, component) for component in values.T], axis=1)


def grid_of(curves: Curves, grid: Array | None) -> Array:
    """The grid that is given, else that of the curves, else evenly spaced points of [0, 1]."""
    points = curves.values.shape[1]
    if grid is None:
        return np.linspace(0.0, 1.0, points) if curves.grid is None else curves.grid
    if curves.grid is None and grid.size != points:
        raise ValueError(f"The curves have {points} points, the grid has {grid.size}.")
    return grid


def on_grid(curves: Curves, grid: Array | None) -> Array:
    """The values on this grid: interpolated where they were taken elsewhere, or are missing."""
    taken = curves.grid
    if taken is None:
        taken = np.linspace(0.0, 1.0, curves.values.shape[1]) if grid is None else grid
    grid = taken if grid is None else grid
    if curves.own is None and same_points(taken, grid) and not np.isnan(curves.values).any():
        return curves.values
    return np.stack([interpolate(times, values, grid) for times, values in seen_pairs(curves, taken)])


def seen_pairs(curves: Curves, grid: Array) -> list[tuple[Array, Array]]:
    """(times, values) of what was seen of each curve, all components at once."""
    if curves.own is not None:
        return curves.own
    seen = ~np.isnan(curves.values).any(axis=2)
    if not seen.any(axis=1).all():
        raise ValueError(f"Curve {int(np.argmin(seen.any(axis=1)))} has no value at all; drop it.")
    return [(grid[at], values[at]) for at, values in zip(seen, curves.values, strict=True)]


def seen_together(curves: Curves, grid: Array) -> list[tuple[Array, Array, Array]]:
    """(indices, times, values) of the curves that were seen at the same points; the values are (n, points, d)."""
    pairs = seen_pairs(curves, grid)
    together: dict[bytes, list[int]] = {}
    for i, (times, _) in enumerate(pairs):
        together.setdefault(times.tobytes(), []).append(i)
    return [(np.array(at), pairs[at[0]][0], np.stack([pairs[i][1] for i in at])) for at in together.values()]


def overlapping(curves: Curves, grid: Array) -> Curves:
    """Curves of which each can be interpolated on the grid: in other units they would be constant there, unnoticed."""
    first, last = grid[0], grid[-1]
    slack = OVERLAP * (last - first)
    for i, (times, _) in enumerate(seen_pairs(curves, grid if curves.grid is None else curves.grid)):
        low, high = times[0], times[-1]
        if low < first - slack or high > last + slack or high - low < slack:
            raise ValueError(
                f"Input curve {i} was seen from {low:g} to {high:g}, and is to be compared with others on "
                f"[{first:g}, {last:g}]; give all in one unit, or points over the interval of all as input_grid=."
            )
    return curves


def like_container(container: Any, values: Array, grid: Array) -> Any:
    """Curves (n, points, d) as the training outputs came: scikit-fda's FDataGrid, or an array."""
    if isinstance(container, dict):
        from skfda import FDataGrid

        # The interval of the training curves, or more where the grid is over more.
        first, last = container["domain_range"]
        domain = [(min(first, grid[0]), max(last, grid[-1]))]
        return FDataGrid(values, grid, **(container | {"domain_range": domain}))
    return values[:, :, 0] if container == "matrix" else values


def container_of(Y: Any, components: int) -> Any:
    """What `like_container` is to return for such outputs; for scikit-fda the interval and the names of axes."""
    if is_fda(Y):
        names = {"argument_names": Y.argument_names, "coordinate_names": Y.coordinate_names}
        return {**names, "domain_range": tuple(Y.domain_range[0])}
    return "components" if components > 1 or getattr(Y, "ndim", 2) == 3 else "matrix"


def _pair(times: Any, values: Any, i: int) -> tuple[Array, Array]:
    try:
        t, v = (to_numpy(_floats(part)) for part in (times, values))
    except (TypeError, ValueError) as error:
        raise ValueError(f"Curve {i}: a pair (times, values) holds numbers ({error}).") from error
    v = v[:, None] if v.ndim == 1 else v
    if t.ndim != 1 or v.ndim != 2 or t.size != v.shape[0] or t.size == 0:
        raise ValueError(f"Curve {i}: times of shape {t.shape} and values of shape {v.shape} do not go together.")
    if not np.all(np.isfinite(t)) or not np.all(np.isfinite(v)):
        raise ValueError(f"Curve {i}: a pair (times, values) holds the points that were seen; leave out NaN.")
    order = np.argsort(t, kind="stable")
    return check_grid(t[order]), v[order]


def _column_grid(frame: Any, name: str, origin: Any) -> tuple[Array | None, Any]:
    """(grid, origin) from column names that are dates or spell numbers; those that pandas counted spell none."""
    if type(frame.columns).__name__ == "RangeIndex":
        return None, None
    if are_moments(frame.columns):
        return read_grid(frame.columns, origin)
    try:
        points = [float(each) for each in frame.columns]
    except (TypeError, ValueError) as error:
        clocks = [each for each in frame.columns if isinstance(each, str) and CLOCK.fullmatch(each.strip())]
        if clocks:
            raise ValueError(
                f"{name} have columns called {clocks[0]!r}: is that a time? If so, make the columns dates, by "
                "pandas.to_datetime, or numbers; if not, give as many numbers as their grid."
            ) from error
        return None, None
    return check_grid(points), None


def _from_fda(Y: Any, name: str) -> Curves:
    if Y.dim_domain != 1:
        raise ValueError(f"{name} are functions of {Y.dim_domain} variables; curves have one.")
    if hasattr(Y, "start_indices"):
        parts = np.split(np.arange(len(Y.points)), Y.start_indices[1:])
        return own_points([(Y.points[part, 0], Y.values[part]) for part in parts])
    sampled = Y if hasattr(Y, "data_matrix") else Y.to_grid()
    return Curves(check_grid(sampled.grid_points[0]), np.asarray(sampled.data_matrix, dtype=np.float64))
