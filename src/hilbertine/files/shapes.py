"""Whether the parts of a model from a file fit together: kinds, numbers of axes, sizes that must agree."""

from typing import Any

import numpy as np

from ..estimators import FunctionalRegressor, KernelAutoencoder, Regressor, RegressorCV, StructuredPredictor
from ..function import Expansion
from ..kernels import Nystroem
from ..losses import Loss
from ..operator_kernels import OperatorValuedKernel
from ..spaces import L2, RKHS, Space

# Letters are sizes, the same letter the same size: arrays of finite or missing numbers, None where it may be.
SHAPES: dict[type, dict[str, str]] = {
    Regressor: {
        "dual_coef_": "nm", "targets_": "nm", "dual_gaps_": "n", "tails_": "n", "residual_norms_": "n", "centre_": "m",
        "support_": "s", "saturated_": "t",
    },
    KernelAutoencoder: {"dual_coef_": "nm", "codes_": "np", "residual_norms_": "n", "centre_": "m", "coef_": "qr"},
    Expansion: {"centre": "m"},
    Nystroem: {"root_": "cp"},
    RKHS: {"axes_": "nm"},
    L2: {"grid_": "g", "weights_": "g", "functions_": "gk"},
}  # fmt: skip
KINDS: dict[type, dict[str, type | tuple[type, ...]]] = {
    Regressor: {
        "function_": Expansion, "kernel_": OperatorValuedKernel, "space_": Space, "loss_": Loss, "lam_": (float, int),
        "history_": list,
    },
    StructuredPredictor: {"space_": RKHS},
    FunctionalRegressor: {"space_": Space},
    KernelAutoencoder: {"function_": Expansion, "space_": RKHS, "encoder_": RKHS, "hidden_": list},
    RegressorCV: {"cv_results_": dict, "best_params_": dict, "best_index_": int},
    Expansion: {"kernel": OperatorValuedKernel, "scale": (float, int), "width": int},
}  # fmt: skip
WHOLE = {"support_", "saturated_"}


def check_parts(found: Any) -> None:
    """Every part that has a kind or a shape has the right one."""
    state, owner = vars(found), type(found).__name__
    for kinds in (rules for cls, rules in KINDS.items() if isinstance(found, cls)):
        for name in kinds.keys() & state.keys():
            if not isinstance(state[name], kinds[name]) or isinstance(state[name], bool):
                raise ValueError(f"{owner}.{name} is a {type(state[name]).__name__}")
    for letters in (rules for cls, rules in SHAPES.items() if isinstance(found, cls)):
        _check_shapes(owner, {name: state[name] for name in letters if name in state}, letters)
    _check_widths(found)


def _check_shapes(owner: str, values: dict[str, Any], letters: dict[str, str]) -> None:
    sizes: dict[str, tuple[int, str]] = {}
    for name, value in values.items():
        if value is None:
            continue
        kinds = "iu" if name in WHOLE else "f"
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds or value.ndim != len(letters[name]):
            raise ValueError(f"{owner}.{name} is no array of {len(letters[name])} axes of numbers")
        for letter, size in zip(letters[name], value.shape, strict=True):
            known, first = sizes.setdefault(letter, (size, name))
            if known != size:
                raise ValueError(f"{owner}.{name} has {size} rows or columns where {first} has {known}")


def _check_widths(found: Any) -> None:
    """The function of a model has as many coordinates as its dual variables, and the width that it says."""
    function = getattr(found, "function_", None)
    coefficients = getattr(function, "coefficients", None)
    if not isinstance(coefficients, np.ndarray) or not hasattr(found, "dual_coef_"):
        return
    expected = (vars(function)["width"], int(found.dual_coef_.shape[1]))
    if coefficients.dtype.kind != "f" or coefficients.shape != expected:
        raise ValueError(f"function_ has coefficients of shape {coefficients.shape} where {expected} belong")
