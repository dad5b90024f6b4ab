"""What a functional regression looks like: predicted curves, and the training curves that it does not believe."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from ..arrays import to_numpy
from ..spaces import L2
from .figures import figure

# As many as matplotlib has colours before its grey.
MOST_NAMED = 7
MUTED = "tan"


def plot_prediction(model: Any, X: Any, y: Any, which: Any, ax: Any) -> Any:
    """Dashed predictions, one colour for each curve, over solid truths."""
    space = _space(model)
    predicted = _values(space, model.embed(X))
    truth = predicted if y is None else space.sampled(y)
    check_consistent_length(predicted, truth)
    shown = [int(i) for i in np.atleast_1d(which) if i < len(predicted)]
    if not shown:
        raise ValueError(f"None of the curves {which} is there: the last of these inputs is {len(predicted) - 1}.")
    ax = figure()[1] if ax is None else ax
    for colour, i in enumerate(shown):
        if y is not None:
            _draw(ax, space, truth[i], f"curve {i}", color=f"C{colour}", alpha=0.5)
        _draw(ax, space, predicted[i], f"prediction {i}", color=f"C{colour}", linestyle="--")
    ax.set(xlabel="t", title=f"{model.loss_!r}, lam = {model.lam_:.3g}, duality gap {model.dual_gap_:.0e}")
    _legend(ax)
    return ax


def plot_outliers(model: Any, ax: Any) -> Any:
    """All training curves as the basis holds them, the suspects in colour, the worst of these by name."""
    space, found = _space(model), model.suspects()
    C = model.targets_ if model.centre_ is None else model.targets_ + model.centre_
    curves = _values(space, C)
    flagged = found.samples[found.flagged]
    named, others = flagged[:MOST_NAMED], flagged[MOST_NAMED:]
    ax = figure()[1] if ax is None else ax
    for curve in np.delete(curves, flagged, axis=0):
        _draw(ax, space, curve, None, color="0.75", linewidth=0.8)
    for k, i in enumerate(named):
        _draw(ax, space, curves[i], f"curve {i}", color=f"C{k}", zorder=3)
    for k, i in enumerate(others):
        _draw(ax, space, curves[i], None if k else f"{len(others)} more suspects", color=MUTED, linewidth=0.8)
    title = f"{len(flagged)} of {len(curves)} curves are suspects"
    # A loss without a bound has followed the worst of them.
    ax.set_xlabel("t")
    ax.set_title(title if np.isfinite(model.loss_.cap) else f"{title}; the loss bounds none", fontsize=10)
    if len(flagged) > 0:
        _legend(ax)
    return ax


def _draw(ax: Any, space: L2, curve: Any, label: str | None, **look: Any) -> None:
    """The components of a curve look alike and share one label."""
    first, *_ = ax.plot(space.grid_, curve, **look)
    if label:
        first.set_label(label)


def _legend(ax: Any) -> None:
    """Beside the axes: curves leave no room among them."""
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _space(model: Any) -> L2:
    if not isinstance(model.space_, L2):
        raise ValueError("This model predicts numbers; only curves are drawn.")
    return model.space_


def _values(space: L2, C: Any) -> Any:
    """The curves (n, points, components) of these coordinates, as NumPy arrays."""
    return np.einsum("ijk,tj->itk", to_numpy(C).reshape(C.shape[0], -1, space.components_), space.functions_)
