"""docs/robustness.md and its figure from the errors of `benchmarks/robustness.py`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hilbertine.plotting import figure

# Two methods are told apart by so many standard errors of their difference, and by so large a part of the error:
# smaller differences turn with the grid of candidates.
SURE, PART = 2.0, 0.05
LOOKS = [
    ("tab:red", "o-"), ("tab:orange", "s-"), ("tab:blue", "o--"), ("tab:cyan", "s--"), ("0.3", "^:"), ("0.6", "v:"),
    ("black", "x:"),
]  # fmt: skip


@dataclass
class Measured:
    """errors[kind, method, rate, seed], and what the page says about how they were found."""

    kinds: dict[str, str]
    methods: list[str]
    pairs: list[tuple[str, str]]
    rates: tuple[int, ...]
    errors: Any
    gap: float
    tol: float
    # n_intervals of the historical model and the error of the concurrent one, for each seed.
    prepared: list[tuple[int, float]]
    sizes: tuple[int, int, int]


def standard_error(values: Any) -> Any:
    return np.std(values, axis=-1, ddof=1) / np.sqrt(values.shape[-1])


def unsure(one: Any, other: Any) -> Any:
    """The largest difference of the means that tells nothing; differences are taken seed by seed."""
    return np.maximum(SURE * standard_error(one - other), PART * other.mean(axis=-1))


def markdown(lines: list[list[str]]) -> str:
    rows = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in rows)


def table(E: Any, methods: list[str], rates: tuple[int, ...]) -> str:
    """Means and standard errors; in bold the best of a column and what cannot be told from it."""
    best = E[np.argmin(E.mean(axis=-1), axis=0), np.arange(len(rates))]
    bold = (E - best).mean(axis=-1) <= unsure(E, best)
    lines = [["", *(f"{rate} %" for rate in rates)]]
    for name, means, bars, tied in zip(methods, E.mean(axis=-1), standard_error(E), bold, strict=True):
        cells = [f"{mean:.3f} ± {bar:.3f}" for mean, bar in zip(means, bars, strict=True)]
        lines.append([name, *(f"**{cell}**" if yes else cell for cell, yes in zip(cells, tied, strict=True))])
    return markdown(lines)


def spans(where: Any, rates: tuple[int, ...]) -> str:
    """The rates that are marked, neighbours joined: 5-20, 30 %."""
    runs: list[list[int]] = []
    for k in np.flatnonzero(where):
        if runs and k == runs[-1][-1] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    return ", ".join(f"{rates[run[0]]}-{rates[run[-1]]}" if run[1:] else f"{rates[run[0]]}" for run in runs) + " %"


def verdict(one: Any, other: Any, rates: tuple[int, ...]) -> str:
    """Where the first method is better or worse than the second, seed by seed."""
    mean, bar = (other - one).mean(axis=-1), unsure(one, other)
    sides = {"lower": mean > bar, "higher": mean < -bar, "tied": np.abs(mean) <= bar}
    return "; ".join(f"{side} {spans(where, rates)}" for side, where in sides.items() if where.any())


def verdicts(m: Measured) -> str:
    lines = [["", *m.kinds]]
    for one, other in m.pairs:
        i, j = m.methods.index(one), m.methods.index(other)
        lines.append([f"{one} against {other}", *(verdict(E[i], E[j], m.rates) for E in m.errors)])
    return markdown(lines)


def page(m: Measured) -> str:
    n_train, n_test, points = m.sizes
    intervals, concurrent = ", ".join(str(n) for n, _ in m.prepared), np.array([e for _, e in m.prepared])
    sections = [
        f"## {kind.capitalize()}\n\n{table(E, m.methods, m.rates)}\n" for kind, E in zip(m.kinds, m.errors, strict=True)
    ]
    kinds = "\n".join(f"- {kind}: {what}" for kind, what in m.kinds.items())
    return f"""# What outliers do to predicted curves

Made by `python benchmarks/robustness.py` (after `pip install ".[benchmarks]"`).

![Error on clean curves against the share of outliers](robustness.png)

{n_train} pairs of curves train each model (`datasets.make_curves`, {points} points), a growing share of them with a
contaminated output; {n_test} other pairs without noise or outliers test it. The outliers, of `datasets.outliers`:

{kinds}

The error is the mean squared L2 norm on the test curves, its mean and standard error over {m.errors.shape[-1]} seeds;
predicting zero costs about 1, and models that come near it have given up.

## Which error is lower, and where

By more than {SURE:g} standard errors of the difference, seed by seed, and by more than {PART:.0%}; what is less is
"tied", and may turn with the grid of candidates.

{verdicts(m)}

## How the parameters are chosen

On the contaminated curves, by five folds and the median of all held-out squared errors. The four losses share the
kernel (Gaussian, width by the median distance), the basis (21 cosines) and the effort: 27 candidates each, 9 values of
lam with 3 of epsilon or kappa, or 27 of lam for ridge. Their largest relative duality gap is {m.gap:.0e},
{m.tol:.0e} being asked.

From scikit-fda: functional partial least squares (1 to 16 components), nearest neighbours (1 to 16 of them, weighted
evenly or by distance), and the historical linear model, which assumes that a curve is driven by the past of its input,
as these are. It is too slow for a search at each point: its number of intervals, {intervals} for the
seeds, is chosen on clean curves, in its favour. The concurrent linear model relates y(t) to x(t) alone and does not fit
these curves: without outliers its error is {concurrent.mean():.3f} ± {standard_error(concurrent):.3f}. It
is left out.

In bold below: the smallest error of a column, and those tied with it.

{chr(10).join(sections)}"""


def draw(m: Measured, path: Path) -> None:
    """One panel for each kind of outliers: bounded influence in warm colours, square in cold, scikit-fda in grey."""
    fig, axes = figure(2, 2, width=10, height=7.4)
    for ax, (kind, what), E in zip(axes.flat, m.kinds.items(), m.errors, strict=True):
        for name, values, (colour, mark) in zip(m.methods, E, LOOKS, strict=True):
            bars = standard_error(values)
            ax.errorbar(m.rates, values.mean(axis=-1), bars, fmt=mark, color=colour, markersize=4, label=name)
        ax.set_yscale("log")
        ax.set_yticks([0.03, 0.1, 0.3, 1.0], ["0.03", "0.1", "0.3", "1"])
        ax.set_yticks([], minor=True)
        ax.set_ylim(0.9 * m.errors.mean(axis=-1).min(), 1.5)
        ax.set_title(f"{kind}: {what}", fontsize=9)
        ax.set(xlabel="share of outliers in the training set, %", ylabel="error on clean curves")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=9)
    fig.savefig(path)
