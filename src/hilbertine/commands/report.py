"""The report of a fit: one HTML file that needs no other."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..plotting import plot_coverage
from ..version import __version__
from ..writing import replacing
from . import figures
from .summary import MOST_SUSPECTS, Summary
from .words import held, percent

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top;
border-bottom: 1px solid #ddd; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; height: auto; } .scroll { overflow-x: auto; } footer { margin-top: 3rem; color: #777; }
"""


def write_report(summary: Summary, path: Path) -> Path:
    """The file, complete or not there."""
    body = "\n".join(_body(summary))
    title = escape(f"{summary.table.origin}: {', '.join(summary.outputs)}")
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body>{body}<footer>hilbertine {__version__}</footer></body></html>\n"
    )
    with replacing(path) as file:
        file.write(page.encode())
    return path


def _body(summary: Summary) -> Iterator[str]:
    yield f"<h1>{escape(Path(summary.table.origin).name)}: {escape(', '.join(summary.outputs))}</h1>"
    yield from _fit(summary)
    yield from _sure(summary)
    yield from _suspects(summary)
    yield "<h2>What was chosen</h2>"
    yield _table(None, [list(map(escape, answer)) for answer in summary.model.notes or []])
    yield _image(figures.search(summary), "Error on rows left out, by how much is smoothed")


def _fit(summary: Summary) -> Iterator[str]:
    yield "<h2>How good is it</h2>"
    many = len(summary.tested) < len(summary.found.rows)
    yield (
        f"<p>Every one of {len(summary.tested):,} rows{' drawn at random' * many} was predicted by a model that had "
        "not seen it. <em>Explains</em> is the share of the variation that the predictions account for: 100 % is "
        "perfect, 0 % is as good as always saying the mean.</p>"
    )
    head = ["output", "typically off by", "explains", "without the suspects"]
    yield _table(head, [[escape(n), f"{e:.3g}", percent(a), percent(c)] for n, e, a, c in summary.errors()])
    if summary.found.curves is None:
        yield _image(figures.truths(summary), "Measured values over predicted ones; on the line both are the same")
        if len(summary.outputs) > figures.MOST_PANELS:
            yield f"<p>The first {figures.MOST_PANELS} of {len(summary.outputs)} outputs are shown.</p>"
    else:
        yield _image(figures.curves(summary), "Curves from the best predicted to the worst")


def _sure(summary: Summary) -> Iterator[str]:
    yield "<h2>How sure is it</h2>"
    yield (
        "<p>Every prediction comes with a low and a high end: a set that is to hold the truth as often as one asks, "
        f"all outputs at once. {escape(held(summary))}: they were predicted by a model that had neither learned from "
        "them nor measured its errors on them. At all levels:</p>"
    )
    yield _image(plot_coverage(summary.reliability).figure, "Share of rows in their sets, by the level that was asked")


def _suspects(summary: Summary) -> Iterator[str]:
    flagged = summary.flagged
    yield f"<h2>Suspects: {len(flagged):,} of {len(summary.names):,} rows</h2>"
    yield (
        "<p>Rows whose outputs are farther from what the model says than one clean row in a hundred is, worst first. "
        "They may be wrong (other units, swapped samples, a sensor off), or right and rare: look at them. The model "
        "does not follow them.</p>"
    )
    rows = [
        [escape(name), place, f"{ratio:.1f}", escape(output), _number(measured), _number(predicted)]
        for name, place, ratio, output, measured, predicted in islice(suspect_rows(summary), MOST_SUSPECTS)
    ]
    if rows:
        # Rows without names are called by where they stand.
        extra = int(all(row[0] == row[1] for row in rows))
        yield _table(SUSPECT[extra:], [row[extra:] for row in rows], first=2 - extra)
    if len(flagged) > MOST_SUSPECTS:
        yield f"<p>And {len(flagged) - MOST_SUSPECTS:,} more: all of them are in suspects.csv.</p>"
    yield _image(figures.distances(summary), "How far rows are from their predictions, sorted")


SUSPECT = ["row", "stands at", "times the usual distance", "worst output", "measured", "predicted"]


def suspect_rows(summary: Summary) -> Iterator[tuple[Any, ...]]:
    """For each suspect, worst first, what `SUSPECT` says."""
    found = summary.suspects
    for i, ratio in zip(summary.flagged, found.ratios[found.flagged], strict=True):
        yield (
            summary.names[i],
            summary.table.place(int(summary.found.rows[i])),
            float(ratio),
            *figures.worst_output(summary, int(i)),
        )


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4g}"


def _image(fig: object, words: str) -> str:
    return f'<p><img src="{figures.embedded(fig)}" alt="{escape(words)}"></p>'


def _table(head: Sequence[str] | None, rows: Sequence[Sequence[str]], first: int = 1) -> str:
    """Cells from the one numbered `first` on are numbers, where there is a head."""

    def line(cells: Sequence[str], tag: str) -> str:
        marks = [' class="number"' if head and k >= first else "" for k in range(len(cells))]
        return f"<tr>{''.join(f'<{tag}{m}>{c}</{tag}>' for c, m in zip(cells, marks, strict=True))}</tr>"

    top = line(list(map(escape, head)), "th") if head else ""
    return f'<div class="scroll"><table>{top}{"".join(line(row, "td") for row in rows)}</table></div>'
