"""Models in files: a zip of one JSON text and plain arrays, which holds no code and runs none."""

from .archive import load, save
from .registry import skops_types

__all__ = ["load", "save", "skops_types"]
