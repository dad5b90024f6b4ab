"""hilbertine: robust regression with outputs in a Hilbert space."""

from . import conformal, datasets, kernels, losses, metrics, operator_kernels, solvers, spaces, stability
from .estimators import (
    ConformalRegressor,
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
    "conformal",
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
