"""Sets of outputs: how many they hold at every level, and the bands of curves."""

from typing import Any

import numpy as np

from .figures import figure


def plot_coverage(found: Any, ax: Any = None) -> Any:
    """Levels against shares, the range where these are to be expected, and the levels where they are not."""
    ax = figure(width=4.6, height=4.4)[1] if ax is None else ax
    strange = np.isin(found.levels, found.unexpected)
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    ax.fill_between(found.levels, found.low, found.high, color="C0", alpha=0.2, linewidth=0, label="to be expected")
    ax.plot(found.levels, found.covered, "o-", color="C0", markersize=3.5, linewidth=1, label="found on test rows")
    if strange.any():
        ax.plot(found.levels[strange], found.covered[strange], "o", color="C3", markersize=5, label="not by chance")
    ax.set(xlabel="confidence level", ylabel="share of outputs in their sets", xlim=(0, 1), ylim=(0, 1.01))
    ax.set_title(f"{len(found.unexpected)} of {len(found.levels)} levels are off", fontsize=10)
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    return ax


def plot_band(sets: Any, y: Any = None, which: Any = (0,), ax: Any = None) -> Any:
    """The band of each curve about its middle, one colour for each, and the truth as a line."""
    if not hasattr(sets, "grid"):
        raise ValueError(f"{type(sets).__name__} is no band; ask for score='band', with curves for outputs.")
    shown = [int(i) for i in np.atleast_1d(which) if 0 <= i < len(sets)]
    if not shown:
        raise ValueError(f"None of the curves {which} is there: the last of these inputs is {len(sets) - 1}.")
    ax = figure()[1] if ax is None else ax
    truth = None if y is None else np.asarray(sets.space.sampled(y))
    for colour, i in enumerate(shown):
        look = {"color": f"C{colour}"}
        for k in range(sets.space.components_):
            middle, low, high = (
                np.reshape(part[i], (len(sets.grid), -1))[:, k] for part in (sets.centres, sets.lower, sets.upper)
            )
            ax.fill_between(sets.grid, low, high, alpha=0.2, linewidth=0, **look)
            ax.plot(sets.grid, middle, linestyle="--", linewidth=1, label=None if k else f"prediction {i}", **look)
            if truth is not None:
                ax.plot(sets.grid, truth[i][:, k], linewidth=1, label=None if k else f"curve {i}", **look)
    ax.set(xlabel="t", title=f"bands that hold {sets.level:.0%} of the curves, whole")
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
