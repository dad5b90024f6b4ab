"""`python benchmarks/curves.py [--quick]`: what a fit to 3,000 curves of 100 points costs, written into docs/curves.md.

Times are from curves to a fitted model, the Gram matrix included, and ratios to one scikit-learn KernelRidge fit with
the same kernel, from the same inputs to the same coordinates, measured before and after and the smaller taken.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from hilbertine import FunctionalRegressor, RegressorCV, kernels, losses, spaces
from hilbertine.datasets import make_curves

LAM = 1e-3
LAMS = np.logspace(-6, 0, 12)
BASES = {"Fourier(15)": spaces.Fourier(15), "Points(), all of the curve": spaces.Points()}
LOSSES = {
    "square": losses.Square(),
    "Huber 0.5": losses.Huber(0.5),
    "epsilon-ridge 0.3": losses.EpsilonSquare(0.3),
    "epsilon-SVR 0.3": losses.EpsilonNorm(0.3),
}
PAGE = Path(__file__).parent.parent / "docs" / "curves.md"
MARKS = "<!-- times: begin -->\n", "<!-- times: end -->\n"


def seconds(act: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        # NumPy and scipy carry a BLAS each; threads of the one spin for a while after work and slow the other.
        time.sleep(0.2)
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(X: Any, curves: Any, grid: Any, basis: Any, repeats: int) -> list[list[str]]:
    """A row for each loss, and one for the choice among the lams by leave-one-out."""
    T = spaces.L2(grid, basis).fit(curves).encode(curves)
    gamma = kernels.Gaussian("median").fit(X).gamma_
    ridge = KernelRidge(alpha=LAM * len(X), kernel="rbf", gamma=gamma)
    settings: dict[str, Any] = {"kernel": kernels.Gaussian(gamma), "basis": basis, "grid": grid, "lam": LAM}
    rows = []
    for name, loss in LOSSES.items():
        model = FunctionalRegressor(loss, **settings, centre=None)
        before = seconds(lambda: ridge.fit(X, T), repeats + 2)
        spent = seconds(lambda model=model: model.fit(X, curves), repeats)
        price = min(before, seconds(lambda: ridge.fit(X, T), repeats))
        rows.append([name, f"{spent:.1f}", f"{spent / price:.1f}", f"{model.n_iter_}", f"{model.dual_gap_:.0e}"])
        for lams in ([LAM], LAMS) if name == "square" else ():
            search = RegressorCV(model, lams, {}, cv="loo")
            chosen = seconds(lambda search=search: search.fit(X, curves), 1)
            ratio = f"{chosen / price:.1f} ({chosen / spent:.1f} fits of the square loss)"
            gap = f"{search.cv_results_['max_dual_gap'].max():.0e}"
            rows.append([f"square, leave-one-out, lams: {len(lams)}", f"{chosen:.1f}", ratio, "", gap])
    return rows


def page(n: int, points: int, repeats: int) -> str:
    curves = make_curves(n, points, random_state=0)
    head = ["basis", "loss", "seconds, this machine", "time / KernelRidge", "steps", "duality gap"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, basis in BASES.items():
        for row in measure(curves.data, curves.target, curves.grid, basis, repeats):
            lines.append("| " + " | ".join([name, *row]) + " |")
            print(lines[-1], file=sys.stderr, flush=True)
    return (
        f"{n:,} curves of {points} points, from curves to a fitted model, lam = {LAM:g}, gap asked 1e-6, by "
        "`python benchmarks/curves.py`:\n\n" + "\n".join(lines) + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="500 curves of 50 points, printed and not written")
    quick = parser.parse_args().quick
    text = page(500, 50, 1) if quick else page(3000, 100, 3)
    print(text)
    if not quick:
        head, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
        PAGE.write_text(head + MARKS[0] + f"\n{text}\n" + MARKS[1] + rest.split(MARKS[1])[1], encoding="utf-8")


if __name__ == "__main__":
    main()
