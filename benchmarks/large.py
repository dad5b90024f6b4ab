"""`python benchmarks/large.py [ROW ...]`: what large problems cost, each fit in a process of its own; no ROW is all.

Fits that have a record are not made again, unless --again is among the words; one that takes longer than `LONGEST` is
given up, and says so. Records go to results/large.json, and the page docs/large.md is made of them by
`python benchmarks/large.py page`.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from large_data import bad_rows, flights, flights_errors, molecules, on_disk
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge, SGDRegressor

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Regressor, kernels, load, memory, save
from hilbertine.losses import Huber
from hilbertine.solvers import path

KEPT = Path("results/large.json")
SEED, GAMMA = 0, 0.05
LONGEST = 600
Record = dict[str, Any]


def features(p: int, gamma: float = GAMMA, dtype: str = "float32") -> kernels.Nystroem:
    return kernels.Nystroem(kernels.Gaussian(gamma), p, random_state=SEED, dtype=dtype)


def timed(act: Callable[[], Any]) -> tuple[Any, Record]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    found = act()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found, {
        "seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, "inputs_gb": before / 1e6,
        "peak_gb": after / 1e6,
    }  # fmt: skip


def error(predict: Callable[[Any], Any], test: tuple[Any, Any]) -> float:
    return float(np.mean((predict(test[0]) - test[1]) ** 2) ** 0.5)


def certified(model: Regressor) -> Record:
    told = {"held": str(model.matrix_), "told_gb": model.matrix_.needed / 1e9}
    return {"gap": model.dual_gap_, "steps": model.n_iter_, **told}


def saved(model: Regressor, X: Any) -> Record:
    """What a compact model weighs on the disk, and how long it takes to predict rows in blocks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.hilbertine"
        save(model.compact(), path)
        size, model = path.stat().st_size, load(path)
    _, record = timed(lambda: model.predict(X))
    return {"file_mb": size / 1e6, "predicts": record["seconds"]}


def ours(kind: str, n: int, p: int, scale: float = 1.0, gamma: float = GAMMA) -> Record:
    X, Y, test = bad_rows(n)
    settings = {"kernel": features(p, gamma), "lam": scale / n, "tol": 1e-5}
    makers = {"huber": HuberRegressor, "epsilon_ridge": EpsilonRidge, "svr": EpsilonSVR}
    model = makers[kind](**settings)
    _, record = timed(lambda: model.fit(X, Y))
    return record | certified(model) | {"error": error(model.predict, test)} | saved(model, X)


def scikit(n: int, p: int) -> Record:
    X, Y, test = bad_rows(n)
    X, Y = X.astype(np.float32), Y.astype(np.float32)
    maker = Nystroem(gamma=GAMMA, n_components=p, random_state=SEED)
    ridge = Ridge(alpha=1.0, fit_intercept=False, solver="cholesky")
    _, record = timed(lambda: ridge.fit(maker.fit_transform(X), Y))
    return record | {"error": error(lambda Z: ridge.predict(maker.transform(Z.astype(np.float32))), test)}


def path_of(n: int, p: int, lams: int = 10, kappas: int = 5) -> Record:
    X, Y, _ = bad_rows(n)
    model = HuberRegressor(kernel=features(p), tol=1e-5)
    scale = float(np.median(np.linalg.norm(Y - np.median(Y, axis=0), axis=1)))

    def walk() -> list[float]:
        problem = model._pose(X, Y)
        losses = [Huber(kappa) for kappa in scale * np.logspace(-1, 0, kappas)]
        found = path(problem.dual, np.logspace(-2, 2, lams) / n, losses, model._recipe())
        return [solution.gap for _, _, solution in found]

    gaps, record = timed(walk)
    return record | {"fits": len(gaps), "gap": max(gaps)}


def mapped(n: int, p: int) -> Record:
    X, Y, test = on_disk(n)
    # As on a machine with so much memory to spare: the features take more.
    memory.available = lambda like=None: int(0.6e9 if n < 10**7 else 1.9e9)
    model = HuberRegressor(kernel=features(p), lam=1.0 / n, tol=1e-4)
    _, record = timed(lambda: model.fit(X, Y))
    return record | certified(model) | {"error": error(model.predict, test)}


def of_flights(kind: str) -> Record:
    X, Y, test = flights()
    gamma = 0.5 / X.shape[1] ** 0.5
    n = len(X)
    if kind in ("huber", "cells"):
        # The bound of the loss is that of the peer below, a little less for entries alone.
        kernel, kappa = features(300, gamma, "float64"), 0.35 if kind == "huber" else 0.3
        model = HuberRegressor(kappa, kernel=kernel, lam=1.0 / n, tol=1e-4, cells=kind == "cells")
        _, record = timed(lambda: model.fit(X, Y))
        return record | certified(model) | flights_errors(model.predict(test[0]), test[1])
    maker = Nystroem(gamma=gamma, n_components=300, random_state=SEED)
    if kind == "ridge":
        ridge = Ridge(alpha=1.0)
        centre = Y.mean(axis=0)
        _, record = timed(lambda: ridge.fit(maker.fit_transform(X), Y - centre))
        return record | flights_errors(ridge.predict(maker.transform(test[0])) + centre, test[1])
    each = [SGDRegressor(loss="huber", epsilon=0.35, alpha=1.0 / n, random_state=SEED) for _ in Y.T]

    def fit() -> None:
        F = maker.fit_transform(X)
        for j, one in enumerate(each):
            one.fit(F, Y[:, j])

    _, record = timed(fit)
    F = maker.transform(test[0])
    return record | flights_errors(np.column_stack([one.predict(F) for one in each]), test[1])


def of_molecules(n: int, p: int) -> Record:
    (X, Y), reading = timed(lambda: molecules(n + 2000))
    kernel = kernels.Nystroem(kernels.Tanimoto(), p, centres="pivoted", random_state=SEED)
    model = HuberRegressor(kernel=kernel, lam=1.0 / n, tol=1e-5)
    _, record = timed(lambda: model.fit(X[:n], Y[:n]))
    P, T = model.predict(X[n:]), Y[n:]
    r2 = 1.0 - ((P - T) ** 2).sum(axis=0) / ((T - T.mean(axis=0)) ** 2).sum(axis=0)
    more = {"reading": reading["seconds"], "r2_property": float(r2[0]), "r2_fingerprint": float(np.median(r2[1:]))}
    return record | certified(model) | more


ROWS: dict[str, dict[str, Callable[[], Record]]] = {
    "million": {
        "scikit-learn": lambda: scikit(10**6, 1000),
        "huber": lambda: ours("huber", 10**6, 1000),
    },
    "losses": {"scikit-learn": lambda: scikit(3 * 10**5, 1000)}
    | {kind: lambda kind=kind: ours(kind, 3 * 10**5, 1000) for kind in ("huber", "epsilon_ridge", "svr")},
    "path": {"one fit": lambda: ours("huber", 10**5, 300), "path": lambda: path_of(10**5, 300)},
    "growth": {f"{n}": lambda n=n: ours("huber", n, 300) for n in (10**5, 3 * 10**5, 10**6)},
    "conditions": {
        f"{gamma} {scale}": lambda gamma=gamma, scale=scale: ours("huber", 10**5, 300, scale, gamma)
        for gamma in (0.01, 1.0)
        for scale in (1e-2, 1.0, 1e3)
    },
    "mapped": {f"{n}": lambda n=n: mapped(n, 500) for n in (3 * 10**5, 10**6, 10**7)},
    "flights": {kind: lambda kind=kind: of_flights(kind) for kind in ("ridge", "sgd", "huber", "cells")},
    "molecules": {"molecules": lambda: of_molecules(10**5, 500)},
}  # fmt: skip


def measured(row: str, again: bool = False) -> None:
    for name in ROWS[row]:
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        if name in kept.get(row, {}) and not again:
            continue
        words = [sys.executable, __file__, "--one", row, name]
        try:
            said = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            print(f"{row} {name}: given up after {LONGEST} s", flush=True)
            continue
        if said.returncode:
            print(f"{row} {name}: {said.stderr[-2000:]}", flush=True)
            continue
        record = json.loads(said.stdout.splitlines()[-1])
        kept.setdefault(row, {})[name] = record
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1))
        print(row, name, {k: round(v, 7) if isinstance(v, float) else v for k, v in record.items()}, flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(ROWS[sys.argv[2]][sys.argv[3]]()))
    elif sys.argv[1:] == ["page"]:
        from large_page import page

        Path("docs/large.md").write_text(page(json.loads(KEPT.read_text())))
    else:
        rows = [word for word in sys.argv[1:] if word != "--again"]
        for row in rows or ROWS:
            measured(row, "--again" in sys.argv)


if __name__ == "__main__":
    main()
