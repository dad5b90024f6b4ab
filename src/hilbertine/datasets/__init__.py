"""Data sets of the paper, from packages or the user's own files; none is shipped with the library."""

from .yeast import load_yeast

__all__ = ["load_yeast"]
