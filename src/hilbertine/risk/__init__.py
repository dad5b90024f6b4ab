"""A loss bound to its rows: what the dual problem sees of the data."""

from .base import Risk
from .special import special_rows
from .whitened import Whitened

__all__ = ["Risk", "Whitened", "special_rows"]
