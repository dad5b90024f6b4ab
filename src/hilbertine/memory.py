"""One budget: how many numbers a block holds, and whether what a fit will take is there before it takes it."""

import os
from typing import Any

from .arrays import free_on_device

# Numbers in one block of kernel values, scores or predictions (128 MB).
BLOCK = 2**24
UNITS = ("bytes", "kB", "MB", "GB", "TB")
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


def check_room(numbers: float, what: str, remedy: str) -> None:
    """Refuse what does not fit before anything is allocated: so many double precision numbers."""
    needed, there = 8.0 * numbers, available()
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
