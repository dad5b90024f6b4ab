"""Finished parts of a long run, on disk as soon as they are there: an interrupted run continues where it was."""

import hashlib
import json
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .doors import caller
from .waiting import at_once, on_cluster
from .writing import replacing

Key = Any


class Store:
    """part key -> value, each in a file of its own in one folder, written whole or not at all.

    `run` names data and settings: parts of another run are other files. A file that is not what was written, cut short
    or changed, is no part. Several processes may use one folder: they find what the others have finished. Where
    nothing can be written the run goes on in memory, and says so once. Keys and values are what JSON holds.

    Parameters
    ----------
    folder : Path, default=None
        Where the parts are kept; None keeps them in memory alone.
    run : str, default=""
        What the run is of.

    Examples
    --------
    >>> store = Store()
    >>> store.kept((0, 1e-4), lambda: {"gap": 0.0}), (0, 1e-4) in store
    ({'gap': 0.0}, True)
    """

    def __init__(self, folder: Path | None = None, run: str = ""):
        self.folder = folder
        self.run = run
        self._parts: dict[str, Any] = {}
        self._writes = folder is not None

    def __contains__(self, key: Key) -> bool:
        return self._name(key) in self._parts or self._read(key)

    def __getitem__(self, key: Key) -> Any:
        if key not in self:
            raise KeyError(key)
        return self._parts[self._name(key)]

    def __len__(self) -> int:
        return len(self._parts)

    def put(self, key: Key, value: Any) -> Any:
        """Keep a finished part; returns it as it will be read again."""
        part = json.dumps({"run": self.run, "key": key, "value": value})
        value = self._parts[self._name(key)] = json.loads(part)["value"]
        if self.folder is not None and self._writes:
            try:
                write_whole(self.folder / self._name(key), json.dumps({"sum": digest(part), "part": part}))
            except OSError as error:
                self._writes = False
                warnings.warn(
                    f"Finished parts cannot be kept in {self.folder} ({error.strerror or error}): the run goes on, and "
                    "would begin again if it were interrupted. Make room there, or name another folder.",
                    UserWarning,
                    stacklevel=caller(),
                )
        return value

    def kept(self, key: Key, compute: Callable[[], Any]) -> Any:
        """The part, made only where it is not there yet."""
        return self[key] if key in self else self.put(key, compute())

    def filled(self, tasks: Mapping[Any, Any], jobs: int | None = None) -> Iterator[tuple[Key, Any]]:
        """(key, part) for all tasks in order, each a `delayed` call of joblib; those that are missing run in jobs."""
        missing = dict.fromkeys(key for key in tasks if key not in self)
        with on_cluster(jobs):
            made = iter(at_once((tasks[key] for key in missing), jobs) if missing else ())
            for key in tasks:
                yield key, self.put(key, next(made)) if key in missing else self[key]

    def _name(self, key: Key) -> str:
        return f"{digest(json.dumps([self.run, key]))[:40]}.json"

    def _read(self, key: Key) -> bool:
        """Take the part from its file; False where there is none, or one that was damaged."""
        if self.folder is None:
            return False
        try:
            held = json.loads((self.folder / self._name(key)).read_text(encoding="utf-8"))
            part = json.loads(held["part"]) if held["sum"] == digest(held["part"]) else {}
        except (OSError, ValueError, KeyError, TypeError):
            return False
        if part.get("run") != self.run or "value" not in part:
            return False
        self._parts[self._name(key)] = part["value"]
        return True


def digest(*parts: Any) -> str:
    """A name for data, to know them by: text, bytes, arrays, or lists of these."""
    sums = hashlib.sha256()
    for part in parts:
        if isinstance(part, str | bytes):
            sums.update(part.encode() if isinstance(part, str) else part)
        elif isinstance(part, Iterable) and not hasattr(part, "shape"):
            sums.update(digest(*part).encode())
        else:
            values = np.ascontiguousarray(part)
            sums.update(f"{values.dtype} {values.shape}".encode() + values.tobytes())
        sums.update(b"|")
    return sums.hexdigest()


def write_whole(path: Path, content: str | Callable[[Any], Any]) -> None:
    """Put a file in its place, and the folder around it where there is none; a function writes to the open file."""
    for patience in (1, 0):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(content.encode()) if isinstance(content, str) else content(file)
            break
        except FileNotFoundError:
            # Another process has just completed the same run, and removed the folder.
            if not patience:
                raise


def forget(folder: Path | None) -> None:
    """The run is complete: what it leaves is its record."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
