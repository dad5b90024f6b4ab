"""A loss bound to its rows: what the dual problem sees of the data."""

from .base import Risk
from .blocks import OfBlocks, parts_of, pulled_and_value, terms, with_totals
from .special import special_rows
from .units import counted_in, extraordinary, units_of

__all__ = [
    "OfBlocks",
    "Risk",
    "counted_in",
    "extraordinary",
    "parts_of",
    "pulled_and_value",
    "special_rows",
    "terms",
    "units_of",
    "with_totals",
]
