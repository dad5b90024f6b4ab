"""Residual norms in their order, and the rows that the model does not believe."""

from typing import Any

import numpy as np

from ..arrays import to_numpy
from .figures import figure

# Suspects that are named in a plot.
NAMED = 12


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
    named = ", ".join(str(sample) for sample in found.samples[found.flagged][:NAMED])
    if named:
        more = ", .." if flagged.sum() > NAMED else ""
        ax.text(0.98, 0.02, f"worst first: {named}{more}", transform=ax.transAxes, ha="right", fontsize=8)
    ax.set(
        xlabel="training samples, sorted", ylabel="distance of prediction and output",
        title=f"{int(flagged.sum())} of {len(ordered)} samples are suspects",
    )  # fmt: skip
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    return ax
