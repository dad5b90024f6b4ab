"""Columns of a table as columns of a matrix: numbers, days, and an indicator for each of a few words."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array
from ..doors import caller
from .cells import share_of_numbers
from .table import Table, TableError

# A column of more different words than this, or than half of its rows, says nothing that can be learned.
MOST_WORDS = 20
# Names of a first column of whole numbers that only counts the rows.
COUNTS = ("", "id", "index", "row", "no", "nr", "#", "unnamed: 0")


class Number(NamedTuple):
    """A column of numbers; where there is none, the median."""

    name: str
    typical: float

    def encode(self, table: Table) -> Array:
        """One column."""
        values = table.numbers(self.name)
        return np.where(np.isnan(values), self.typical, values)[:, None]

    def __str__(self) -> str:
        return "numbers"


class Day(NamedTuple):
    """A column of dates, in days; where there is none, the median."""

    name: str
    typical: float

    def encode(self, table: Table) -> Array:
        """One column, counted from the median."""
        days = table.days(self.name) - self.typical
        return np.where(np.isnan(days), 0.0, days)[:, None]

    def __str__(self) -> str:
        return "dates"


class Words(NamedTuple):
    """A column of a few words: an indicator for each of them, all zero for others."""

    name: str
    levels: tuple[str, ...]

    def encode(self, table: Table) -> Array:
        """As many columns as there are words."""
        found = table.words(self.name)
        new = [i for i, word in enumerate(found) if word and word not in self.levels]
        if new:
            warnings.warn(
                f"{table.origin}, {table.place(new[0])}, column {self.name!r}: {found[new[0]]!r} was not there when "
                f"the model was fitted; it counts as none of the words known{_more(len(new) - 1)}.",
                stacklevel=caller(),
            )
        return np.stack([found == level for level in self.levels], axis=1).astype(np.float64)

    def __str__(self) -> str:
        return f"words: {', '.join(self.levels)}"


Column: TypeAlias = Number | Day | Words


def _more(n: int) -> str:
    return f", as do {n} more rows" if n > 0 else ""


class Columns(BaseEstimator):
    """A table as a matrix: `fit` says what each column is, `transform` makes the matrix of a table with these columns.

    Attributes
    ----------
    columns_ : list
        What is read, and how.
    left_out_ : list of (name, reason)
        What is not.
    names_ : str or None
        The column that names the rows.
    """

    def fit(self, table: Table, names: Sequence[str], rows: str | None = None) -> Self:
        """Look at these columns.

        Parameters
        ----------
        table : Table
            Their table.
        names : sequence of str
            Their names.
        rows : str, default=None
            The column that names the rows; None looks for one.

        Returns
        -------
        Self
            What is known of them now.
        """
        self.names_ = rows or next((name for name in names if _names_rows(table, name)), None)
        self.left_out_: list[tuple[str, str]] = []
        self.columns_: list[Any] = []
        for name in (each for each in names if each != self.names_):
            found = _read(table, name)
            if isinstance(found, str):
                self.left_out_.append((name, found))
            else:
                self.columns_.append(found)
        if not self.columns_:
            reasons = "; ".join(f"{name!r}: {why}" for name, why in self.left_out_)
            raise TableError(f"{table.origin} has no column to predict from.{f' Left out: {reasons}.' * bool(reasons)}")
        return self

    def transform(self, table: Table) -> Array:
        """The matrix of a table.

        Parameters
        ----------
        table : Table
            With the columns of `fit`, in any order.

        Returns
        -------
        array of shape (n_rows, n_features)
            Numbers without gaps.
        """
        return np.hstack([column.encode(table) for column in self.columns_])

    def row_names(self, table: Table) -> list[str]:
        """What the rows are called: by their column of names, or by where they stand.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        list of str
            One for each row.
        """
        given = table.words(self.names_) if self.names_ in table.names else np.full(len(table.rows), "")
        return [word or table.place(i) for i, word in enumerate(given)]


def _names_rows(table: Table, name: str) -> bool:
    """Whether a column has a word of its own for each row, or is the first one and counts them."""
    cells = table.cells(name)
    if len(cells) < 3 or len(set(cells.tolist())) < len(cells):
        return False
    if cells.dtype.kind == "O" and share_of_numbers(cells) == 0.0:
        return not _dates(table, name)
    counts = name == table.names[0] and name.casefold() in COUNTS
    return counts and share_of_numbers(cells) == 1.0 and bool(np.all(np.diff(table.numbers(name)) == 1.0))


def _dates(table: Table, name: str) -> bool:
    try:
        table.days(name)
    except TableError:
        return False
    return True


def _read(table: Table, name: str) -> Column | str:
    """What a column is, or why it is left out; numbers among which a word stands are an error."""
    cells = table.cells(name)
    if share_of_numbers(cells) >= 0.5:
        return _measured(Number, name, table.numbers(name))
    if _dates(table, name):
        return _measured(Day, name, table.days(name))
    levels = sorted({word for word in table.words(name) if word})
    if len(levels) > min(MOST_WORDS, len(cells) / 2):
        return f"text, {len(levels)} different ones"
    return Words(name, tuple(levels)) if len(levels) > 1 else "the same everywhere"


def _measured(kind: type[Number] | type[Day], name: str, values: Array) -> Column | str:
    there = values[~np.isnan(values)]
    if there.size == 0:
        return "empty"
    if np.all(there == there[0]):
        return "the same everywhere"
    return kind(name, float(np.median(there)))
