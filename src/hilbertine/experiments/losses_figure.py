"""The losses in one and two dimensions, with the profiles that stand for them in the dual."""

import math
from typing import Any

import numpy as np

from .. import losses
from .base import Result, Settings

TITLE = "Losses phi(|p - y|), with phi*(s) = a s^2/2 + b s up to s = c"
NOTE = (
    "a: curvature; b: residuals up to b cost nothing; c: the largest slope, no sample pulls harder. Without a, b, c: "
    "a profile phi* of another form. phi(t) is the loss of a residual of norm t, phi'(t) its slope."
)
# A loss, what it is called, and the name of its parameter.
Named = tuple[str, str, losses.Radial]
NORM, SQUARE = ("norm", "", losses.Norm()), ("square", "", losses.Square())
# The three figures of the paper: standard loss, robust loss, and how far residuals are drawn.
PAIRS: list[tuple[Named, Named, float]] = [
    (NORM, ("epsilon-SVR", "epsilon", losses.EpsilonNorm(2.0)), 4.0),
    (SQUARE, ("epsilon-ridge", "epsilon", losses.EpsilonSquare(1.5)), 4.0),
    (SQUARE, ("Huber", "kappa", losses.Huber(0.8)), 2.5),
]
# Further losses that the paper admits, the last an infimal convolution.
OTHERS: list[Named] = [
    ("t^eta / eta", "eta", losses.Power(1.5)),
    ("t log t + 1/e", "", losses.LogNorm()),
    ("exp t - 1", "", losses.ExpNorm()),
    ("epsilon-insensitive exp", "epsilon", losses.EpsilonInsensitive(losses.ExpNorm(), 0.5)),
]
GREEK = {"epsilon": "ε", "kappa": "κ", "eta": "η"}
# Okabe and Ito: told apart by all forms of colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
AXES = {
    "residual": "residual p − y", "value": "loss", "t": "residual norm t = |p − y|", "s": "length s of a dual variable",
    "phi": "loss φ(t)", "slope": "slope φ'(t)", "profile": "profile φ*(s)",
}  # fmt: skip


def run(settings: Settings) -> Result:
    """Values of the losses on segments and squares, and profiles where they are finite."""
    n = 31 if settings.quick else 61
    t = np.linspace(0.0, 2.0, 4 * n - 3)
    pairs, others = [], []
    for standard, robust, reach in PAIRS:
        x, grid = t * reach - reach, np.linspace(-reach, reach, n)
        square = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
        both = [_row(*named) | _on_line(named[2], x) | _profile(named[2], 2.0) for named in (standard, robust)]
        surface = robust[2].value(square, 0.0 * square).reshape(n, n)
        pairs.append({"standard": both[0], "robust": both[1], "grid": grid.tolist(), "surface": surface.tolist()})
    for named in OTHERS:
        curves = {"t": t.tolist(), "phi": named[2].phi(t).tolist(), "slope": named[2].slope(t).tolist()}
        others.append(_row(*named) | curves | _profile(named[2], 3.0))
    rows = [_row(*named) for named in (NORM, SQUARE, *(robust for _, robust, _ in PAIRS), *OTHERS)]
    record = {"experiment": "losses", "settings": {"quick": settings.quick, "grid": n}}
    return {**record, "rows": rows, "pairs": pairs, "others": others}


def _row(name: str, letter: str, loss: losses.Radial) -> Result:
    """A loss by its numbers: a, b and c are null where it has none, c also where it is infinite."""
    a, b, c = loss.coefficients or (None, None, math.inf)
    t = np.array([1.0, 3.0])
    (phi1, phi3), (_, slope3) = loss.phi(t).tolist(), loss.slope(t).tolist()
    return {
        "loss": name, "code": repr(loss), "letter": letter, "parameter": getattr(loss, letter) if letter else None,
        "a": a, "b": b, "c": None if math.isinf(c) else c, "phi(1)": phi1, "phi(3)": phi3, "slope(3)": slope3,
    }  # fmt: skip


def _on_line(loss: losses.Radial, x: Any) -> Result:
    return {"residual": x.tolist(), "value": loss.value(x[:, None], 0.0 * x[:, None]).tolist()}


def _profile(loss: losses.Radial, longest: float) -> Result:
    s = np.linspace(0.0, min(loss.cap, longest), 121)
    return {"s": s.tolist(), "profile": loss.profile(s).tolist()}


def columns(result: Result) -> tuple[list[str], list[list[str]]]:
    """The numbers of every loss as text."""
    head = ["loss", "param", "a", "b", "c", "phi(1)", "phi(3)", "phi'(3)"]
    body = [
        [
            row["loss"],
            "" if row["parameter"] is None else f"{row['parameter']:g}",
            *("" if row["a"] is None else "inf" if row[key] is None else f"{row[key]:g}" for key in "abc"),
            *(f"{row[key]:.3f}" for key in ("phi(1)", "phi(3)", "slope(3)")),
        ]
        for row in result["rows"]
    ]
    return head, body


def draw(result: Result) -> Any:
    """A row for each pair: the loss in one dimension, in two, and its profile; then phi, phi' and phi* of others."""
    from ..plotting import figure

    fig, axes = figure(4, 3, width=11, height=12.5)
    for (line, plane, dual), pair, colour in zip(axes[:3], result["pairs"], COLOURS[:3], strict=True):
        robust = pair["robust"]
        edge, inside = robust["parameter"], "no loss" if robust["b"] else "as the square"
        said = f"|p − y| ≤ {GREEK[robust['letter']]}: {inside}"
        line.axvspan(-edge, edge, color=colour, alpha=0.13, linewidth=0, label=said)
        _draw_both(line, pair, "residual", "value", colour)
        _draw_plane(plane, pair, colour)
        plane.text(0, 0, inside.replace("the ", "the\n"), ha="center", va="center", fontsize=8)
        if robust["c"]:
            dual.axvspan(robust["c"], 2.0, color="0.9")
            who = "both" if pair["standard"]["c"] else robust["loss"]
            dual.text(1.95, 0.15, f"φ* = ∞ ({who})", ha="right", fontsize=8)
        _draw_both(dual, pair, "s", "profile", colour)
        for ax, what in ((line, "one dimension"), (plane, "two dimensions"), (dual, "profile in the dual")):
            ax.set_title(f"{_label(robust)}: {what}", fontsize=10)
    for ax, x, y in zip(axes[3], ("t", "t", "s"), ("phi", "slope", "profile"), strict=True):
        for row, colour, style in zip(result["others"], COLOURS, ("-", "--", "-.", ":"), strict=True):
            ax.plot(row[x], row[y], style, color=colour, linewidth=2, label=_label(row))
        ax.set(xlabel=AXES[x], ylabel=AXES[y], xlim=(0, row[x][-1]), ylim=(-0.08, 4))
        ax.set_title(f"Other losses: {AXES[y]}", fontsize=10)
    axes[3, 0].legend(fontsize=8, frameon=False)
    return fig


def _label(row: Result) -> str:
    name, letter = row["loss"].replace(" - ", " − "), row["letter"]
    return f"{name.replace(letter, GREEK[letter])}, {GREEK[letter]} = {row['parameter']:g}" if letter else str(name)


def _draw_both(ax: Any, pair: Result, x: str, y: str, colour: str) -> None:
    standard, robust = pair["standard"], pair["robust"]
    ax.plot(robust[x], robust[y], color=colour, linewidth=2.2, label=_label(robust))
    ax.plot(standard[x], standard[y], "k--", linewidth=1.3, label=f"{_label(standard)} (standard)")
    top, ends = max(standard[y] + robust[y]), (min(standard[x]), 2.0 if x == "s" else max(standard[x]))
    ax.set(xlabel=AXES[x], ylabel=AXES[y], xlim=ends, ylim=(-0.02 * top, 1.35 * top))
    ax.legend(fontsize=8, frameon=False, loc="upper left" if x == "s" else "upper center")


def _draw_plane(ax: Any, pair: Result, colour: str) -> None:
    from matplotlib import colors, patches, ticker

    x, values = np.array(pair["grid"]), np.array(pair["surface"])
    shades = colors.LinearSegmentedColormap.from_list("shades", ["white", colour])
    ax.pcolormesh(x, x, values, cmap=shades, vmin=0, shading="gouraud", rasterized=True)
    levels = ticker.MaxNLocator(9, steps=[1, 2, 5, 10]).tick_values(0, values.max())[1:]
    lines = ax.contour(x, x, values, levels=levels, colors="black", linewidths=0.7)
    # Labels go where the levels cross the diagonal, up to the corner.
    crossings = np.interp(levels, np.diagonal(values)[len(x) // 2 :], x[len(x) // 2 :])
    ax.clabel(lines, fontsize=7, manual=[(c, c) for c in crossings if c < 0.92 * x[-1]])
    ax.add_patch(patches.Circle((0, 0), pair["robust"]["parameter"], fill=False, linestyle=":", linewidth=1.3))
    ax.set(aspect="equal", xlabel="first coordinate of p − y", ylabel="second coordinate of p − y")
