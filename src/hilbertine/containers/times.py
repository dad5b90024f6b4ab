"""Times as numbers: dates as days since an origin, durations as days."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from ..arrays import Array, is_foreign
from .grids import check_grid

DAY = np.timedelta64(1, "D")
MOMENTS = (date, timedelta, np.datetime64, np.timedelta64)


def moments(points: Any) -> Array | None:
    """Dates as datetime64, durations as timedelta64; None where the points are something else.

    Dates of a time zone are those of UTC, periods of pandas begin where they begin.

    >>> moments([date(2020, 1, 31), date(2020, 2, 1)]), moments([1.0, 2.0])
    (array(['2020-01-31T00:00:00.000000', '2020-02-01T00:00:00.000000'],
          dtype='datetime64[us]'), None)
    """
    if not are_moments(points):
        return None
    values = np.asarray(points)
    values = _from_objects(values) if values.dtype.kind == "O" else values
    if np.isnat(values).any():
        raise ValueError("Times contain NaT, which is no time; drop these points.")
    return values.astype(f"{values.dtype.kind}8[us]")


def are_moments(points: Any) -> bool:
    """Whether these are dates or durations, as told by their type or by that of the first."""
    try:
        values = np.empty(0) if is_foreign(points) else np.asarray(points)
    except ValueError:
        return False
    first = values.flat[0] if values.dtype.kind == "O" and values.size else None
    return values.dtype.kind in "mM" or isinstance(first, MOMENTS) or hasattr(first, "start_time")


def read_points(points: Any, origin: Any = None) -> tuple[Any, Any]:
    """(points, origin): dates as days since this origin, or since the first of them; other points have no origin.

    >>> read_points(np.array(["2020-01-31", "2020-02-01T12"], dtype="datetime64[h]"))[0]
    array([0. , 1.5])
    """
    found = moments(points)
    if found is None:
        return points, None
    if found.dtype.kind == "m":
        return found / DAY, None
    origin = found.min() if origin is None else origin
    return (found - origin) / DAY, origin


def read_grid(grid: Any, origin: Any = None) -> tuple[Array, Any]:
    """(points, origin) of a grid, which increases strictly."""
    points, origin = read_points(grid, origin)
    return check_grid(points), origin


def common_origin(collections: Iterable[Any], origin: Any = None) -> Any:
    """The origin of the dates of many curves, the earliest of all unless it is given; None where there are no dates."""
    found = [moments(points) for points in collections]
    dates = [each.min() for each in found if each is not None and each.dtype.kind == "M" and each.size]
    if dates and len(dates) < len(found):
        raise ValueError("Some curves have dates as times, and others have numbers; give dates for all of them.")
    return origin if dates and origin is not None else min(dates, default=None)


def check_clock(found: Any, known: Any, what: str) -> None:
    """Dates are read where an origin is known, and are refused beside numbers."""
    if found is not None and known is None:
        raise ValueError(
            f"{what} have dates as points, and are to be compared with points that are numbers; give dates for all, "
            "`grid=` and `input_grid=` included, or numbers, days since the first one for instance."
        )


def _from_objects(values: Array) -> Array:
    objects = [getattr(each, "start_time", each) for each in values.flat]
    if len({getattr(each, "tzinfo", None) is None for each in objects}) > 1:
        raise ValueError("Some dates have a time zone and others have none; give all of them in one.")
    try:
        plain = np.array([_plain(each) for each in objects])
        return plain.astype("M8[us]" if isinstance(objects[0], date | np.datetime64) else "m8[us]").reshape(
            values.shape
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"Times must be all dates, all durations or all numbers ({error}).") from error


def _plain(moment: Any) -> Any:
    """A date without its time zone, which NumPy does not know."""
    aware = isinstance(moment, datetime) and moment.tzinfo is not None
    return moment.astimezone(UTC).replace(tzinfo=None) if aware else moment
