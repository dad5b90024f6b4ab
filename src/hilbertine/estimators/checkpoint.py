"""What a fit that was killed goes on from: a small file with its state and what it belongs to."""

import json
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from ..arrays import Array, blocks, is_array, to_numpy
from ..containers import as_chunks
from ..memory import rows_of
from ..spread import is_spread, of_blocks
from ..store import digest, write_whole
from .posed import Posed

# Parameters that say how a fit goes, and not what comes out.
FREE = ("callback", "verbose", "checkpoint", "warm_start", "solver", "tol", "max_iter")
GIVEN = ("X", "y", "sample_weight")
# Seconds between two writings, and how many times as long as a writing takes.
PAUSE, PRICE = 1.0, 10.0


def kept(model: Any, problem: Posed, callback: Any) -> Any:
    """The callback of a fit; with `checkpoint` one that keeps the state of the fit, too."""
    return callback if model.checkpoint is None else Checkpoint(model.checkpoint, marks(model, problem), callback)


class Checkpoint:
    """A callback that writes the state of a fit to a file, whole or not at all, and knows it again.

    Parameters
    ----------
    path : str or path-like
        The file.
    belongs : dict
        Hashes and words of the settings and data that the state belongs to.
    callback : callable, default=None
        Called with what this is called with.
    """

    def __init__(self, path: str | os.PathLike[str], belongs: dict[str, list[str]], callback: Any = None):
        self.path, self.belongs, self.callback = Path(path), belongs, callback
        self.due = 0.0

    def __call__(self, told: Any) -> Any:
        """Pass it on.

        Parameters
        ----------
        told : Progress
            What has been reached.

        Returns
        -------
        object
            What the callback returned.
        """
        return None if self.callback is None else self.callback(told)

    def __getattr__(self, name: str) -> Any:
        # What else the callback hears, and whether it does.
        return getattr(vars(self).get("callback"), name)

    def kept(self) -> Array | None:
        """The state that was kept; None where there is none yet. That of another fit is refused."""
        try:
            with np.load(self.path, allow_pickle=False) as file:
                state, belongs = file["state"], json.loads(str(file["belongs"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, pickle.UnpicklingError) as error:
            raise ValueError(
                f"{self.path} is no checkpoint that can be read ({error}). Give checkpoint= another path, or remove "
                "this file."
            ) from error
        others = [name for name in {**self.belongs, **belongs} if self.belongs.get(name) != belongs.get(name)]
        if others:
            raise ValueError(
                f"{self.path} is the checkpoint of another fit: {self._words(others, belongs)}. Give this fit a path "
                "of its own, or remove the file."
            )
        return np.array(state)

    def _words(self, names: list[str], there: dict[str, list[str]]) -> str:
        def one(name: str) -> str:
            words = [found.get(name, ["", "not there"])[1] for found in (there, self.belongs)]
            return f"{name} was {words[0]} and is {words[1]}" if words[0] != words[1] else f"{name} has other values"

        return ", ".join(map(one, names))

    def keep(self, make: Callable[[], Array], last: bool = False) -> None:
        """Write the state, not too often, and at the end.

        Parameters
        ----------
        make : callable
            Makes the state.
        last : bool, default=False
            Whether there will be no other.
        """
        start = time.monotonic()
        if last or start >= self.due:
            state = to_numpy(make())
            write_whole(self.path, lambda file: np.savez(file, state=state, belongs=json.dumps(self.belongs)))
            end = time.monotonic()
            self.due = end + max(PAUSE, PRICE * (end - start))


def marks(model: Any, problem: Posed) -> dict[str, list[str]]:
    """name -> (hash, words) of everything that a solution depends on."""
    settings = {name: value for name, value in model.get_params(deep=False).items() if name not in FREE}
    given = dict(zip(GIVEN, problem.given, strict=True))
    kind = type(model).__name__
    return {
        "estimator": [kind, kind],
        **{name: [hash_of_setting(name, value), _short(repr(value))] for name, value in settings.items()},
        **{name: [hash_of_data(value), _size(value)] for name, value in given.items()},
    }


def hash_of_setting(name: str, value: Any) -> str:
    try:
        return str(joblib.hash(clone(value, safe=False)))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"checkpoint= has to know {name} again in another run, and cannot: {error}. Define functions in a module "
            "rather than in place, or leave checkpoint=None."
        ) from error


def hash_of_data(values: Any) -> str:
    """A hash of data, wherever they are."""
    if is_spread(values):
        return digest(*of_blocks(_block, values))
    values = as_chunks(values)
    if not hasattr(values, "shape") or (is_array(values) and to_numpy(values[:0]).dtype == object):
        return str(joblib.hash(values))
    if hasattr(values, "tocsr") or hasattr(values, "iloc"):
        return str(joblib.hash(values))
    columns = int(values.shape[1]) if len(values.shape) > 1 else 1
    return digest(*(to_numpy(part) for part in blocks(values, rows_of(columns))))


def _block(values: Array) -> str:
    return digest(values)


def _size(values: Any) -> str:
    if values is None:
        return "None"
    return f"{type(values).__name__} of shape {tuple(map(int, values.shape))}" if hasattr(values, "shape") else "given"


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= 80 else f"{words[:77]}..."
