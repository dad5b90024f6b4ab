"""A table as a file holds it: columns by name, and where each row stands, so that errors can say so."""

import difflib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from .cells import GROUPED, as_days, as_numbers, as_words, is_number


class TableError(ValueError):
    """What is wrong with a table, and where."""


class Table(NamedTuple):
    """Columns of equal length, and the place of each row.

    Parameters
    ----------
    origin : str
        What errors call the table: the path of its file.
    names : list of str
        The names of the columns.
    columns : list of arrays
        Numbers, dates, or words as they stand in a text.
    rows : array of int
        Where each row stands: its line in a text, else its number from one.
    unit : str
        "line" or "row".
    """

    origin: str
    names: list[str]
    columns: list[Array]
    rows: Array
    unit: str

    def cells(self, name: str) -> Array:
        """A column as it stands there; an error names what is there where it is not."""
        if name not in self.names:
            close = difflib.get_close_matches(name, self.names, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            if all(map(is_number, self.names)):
                hint = " The first line must name the columns, and here it holds numbers."
            elif len(self.names) == 1:
                hint = " If that is several columns, name what stands between them: --delimiter ';' for instance."
            raise TableError(f"{self.origin} has no column {name!r}; it has {_list(self.names)}.{hint}")
        return self.columns[self.names.index(name)]

    def numbers(self, name: str) -> Array:
        """A column of numbers, NaN where there is nothing."""
        cells = self.cells(name)
        try:
            values = as_numbers(cells)
        except ValueError as error:
            raise self.wrong(name, *self._first_word(cells)) from error
        if np.isinf(values).any():
            raise self.wrong(name, int(np.argmax(np.isinf(values))), "is infinite; correct it, or leave it empty")
        return values

    def days(self, name: str) -> Array:
        """A column of dates, as days since 1970, NaN where there is nothing."""
        cells = self.cells(name)
        try:
            return as_days(cells)
        except ValueError as error:
            bad = next(i for i in range(len(cells)) if not _is_date(cells[i : i + 1]))
            raise self.wrong(name, bad, "is no date; write dates as 2020-01-31") from error

    def words(self, name: str) -> Array:
        """A column of words, "" where there is nothing."""
        return as_words(self.cells(name))

    def place(self, i: int) -> str:
        """Where row i stands."""
        return f"{self.unit} {self.rows[i]}"

    def wrong(self, name: str, i: int, what: str) -> TableError:
        """The error for a cell."""
        cell = str(self.cells(name)[i])
        shown = cell if len(cell) <= 40 else f"{cell[:37]}..."
        return TableError(f"{self.origin}, {self.place(i)}, column {name!r}: {shown!r} {what}.")

    def take(self, rows: Any) -> "Table":
        """Some of the rows."""
        return self._replace(columns=[column[rows] for column in self.columns], rows=self.rows[rows])

    def _first_word(self, cells: Array) -> tuple[int, str]:
        """The first cell that is no number, and what to do about it."""
        i = next((i for i, cell in enumerate(cells) if not is_number(cell)), None)
        if i is None:
            i = next(i for i, cell in enumerate(cells) if "," in str(cell))
            return i, "has a comma where other cells have a point; write all with a point"
        if GROUPED.fullmatch(str(cells[i])):
            return i, "may be a thousand or a decimal comma; write numbers without separators, decimals with a point"
        return i, "is no number; correct it, or leave the cell empty if it is missing"


def _is_date(cells: Array) -> bool:
    try:
        as_days(cells)
    except ValueError:
        return False
    return True


def _list(names: Sequence[str], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def as_table(data: Any, delimiter: str | None = None) -> Table:
    """A table from a file, a data frame, or a table."""
    if isinstance(data, Table):
        return data
    if hasattr(data, "columns"):
        return from_frame(data)
    if not isinstance(data, str | PathLike):
        raise TypeError(
            f"A model of a table predicts from a file or a data frame, whose columns have names; got a "
            f"{type(data).__name__}. Put it in one: pandas.DataFrame(values, columns=[...])."
        )
    from .read import read_table

    return read_table(Path(data), delimiter)


def from_frame(frame: Any, origin: str = "The data frame") -> Table:
    """The columns of a data frame."""
    columns = [plain(frame[name].to_numpy()) for name in frame.columns]
    return Table(origin, [str(name) for name in frame.columns], columns, np.arange(1, len(frame) + 1), "row")


def plain(values: Array) -> Array:
    """Numbers and dates as they are, everything else as words."""
    if values.dtype.kind in "biufM":
        return values
    words = ["" if value is None or value != value else str(value).strip() for value in values.tolist()]
    return np.array(words, dtype=object)
