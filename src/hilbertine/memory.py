"""One budget: how many numbers a block holds, and whether what a fit will take is there before it takes it."""

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from .arrays import is_torch

# Numbers in one block of kernel values, scores or predictions (128 MB).
BLOCK = 2**24
UNITS = ("bytes", "kB", "MB", "GB", "TB")
# Of the memory that is free, what a fit may be told to take where another way would take less.
SURE = 0.8
# Where the system does not say how much memory is free.
UNKNOWN = 2**62


def rows_of(columns: int, share: float = 1.0) -> int:
    """How many rows of so many numbers make a block, at least one; `share` of the budget where several are needed."""
    return max(1, int(share * BLOCK) // max(1, columns))


def available(like: Any = None) -> int:
    """Bytes of memory that are free, or that the system would free, where `like` lives."""
    on_device = None if like is None else free_on_device(like)
    if on_device is not None:
        return on_device
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            found = dict(line.split(":", 1) for line in lines)
        return int(found["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


class Rest(NamedTuple):
    """What a fit takes beside its kernel matrix.

    Parameters
    ----------
    fast, slow : float, default=0.0
        Bytes of everything that has a row for each sample, with the identity for the output operator and with others.
    copies : int, default=0
        Further n x n arrays, where the matrix is held by its numbers.
    sample : int, default=0
        Rows whose features are in memory once more, where it has features.
    """

    fast: float = 0.0
    slow: float = 0.0
    copies: int = 0
    sample: int = 0

    def rows(self, operator: bool) -> float:
        """Bytes of what has a row for each sample.

        Parameters
        ----------
        operator : bool
            Whether there is an output operator other than the identity.

        Returns
        -------
        float
            The bytes.
        """
        return self.slow if operator else self.fast


class Road(NamedTuple):
    """One way to hold a kernel matrix.

    Parameters
    ----------
    name : str
        What it is called.
    what : str
        What it makes, in words.
    bytes : float
        What a fit that goes it takes at its peak.
    """

    name: str
    what: str
    bytes: float


def first_road(roads: Sequence[Road], remedy: str, like: Any = None) -> Road:
    """The first of them that fits with a margin, or the last if it fits at all; refused before anything is allocated.

    Parameters
    ----------
    roads : sequence of Road
        The ways there are, the best first.
    remedy : str
        The line of code that works.
    like : array, default=None
        An array on the device whose memory it is.

    Returns
    -------
    Road
        The one to go.
    """
    there, last = available(like), roads[-1]
    found = next((road for road in roads if road.bytes <= SURE * there), last)
    check_room(found.bytes / 8.0, found.what, remedy, like)
    return found


def check_room(numbers: float, what: str, remedy: str, like: Any = None) -> None:
    """Refuse what does not fit before anything is allocated: so many double precision numbers."""
    needed, there = 8.0 * numbers, available(like)
    if needed > there:
        raise MemoryError(f"{what} takes about {written(needed)}, and {written(there)} are free; {remedy}.")


def written(size: float) -> str:
    """So many bytes, in words.

    Examples
    --------
    >>> written(32_000_000), written(7.2e10)
    ('32 MB', '72 GB')
    """
    power = next((k for k in range(len(UNITS) - 1) if round(size / 1000**k, 1) < 1000), len(UNITS) - 1)
    return f"{size / 1000**power:.3g} {UNITS[power]}"


def free_on_device(x: Any) -> int | None:
    """Bytes that are free on the device of x; None where that is the processor."""
    if not is_torch(x) or x.device.type != "cuda":
        return None
    cuda = import_module("torch").cuda  # pragma: no cover - needs a GPU
    # What the library keeps for itself it gives to new arrays.
    kept = cuda.memory_reserved(x.device) - cuda.memory_allocated(x.device)  # pragma: no cover - needs a GPU
    return int(cuda.mem_get_info(x.device)[0]) + int(kept)  # pragma: no cover - needs a GPU
