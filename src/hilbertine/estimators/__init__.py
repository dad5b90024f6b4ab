"""scikit-learn estimators: one fit, and names for the losses of the paper."""

from .base import Regressor
from .regression import EpsilonRidge, EpsilonSVR, HuberRegressor, Ridge
from .selection import RegressorCV
from .structured import StructuredPredictor

__all__ = ["EpsilonRidge", "EpsilonSVR", "HuberRegressor", "Regressor", "RegressorCV", "Ridge", "StructuredPredictor"]
