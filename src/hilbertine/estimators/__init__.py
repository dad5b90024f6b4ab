"""scikit-learn estimators: one fit, and names for the losses of the paper."""

from .autoencoder import KernelAutoencoder
from .base import Regressor
from .conformal import ConformalRegressor
from .functional import FunctionalRegressor
from .regression import HuberRegressor, Ridge
from .selection import RegressorCV
from .structured import StructuredPredictor
from .tubes import EpsilonRidge, EpsilonSVR

__all__ = [
    "ConformalRegressor",
    "EpsilonRidge",
    "EpsilonSVR",
    "FunctionalRegressor",
    "HuberRegressor",
    "KernelAutoencoder",
    "Regressor",
    "RegressorCV",
    "Ridge",
    "StructuredPredictor",
]
