"""What every experiment shares: its settings, and the record it leaves."""

import json
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ..store import Store, digest, write_whole
from ..version import __version__

Result = dict[str, Any]


# The heads of the columns of a table, then its rows.
Table = tuple[list[str], list[list[str]]]


def silent(done: float, total: float, doing: str) -> None:
    """Progress shown to nobody."""


# What computes: the figures of a run have these versions.
PACKAGES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Settings:
    """How to run an experiment.

    Parameters
    ----------
    quick : bool, default=False
        Whether to run on a coarse grid, for a first look.
    jobs : int, default=None
        How many processes.
    data : Path, default=None
        The folder of the data files.
    progress : callable, default=silent
        Told (done, total, what is being done).
    authors : bool, default=False
        Whether to follow the reduced protocol of the authors' released figures, where there is one.
    out : Path, default=None
        The folder of the record; an experiment that takes long keeps there what is finished, and continues from it.
    """

    quick: bool = False
    jobs: int | None = None
    data: Path | None = None
    progress: Callable[[float, float, str], None] = silent
    authors: bool = False
    out: Path | None = None

    def parts(self, name: str) -> Path | None:
        """Where the finished parts of an experiment wait for the others."""
        return None if self.out is None else self.out / f"{name}.parts"

    def store(self, name: str, *what: Any) -> Store:
        """What is finished of an experiment; `what` are its data and settings, and other ones never meet these."""
        return Store(self.parts(name), digest(json.dumps([versions(), self.quick, self.authors]), *what))


@runtime_checkable
class Experiment(Protocol):
    """What a module of this folder that `hilbertine reproduce` runs is.

    A result that is not what the experiment announces, for want of data, has a "title" and a "note" of its own.

    Attributes
    ----------
    TITLE, NOTE : str
        What stands above its table, and below.
    """

    TITLE: str
    NOTE: str

    def run(self, settings: Settings) -> Result:
        """Every number of the experiment: a record that JSON can hold, with "experiment", "settings" and "rows".

        Parameters
        ----------
        settings : Settings
            How to run.

        Returns
        -------
        dict
            The result.
        """

    def columns(self, result: Result) -> Table:
        """The result as a table of text.

        Parameters
        ----------
        result : dict
            What `run` returned.

        Returns
        -------
        tuple of (list of str, list of lists of str)
            The heads of the columns, and the rows.
        """

    def draw(self, result: Result) -> Any:
        """The figure of the result.

        Parameters
        ----------
        result : dict
            What `run` returned.

        Returns
        -------
        matplotlib figure
            To be saved.
        """


def record(result: Result, path: Path) -> None:
    """Write a result with the versions that produced it, so that its figures can be traced.

    Parameters
    ----------
    result : dict
        What an experiment returned.
    path : Path
        The file.
    """
    found = {**versions(), "python": platform.python_version()}
    write_whole(path, json.dumps({**result, "versions": found}, indent=1) + "\n")


def versions() -> dict[str, str]:
    """What a record stands on; our own version is known where the package runs from its source."""
    return {"hilbertine": __version__} | {name: version(name) for name in PACKAGES}
