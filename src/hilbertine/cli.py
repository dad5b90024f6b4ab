"""The command `hilbertine`: models of one's own tables, and `reproduce NAME`, the tables and figures of the paper."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

MISSING = (
    "hilbertine's command line needs packages of its own; install them with: pip install 'hilbertine[tables]', for the "
    "experiments of the paper with: pip install 'hilbertine[paper]'"
)


def main() -> None:
    """Entry point of the `hilbertine` command."""
    try:
        _app()()
    except ModuleNotFoundError as error:
        # What says itself what to type is left alone.
        sys.exit(str(error) if error.name is None else f"{MISSING}  (missing: {error.name})")


def _app() -> Any:
    import typer

    from . import __version__
    from .commands.app import add_to
    from .datasets.files import WrongFileError
    from .experiments import NAMES

    app = typer.Typer(help="Robust regression with outputs in a Hilbert space.", no_args_is_help=True)

    @app.callback(invoke_without_command=True)
    def version(show: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
        if show:
            typer.echo(__version__)
            raise typer.Exit

    @app.command()
    def reproduce(
        name: Annotated[str, typer.Argument(help=f"One of: {', '.join(NAMES)}, all.")],
        out: Annotated[Path, typer.Option(help="Folder for NAME.json and NAME.png.")] = Path("results"),
        data: Annotated[Path | None, typer.Option(help="Folder with data files; else HILBERTINE_DATA.")] = None,
        quick: Annotated[bool, typer.Option("--quick", help="A coarse grid, for a first look.")] = False,
        jobs: Annotated[int, typer.Option(help="Processes at once.")] = 1,
        authors: Annotated[bool, typer.Option("--authors", help="yeast-paths: the authors' reduced protocol.")] = False,
    ) -> None:
        """Run an experiment of the paper: its table beside the paper's numbers, its figure, and a record."""
        if name != "all" and name not in NAMES:
            raise typer.BadParameter(f"unknown experiment {name!r}; choose one of {', '.join(NAMES)}, all")
        check_folder(out)
        for each in NAMES if name == "all" else [name]:
            try:
                _reproduce(each, out, data, quick, jobs, authors)
            except WrongFileError as error:
                sys.exit(f"{each}: {error}")
            except OSError as error:
                sys.exit(f"{each}: {error}. What is finished is kept in {out}; the same command goes on from there.")

    add_to(app)
    return app


def check_folder(out: Path) -> None:
    """Whether records can be written there, before hours are spent on them."""
    from .store import write_whole

    try:
        write_whole(out / ".hilbertine", "")
        (out / ".hilbertine").unlink()
    except OSError as error:
        sys.exit(f"Nothing can be written in the folder {out} ({error.strerror}); name another one by --out.")


def _reproduce(name: str, out: Path, data: Path | None, quick: bool, jobs: int, authors: bool) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Table

    from .experiments import Settings, load
    from .experiments.base import record
    from .store import forget, write_whole

    console = Console()
    experiment = load(name)
    look = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*look, console=console, transient=True) as bar:
        task = bar.add_task(name, total=1.0)

        def progress(done: float, total: float, doing: str) -> None:
            bar.update(task, completed=done / total, description=doing)

        settings = Settings(quick, jobs, data, progress, authors, out)
        result = experiment.run(settings)
    table = Table(
        # A result that is not what the experiment announces, for want of data, says so itself.
        title=result.get("title", experiment.TITLE),
        caption=result.get("note", experiment.NOTE),
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    head, body = experiment.columns(result)
    for k, title in enumerate(head):
        table.add_column(title, justify="right" if k else "left", no_wrap=True)
    for row in body:
        table.add_row(*row)
    console.print(table)
    record(result, out / f"{name}.json")
    write_whole(out / f"{name}.png", partial(experiment.draw(result).savefig, format="png"))
    # What is finished goes when the record is there, and not before.
    forget(settings.parts(name))
    console.print(f"Figure: {out / f'{name}.png'}    Record: {out / f'{name}.json'}", soft_wrap=True, highlight=False)
