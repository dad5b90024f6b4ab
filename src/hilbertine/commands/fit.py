"""`hilbertine fit`: a model of one's own table."""

import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ..files import save
from ..tables import Columns, Table, TableError, TableModel, as_table
from ..tables.choice import choose
from ..tables.outputs import Outputs, read_curves, read_numbers
from ..tables.surrounded import surrounded
from .predictions import predicted_rows, write_rows
from .report import SUSPECT, suspect_rows, write_report
from .summary import Summary, summarise
from .words import about, held, percent

FEWEST = 10


def fit(
    path: Path,
    outputs: Sequence[str],
    curves: str | None,
    ignored: Sequence[str],
    delimiter: str | None,
    verbose: int = 0,
) -> Summary:
    """Read, choose, fit, and see what it is worth."""
    table = as_table(path, delimiter)
    if bool(outputs) == (curves is not None):
        raise TableError(
            f"Say what to predict, by --outputs a,b,c or by --curves first:last; columns: {', '.join(table.names)}."
        )
    found = read_numbers(table, outputs) if curves is None else read_curves(table, curves)
    if len(found.rows) < FEWEST:
        raise TableError(f"{path} has {len(found.rows)} rows with outputs; at least {FEWEST} are needed to learn from.")
    columns = _columns(table, found, ignored)
    X = columns.transform(table.take(found.rows))
    stage = _told if verbose else len
    stage(f"{len(found.rows):,} rows. 1 of 3: a kernel, a width and lam are chosen, and the model is fitted")
    choice = choose(X, found, verbose)
    stage("2 of 3: sets around its predictions")
    sure = surrounded(choice, X, found)
    notes = about(choice, found, columns, len(table.rows), sure)
    model = TableModel(columns, sure, found.names, found.centre, found.scale, found.curves, notes)
    stage("3 of 3: models without some of the rows are tried on these")
    return summarise(table, found, columns, choice, model, X)


def _told(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _columns(table: Table, found: Outputs, ignored: Sequence[str]) -> Columns:
    for name in ignored:
        table.cells(name)
    out = {*found.used, *ignored}
    return Columns().fit(table, [name for name in table.names if name not in out], found.key)


def keep(summary: Summary, model: Path, report: Path | None) -> list[Path]:
    """Write the model, and where it is asked for the report with the predictions of rows not seen."""
    for folder in {model.parent, *([report] if report else [])}:
        folder.mkdir(parents=True, exist_ok=True)
    save(summary.model, model)
    if report is None:
        return [model]
    predictions = report / "predictions.csv"
    names = [summary.names[i] for i in summary.tested]
    write_rows(predictions, predicted_rows(names, summary.predicted, summary.model))
    suspects = report / "suspects.csv"
    write_rows(suspects, chain([SUSPECT], suspect_rows(summary)))
    return [model, predictions, suspects, write_report(summary, report / "report.html")]


def in_words(summary: Summary) -> list[str]:
    """What a person wants to know first."""
    lines: list[Any] = [f"{question}: {answer}" for question, answer in summary.model.notes or []]
    lines += [
        f"{name}: typically off by {error:.3g} on rows not seen; explains {percent(share)} of what varies, "
        f"{percent(clean)} without the suspects"
        for name, error, share, clean in summary.errors()
    ]
    lines.append(held(summary))
    names, found = summary.names, summary.suspects
    lines.append(f"{len(summary.flagged)} of {len(names)} rows are suspects")
    shown = list(zip(summary.flagged, found.ratios[found.flagged], strict=True))[:10]
    return lines + [f"  {names[i]}: {ratio:.1f} times as far off as a usual row" for i, ratio in shown]
