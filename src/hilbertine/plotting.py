"""One look for all figures; matplotlib is imported when a figure is made."""

from typing import Any

import numpy as np

from .arrays import to_numpy

# Suspects that are named in a plot.
NAMED = 12


def figure(rows: int = 1, columns: int = 1, width: float = 6.0, height: float = 4.0) -> tuple[Any, Any]:
    """A figure and its axes, without the frame lines that carry nothing; drawn without a screen."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(width, height), dpi=150, layout="constrained")
    axes = fig.subplots(rows, columns)
    for ax in fig.axes:
        ax.spines[["top", "right"]].set_visible(False)
    return fig, axes


def plot_residuals(norms: Any, found: Any, loss: Any, ax: Any = None) -> Any:
    """Sorted residual norms, the bound or the tube of the loss, and the suspects by name."""
    ax = figure()[1] if ax is None else ax
    ordered = np.asarray(to_numpy(norms), dtype=float)[found.samples][::-1]
    flagged, places = found.flagged[::-1], np.arange(len(ordered))
    ax.plot(places[~flagged], ordered[~flagged], ".", color="0.6", markersize=4)
    ax.plot(places[flagged], ordered[flagged], "o", color="C3", markersize=4, label="suspects")
    known = loss.coefficients
    if known is not None and known.a > 0 and np.isfinite(known.c):
        ax.axhline(known.c, color="C0", linewidth=1, label="beyond this a sample pulls no harder")
    if known is not None and known.b > 0:
        ax.axhline(known.b, color="C2", linewidth=1, label="inside this a sample costs nothing")
    for place, sample in list(zip(places, found.samples[::-1], strict=True))[::-1][: min(int(flagged.sum()), NAMED)]:
        ax.annotate(
            str(sample), (place, ordered[place]), textcoords="offset points", xytext=(-4, 3), ha="right", fontsize=8
        )
    ax.set(
        xlabel="training samples, sorted", ylabel="distance of prediction and output",
        title=f"{int(flagged.sum())} of {len(ordered)} samples are suspects",
    )  # fmt: skip
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    return ax
