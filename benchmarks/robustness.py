"""`python benchmarks/robustness.py [--quick] [--jobs N]`: docs/robustness.md and its figure, from one run.

The error on clean curves of models whose training curves, and the choice of their parameters, are contaminated.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from peers_of_curves import PEERS, concurrent, intervals

from hilbertine import FunctionalRegressor, RegressorCV, kernels, losses, spaces
from hilbertine.datasets import make_curves, outliers
from hilbertine.plotting import figure

N_TRAIN, N_TEST, POINTS = 100, 200, 50
RATES = tuple(range(0, 45, 5))
LAMS, VALUES = np.logspace(-4, 0, 8), np.geomspace(0.03, 1.0, 4)
DOCS = Path(__file__).parent.parent / "docs"
Contaminated = tuple[Any, Any]


def flip(X: Any, Y: Any, fraction: float, random_state: int) -> Contaminated:
    """The copies take the place of their originals, so that all kinds of outliers leave as many samples."""
    rows = np.random.default_rng(random_state).choice(len(X), round(fraction * len(X)), replace=False)
    X, Y, _ = outliers.append_flipped(X, Y, indices=rows)
    return np.delete(X, rows, axis=0), np.delete(Y, rows, axis=0)


KINDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "sign flips": ("a curve is -1.2 times itself", flip),
    "spikes": (
        "20 standard deviations are added at one point of a curve",
        lambda *data, **chosen: outliers.add_spikes(*data, height=20.0, **chosen),
    ),
    "shapes": ("a curve is replaced by a draw of a rough Gaussian process", outliers.replace_shapes),
    "label noise": ("curves change places with one another", outliers.permute_outputs),
}


def ours(loss: losses.Loss, name: str | None = None) -> Callable[..., tuple[Any, float]]:
    """32 candidates each: 8 lams and 4 values of the loss's own parameter, or 32 lams on the same range."""

    def predict(X: Any, Y: Any, new: Any, grid: Any) -> tuple[Any, float]:
        model = FunctionalRegressor(loss, kernels.Gaussian("median"), spaces.Cosine(21), grid=grid, tol=1e-4)
        lams = np.logspace(-4, 0, 32) if name is None else LAMS
        search = RegressorCV(model, lams, {} if name is None else {f"loss__{name}": VALUES}, average="median")
        return search.fit(X, Y).predict(new), search.best_estimator_.dual_gap_

    return predict


OURS = {
    "Huber": ours(losses.Huber(), "kappa"),
    "epsilon-SVR": ours(losses.EpsilonNorm(), "epsilon"),
    "ridge": ours(losses.Square()),
    "epsilon-ridge": ours(losses.EpsilonSquare(), "epsilon"),
}
METHODS = [*OURS, *PEERS]


def error(predicted: Any, truth: Any, grid: Any) -> float:
    """The mean squared L2 norm."""
    return float(np.mean(np.trapezoid((predicted - truth) ** 2, grid, axis=1)))


def data(seed: int) -> tuple[Any, Any]:
    """Curves to train, with noise, and others to test, without."""
    return (
        make_curves(N_TRAIN, POINTS, random_state=seed),
        make_curves(N_TEST, POINTS, noise=0.0, random_state=1000 + seed),
    )


def measure(kind: str, rate: int, seed: int, size: int) -> tuple[dict[str, float], float]:
    """The error of each method, and the largest duality gap of ours."""
    warnings.simplefilter("ignore")
    train, test = data(seed)
    X, Y = train.data, train.target
    if rate:
        X, Y, *_ = KINDS[kind][1](X, Y, fraction=rate / 100, random_state=seed)
    errors, gap = {}, 0.0
    for name, predict in OURS.items():
        predicted, reached = predict(X, Y, test.data, train.grid)
        errors[name], gap = error(predicted, test.target, train.grid), max(gap, reached)
    for name, other in PEERS.items():
        errors[name] = error(other(X, Y, test.data, train.grid, size), test.target, train.grid)
    print(f"{kind}, {rate} %, seed {seed}", file=sys.stderr, flush=True)
    return errors, gap


def prepare(seed: int) -> tuple[int, float]:
    """What is done once on the clean curves of a seed: n_intervals, and the error of the concurrent model."""
    warnings.simplefilter("ignore")
    train, test = data(seed)
    predicted = concurrent(train.data, train.target, test.data, train.grid)
    return intervals(train.data, train.target, train.grid), error(predicted, test.target, train.grid)


def run(rates: tuple[int, ...], seeds: range, jobs: int) -> tuple[Any, float, list[tuple[int, float]]]:
    """errors[kind, method, rate, seed], the largest gap, and what was prepared."""
    parallel = Parallel(n_jobs=jobs)
    prepared = parallel(delayed(prepare)(seed) for seed in seeds)
    # Without contamination all kinds are the same.
    tasks = [(kind, rate, seed) for k, kind in enumerate(KINDS) for rate in rates for seed in seeds if rate or not k]
    found = dict(zip(tasks, parallel(delayed(measure)(*task, prepared[task[2]][0]) for task in tasks), strict=True))
    first = next(iter(KINDS))
    E = np.array(
        [[[[found[kind if rate else first, rate, seed][0][name] for seed in seeds] for rate in rates]
          for name in METHODS] for kind in KINDS]
    )  # fmt: skip
    return E, max(gap for _, gap in found.values()), prepared


def standard_error(values: Any) -> Any:
    return np.std(values, axis=-1, ddof=1) / np.sqrt(values.shape[-1])


def tied(E: Any) -> Any:
    """Whether a method is the best at its rate, or behind it by at most one standard error of the difference."""
    best = np.argmin(E.mean(axis=-1), axis=0)
    D = E - E[best, np.arange(E.shape[1])]
    return D.mean(axis=-1) <= standard_error(D)


def table(E: Any, rates: tuple[int, ...]) -> str:
    lines = [["", *(f"{rate} %" for rate in rates)], ["---"] * (len(rates) + 1)]
    for name, means, bars, bold in zip(METHODS, E.mean(axis=-1), standard_error(E), tied(E), strict=True):
        cells = [f"{mean:.3f} ± {bar:.3f}" for mean, bar in zip(means, bars, strict=True)]
        lines.append([name, *(f"**{cell}**" if best else cell for cell, best in zip(cells, bold, strict=True))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def verdict(E: Any, rates: tuple[int, ...], one: str, other: str) -> str:
    """Where one method is better than another by more than one standard error of the difference, seed by seed."""
    D = E[METHODS.index(other)] - E[METHODS.index(one)]
    sure = D.mean(axis=-1) / np.maximum(standard_error(D), 1e-300)
    sides = {"lower": sure > 1, "higher": sure < -1, "not told apart": np.abs(sure) <= 1}
    return "; ".join(
        f"{side} at {', '.join(str(rate) for rate, yes in zip(rates, where, strict=True) if yes)} %"
        for side, where in sides.items()
        if where.any()
    )


def page(E: Any, gap: float, prepared: list[tuple[int, float]], rates: tuple[int, ...]) -> str:
    seeds = E.shape[-1]
    aside = np.array([found for _, found in prepared])
    sections = []
    for kind, errors in zip(KINDS, E, strict=True):
        verdicts = "\n".join(
            f"- {one} against {other}: {verdict(errors, rates, one, other)}."
            for one, other in (("Huber", "ridge"), ("epsilon-SVR", "ridge"), ("epsilon-ridge", "ridge"),
                               ("Huber", "partial least squares"), ("Huber", "nearest neighbours"),
                               ("Huber", "historical linear"))
        )  # fmt: skip
        sections.append(f"## {kind.capitalize()}: {KINDS[kind][0]}\n\n{table(errors, rates)}\n\n{verdicts}\n")
    return f"""# What outliers do to predicted curves

Made by `python benchmarks/robustness.py` (after `pip install ".[benchmarks]"`).

![Error on clean curves against the share of outliers](robustness.png)

{N_TRAIN} pairs of curves train each model (`datasets.make_curves`, {POINTS} points), a growing share of them with a
contaminated output; {N_TEST} other pairs without noise or outliers test it. The error is the mean squared L2 norm, its
mean and standard error over {seeds} seeds; predicting zero costs about 1. In bold: the smallest error of a column, and
those behind it by at most one standard error of the difference, seed by seed. Below each table, pairs of methods
compared by the same rule: what is within one standard error is not told apart.

Parameters are chosen on the contaminated curves, by five folds and the median of the squared errors in a fold. The four
losses share the kernel (Gaussian, width by the median distance), the basis (21 cosines) and the effort: 32 candidates
each, 8 values of lam with 4 of epsilon or kappa, or 32 of lam for ridge. Their largest relative duality gap is
{gap:.0e}.

From scikit-fda: functional partial least squares (1 to 16 components), nearest neighbours (1 to 16 of them, weighted
evenly or by distance), and the historical linear model. Curves here are driven by the past of the input, which is what
the historical model assumes. It is too slow for a search at each point: its number of intervals
({", ".join(str(size) for size, _ in prepared)} for the seeds) is chosen on clean curves, in its favour. scikit-fda's
concurrent linear model relates y(t) to x(t) alone and does not fit these curves: without outliers its error is
{aside.mean():.2f} ± {standard_error(aside):.2f}. It is left out.

{chr(10).join(sections)}"""


def draw(E: Any, rates: tuple[int, ...], path: Path) -> None:
    """One panel for each kind of outliers: robust losses in warm colours, square losses in cold, scikit-fda in grey."""
    looks = dict(
        zip(METHODS, [("tab:red", "o-"), ("tab:orange", "s-"), ("tab:blue", "o--"), ("tab:cyan", "s--"),
                      ("0.35", "^:"), ("0.55", "v:"), ("0.2", "x:")], strict=True)
    )  # fmt: skip
    fig, axes = figure(2, 2, width=10, height=7.4)
    for ax, kind, errors in zip(axes.flat, KINDS, E, strict=True):
        for name, values in zip(METHODS, errors, strict=True):
            colour, mark = looks[name]
            ax.errorbar(rates, values.mean(axis=-1), standard_error(values), fmt=mark, color=colour, markersize=4,
                        linewidth=1.3, elinewidth=0.8, label=name)  # fmt: skip
        ax.set_yscale("log")
        ticks = [0.03, 0.1, 0.3, 1.0]
        ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set_yticks([], minor=True)
        ax.set_title(f"{kind}: {KINDS[kind][0]}", fontsize=10)
        ax.set(xlabel="share of outliers in the training set, %", ylabel="error on clean curves")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=9)
    fig.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three rates and two seeds, printed and not written")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    given = parser.parse_args()
    rates = RATES[::4] if given.quick else RATES
    E, gap, prepared = run(rates, range(2 if given.quick else 5), given.jobs)
    text = page(E, gap, prepared, rates)
    if given.quick:
        print(text)
        return
    (DOCS / "robustness.md").write_text(text, encoding="utf-8")
    draw(E, rates, DOCS / "robustness.png")


if __name__ == "__main__":
    main()
