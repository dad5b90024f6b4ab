"""A loss bound to its rows: what the dual problem sees of the data."""

from .base import Risk
from .whitened import Whitened

__all__ = ["Risk", "Whitened"]
