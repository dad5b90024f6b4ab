"""Blocks of rows: how large they are, and how they make a whole."""

from ..arrays import Array, is_foreign, namespace
from ..memory import rows_of

# The part of the budget of a block that a block of F has: small enough for a processor's cache.
SHARE = 1 / 32
# A device has memory to spare and takes its time to begin: larger ones.
SHARE_ON_DEVICE = 8.0


def block_rows(columns: int, like: Array) -> int:
    """How many rows of F make a block where `like` lives."""
    return rows_of(columns, SHARE_ON_DEVICE if is_foreign(like) else SHARE)


def joined(parts: list[Array]) -> Array:
    """Blocks of rows as one array."""
    return parts[0] if len(parts) == 1 else namespace(parts[0]).concat(parts)


def transposed(A: Array) -> Array:
    """A^T, without a copy."""
    return namespace(A).permute_dims(A, (1, 0))
