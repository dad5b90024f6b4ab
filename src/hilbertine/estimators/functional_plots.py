"""What a functional regression looks like: predicted curves, and the training curves it distrusts."""

from typing import Any

import numpy as np

from ..arrays import to_numpy
from ..plotting import figure
from ..spaces import L2
from ..spaces.curves import on_grid, read_curves

MOST_NAMED = 10


def plot_prediction(model: Any, X: Any, y: Any, which: Any, ax: Any) -> Any:
    """Dashed predictions, one colour for each curve, over solid truths."""
    space = _space(model)
    C = model.embed(X)
    predicted = _values(space, C)
    truth = None if y is None else on_grid(read_curves(y), space.grid_)
    ax = figure()[1] if ax is None else ax
    for colour, i in enumerate(np.atleast_1d(which)):
        if i >= predicted.shape[0]:
            break
        if truth is not None:
            ax.plot(space.grid_, truth[i], color=f"C{colour}", alpha=0.5, label=f"curve {i}")
        ax.plot(space.grid_, predicted[i], "--", color=f"C{colour}", label=f"prediction {i}")
    ax.set(xlabel="t", title=f"{model.loss_!r}, lam = {model.lam_:.3g}, duality gap {model.dual_gap_:.0e}")
    ax.legend(frameon=False, fontsize=8)
    return ax


def plot_outliers(model: Any, ax: Any) -> Any:
    """All training curves as the basis holds them; those with |w_i| = c in colour, named by their index."""
    space = _space(model)
    curves = _values(space, model.targets_)
    suspected = to_numpy(model.saturated_)
    ax = figure()[1] if ax is None else ax
    for curve in np.delete(curves, suspected, axis=0):
        ax.plot(space.grid_, curve, color="0.75", linewidth=0.8)
    for k, i in enumerate(suspected):
        ax.plot(space.grid_, curves[i], color=f"C{k % 10}", label=f"curve {i}" if k < MOST_NAMED else None)
    bounded = f"{len(suspected)} of {len(curves)} curves reach the bound on the influence of a sample"
    ax.set(xlabel="t", title=bounded if np.isfinite(model.loss_.cap) else f"{model.loss_!r} bounds no influence")
    if len(suspected) > 0:
        ax.legend(frameon=False, fontsize=8)
    return ax


def _space(model: Any) -> L2:
    if not isinstance(model.space_, L2):
        raise ValueError("This model predicts numbers; only curves are drawn.")
    return model.space_


def _values(space: L2, C: Any) -> Any:
    """The curves (n, points, components) of these coordinates, as NumPy arrays."""
    return np.einsum("ijk,tj->itk", to_numpy(C).reshape(C.shape[0], -1, space.components_), space.functions_)
