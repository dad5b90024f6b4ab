"""Data sets of the paper, from packages or the user's own files; none is shipped with the library."""

from . import outliers
from .drugs import load_drugs
from .lip import load_lip
from .molecules import fingerprints, properties
from .synthetic import make_curves
from .yeast import load_yeast

__all__ = ["fingerprints", "load_drugs", "load_lip", "load_yeast", "make_curves", "outliers", "properties"]
