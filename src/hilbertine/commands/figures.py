"""Pictures of a report: predictions beside what was measured, rows that stand out, what was chosen."""

import base64
from io import BytesIO
from typing import Any

import numpy as np

from ..arrays import Array
from ..plotting import figure
from .summary import Summary

# More panels than this nobody looks at, and more points nobody sees.
MOST_PANELS, MOST_POINTS = 12, 5000


def embedded(fig: Any) -> str:
    """A figure as the address of an image that is its own content."""
    content = BytesIO()
    fig.savefig(content, format="png", dpi=110)
    return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"


def truths(summary: Summary) -> Any:
    """Each output as predicted without its row, over what was measured; the suspects in red."""
    names = summary.outputs[:MOST_PANELS]
    columns = min(3, len(names))
    fig, axes = figure(-(-len(names) // columns), columns, 3.2 * columns, 3.0 * -(-len(names) // columns))
    bad = np.isin(summary.tested, summary.flagged)
    shown = np.random.default_rng(0).permutation(len(bad))[:MOST_POINTS]
    for ax, name, k in zip(np.ravel(axes), names, range(len(names)), strict=False):
        y, p = summary.truth[shown, k], summary.predicted[shown, k]
        for chosen, colour, label in ((~bad[shown], "0.45", "rows"), (bad[shown], "C3", "suspects")):
            ax.plot(p[chosen], y[chosen], ".", color=colour, markersize=4, label=label)
        ax.axline((float(np.nanmedian(p)),) * 2, slope=1, color="C0", linewidth=1)
        ax.set(title=plain(name), xlabel="predicted by models without the row", ylabel="measured")
        ax.title.set_fontsize(10)
    for ax in np.ravel(axes)[len(names) :]:
        ax.set_visible(False)
    np.ravel(axes)[0].legend(frameon=False, fontsize=8)
    return fig


def curves(summary: Summary) -> Any:
    """Six curves that were not seen and their predictions, from the best predicted to the worst."""
    fig, axes = figure(2, 3, 9.6, 5.2)
    off = np.sqrt(np.nanmean((summary.truth - summary.predicted) ** 2, axis=1))
    order = np.argsort(off, kind="stable")
    chosen = order[np.linspace(0, len(order) - 1, 6).astype(int)]
    grid, names = summary.choice.model.space_.grid_, summary.names
    for ax, i in zip(np.ravel(axes), chosen, strict=True):
        ax.plot(grid, summary.truth[i], color="0.45", label="measured")
        ax.plot(grid, summary.predicted[i], "--", color="C0", label="predicted")
        suspect = summary.tested[i] in summary.flagged
        ax.set_title(plain(names[summary.tested[i]]) + (", a suspect" if suspect else ""), fontsize=9)
    np.ravel(axes)[0].legend(frameon=False, fontsize=8)
    return fig


def distances(summary: Summary) -> Any:
    """How far each row is from its prediction, in medians, sorted; the suspects in red."""
    found = summary.suspects
    ratios, flagged = found.ratios[::-1], found.flagged[::-1]
    places = np.arange(1, len(ratios) + 1)
    fig, ax = figure(1, 1, 6.4, 2.8)
    ax.plot(places[~flagged], ratios[~flagged], ".", color="0.45", markersize=4, label="rows")
    ax.plot(places[flagged], ratios[flagged], ".", color="C3", markersize=5, label="suspects")
    ax.set(xlabel="rows, sorted", ylabel="times the usual distance")
    ax.legend(frameon=False, fontsize=8)
    return fig


def search(summary: Summary) -> Any:
    """The error on rows left out for each lam; the best one marked."""
    results = summary.choice.search.cv_results_
    lams = np.array([float(point["lam"]) for point in results["params"]])
    errors = -np.asarray(results["mean_test_score"], dtype=np.float64)
    fig, ax = figure(1, 1, 5.0, 2.8)
    ax.loglog(lams, errors, "o-", color="0.45", markersize=3)
    best = summary.choice.search.best_index_
    ax.loglog(lams[best], errors[best], "o", color="C3", label="chosen")
    ax.set(xlabel="lam: left follows every row, right is smoother", ylabel="error on rows left out")
    ax.legend(frameon=False, fontsize=8)
    return fig


def plain(name: str, most: int = 32) -> str:
    """A name of a bearable length, where $ is a sign like others."""
    return (name if len(name) <= most else f"{name[: most - 1]}…").replace("$", r"\$")


def worst_output(summary: Summary, row: int) -> tuple[str, float, float]:
    """(output, measured, predicted) where one of the worst suspects is farthest off, in spreads.

    Predicted by a model that has not seen the row, where there is one.
    """
    if row in summary.tested:
        k = int(np.flatnonzero(summary.tested == row)[0])
        truth, predicted = summary.truth[k], summary.predicted[k]
    else:
        truth = summary.model.restored(summary.found.values[[row]])[0]
        predicted = summary.said[int(np.flatnonzero(summary.flagged == row)[0])]
    off: Array = np.abs(truth - predicted) / summary.found.scale
    at = int(np.nanargmax(off))
    name = summary.found.names[at] if summary.found.curves is None else summary.found.curves[1]
    return name, float(truth[at]), float(predicted[at])
