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


def predicted_rows(
    names: Sequence[str], values: Array, model: TableModel, ends: tuple[Array, Array] | None = None
) -> Iterator[list[Any]]:
    """The names of the columns, then the predictions, each with the ends of its set where they are given."""
    V = np.stack([values, *(ends or ())], axis=2)
    kinds = ("", "_low", "_high")[: V.shape[2]]
    if model.curves is None:
        yield ["row", *(name + kind for name in model.outputs or [] for kind in kinds)]
        yield from ([name, *row.ravel().tolist()] for name, row in zip(names, V, strict=True))
        return
    at, value = model.curves
    yield ["row", at, *(value + kind for kind in kinds)]
    for name, curve in zip(names, V, strict=True):
        yield from ([name, float(t), *point.tolist()] for t, point in zip(model.points, curve, strict=True))
