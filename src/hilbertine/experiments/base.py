"""What every experiment shares: its settings, and the record it leaves."""

import json
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

Result = dict[str, Any]


def silent(done: float, total: float, doing: str) -> None:
    """Progress shown to nobody."""


@dataclass(frozen=True)
class Settings:
    """How to run: a coarse grid or the full one, how many processes, where the data are, whom to tell progress.

    `authors` asks for the reduced protocol of the authors' released figures, where there is one. `out` is the folder of
    the record; an experiment that takes long keeps there what is finished, and continues from it.
    """

    quick: bool = False
    jobs: int | None = None
    data: Path | None = None
    progress: Callable[[float, float, str], None] = silent
    authors: bool = False
    out: Path | None = None


def record(result: Result, path: Path) -> None:
    """Write a result with the versions that produced it, so that its figures can be traced."""
    names = ("hilbertine", "numpy", "scipy", "scikit-learn")
    versions = {name: version(name) for name in names} | {"python": platform.python_version()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**result, "versions": versions}, indent=1) + "\n", encoding="utf-8")
