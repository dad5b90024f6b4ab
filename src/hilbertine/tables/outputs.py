"""What a table says of the outputs: columns of numbers, or a curve for each row."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .cells import as_days, as_numbers
from .model import spread
from .read import read_table
from .table import Table, TableError

# Curves that each have their own points are looked at on at most so many.
MOST_POINTS = 101


class Outputs(NamedTuple):
    """The outputs of the rows that have some.

    Parameters
    ----------
    names : list of str
        Of the outputs; of curves, of their points.
    values : array of shape (n_rows, n_outputs or n_points)
        In units of the spread, NaN where there is nothing.
    rows : array of int
        Which rows of the table they belong to.
    centre : array
        What was taken off.
    scale : array
        What they were divided by.
    grid : array or None
        The points of curves on one grid.
    curves : list of str or None
        The names of what curves run over, and of their values.
    used : list of str
        The columns of the table that are no inputs.
    key : str or None
        The column that names the rows, where a long table says so.
    fewest : int
        At how many points the least known curve was seen.
    """

    names: list[str]
    values: Array
    rows: Array
    centre: Array
    scale: Array
    grid: Array | None = None
    curves: list[str] | None = None
    used: Sequence[str] = ()
    key: str | None = None
    fewest: int = 0


def read_numbers(table: Table, names: Sequence[str]) -> Outputs:
    """Columns of numbers; rows that have none of them are left out."""
    if len(set(names)) < len(names):
        raise TableError(f"--outputs names {next(n for n in names if list(names).count(n) > 1)!r} twice.")
    Y = np.stack([table.numbers(name) for name in names], axis=1)
    empty = next((name for name, column in zip(names, Y.T, strict=True) if np.isnan(column).all()), None)
    if empty is not None:
        raise TableError(f"{table.origin}: column {empty!r} holds no number; there is nothing to learn.")
    rows = np.flatnonzero(~np.isnan(Y).all(axis=1))
    centre, scale = spread(Y[rows])
    return Outputs(list(names), (Y[rows] - centre) / scale, rows, centre, scale, used=names)


def read_curves(table: Table, given: str) -> Outputs:
    """Curves from neighbouring columns, "first:last", or from a long table with a line for each of their points."""
    if Path(given).suffix.casefold() in (".csv", ".tsv", ".txt", ".tab", ".parquet", ".pq"):
        return _long(table, read_table(Path(given)))
    first, colon, last = given.partition(":")
    if not colon:
        raise TableError(f"--curves takes the columns first:last of {table.origin}, or a long table; got {given!r}.")
    table.cells(first), table.cells(last)
    names = table.names[table.names.index(first) : table.names.index(last) + 1]
    if len(names) < 2:
        raise TableError(f"--curves {given}: {last!r} must stand behind {first!r} in {table.origin}.")
    Y = np.stack([table.numbers(name) for name in names], axis=1)
    rows = np.flatnonzero(~np.isnan(Y).all(axis=1))
    scale = np.array([spread(Y[rows].reshape(-1, 1))[1][0]])
    fewest = int(np.min(np.sum(~np.isnan(Y[rows]), axis=1)))
    what = ["point", "value"]
    return Outputs(names, Y[rows] / scale, rows, np.zeros(1), scale, _points(names), what, names, None, fewest)


def _points(names: Sequence[str]) -> Array:
    """The points of a curve by the names of its columns, which are numbers or dates; else 1, 2, 3, .."""
    cells = np.array(names, dtype=object)
    for reading in (as_numbers, as_days):
        try:
            found = reading(cells)
        except ValueError:
            continue
        if np.all(np.diff(found) > 0):
            return found
    return np.arange(1.0, len(names) + 1)


def _long(table: Table, long: Table) -> Outputs:
    """Columns: which row, at which point, which value."""
    if len(long.names) < 3:
        raise TableError(
            f"{long.origin} is a table of curves, and needs three columns: the row, the point, the value; it has "
            f"{', '.join(map(repr, long.names))}."
        )
    key, at, value = long.names[:3]
    points = long.days(at) if long.cells(at).dtype.kind == "M" or _dated(long, at) else long.numbers(at)
    owners, values = long.words(key), long.numbers(value)
    kept = ~(np.isnan(points) | np.isnan(values))
    mine: dict[str, list[int]] = {}
    for i in np.flatnonzero(kept):
        mine.setdefault(owners[i], []).append(int(i))
    wanted = table.words(key)
    rows = np.array([i for i, name in enumerate(wanted) if name in mine], dtype=int)
    if not rows.size:
        raise TableError(f"{long.origin}: column {key!r} names no row of {table.origin}.")
    scale = np.array([spread(values[kept][:, None])[1][0]])
    pairs = [_curve(points[mine[wanted[i]]], values[mine[wanted[i]]] / scale) for i in rows]
    grid, curves = _together(pairs)
    if grid.size < 2:
        raise TableError(f"{long.origin}: column {at!r} holds a single point; that is no curve.")
    fewest = min(len(points) for points, _ in pairs)
    return Outputs([at], curves, rows, np.zeros(1), scale, grid, [at, value], [key], key, fewest)


def _together(pairs: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """A grid and the curves on it, linear between their points, NaN before the first and behind the last."""
    grid = np.unique(np.concatenate([at for at, _ in pairs]))
    if grid.size > MOST_POINTS and any(at.size < grid.size for at, _ in pairs):
        grid = np.linspace(grid[0], grid[-1], MOST_POINTS)
    return grid, np.stack([np.interp(grid, *pair, left=np.nan, right=np.nan) for pair in pairs])


def _dated(table: Table, name: str) -> bool:
    try:
        as_numbers(table.cells(name))
    except ValueError:
        return True
    return False


def _curve(points: Array, values: Array) -> tuple[Array, Array]:
    """By its points, in order; of several values at one point the mean."""
    at, which = np.unique(points, return_inverse=True)
    return at, np.bincount(which, values) / np.bincount(which)
