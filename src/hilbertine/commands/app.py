"""`hilbertine fit`, `predict`, `inspect` and `identify`: files in, files out, for people who write no Python."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..tables import TableError

Delimiter = Annotated[str | None, typer.Option(help="What stands between cells, where it is not found by itself.")]


@contextmanager
def _plainly() -> Iterator[None]:
    """Errors of files as a line, warnings as a line each."""
    with warnings.catch_warnings():
        warnings.showwarning = _show
        try:
            yield
        except (TableError, OSError, ModuleNotFoundError, ValueError, TypeError) as error:
            sys.exit(f"hilbertine: {error}")


def _show(message: Any, *others: Any, **more: Any) -> None:
    typer.echo(f"note: {message}", err=True)


def _names(given: str | None) -> list[str]:
    return [name.strip() for name in (given or "").split(",") if name.strip()]


def fit(
    table: Annotated[Path, typer.Argument(help="A .csv, .tsv, .txt or .parquet file; its first line names columns.")],
    outputs: Annotated[str | None, typer.Option(help="The columns to predict, a,b,c.")] = None,
    curves: Annotated[
        str | None,
        typer.Option(help="Curves to predict: the columns first:last, or a long table with columns row, point, value."),
    ] = None,
    ignore: Annotated[str | None, typer.Option(help="Columns to predict neither nor predict from, d,e.")] = None,
    model: Annotated[Path | None, typer.Option(help="Where to keep the model; else TABLE.hil.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="A folder for report.html, predictions.csv and suspects.csv.")
    ] = None,
    delimiter: Delimiter = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
) -> None:
    """Learn to predict some columns of TABLE from the others; choices are made by cross-validation."""
    from .fit import fit as run
    from .fit import in_words, keep

    with _plainly():
        kept = model or Path(f"{table.stem}.hil")
        summary = run(table, _names(outputs), curves, _names(ignore), delimiter, 0 if quiet else 1)
        written = keep(summary, kept, report)
        typer.echo("\n".join([*in_words(summary), f"Written: {', '.join(map(str, written))}"]))


def predict(
    model: Annotated[Path, typer.Argument(help="A file that fit wrote.")],
    table: Annotated[Path, typer.Argument(help="A table with the columns of the inputs.")],
    out: Annotated[Path | None, typer.Option(help="The CSV file to write; else TABLE-predicted.csv.")] = None,
    level: Annotated[float, typer.Option(min=0.01, max=0.999, help="How often the sets hold the truth.")] = 0.9,
    delimiter: Delimiter = None,
) -> None:
    """Predict the rows of TABLE."""
    from .use import predict as run

    with _plainly():
        path = out or Path(f"{table.stem}-predicted.csv")
        typer.echo(f"Written: {path}, {run(model, table, path, delimiter, level):,} rows")


def inspect(model: Annotated[Path, typer.Argument(help="A file that fit, or hilbertine.save, wrote.")]) -> None:
    """Say what a model is: what it predicts, from what, and how it was chosen."""
    from .use import inspect as run

    with _plainly():
        typer.echo("\n".join(run(model)))


def identify(
    run: Annotated[Path, typer.Argument(help="Spectra of unknown molecules: .mgf, .msp, MassBank .txt, or a folder.")],
    train: Annotated[Path, typer.Option(help="A library: spectra with the SMILES or InChI of their molecules.")],
    candidates: Annotated[Path, typer.Option(help="A table with the columns smiles and, best, formula.")],
    out: Annotated[Path | None, typer.Option(help="The CSV file to write; else RUN-ranked.csv.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Candidates to keep for each spectrum.")] = 10,
    ppm: Annotated[float, typer.Option(min=0.0, help="How far masses may be off where no formula is given.")] = 10.0,
    adduct: Annotated[
        str, typer.Option(help="[M+H]+, [M+Na]+, [M+NH4]+, [M-H]- or [M]+: what the ions are.")
    ] = "[M+H]+",
    width: Annotated[float, typer.Option(min=1e-6, help="Peaks within so many Da are the same.")] = 0.01,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
) -> None:
    """Rank the candidate molecules of each spectrum of RUN, by what the library teaches."""
    from .identify import identify as run_it
    from .predictions import write_rows

    with _plainly():
        path = out or Path(f"{run.stem}-ranked.csv")
        found = run_it(run, train, candidates, ppm, adduct, top, width, 0 if quiet else 1)
        write_rows(path, found.rows)
        typer.echo(f"{found.trial}.\n{found.answered} of {found.spectra} spectra have candidates.\nWritten: {path}")


def add_to(app: Any) -> None:
    """Make these commands of the program."""
    for command in (fit, predict, inspect, identify):
        app.command()(command)
