"""Curves as people keep them: matrices, data frames, scikit-fda's containers, or pairs of times and values."""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, as_floats, is_foreign, namespace, to_numpy
from .grids import check_grid, same_points

# Curves that each have their own points are compared on at most so many.
MOST_POINTS = 401
# Input curves may reach beyond the interval of the others by this part of its length, and must be seen on as much.
OVERLAP = 0.1


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


def read_curves(Y: Any, name: str = "The curves", grid: Any = None) -> Curves:
    """Curves from any of these: (n, points) or (n, points, d) arrays, frames, scikit-fda, lists of (times, values).

    A frame with as many columns as `grid` has points is a matrix on that grid, whatever its columns are called.
    """
    if is_fda(Y):
        return _from_fda(Y, name)
    pairs = as_pairs(Y)
    if pairs is not None:
        return own_points(pairs)
    columns = None
    if hasattr(Y, "columns"):
        given = grid is not None and np.size(grid) == Y.shape[1]
        columns, Y = None if given else _column_grid(Y, name), Y.to_numpy()
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
    return Curves(columns, values[:, :, None] if values.ndim == 2 else values)


def _floats(values: Any) -> Array:
    foreign = is_foreign(values)
    if namespace(values).isdtype(values.dtype, "complex floating") if foreign else np.iscomplexobj(values):
        # Libraries would drop the imaginary part with no more than a warning.
        raise TypeError("complex numbers; give real and imaginary parts as two components")
    return as_floats(values, values) if foreign else np.asarray(values, dtype=np.float64)


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

        return FDataGrid(values, grid, **container)
    return values[:, :, 0] if container == "matrix" else values


def container_of(Y: Any, components: int) -> Any:
    """What `like_container` is to return for such outputs; for scikit-fda the names to give to axes."""
    if is_fda(Y):
        return {"argument_names": Y.argument_names, "coordinate_names": Y.coordinate_names}
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


def _column_grid(frame: Any, name: str) -> Array | None:
    """The grid that numeric column names spell; columns that are merely counted, as pandas does, spell none."""
    if any(hasattr(each, "year") or hasattr(each, "days") for each in frame.columns):
        raise ValueError(
            f"{name} have dates as columns; name the columns by numbers, hours since the first one for instance, or "
            "give as many numbers as their grid."
        )
    if type(frame.columns).__name__ == "RangeIndex":
        return None
    try:
        points = [float(each) for each in frame.columns]
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
