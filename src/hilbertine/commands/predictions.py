"""Predictions as a table: a row for each input; of curves a row for each point."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Array
from ..tables import TableModel
from ..writing import replacing


def write_rows(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    """A CSV file, complete or not there."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        csv.writer(text, lineterminator="\n").writerows(rows)
        text.flush()
        text.detach()


def predicted_rows(names: Sequence[str], values: Array, model: TableModel) -> Iterator[list[Any]]:
    """The names of the columns, then the predictions."""
    if model.curves is None:
        yield ["row", *(model.outputs or [])]
        yield from ([name, *map(float, row)] for name, row in zip(names, values, strict=True))
        return
    yield ["row", *model.curves]
    points = np.asarray(model.model.space_.grid_, dtype=np.float64)
    for name, curve in zip(names, values, strict=True):
        yield from ([name, float(t), float(value)] for t, value in zip(points, curve, strict=True))
