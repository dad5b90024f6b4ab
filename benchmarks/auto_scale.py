"""`python benchmarks/auto_scale.py [--seeds 20] [--keep FOLDER]`: docs/auto_scale.md, what kappa="auto" loses.

The best kappa is the one of a fine grid with the smallest mean error on clean test rows, which nobody has.
"""

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from out_of_the_box import relative_error, spoilt
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import train_test_split
from tables import SYNTHETIC, TABLES, waves
from threadpoolctl import threadpool_limits

from hilbertine import HuberRegressor
from hilbertine.kernels import Gaussian
from hilbertine.solvers.scale import LOOSE, REFITS

REAL = ("body", "soil", "interest", "air")
NAMES = (*SYNTHETIC, *REAL)
SHARES = (0.0, 0.1, 0.2, 0.3)
# Largest first: each fit starts from the one before it.
GRID = np.geomspace(10.0, 0.03, 18)
MOST, TOL = 300, 1e-4
LAM = 1e-3
PAGE = Path(__file__).parent.parent / "docs" / "auto_scale.md"


def errors(name: str, share: float, seed: int) -> list[float]:
    """Of "auto", then of each kappa of the grid; its unit is the median norm of the centred clean outputs."""
    X, new, Y, truth = train_test_split(*TABLES[name].load(), train_size=0.6, random_state=seed)
    X, Y = X[:MOST], Y[:MOST]
    unit = float(np.median(np.linalg.norm(Y - np.median(Y, axis=0), axis=1)))
    seen, scale = spoilt(Y, share, 0.0, np.random.default_rng([seed, round(100 * share)])), Y.std(axis=0)

    def error(model: HuberRegressor) -> float:
        return relative_error(model.fit(X, seen).predict(new), truth, scale)

    warm = HuberRegressor(lam=LAM, tol=TOL, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [error(HuberRegressor(lam=LAM, tol=TOL))]
        return found + [error(warm.set_params(kappa=unit * kappa)) for kappa in GRID]


def kept(folder: Path | None, *key: Any) -> list[float]:
    path = folder and folder / ("-".join(map(str, key)).replace(" ", "_") + ".json")
    if path and path.exists():
        return json.loads(path.read_text())
    found = errors(*key)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found))
    return found


def seconds(model: Any, X: Any, Y: Any, repeats: int = 5) -> float:
    spent = []
    for _ in range(repeats):
        start = time.perf_counter()
        model.fit(X, Y)
        spent.append(time.perf_counter() - start)
    return min(spent)


def prices(n: int = 2000) -> list[tuple[str, float]]:
    """What "auto" adds to a fit whose kappa is given, in fits of KernelRidge, one row in ten bad."""
    found = []
    for outputs in (1, 3, 10):
        X, Y = waves(n, 4, outputs, 0.2, 0)
        Y = spoilt(Y, 0.1, 0.0, np.random.default_rng(0))
        ridge = KernelRidge(kernel="rbf", alpha=1e-3 * n)
        automatic = HuberRegressor(kernel=Gaussian(0.25)).fit(X, Y)
        given = HuberRegressor(kappa=automatic.kappa_, kernel=Gaussian(0.25))
        times = [seconds(model, X, Y) for model in (automatic, given, ridge)]
        found.append((f"{n} x {outputs}", (times[0] - times[1]) / times[2]))
    return found


def table(seeds: int, folder: Path | None) -> str:
    """Ratios, the error of "auto" over that of the best kappa, for each table and share of bad rows."""
    lines, ratios = [], []
    for name in NAMES:
        E = np.array([[kept(folder, name, share, seed) for seed in range(seeds)] for share in SHARES])
        mean = E.mean(axis=1)
        ratios.append((mean[:, 0] / mean[:, 1:].min(axis=1)).tolist())
        best = GRID[mean[:, 1:].argmin(axis=1)]
        cells = [f"{ratio:.3f} ({kappa:.2g})" for ratio, kappa in zip(ratios[-1], best, strict=True)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    averages = " | ".join(f"**{np.mean(column):.3f}**" for column in zip(*ratios, strict=True))
    return "\n".join([*lines, f"| **mean** | {averages} |"])


def page(seeds: int, folder: Path | None, price: list[tuple[str, float]]) -> str:
    head = "| table | " + " | ".join(f"{share:.0%} bad rows" if share else "clean" for share in SHARES) + " |"
    rule = "| --- " * (len(SHARES) + 1) + "|"
    costs = "\n".join(f"| {size} | {fits:.2f} |" for size, fits in price)
    return f"""# What kappa="auto" loses

Made by `python benchmarks/auto_scale.py --seeds {seeds}` (after `pip install ".[benchmarks]"`).

`HuberRegressor()` takes kappa from the residuals of a robust fit whose kappa is that scale, a fixed point that is
followed for {REFITS} refits to a gap of {LOOSE:g}; the fit itself starts from the last. What the scale is:
[how to choose](choosing.md#which-lam-kappa-epsilon).

Here is the error on clean test rows over that of the best kappa of a grid of {len(GRID)}, from {GRID[-1]:g} to
{GRID[0]:g} times the median norm of the centred outputs, the best one in brackets. It is chosen on the test rows, for
each table and share of bad rows: a bound that no method reaches. lam is {LAM:g}, the default; means of the errors over
{seeds} random splits, at most {MOST} rows train. {len(SYNTHETIC)} tables are synthetic and {len(REAL)} real,
those of `python benchmarks/tables.py`. A bad row has the outputs of another row plus five standard deviations of each.

{head}
{rule}
{table(seeds, folder)}

What it costs: the time that "auto" adds to a fit whose kappa is given, over a fit of scikit-learn's KernelRidge in the
same run, one thread, one row in ten bad.

| rows x outputs | fits of KernelRidge |
| --- | --- |
{costs}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="random splits (20)")
    parser.add_argument("--keep", type=Path, help="a folder to keep results in, and to go on from")
    given = parser.parse_args()
    with threadpool_limits(1):
        PAGE.write_text(page(given.seeds, given.keep, prices()), encoding="utf-8")


if __name__ == "__main__":
    main()
