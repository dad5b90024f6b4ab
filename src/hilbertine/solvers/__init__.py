"""Algorithms for the dual problem, each certified by its duality gap."""

from .base import Solver
from .choice import Recipe, choose
from .direct import Direct
from .leave_one_out import (
    approximate_residuals,
    left_out_models,
    refit_residuals,
    removal_changes,
    ridge_path,
    ridge_residuals,
)
from .needs import rest_of
from .path import epsilon_max, kappa_max, path
from .proximal_gradient import ProximalGradient
from .proximal_point import ProximalPoint
from .row_newton import RowNewton
from .sampled_newton import SampledNewton
from .scale import residual_scale, settled
from .solution import Progress, Solution, Step
from .splitting import Splitting

__all__ = [
    "Direct",
    "Progress",
    "ProximalGradient",
    "ProximalPoint",
    "Recipe",
    "RowNewton",
    "SampledNewton",
    "Solution",
    "Solver",
    "Splitting",
    "Step",
    "approximate_residuals",
    "choose",
    "epsilon_max",
    "kappa_max",
    "left_out_models",
    "path",
    "refit_residuals",
    "removal_changes",
    "residual_scale",
    "rest_of",
    "ridge_path",
    "ridge_residuals",
    "settled",
]
