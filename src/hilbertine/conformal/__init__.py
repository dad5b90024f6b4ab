"""Sets of outputs that hold the truth as often as they promise: scores, what they bound, and how often it does."""

from .boxes import Band, Box
from .calibration import Calibration
from .crossed import Crossed, Part
from .local import Local
from .objects import Candidates
from .outputs import Outputs, Residuals
from .reliability import Reliability
from .scores import Held, Norm, Score
from .sets import Ball, Ellipsoid, Sets
from .shapes import Mahalanobis, Supremum

__all__ = [
    "Ball",
    "Band",
    "Box",
    "Calibration",
    "Candidates",
    "Crossed",
    "Ellipsoid",
    "Held",
    "Local",
    "Mahalanobis",
    "Norm",
    "Outputs",
    "Part",
    "Reliability",
    "Residuals",
    "Score",
    "Sets",
    "Supremum",
]
