"""Cells of a table as numbers, days or words; NaN and "" where there is nothing."""

import re
from datetime import UTC, datetime

import numpy as np

from ..arrays import Array

# In small letters, what people write where there is nothing.
MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-", "."})
# 12,345 may be twelve thousand or twelve and a bit.
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
SECONDS_A_DAY = 86400.0


def as_words(cells: Array) -> Array:
    """Words without spaces around them, "" for those that stand for nothing."""
    if cells.dtype.kind != "O":
        return np.array([str(cell) for cell in cells.tolist()], dtype=object)
    return np.array(["" if cell.casefold() in MISSING else cell for cell in cells], dtype=object)


def as_numbers(cells: Array) -> Array:
    """Numbers, with decimal points or decimal commas; ValueError where not all are."""
    if cells.dtype.kind in "biuf":
        return np.asarray(cells, dtype=np.float64)
    if cells.dtype.kind != "O":
        raise ValueError
    words = [word or "nan" for word in as_words(cells)]
    try:
        return np.array(words, dtype=np.float64)
    except ValueError:
        with_comma = [word for word in words if "," in word]
        if any("." in word for word in words) or not with_comma or all(map(GROUPED.fullmatch, with_comma)):
            raise
        return np.array([word.replace(",", ".") for word in words], dtype=np.float64)


def as_days(cells: Array) -> Array:
    """Days since 1970 from dates as 2020-01-31 or 2020-01-31T12:00; ValueError where not all are."""
    if cells.dtype.kind == "M":
        seconds = cells.astype("datetime64[us]").astype(np.float64) / 1e6
        return np.where(np.isnat(cells), np.nan, seconds / SECONDS_A_DAY)
    if cells.dtype.kind != "O":
        raise ValueError
    return np.array([_days(word) if word else np.nan for word in as_words(cells)])


def _days(word: str) -> float:
    moment = datetime.fromisoformat(word)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / SECONDS_A_DAY


def is_number(cell: str) -> bool:
    """Whether a single cell reads as a number, or as nothing."""
    try:
        float(cell)
    except ValueError:
        return cell.casefold() in MISSING or (_is_float(cell.replace(",", ".")) and not GROUPED.fullmatch(cell))
    return True


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def share_of_numbers(cells: Array) -> float:
    """Among the cells that hold something, those that are meant as numbers."""
    if cells.dtype.kind != "O":
        return float(cells.dtype.kind in "biuf")
    there = [word for word in as_words(cells) if word]
    meant = sum(is_number(word) or GROUPED.fullmatch(word) is not None for word in there)
    return meant / len(there) if there else 1.0
