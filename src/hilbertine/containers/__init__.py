"""What users bring: curves, mass spectra, and when two objects are the same."""

from .curve_inputs import CurveInputs
from .curves import Curves, read_curves
from .identity import distinct, identities
from .spectra import MassSpectrum

__all__ = ["CurveInputs", "Curves", "MassSpectrum", "distinct", "identities", "read_curves"]
