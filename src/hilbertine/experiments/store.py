"""Finished parts of a long run, in a file: an interrupted run continues where it was."""

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

Key = tuple[Any, ...]


class Store:
    """part key -> value, each written to a file of JSON lines as soon as it is there.

    `run` names data and settings: lines of another run are left out, and so is a line whose writing was interrupted.
    Without a path nothing is written.

    >>> store = Store(None, run="a")
    >>> store.put((0, 1e-4), {"gap": 0.0})
    >>> (0, 1e-4) in store, store[0, 1e-4]
    (True, {'gap': 0.0})
    """

    def __init__(self, path: Path | None, run: str):
        self.path = path
        self.run = run
        self._lock = Lock()
        self._parts: dict[Key, Any] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.is_file() else ():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if entry["run"] == run:
                self._parts[tuple(entry["key"])] = entry["value"]

    def __contains__(self, key: Sequence[Any]) -> bool:
        return tuple(key) in self._parts

    def __getitem__(self, key: Sequence[Any]) -> Any:
        return self._parts[tuple(key)]

    def __len__(self) -> int:
        return len(self._parts)

    def put(self, key: Sequence[Any], value: Any) -> None:
        """Keep a finished part."""
        line = json.dumps({"run": self.run, "key": list(key), "value": value})
        with self._lock:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    # An interrupted line has no end of its own.
                    file.write(f"\n{line}\n")
            self._parts[tuple(key)] = json.loads(line)["value"]

    def remove(self) -> None:
        """The run is complete: what it leaves is its record."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
