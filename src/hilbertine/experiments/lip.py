"""The Lip figure: curves from curves with flipped outliers, by the authors' protocol and scored on genuine curves."""

import json
import warnings
from functools import partial
from typing import Any

import numpy as np

from ..datasets import load_lip, make_curves
from ..datasets.outliers import append_flipped
from ..doors import caller
from .base import Result, Settings
from .lip_authors import FACTOR, KAPPAS, OUTLIERS, PAIRS, SAVED, leave_one_out
from .lip_corrected import Curves, Grids, corrected

TITLE = "Lip: acceleration from muscle activity, 32 curves and 4 flipped copies"
NOTE = (
    "Mean squared distance between a curve and its prediction from the others; m pairs of functions. authors: all 36 "
    "curves are scored, the outliers too; kappa is the best in hindsight. corrected: orthonormal functions, only the "
    "32 genuine curves are scored, lam and kappa are chosen by leave-one-out within the curves trained on, by the mean "
    "of errors to which the outliers contribute (the median kappa is shown); floor is ridge without the outliers, ± "
    "the standard error of the gain of Huber over ridge. median, trimmed: chosen by these averages in place of the "
    "mean. saved: the authors' ridge and Huber. gap: the largest relative duality gap of all fits, those of the "
    "searches included."
)
SYNTHETIC = "Synthetic curves in the likeness of Lip: 32 and 4 flipped copies"
SEED = 0
# Curves that are drawn, at every eighth point: one with a flipped copy among the others, two without.
DRAWN, THIN = (7, 13, 25), 8
MOST_NAMED = 6
# lam steps from one value of its grid to another along kappa, and the curves have corners there.
ALONG = "kappa, each with the lam chosen for it"
LISTS = ("kappas", "errors", "capped", "suspects", "farthest")


def grids(quick: bool) -> tuple[list[float], Grids]:
    """The authors' kappas; lams and kappas to choose from, in the same steps: what counts is mostly their ratio."""
    authors = KAPPAS[::7] if quick else KAPPAS
    lams, kappas = np.logspace(-5, -1, 5 if quick else 17), np.geomspace(0.063, 2, 7)
    return authors.tolist(), Grids(lams.tolist(), (kappas[1::2] if quick else kappas).tolist())


def load(settings: Settings) -> tuple[Any, bool]:
    """The Lip data, or synthetic curves, and whether they are synthetic."""
    try:
        return load_lip(settings.data), False
    except FileNotFoundError as error:
        warnings.warn(f"{error} Synthetic curves stand in for the Lip data.", stacklevel=caller())
        return make_curves(random_state=SEED), True


def run(settings: Settings) -> Result:
    """Both protocols for every number of pairs, and some predicted curves."""
    data, synthetic = load(settings)
    X, Y, outliers = append_flipped(data.data, data.target, factor=FACTOR, indices=OUTLIERS)
    curves = Curves(X, Y, data.grid, outliers)
    kappas, choices = grids(settings.quick)
    store = settings.store("lip", X, Y, data.grid, json.dumps([kappas, choices]))
    named: dict[str, list[Result]] = {"authors": [], "corrected": [], "median": [], "trimmed": []}
    for k, n_pairs in enumerate(PAIRS):

        def told(done: float, k: int = k, n_pairs: int = n_pairs) -> None:
            settings.progress(k + done, len(PAIRS), f"lip: {n_pairs} pairs")

        told(0.0)
        reduced = partial(leave_one_out, X, Y, data.grid, n_pairs, kappas)
        named["authors"].append(store.kept(["authors", n_pairs], reduced))
        scored, predicted = corrected(curves, n_pairs, choices, settings.jobs, told, store)
        for average, each in scored.items():
            named["corrected" if average == "mean" else average].append(each)
    result = {
        "experiment": "lip",
        "settings": {
            "quick": settings.quick, "data": "synthetic" if synthetic else "lip", "outliers": list(OUTLIERS),
            "factor": FACTOR, "seed": SEED, "lams": choices.lams, "kernel": "mean of exp(-7 |x(t) - z(t)|)",
        },
        "rows": [
            {"protocol": name, **{key: value for key, value in each.items() if key not in LISTS}}
            for name, records in named.items()
            for each in records
        ],
        **named,
        "drawn": _drawn(curves, predicted),
    }  # fmt: skip
    stands_in = {
        "title": SYNTHETIC,
        "note": f"Synthetic curves stand in for the Lip data, which were not found. {NOTE}",
    }
    return result | stands_in if synthetic else result


def _drawn(curves: Curves, predicted: Any) -> Result:
    """Some curves and what the largest number of pairs predicts for them."""
    panels = [
        {
            "curve": i,
            "flipped_copy": i in OUTLIERS,
            "truth": curves.Y[i, ::THIN].tolist(),
            **dict(zip(("floor", "ridge", "huber"), predicted[i, :, ::THIN].tolist(), strict=True)),
        }
        for i in DRAWN
    ]
    return {"grid": curves.grid[::THIN].tolist(), "panels": panels}


def columns(result: Result) -> tuple[list[str], list[list[str]]]:
    """The table as text: the authors' protocol beside what they saved, the corrected ones beside their floor."""
    head = ["protocol", "m", "floor", "ridge", "Huber", "±", "kappa", "saved", "gap"]
    body = []
    for row in result["rows"]:
        known = result["settings"]["data"] == "lip" and row["protocol"] == "authors" and row["pairs"] in SAVED
        body.append(
            [
                row["protocol"],
                str(row["pairs"]),
                f"{row['floor']:.4f}" if "floor" in row else "",
                f"{row['ridge']:.4f}",
                f"{row['huber']:.4f}",
                f"{row['gain_standard_error']:.3f}" if "gain_standard_error" in row else "",
                f"{row['kappa']:.3f}",
                "{:.4f} {:.4f}".format(*SAVED[row["pairs"]]) if known else "",
                f"{row['gap']:.0e}",
            ]
        )
    return head, body


def draw(result: Result) -> Any:
    """Above: both protocols along kappa, and which curves reach the bound. Below: curves and their predictions."""
    from matplotlib import colormaps

    from ..plotting import figure

    fig, ((left, middle, right), below) = figure(2, 3, width=13, height=7.5)
    gap = max(row["gap"] for row in result["rows"])
    fig.suptitle(f"{result.get('title', TITLE)} (duality gaps at most {gap:.0e})", fontsize=11)
    colours = colormaps["viridis"](np.linspace(0, 0.9, len(result["authors"])))
    for colour, ours, honest in zip(colours, result["authors"], result["corrected"], strict=True):
        left.plot(ours["kappas"], ours["errors"], color=colour, label=f"m = {ours['pairs']}")
        left.plot(ours["kappa"], ours["huber"], "o", color=colour, markersize=4)
        middle.semilogx(honest["kappas"], honest["errors"], color=colour)
        middle.axhline(honest["ridge"], color=colour, linestyle="--", linewidth=0.8)
        middle.axhline(honest["floor"], color=colour, linestyle=":", linewidth=1.2)
    left.set(xlabel="kappa", ylabel="leave-one-out error", title="The authors' protocol: outliers are scored too")
    left.legend(fontsize=8, frameon=False)
    middle.set(xlabel=ALONG, ylabel="leave-one-out error", title="Corrected: scored on genuine curves")
    for style, name in (("-", "Huber"), ("--", "ridge"), (":", "ridge without outliers")):
        middle.plot([], [], color="grey", linestyle=style, label=name)
    _legend_below(middle)
    _draw_capped(right, result["corrected"][-1])
    for ax, panel in zip(below, result["drawn"]["panels"], strict=True):
        _draw_curves(ax, result["drawn"]["grid"], panel)
    below[0].set_ylabel(f"output, m = {result['corrected'][-1]['pairs']}")
    _legend_below(below[1])
    for ax in fig.axes:
        ax.title.set_fontsize(10)
    return fig


def _legend_below(ax: Any) -> None:
    ax.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4)


def _draw_capped(ax: Any, honest: Result) -> None:
    """Which share of the genuine and of the flipped curves has reached the bound at every kappa."""
    n = honest["n_genuine"]
    genuine = [sum(i < n for i in each) / n for each in honest["capped"]]
    flipped = [sum(i >= n for i in each) / len(OUTLIERS) for each in honest["capped"]]
    ax.semilogx(honest["kappas"], flipped, "o-", color="C3", markersize=4, label="flipped copies")
    ax.semilogx(honest["kappas"], genuine, "o-", color="grey", markersize=4, label="genuine curves")
    first = honest["suspects"]
    named = f"curves {', '.join(map(str, first))}" if len(first) <= MOST_NAMED else f"{len(first)} curves"
    at = f"share at the bound, m = {honest['pairs']}"
    ax.set(xlabel=ALONG, ylabel=at, title=f"Bounded first as kappa falls: {named}")
    _legend_below(ax)


def _draw_curves(ax: Any, grid: list[float], panel: Result) -> None:
    ax.plot(grid, panel["truth"], color="black", label="truth")
    ax.plot(grid, panel["floor"], ":", color="grey", label="ridge without outliers")
    ax.plot(grid, panel["ridge"], "--", color="C0", label="ridge")
    ax.plot(grid, panel["huber"], color="C1", label="Huber")
    copied = "its flipped copy trained on" if panel["flipped_copy"] else "without a flipped copy"
    ax.set(xlabel="t", title=f"Curve {panel['curve']}, left out, {copied}")
