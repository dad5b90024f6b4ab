"""Stability in practice: the largest change of a loss when one sample is removed, beside the bound."""

from functools import partial
from typing import Any

import numpy as np

from .. import stability
from ..dual import Dual
from ..kernels import Gaussian
from ..losses import EpsilonNorm, EpsilonSquare, Huber, Loss
from ..operator_kernels import Kronecker
from ..risk import Risk
from ..solvers import Recipe, removal_changes
from .base import Result, Settings

TITLE = "Stability: the largest change of a loss when one sample leaves, and the bound beta"
NOTE = (
    "observed: over all samples removed, with lam n held fixed, and all samples looked at; beta = C^2 gamma^2/(lam n), "
    "gamma = 1, |y| <= 1; gap: of the fit to all samples. The bound must never be crossed; it need not be close."
)
SEED = 0
TOL = 1e-8
# The values held while another one varies.
LAM, EPSILON, KAPPA = 1e-2, 0.1, 0.2


def sample(n: int) -> tuple[Any, Any]:
    """Noisy points of the unit disc over the line, a tenth of them turned around: K and targets of norm at most 1."""
    rng = np.random.default_rng(SEED)
    x = np.sort(rng.uniform(0, 1, n))
    Y = 0.8 * np.stack([np.cos(6 * x), np.sin(6 * x)], axis=1) + 0.1 * rng.standard_normal((n, 2))
    Y[:: max(n // 10, 2)] *= -1
    return Gaussian(20.0)(x[:, None], x[:, None]), Y / np.maximum(np.linalg.norm(Y, axis=1, keepdims=True), 1.0)


def sweeps(quick: bool) -> dict[str, list[tuple[str, float, float, Loss]]]:
    """For each axis of the figure, (name of the loss, value on the axis, lam, loss)."""
    points = 4 if quick else 9
    ends = ((1e-4, 1.0), (0.01, 0.9), (0.01, 1.0))
    lams, epsilons, kappas = (np.geomspace(first, last, points).tolist() for first, last in ends)
    return {
        "lam": [
            (name, lam, lam, loss)
            for name, loss in (
                ("epsilon-Ridge", EpsilonSquare(EPSILON)),
                ("epsilon-SVR", EpsilonNorm(EPSILON)),
                ("Huber", Huber(KAPPA)),
            )
            for lam in lams
        ],
        "epsilon": [
            (name, epsilon, LAM, loss(epsilon))
            for name, loss in (("epsilon-Ridge", EpsilonSquare), ("epsilon-SVR", EpsilonNorm))
            for epsilon in epsilons
        ],
        "kappa": [("Huber", kappa, LAM, Huber(kappa)) for kappa in kappas],
    }


def run(settings: Settings) -> Result:
    """Retrain without each sample in turn, started from the full solution, at every point of the sweeps."""
    n = 20 if settings.quick else 60
    K, Y = sample(n)
    points = [(axis, *point) for axis, each in sweeps(settings.quick).items() for point in each]
    rows, store = [], settings.store("stability", K, Y)
    for done, (axis, name, value, lam, loss) in enumerate(points):
        settings.progress(done, len(points), f"{name}: {axis} = {value:.2g}")
        found = store.kept([axis, name, value, lam], partial(_point, K, Y, lam, loss))
        rows.append({"axis": axis, "loss": name, "value": value, "lam": lam, **found})
    return {
        "experiment": "stability",
        "settings": {"quick": settings.quick, "n": n, "seed": SEED, "tol": TOL, "lam": LAM, "epsilon": EPSILON,
                     "kappa": KAPPA},
        "rows": rows,
    }  # fmt: skip


def _point(K: Any, Y: Any, lam: float, loss: Loss) -> Result:
    """The largest change of a loss over all samples removed, beside the bound."""
    dual, recipe = Dual(Kronecker.dense(K, Y.shape[1]), Risk(loss, Y), lam), Recipe(tol=TOL)
    solution = recipe.solve(dual)
    changes = removal_changes(dual, solution.W, recipe)
    beta = stability.stability(loss, lam, gamma=1.0, radius=1.0, n=len(Y))
    return {"observed": float(changes.max()), "beta": beta, "gap": solution.gap}


def columns(result: Result) -> tuple[list[str], list[list[str]]]:
    """Every point as text, the observed change as a part of the bound at last."""
    head = ["loss", "axis", "value", "observed", "beta", "observed/beta", "gap"]
    body = [
        [row["loss"], row["axis"], f"{row['value']:.2g}", f"{row['observed']:.2g}", f"{row['beta']:.2g}",
         f"{row['observed'] / row['beta']:.2g}" if row["beta"] else "", f"{row['gap']:.0e}"]
        for row in result["rows"]
    ]  # fmt: skip
    return head, body


def draw(result: Result) -> Any:
    """A panel for each axis: observed changes as dots, bounds as lines, one colour for each loss."""
    from ..plotting import figure

    held = result["settings"]
    titles = {
        "lam": f"epsilon = {held['epsilon']:g}, kappa = {held['kappa']:g}",
        "epsilon": f"lam = {held['lam']:g}",
        "kappa": f"lam = {held['lam']:g}",
    }
    colours = {"epsilon-Ridge": "tab:orange", "epsilon-SVR": "tab:blue", "Huber": "tab:green"}
    fig, axes = figure(1, 3, width=11, height=3.6)
    for ax, (axis, title) in zip(axes, titles.items(), strict=True):
        for name, colour in colours.items():
            rows = [row for row in result["rows"] if row["axis"] == axis and row["loss"] == name]
            if rows:
                values = [row["value"] for row in rows]
                ax.loglog(values, [row["beta"] for row in rows], color=colour, label=f"{name}: bound")
                ax.loglog(values, [row["observed"] for row in rows], "o:", color=colour, markersize=4, label="observed")
        ax.set_xlabel(axis)
        ax.set_title(title, fontsize=10)
        ax.legend(fontsize=7, frameon=False)
    axes[0].set_ylabel("largest change of a loss")
    return fig
