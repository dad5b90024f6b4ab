"""What users bring: curves, mass spectra, and when two objects are the same."""

from .chunks import Chunks, are_pairs, as_chunks, read_pairs
from .curve_inputs import CurveInputs
from .curves import Curves, read_curves
from .identity import distinct, identities
from .spectra import MassSpectrum

__all__ = [
    "Chunks",
    "CurveInputs",
    "Curves",
    "MassSpectrum",
    "are_pairs",
    "as_chunks",
    "distinct",
    "identities",
    "read_curves",
    "read_pairs",
]
