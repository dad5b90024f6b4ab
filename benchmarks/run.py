"""`python benchmarks/run.py [--quick]`: all tables of docs/benchmarks.md and its figure, from one run.

Times are ratios to one KernelRidge fit on the same Gram matrix, measured before and after and the smaller taken; gaps
are computed by benchmarks/objective.py, not by the solver.
"""

import argparse
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from datasets import DATA, synthetic, yeast
from grid import FAMILIES, LAMS, instances
from joblib import Parallel, delayed
from measure import geometric_mean, price_of_ridge, timed
from objective import Instance, relative_gap
from solvers import algorithm_1, clarabel, fista, multitask_lasso, ours, skglm_solver

from hilbertine.dual import Dual
from hilbertine.losses import EpsilonNorm, EpsilonSquare, Huber, Loss
from hilbertine.operator_kernels import Kronecker
from hilbertine.plotting import figure
from hilbertine.risk import Risk
from hilbertine.solvers import Recipe, path

TOL = 1e-6
PATH_LAMS = np.logspace(-8, -1, 20).tolist()
DOCS = Path(__file__).parent.parent / "docs"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def prices(quick: bool) -> tuple[str, dict[str, list[float]]]:
    """One robust fit in ridge fits."""
    rows, ratios = [], {}
    for data, load in list(DATA.items())[: 1 if quick else None]:
        K, T = load()
        for family in FAMILIES:
            grid = list(instances(data, K, T, family, LAMS[1:4:2] if quick else LAMS))
            before = price_of_ridge(grid[0])
            results = [timed(ours, instance, TOL) for instance in grid]
            price = min(before, price_of_ridge(grid[0]))
            values = [result.seconds / price for result in results]
            ratios[f"{data}, {family}"] = values
            worst_gap = max(result.gap for result in results)
            shape = f"{K.shape[0]} x {T.shape[1]}"
            converged = sum(result.gap <= 1.001 * TOL for result in results)
            rows.append(
                [data, shape, family, f"{geometric_mean(values):.2f}", f"{max(values):.1f}",
                 f"{converged} of {len(values)}", f"{worst_gap:.0e}"]
            )  # fmt: skip
            say(" ".join(rows[-1]))
    head = ["data", "n x m", "loss", "geometric mean", "worst", "at the gap", "largest gap"]
    return table(head, rows), ratios


def peers(quick: bool) -> str:
    """What others take on the same instance to the same gap."""
    K, T = yeast()
    small = np.ix_(np.arange(400), np.arange(400))
    problems = [
        Instance("YEAST", "epsilon-ridge 0.6", K, T, 1.6e-3, 1.0, 0.6, np.inf),
        Instance("YEAST", "Huber 1", K, T, 1.6e-3, 1.0, 0.0, 1.0),
        Instance("YEAST", "epsilon-SVR 0.1", K, T, 1.6e-3, 0.0, 0.1, 1.0),
        Instance("YEAST, first 400", "epsilon-ridge 0.6", K[small].copy(), T[:400], 1.6e-3, 1.0, 0.6, np.inf),
    ]
    rows = []
    for problem in problems[3:] if quick else problems:
        reference = timed(ours, problem, TOL, 5)
        rows.append([problem.data, problem.loss, ours.NAME, "1", f"{reference.gap:.0e}"])
        for solver in (fista, multitask_lasso, skglm_solver, algorithm_1, clarabel):
            # Algorithm 1 takes minutes on each: once is enough.
            if solver.supports(problem) and (solver is not algorithm_1 or problem is problems[0]):
                if solver is skglm_solver:
                    timed(solver, problems[3], 1.0)
                result = timed(solver, problem, TOL)
                ratio = result.seconds / reference.seconds
                rows.append([problem.data, problem.loss, solver.NAME, f"{ratio:.1f}", f"{result.gap:.0e}"])
                say(" ".join(rows[-1]))
    return table(["data", "loss", "solver", "time / hilbertine", "gap reached"], rows)


def one_path(K: np.ndarray, T: np.ndarray, losses: list[Loss]) -> list[tuple[float, np.ndarray]]:
    """All points of one fold, as (lam, W), losses in the order given within each lam."""
    dual = Dual(Kronecker.dense(K, T.shape[1]), Risk(losses[0], T), 1.0)
    found = sorted(path(dual, PATH_LAMS, losses, Recipe(tol=TOL)), key=lambda point: point[:2])
    return [(PATH_LAMS[i], solution.W) for i, _, solution in found]


def paths(quick: bool) -> str:
    """A grid of 20 lam x 10 values on the training parts of five folds, two at once, per point and fold."""
    K, T = yeast()
    rows = []
    grids: dict[str, list[Loss]] = {
        "Huber": [Huber(k) for k in np.logspace(-3, 1, 10)],
        "epsilon-ridge": [EpsilonSquare(e) for e in np.linspace(0.1, 1, 10)],
        "epsilon-SVR": [EpsilonNorm(e) for e in np.linspace(0.1, 1, 10)],
    }
    trains = [np.flatnonzero(np.arange(len(K)) % 5 != k) for k in range(2 if quick else 5)]
    folds = [(K[np.ix_(train, train)].copy(), T[train]) for train in trains]
    for name, losses in grids.items():
        ridge = Instance("", "", *folds[0], 1e-3, 1.0, 0.0, np.inf)
        before = price_of_ridge(ridge)
        with Parallel(n_jobs=2) as parallel:
            # Workers that exist already: the price of starting them is not the solver's.
            parallel(delayed(one_path)(part[:50, :50], targets[:50], losses[:1]) for part, targets in folds)
            start = time.perf_counter()
            found = parallel(delayed(one_path)(part, targets, losses) for part, targets in folds)
            spent = (time.perf_counter() - start) / (len(folds) * len(losses) * len(PATH_LAMS))
        price = min(before, price_of_ridge(ridge))
        worst = max(
            relative_gap(Instance("", "", *fold, lam, *losses[k % len(losses)].coefficients), W)
            for fold, points in zip(folds, found, strict=True)
            for k, (lam, W) in enumerate(points)
        )
        rows.append([name, f"{len(folds)}", f"{spent / price:.2f}", f"{worst:.0e}"])
        say(" ".join(rows[-1]))
    return table(["loss", "folds", "per point and fold / KernelRidge", "largest gap"], rows)


def growth(quick: bool) -> tuple[str, dict[str, tuple[list[int], list[float]]]]:
    """Time against n on the synthetic data, m = 3, and the exponent of a fit in logarithms."""
    sizes = [500, 1000, 2000] if quick else [500, 1000, 2000, 4000, 8000]
    numbers = {"Huber": (1.0, 0.0, 0.3), "epsilon-ridge": (1.0, 0.1, np.inf), "epsilon-SVR": (0.0, 0.1, 1.0)}
    curves: dict[str, tuple[list[int], list[float]]] = {name: (sizes, []) for name in ("KernelRidge", *numbers)}
    for n in sizes:
        K, T = synthetic(3, n)
        problems = {name: Instance("", name, K, T, 1e-3, *abc) for name, abc in numbers.items()}
        curves["KernelRidge"][1].append(price_of_ridge(problems["Huber"], 3))
        for name, problem in problems.items():
            curves[name][1].append(timed(ours, problem, TOL, 1 if n > 2000 else 3).seconds)
        say(f"n = {n}")
    rows = [
        [name, *(f"{s / r:.2f}" for s, r in zip(seconds, curves["KernelRidge"][1], strict=True)),
         f"{np.polyfit(np.log(sizes[1:]), np.log(seconds[1:]), 1)[0]:.2f}"]
        for name, (_, seconds) in curves.items()
    ]  # fmt: skip
    return table(["", *(f"n = {n}" for n in sizes), "exponent from n = 1000"], rows), curves


def draw(ratios: dict[str, list[float]], curves: dict[str, tuple[list[int], list[float]]]) -> None:
    fig, (left, right) = figure(1, 2, width=11, height=0.3 * len(ratios) + 2.2)
    for k, values in enumerate(reversed(ratios.values())):
        left.semilogx(values, [k] * len(values), ".", color="tab:blue", alpha=0.5)
        left.plot(geometric_mean(values), k, "|", color="black", markersize=12)
    left.set_yticks(range(len(ratios)), list(reversed(ratios)), fontsize=7)
    left.axvline(1, color="grey", linestyle=":")
    left.set_xlabel("time / one KernelRidge fit (bar: geometric mean)")
    for name, (sizes, seconds) in curves.items():
        right.loglog(sizes, seconds, "o-", markersize=3, label=name, color="black" if name == "KernelRidge" else None)
    sizes = next(iter(curves.values()))[0]
    right.set_xticks(sizes, [str(n) for n in sizes])
    right.set_xticks([], minor=True)
    right.set_xlabel("n")
    right.set_ylabel("seconds, this machine")
    right.legend(fontsize=8, frameon=False)
    fig.savefig(DOCS / "benchmarks.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small part of the grid, printed and not written")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    priced, ratios = prices(quick)
    compared, along, (grown, curves) = peers(quick), paths(quick), growth(quick)
    text = f"""# Benchmarks

Made by `python benchmarks/run.py` (after `pip install ".[benchmarks]"`) on {platform.machine()}, Python
{platform.python_version()}. Relative duality gap asked: {TOL:g}. Every gap shown is computed from the returned W by
`benchmarks/objective.py`, not by the solver. Times are ratios inside this run; on another machine expect other ones.

## One robust fit in ridge fits

Time of one fit over one scikit-learn `KernelRidge` fit on the same precomputed Gram; lam in
{LAMS}; kappa at the 10/50/90 % quantiles of the ridge row norms, epsilon in
(.1, .6, 1.5) for epsilon-ridge, (.01, .1, .3, .6) for epsilon-SVR.

{priced}

![Every point of the grid, and growth with n](benchmarks.png)

## Against others on the same instance

Each stops by its own rule, asked for the same gap: where the gap reached is far smaller (MultiTaskLasso, skglm,
Clarabel), part of the ratio paid for that; where it is larger, the solver ran into its limit of steps.

{compared}

## A whole grid

20 lam x 10 values on each of five folds of YEAST, two folds at a time as `RegressorCV(n_jobs=2)` runs them; the clock
is that of the wall.

{along}

## Growth with n

Time over KernelRidge at each n (the first row is KernelRidge itself), 3 outputs, lam = 1e-3.

{grown}
"""
    if quick:
        print(text)
        return
    (DOCS / "benchmarks.md").write_text(text, encoding="utf-8")
    draw(ratios, curves)


if __name__ == "__main__":
    main()
