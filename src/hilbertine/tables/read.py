"""Files of tables: text with any of the usual delimiters, and Parquet."""

import csv
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path

import numpy as np

from ..containers.spectra import read_text
from .table import Table, TableError, plain

DELIMITERS = ",;\t|"
# So many rows say what stands between the cells.
FEW_ROWS = 50
TEXT = (".csv", ".tsv", ".txt", ".tab")
PARQUET = (".parquet", ".pq")


def read_table(path: Path, delimiter: str | None = None) -> Table:
    """The table of a file, whose first line names the columns."""
    if not path.is_file():
        raise TableError(f"{path} is no file." if path.exists() else f"{path} does not exist.")
    suffix = path.suffix.casefold()
    if suffix in PARQUET:
        return _parquet(path)
    if suffix not in TEXT:
        sheet = " Save the sheet as CSV with the encoding UTF-8." if suffix in (".xlsx", ".xls", ".ods") else ""
        raise TableError(f"{path} is no table that can be read: {', '.join((*TEXT, *PARQUET))} are.{sheet}")
    try:
        text = read_text(path)
    except ValueError as error:
        raise TableError(str(error)) from error
    return from_text(text, str(path), delimiter)


def from_text(text: str, origin: str, delimiter: str | None = None) -> Table:
    """The table of a text."""
    numbered = list(_records(text, origin, delimiter or _delimiter(text)))
    if not numbered:
        raise TableError(f"{origin} is empty; its first line must name the columns.")
    (_, head), *body = numbered
    if not body:
        raise TableError(f"{origin} has a line of names and no row below it.")
    for line, cells in body:
        if len(cells) != len(head):
            raise TableError(
                f"{origin}, line {line}: {len(cells)} cells where the first line names {len(head)} columns; a cell "
                "that holds the delimiter must stand in quotation marks."
            )
    columns = dict(enumerate(zip(*(cells for _, cells in body), strict=True)))
    names = _checked_names(head, {k for k, cells in columns.items() if any(cells)}, origin)
    lines = np.array([line for line, _ in body])
    kept = [np.array(columns[k], dtype=object) for k in names]
    return Table(origin, list(names.values()), kept, lines, "line")


def _records(text: str, origin: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of every record that is not blank."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    start = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield start, [cell.strip() for cell in cells]
            start = reader.line_num + 1
    except csv.Error as error:
        raise TableError(
            f"{origin}, line {start}: {error}. Is a quotation mark not closed there, or doubled where it should be one?"
        ) from error


def _delimiter(text: str) -> str:
    """What cuts the first rows into equally many cells, the more the better."""
    few = "".join(islice(StringIO(text, newline=""), FEW_ROWS))

    def cells(delimiter: str) -> tuple[bool, int]:
        try:
            counts = Counter(len(row) for row in csv.reader(StringIO(few, newline=""), delimiter=delimiter) if row)
        except csv.Error:
            return False, 0
        return len(counts) == 1 and 1 not in counts, max(counts, default=0)

    return max(DELIMITERS, key=cells)


def _checked_names(head: list[str], filled: set[int], origin: str) -> dict[int, str]:
    """Columns by their place; a last one without a name is none where all its cells are empty."""
    names = {k: name for k, name in enumerate(head) if name or k in filled}
    for k, name in names.items():
        if not name and k > 0:
            raise TableError(f"{origin}, line 1: column {k + 1} has no name.")
        first = next(j for j in names if names[j] == name)
        if first != k:
            raise TableError(
                f"{origin}, line 1: columns {first + 1} and {k + 1} are both called {name!r}; give each its own name."
            )
    return names


def _parquet(path: Path) -> Table:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"Reading {path} needs pyarrow; install it with: pip install 'hilbertine[tables]'"
        ) from error
    try:
        found = parquet.read_table(path)
    except (ArrowInvalid, OSError) as error:
        raise TableError(f"{path} is no Parquet file that can be read: {error}") from error
    if not found.num_rows:
        raise TableError(f"{path} has no rows.")
    columns = [plain(column.to_numpy()) for column in found.columns]
    return Table(str(path), list(found.column_names), columns, np.arange(1, found.num_rows + 1), "row")
