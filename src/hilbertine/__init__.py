"""hilbertine: robust regression with outputs in a Hilbert space."""

from . import datasets, kernels, losses, metrics, operator_kernels, solvers, spaces, stability
from .estimators import (
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    KernelAutoencoder,
    Regressor,
    RegressorCV,
    Ridge,
    StructuredPredictor,
)

__version__ = "0.1.0"

__all__ = [
    "EpsilonRidge",
    "EpsilonSVR",
    "FunctionalRegressor",
    "HuberRegressor",
    "KernelAutoencoder",
    "Regressor",
    "RegressorCV",
    "Ridge",
    "StructuredPredictor",
    "datasets",
    "kernels",
    "losses",
    "metrics",
    "operator_kernels",
    "solvers",
    "spaces",
    "stability",
]
