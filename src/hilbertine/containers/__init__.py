"""What users bring: curves, mass spectra, and when two objects are the same."""

from .curves import Curves, read_curves
from .identity import distinct, identities
from .spectra import MassSpectrum

__all__ = ["Curves", "MassSpectrum", "distinct", "identities", "read_curves"]
