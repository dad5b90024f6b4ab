"""Data sets of the paper, from packages or the user's own files; none is shipped with the library."""

from . import outliers
from .drugs import load_drugs
from .fragments import make_spectra
from .lip import load_lip
from .metabolites import load_metabolites
from .molecules import fingerprints, properties
from .spectra import load_spectra
from .synthetic import make_curves
from .yeast import load_yeast

__all__ = [
    "fingerprints",
    "load_drugs",
    "load_lip",
    "load_metabolites",
    "load_spectra",
    "load_yeast",
    "make_curves",
    "make_spectra",
    "outliers",
    "properties",
]
