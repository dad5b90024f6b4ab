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
from .files import load, save
from .version import __version__ as __version__

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
    "load",
    "losses",
    "metrics",
    "operator_kernels",
    "save",
    "solvers",
    "spaces",
    "stability",
]
