"""`python benchmarks/out_of_the_box.py [--quick]`: docs/out_of_the_box.md and its figure, defaults against defaults.

Nothing is tuned by hand on either side. Training outputs are spoilt, test outputs never. About 10 minutes of one core;
`--search` adds RegressorCV, and 40 more. With `--keep FOLDER` a run that was stopped goes on where it was.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from comparison import Measured
from joblib import Parallel, delayed
from out_of_the_box_page import draw, page
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor as LinearHuber
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from tables import REAL, TABLES
from threadpoolctl import threadpool_limits

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, RegressorCV, Ridge

OURS = {
    "Ridge": Ridge(),
    "HuberRegressor": HuberRegressor(),
    "EpsilonRidge": EpsilonRidge(),
    "EpsilonSVR": EpsilonSVR(),
}
SEARCH = {"hilbertine RegressorCV": RegressorCV(HuberRegressor())}
PEERS = {
    "KernelRidge": KernelRidge(kernel="rbf"),
    "SVR per output": MultiOutputRegressor(SVR()),
    "linear Huber per output": MultiOutputRegressor(LinearHuber()),
    "random forest": RandomForestRegressor(random_state=0),
    "boosting per output": MultiOutputRegressor(HistGradientBoostingRegressor(random_state=0)),
}
# Bins of quantiles are the same in any units, and so is a tree with one output.
SCALED = {
    f"{name}, scaled": TransformedTargetRegressor(make_pipeline(StandardScaler(), model), transformer=StandardScaler())
    for name, model in PEERS.items()
    if name != "boosting per output"
}
MODELS: dict[str, Any] = {f"hilbertine {name}": model for name, model in OURS.items()} | PEERS | SCALED
# The share of bad rows, and of bad cells.
BAD = {
    "clean": (0.0, 0.0),
    "10 % rows": (0.1, 0.0),
    "20 % rows": (0.2, 0.0),
    "10 % cells": (0.0, 0.1),
    "20 % cells": (0.0, 0.2),
}
SHIFT = 5.0
TEST, MOST_ROWS = 0.25, 1000
QUICK = ("meats", "liver", "smooth")
DOCS = Path(__file__).parent.parent / "docs"


def share_of(size: int, share: float, rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(size) < round(share * size)


def spoilt(Y: np.ndarray, bad_rows: float, bad_cells: float, rng: np.random.Generator) -> np.ndarray:
    """A bad row has the outputs of another row plus SHIFT standard deviations of each output, a bad cell likewise."""
    n, m = Y.shape
    offset = SHIFT * Y.std(axis=0)
    Y = np.where(share_of(n, bad_rows, rng)[:, None], Y[rng.integers(n, size=n)] + offset, Y)
    other = Y[rng.integers(n, size=(n, m)), np.arange(m)] + offset
    return np.where(share_of(n * m, bad_cells, rng).reshape(n, m), other, Y)


def split(table: str, repeat: int, most: int) -> tuple[np.ndarray, ...]:
    X, Y = TABLES[table].load()
    X, new, Y, truth = train_test_split(X, Y, test_size=TEST, random_state=repeat)
    return X[:most], Y[:most], new[:most], truth[:most]


def predictions(model: Any, X: Any, Y: Any, new: Any) -> tuple[np.ndarray, bool, bool]:
    """What is predicted, whether the fit warned that it has not converged, and whether it failed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            predicted, failed = clone(model).fit(X, Y).predict(new), False
        except ValueError as error:
            # Linear Huber gives up on some inputs in raw units; what is left to do is to predict the mean.
            print(f"failed: {model}: {error}", file=sys.stderr, flush=True)
            predicted, failed = np.tile(Y.mean(axis=0), (len(new), 1)), True
    return predicted, any(issubclass(w.category, ConvergenceWarning) for w in caught), failed


def relative_error(predicted: np.ndarray, truth: np.ndarray, scale: np.ndarray) -> float:
    """Root mean squared norm of the error over that of the centred outputs, each output divided by its scale."""
    return float(np.linalg.norm((predicted - truth) / scale) / np.linalg.norm((truth - truth.mean(axis=0)) / scale))


def measure(table: str, repeat: int, most: int, name: str, keep: Path | None) -> list[list[float]]:
    """For each kind of bad data: relative error, mean R^2 over the outputs, warned, failed; read where it is kept."""
    kept = keep and keep / f"{table}-{repeat}-{most}-{name}.json".replace(" ", "_")
    if kept and kept.exists():
        return json.loads(kept.read_text())
    X, Y, new, truth = split(table, repeat, most)
    found = []
    for k, shares in enumerate(BAD.values()):
        given = spoilt(Y, *shares, np.random.default_rng([repeat, k]))
        predicted, *marks = predictions((MODELS | SEARCH)[name], X, given, new)
        score = float(r2_score(truth, predicted))
        found.append([relative_error(predicted, truth, Y.std(axis=0)), score, *map(float, marks)])
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(found))
    return found


def seconds(table: str, models: dict[str, Any], most: int) -> list[float]:
    """Each model to fit and to predict, one after the other, with a tenth of the rows bad; short ones the best of 3."""
    X, Y, new, _ = split(table, 0, most)
    Y = spoilt(Y, 0.1, 0.0, np.random.default_rng(0))
    spent = []
    for model in models.values():
        times: list[float] = []
        while not times or (len(times) < 3 and times[0] < 0.3):
            start = time.perf_counter()
            predictions(model, X, Y, new)
            times.append(time.perf_counter() - start)
        spent.append(min(times))
    print(f"{table}: {sum(spent):.1f} s for all models once", file=sys.stderr, flush=True)
    return spent


def all_seconds(names: list[str], models: dict[str, Any], most: int, keep: Path | None) -> np.ndarray:
    kept = keep and keep / f"seconds-{len(names)}-{len(models)}-{most}.json"
    if kept and kept.exists():
        return np.array(json.loads(kept.read_text()))
    predictions(models["KernelRidge"], *split(names[0], 0, most)[:3])
    times = [seconds(name, models, most) for name in names]
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(times))
    return np.array(times)


def run(names: list[str], models: dict[str, Any], repeats: int, jobs: int, most: int, keep: Path | None) -> Measured:
    with threadpool_limits(1):
        times = all_seconds(names, models, most, keep)
    tasks = [(name, repeat, most, model, keep) for name in names for repeat in range(repeats) for model in models]
    with threadpool_limits(1):
        found = np.array(Parallel(n_jobs=jobs, verbose=1)(delayed(measure)(*task) for task in tasks))
    found = found.reshape(len(names), repeats, len(models), len(BAD), 4)
    errors, scores, warned, failed = np.moveaxis(found, (4, 3, 2, 1), (0, 2, 3, 4))
    return Measured(
        tables={name: (TABLES[name], *sizes(name)) for name in names},
        real=[name for name in names if name in REAL],
        models=list(models),
        ours=[name for name in models if name.startswith("hilbertine")],
        bad=list(BAD),
        errors=errors,
        scores=scores,
        warned=warned.mean(axis=(0, 1, 3)),
        failed=failed.mean(axis=(0, 1, 3)),
        seconds=times,
        shift=SHIFT,
        test=TEST,
        most=most,
    )


def sizes(table: str) -> tuple[int, int, int]:
    X, Y = TABLES[table].load()
    return (*X.shape, Y.shape[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="five splits of three tables, printed and not written")
    parser.add_argument("--tables", nargs="+", choices=TABLES, help="these tables only")
    parser.add_argument("--repeats", type=int, help="random splits (5)")
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help=f"at most so many train a model ({MOST_ROWS})")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2); times are taken in one")
    parser.add_argument("--search", action="store_true", help="RegressorCV too, which takes most of the time")
    parser.add_argument("--keep", type=Path, help="a folder to keep results in, and to go on from")
    parser.add_argument("--folder", type=Path, help="where the page and the figure are written (docs)")
    given = parser.parse_args()
    names = given.tables or list(QUICK if given.quick else TABLES)
    start = time.perf_counter()
    models = MODELS | (SEARCH if given.search else {})
    repeats = given.repeats or 5
    measured = run(names, models, repeats, given.jobs, given.rows, given.keep)
    print(f"{(time.perf_counter() - start) / 60:.1f} minutes", file=sys.stderr)
    folder = given.folder or (None if given.quick else DOCS)
    if folder is None:
        print(page(measured))
        return
    (folder / "out_of_the_box.md").write_text(page(measured), encoding="utf-8")
    draw(measured, folder / "out_of_the_box.png")


if __name__ == "__main__":
    main()
