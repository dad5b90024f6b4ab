"""A loss bound to its rows: what the dual problem sees of the data."""

from .base import Risk
from .special import special_rows

__all__ = ["Risk", "special_rows"]
