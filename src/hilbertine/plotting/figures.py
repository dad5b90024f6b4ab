"""One look for all figures; matplotlib is imported when a figure is made."""

from typing import Any


def figure(rows: int = 1, columns: int = 1, width: float = 6.0, height: float = 4.0) -> tuple[Any, Any]:
    """A figure and its axes, without the frame lines that carry nothing; drawn without a screen."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Figures are drawn by matplotlib, which is not installed; install it with: pip install 'hilbertine[tables]'"
        ) from error
    fig = Figure(figsize=(width, height), dpi=150, layout="constrained")
    axes = fig.subplots(rows, columns)
    for ax in fig.axes:
        ax.spines[["top", "right"]].set_visible(False)
    return fig, axes
