"""Inputs that need not fit in memory: blocks of rows that are read whenever they are asked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..arrays import Array

# Chunks of an iterator that are kept, for blocks that are asked for out of order.
RECENT = 4


class Replayed(Sequence[Any]):
    """The items of an iterable that can be begun again, by their places.

    Parameters
    ----------
    make : callable
        Begins it: () -> iterator.
    size : int
        How many items there are.
    """

    def __init__(self, make: Callable[[], Iterator[Any]], size: int):
        self.make = make
        self.size = size
        self.lock = Lock()
        self.recent: dict[int, Any] = {}
        self.place = size

    def __len__(self) -> int:
        return self.size

    def __getstate__(self) -> Any:
        raise TypeError("Inputs that are read as they are asked for stay with the program that reads them.")

    def __getitem__(self, k: Any) -> Any:
        with self.lock:
            if k not in self.recent and k < self.place:
                self.going, self.place = self.make(), 0
            while k not in self.recent:
                self.recent[self.place] = next(self.going)
                self.recent.pop(self.place - RECENT, None)
                self.place += 1
            return self.recent[k]


class Chunks:
    """n points in chunks; parts of them are read, and made into what `act` makes of them, each time they are needed.

    Parameters
    ----------
    source : sequence
        The chunks: arrays, memory maps, or paths of .npy files.
    sizes : sequence of int
        How many points each holds.
    columns : int
        How many numbers a point has.
    act : callable, default=None
        What is made of rows of numbers; None is nothing.

    Examples
    --------
    >>> X = Chunks([np.zeros((2, 1)), np.ones((3, 1))], [2, 3], 1)
    >>> X.shape, X[1:4].ravel(), X.part(np.array([4, 0])).ravel()
    ((5, 1), array([0., 1., 1.]), array([1., 0.]))
    """

    def __init__(
        self, source: Sequence[Any], sizes: Sequence[int], columns: int, act: Callable[[Array], Any] | None = None
    ):
        self.source = source
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.shape = (int(self.starts[-1]), columns)
        self.act = act

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, places: slice) -> Any:
        return self.part(places)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        # What knows no blocks gets all rows.
        return np.asarray(self.part(slice(None)), dtype=dtype)

    def part(self, places: Any) -> Any:
        """What is made of some of the points.

        Parameters
        ----------
        places : slice or array of int
            Which.

        Returns
        -------
        object
            An array of rows, or what `act` makes of it.
        """
        wanted = np.arange(self.shape[0])[places] if isinstance(places, slice) else np.asarray(places)
        order = np.argsort(wanted, kind="stable")
        rows = np.empty((len(wanted), self.shape[1]))
        rows[order] = self._rows(wanted[order])
        return rows if self.act is None else self.act(rows)

    def mapped(self, act: Callable[[Array], Any]) -> "Chunks":
        """The same points, and what is made of them when they are read.

        Parameters
        ----------
        act : callable
            What is made of rows of numbers.

        Returns
        -------
        Chunks
            The points.
        """
        return Chunks(self.source, np.diff(self.starts).tolist(), self.shape[1], act)

    def _rows(self, wanted: Array) -> Array:
        """The rows at places in ascending order."""
        ends = np.searchsorted(wanted, self.starts)
        parts = [
            self._chunk(k, wanted[first:last] - self.starts[k])
            for k, (first, last) in enumerate(pairwise(ends))
            if last > first
        ]
        rows = np.concatenate([*parts, np.empty((0, self.shape[1]))])
        if not np.isfinite(rows).all():
            raise ValueError(
                f"Input X contains NaN or infinity between rows {wanted[0]} and {wanted[-1]}; drop or impute these "
                "samples."
            )
        return rows

    def _chunk(self, k: int, places: Array) -> Array:
        chunk, size = opened(self.source[k]), int(self.starts[k + 1] - self.starts[k])
        if tuple(chunk.shape) != (size, self.shape[1]):
            raise ValueError(
                f"Chunk {k} had the shape {(size, self.shape[1])} when it was read first, and has {chunk.shape} now; "
                "an iterator has to give the same chunks each time it is begun."
            )
        run = places[-1] - places[0] + 1 == len(places)
        return np.asarray(chunk[places[0] : places[-1] + 1] if run else chunk[places], dtype=np.float64)


def opened(chunk: Any) -> Any:
    """A chunk as a matrix: a path is a .npy file, which is not read before its rows are."""
    found = np.load(chunk, mmap_mode="r") if isinstance(chunk, str | Path) else np.asanyarray(chunk)
    if found.ndim != 2 or found.dtype.kind not in "fiub":
        raise ValueError(
            f"A chunk of inputs is a matrix of numbers, and this one has shape {found.shape} and dtype {found.dtype}."
        )
    return found


def as_chunks(X: Any) -> Any:
    """A memory map, or a list of .npy files, as chunks; anything else as it is.

    Parameters
    ----------
    X : array, list or anything else
        Inputs.

    Returns
    -------
    Chunks or what was given
        Inputs.
    """
    if isinstance(X, np.memmap) and X.ndim == 2:
        return Chunks([X], [X.shape[0]], X.shape[1])
    if isinstance(X, list | tuple) and X and all(isinstance(x, str | Path) and str(x).endswith(".npy") for x in X):
        shapes = [opened(x).shape for x in X]
        return Chunks(X, [shape[0] for shape in shapes], shapes[0][1])
    return X


def read_pairs(chunks: Iterable[Any] | Callable[[], Iterator[Any]]) -> tuple[Chunks, Any, Any]:
    """(X, Y, weights or None) of chunks (X, Y) or (X, Y, weights): X stays where it is, the rest is read.

    Parameters
    ----------
    chunks : sequence, iterable or callable
        A list of chunks, an iterable that can be begun again, or a function that begins it.

    Returns
    -------
    tuple of Chunks, array or list, and array or None
        Inputs, outputs and weights.
    """
    begin = _beginning(chunks)
    shapes, outputs, weights = [], [], []
    for chunk in begin():
        X, Y, *rest = _checked(chunk)
        shapes.append(tuple(opened(X).shape))
        outputs.append(np.load(Y) if isinstance(Y, str | Path) else Y)
        weights += [np.asarray(w, dtype=np.float64) for w in rest]
    if not shapes:
        raise ValueError("There are no chunks: the iterator was empty when it was begun.")
    # A list is there already: its chunks are found by their places.
    inputs = Replayed(lambda: (chunk[0] for chunk in begin()), len(shapes))
    source: Sequence[Any] = [chunk[0] for chunk in chunks] if isinstance(chunks, Sequence) else inputs
    X = Chunks(source, [shape[0] for shape in shapes], shapes[0][1])
    return X, _together(outputs), np.concatenate(weights) if weights else None


def _beginning(chunks: Any) -> Callable[[], Iterator[Any]]:
    if callable(chunks):
        return lambda: iter(chunks())
    if isinstance(chunks, Iterator):
        raise TypeError(
            "The inputs are read several times, and this iterator can be read once; pass a function that makes it, or "
            "an object whose __iter__ begins it again."
        )
    return lambda: iter(chunks)


def _checked(chunk: Any) -> Any:
    if not isinstance(chunk, tuple | list) or len(chunk) not in (2, 3):
        raise TypeError(f"A chunk is (X, Y) or (X, Y, weights), not {type(chunk).__name__}.")
    return chunk


def _together(parts: list[Any]) -> Any:
    if all(hasattr(part, "shape") for part in parts):
        return np.concatenate([np.asarray(part) for part in parts])
    return [y for part in parts for y in part]


def are_pairs(X: Any) -> bool:
    """Whether this can be read as chunks, rather than as inputs.

    Parameters
    ----------
    X : object
        What `fit` was given without outputs.

    Returns
    -------
    bool
        Whether.
    """
    if callable(X) or isinstance(X, Iterator):
        return True
    if isinstance(X, Sequence) and not isinstance(X, str):
        return len(X) > 0 and isinstance(X[0], tuple) and len(X[0]) in (2, 3)
    return hasattr(X, "__iter__") and not hasattr(X, "shape") and not hasattr(X, "__len__")
