"""What `RegressorCV` tries where it is not told: lam, lengths of the loss, and kernels for inputs of any units."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from ..arrays import Array, count, is_array, namespace, row_norms
from ..doors import caller
from ..dual import Dual
from ..kernels import Constant, Features, Gaussian, Kernel, Linear, Matern
from ..losses.base import is_auto

N_LAMS, N_VALUES = 12, 6
# Parameters of the estimator, or of its loss, that the default grid varies where they are numbers: parts of the median
# norm of the centred outputs.
SPANS = {"epsilon": (1e-3, 0.5), "kappa": (3e-3, 3.0)}
NAMES = [prefix + name for prefix in ("", "loss__") for name in SPANS]
# Kernels are chosen on at most so many samples, with so few lams and folds, to this gap.
FEW_SAMPLES, FEW_LAMS, FEW_FOLDS, FEW_TOL = 400, 5, 3, 1e-3
# Parameters on which the norm of the outputs depends.
NORMS = ("output_kernel", "space__kernel", "quadrature", "space__quadrature")
# How much of a linear part stands beside a kernel.
SLOPE = 0.01


class Sweep(NamedTuple):
    """The points of a search: every lam at every point of the grid, and which of these share a problem."""

    lams: list[float]
    points: list[dict[str, Any]]
    groups: list[list[int]]

    @property
    def size(self) -> int:
        """The number of fits of a fold."""
        return len(self.lams) * len(self.points)


def check_grid(lams: list[float], grid: Mapping[str, list[Any]], scoring: Any) -> None:
    """Refuse a grid that is empty, has lam twice, or compares errors in two norms."""
    if not lams or not all(grid.values()):
        raise ValueError("RegressorCV has an empty grid; give at least one value for lam and each parameter.")
    if "lam" in grid:
        raise ValueError("Give the values of lam as `lams`, not in the grid: they share one path.")
    norms = [name for name in grid if name.startswith(NORMS)]
    if norms and scoring is None:
        raise ValueError(
            f"{norms[0]} changes the norm of the output space, and errors in two norms cannot be compared; give "
            "scoring, metrics.top_k(1) for instance."
        )


def families(sloped: bool = True) -> list[Kernel]:
    """Gaussian and Matern kernels of several widths; each also with a linear part and a constant, on NumPy arrays."""
    alone = [k(gamma) for gamma in ("0.1 auto", "auto", "10 auto") for k in (Gaussian, lambda g: Matern(1.5, g))]
    with_slope = [Features(StandardScaler(), plain + SLOPE * Linear() + Constant()) for plain in _unscaled()]
    return [*alone, *with_slope] if sloped else alone


def _unscaled() -> list[Kernel]:
    """The same on inputs that have been given one spread."""
    return [k(gamma) for gamma in ("0.1 median", "median") for k in (Gaussian, lambda g: Matern(1.5, g))]


def lengths(model: Any, targets: Array) -> dict[str, list[float]]:
    """Values for the lengths of a loss that are numbers; those that are "auto" look after themselves."""
    known = model.get_params()
    names = [name for name in NAMES if name in known and not is_auto(known[name])]
    norms = namespace(targets).sort(row_norms(targets))
    typical = float(norms[count(norms) // 2]) or float(norms[-1]) or 1.0
    spans = {name: SPANS[name.removeprefix("loss__")] for name in names}
    return {name: [float(v) for v in typical * np.geomspace(*span, N_VALUES)] for name, span in spans.items()}


def lams_for(dual: Dual, size: int = N_LAMS) -> list[float]:
    """Seven decades below the mean of the kernel's diagonal."""
    return [float(lam) for lam in (dual.gram.mean_diagonal() or 1.0) * np.logspace(-7, 0, size)]


def warn_of_edges(lams: list[float], grid: Mapping[str, list[Any]], chosen: Mapping[str, Any]) -> None:
    """Say which chosen value lies at the end of its list, and what to widen."""
    for name, values in {**grid, "lam": lams}.items():
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) < 3 or len(numbers) < len(values) or is_array(chosen[name]):
            continue
        ends = {min(numbers): "smaller", max(numbers): "larger"}
        if chosen[name] in ends:
            where = "lams" if name == "lam" else f"grid={{{name!r}: ...}}"
            warnings.warn(
                f"The best {name}, {chosen[name]:.3g}, is at the end of the values tried; the optimum may lie beyond. "
                f"Try {ends[chosen[name]]} ones: {where}.",
                UserWarning,
                stacklevel=caller(),
            )
