"""`python benchmarks/cluster.py [ROW ...]`: what a cluster costs and gives, on one machine; no ROW is all.

Records go to results/cluster.json, and docs/cluster.md is made of them by `python benchmarks/cluster.py page`. Each fit
and each number of workers has a process of its own.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from cluster_page import model_of_a_step, page
from dask import delayed
from distributed import Client, LocalCluster, wait
from large_data import bad_rows

from hilbertine import HuberRegressor, kernels, losses
from hilbertine.kernels.row_blocks import row_blocks
from hilbertine.risk import OfBlocks, Risk, parts_of, pulled_and_value

KEPT = Path("results/cluster.json")
GAMMA, P, D, M, MILLION = 0.05, 300, 10, 5, 10**6
BLOCK, LARGE_BLOCK, LARGE_M = 62_500, 250_000, 2
Record = dict[str, Any]


def features(p: int = P) -> kernels.Nystroem:
    return kernels.Nystroem(kernels.Gaussian(GAMMA), p, random_state=0, dtype="float32")


def workers(count: int, **settings: Any) -> LocalCluster:
    return LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=50, **settings)


def block(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    X, Y, _ = bad_rows(n, seed)
    return X, Y


def spread(n: int, size: int) -> tuple[Any, Any]:
    """Rows that the workers make."""
    parts = [delayed(block)(k, min(size, n - k * size)) for k in range(-(-n // size))]
    sizes = [min(size, n - k * size) for k in range(len(parts))]
    return tuple(
        da.concatenate(
            [da.from_delayed(part[j], (rows, width), float) for part, rows in zip(parts, sizes, strict=True)]
        )
        for j, width in ((0, D), (1, M))
    )


def certified(model: HuberRegressor, start: float) -> Record:
    return {"seconds": time.perf_counter() - start, "gap": model.dual_gap_, "steps": model.n_iter_,
            "held": str(model.matrix_)}  # fmt: skip


def million(count: int) -> Record:
    """A fit of a million rows: without a cluster, or on so many workers of one thread."""
    model = HuberRegressor(kernel=features(), lam=1.0 / MILLION, tol=1e-5)
    if not count:
        parts = [block(k, BLOCK) for k in range(MILLION // BLOCK)]
        X, Y = (np.concatenate([part[j] for part in parts]) for j in (0, 1))
        del parts
        start = time.perf_counter()
        return certified(model.fit(X, Y), start)
    with workers(count) as cluster, Client(cluster) as client:
        X, Y = client.persist(spread(MILLION, BLOCK))
        wait([X, Y])
        start = time.perf_counter()
        return certified(model.fit(X, Y), start)


def files(folder: Path, n: int) -> tuple[Any, Any]:
    """Inputs and outputs as Dask arrays of .npy files, which are written where they are not there."""
    found: dict[str, list[Any]] = {"x": [], "y": []}
    for k in range(n // LARGE_BLOCK):
        paths = {name: folder / f"{name}{k}.npy" for name in found}
        if not paths["y"].exists():
            X, Y = block(k, LARGE_BLOCK)
            np.save(paths["x"], X.astype(np.float32))
            np.save(paths["y"], Y[:, :LARGE_M])
        for name, width, kind in (("x", D, np.float32), ("y", LARGE_M, float)):
            found[name].append(da.from_delayed(delayed(np.load)(paths[name]), (LARGE_BLOCK, width), kind))
    return tuple(da.concatenate(parts) for parts in found.values())


def ten_million(n: int) -> Record:
    """Two workers of 2 GB each, features of 12 GB: made again in each pass."""
    folder = Path(tempfile.gettempdir()) / "hilbertine-cluster"
    folder.mkdir(exist_ok=True)
    with workers(2, memory_limit="2GB") as cluster, Client(cluster) as client:
        X, Y = files(folder, n)
        start = time.perf_counter()
        model = HuberRegressor(kernel=features(), lam=1.0 / n, tol=1e-3, checkpoint=str(folder / "fit.npz"))
        record = certified(model.fit(X, Y), start)
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
        return record | {"workers_gb": max(peaks.values()),
                         "client_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}  # fmt: skip


def steps(count: int) -> Record:
    """Seconds of the part of a step that is done on a cluster, for several sizes."""
    times = []
    with workers(count) as cluster, Client(cluster) as client:
        for n in (100_000, 400_000):
            X, Y = client.persist(spread(n, n // 8))
            for p in (100, 300):
                kernel = features(p).fit(np.random.default_rng(0).standard_normal((2000, D)))
                F = row_blocks(kernel, X)
                risk = Risk(losses.Huber(1.0), Y)
                act, rows = OfBlocks(pulled_and_value, risk), parts_of(risk)
                B = np.zeros((p, M))
                F.there_and_back(B, act, rows)
                for _ in range(5):
                    start = time.perf_counter()
                    F.there_and_back(B, act, rows)
                    times.append({"n": n, "p": p, "m": M, "workers": count, "blocks": 8,
                                  "seconds": time.perf_counter() - start})  # fmt: skip
    return {"times": times, "cores": len(os.sched_getaffinity(0))}


ROWS: dict[str, dict[str, Callable[[], Record]]] = {
    "million": {str(count): lambda count=count: million(count) for count in (0, 1, 2)},
    "steps": {str(count): lambda count=count: steps(count) for count in (1, 2, 4, 8)},
    "ten_million": {"10^7": lambda: ten_million(10**7)},
}  # fmt: skip


def measured(row: str) -> None:
    for name in ROWS[row]:
        said = subprocess.run([sys.executable, __file__, "--one", row, name], capture_output=True, text=True)
        if said.returncode:
            print(f"{row} {name}: {said.stderr[-2000:]}", flush=True)
            continue
        record = json.loads(said.stdout.splitlines()[-1])
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        kept.setdefault(row, {})[name] = record
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1))
        print(row, name, {k: v for k, v in record.items() if k != "times"}, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(ROWS[sys.argv[2]][sys.argv[3]]()))
    elif sys.argv[1:] == ["page"]:
        records = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        Path("docs/cluster.md").write_text(page(records), encoding="utf-8")
        if "steps" in records:
            print(model_of_a_step(records["steps"]))
    else:
        for row in sys.argv[1:] or ROWS:
            measured(row)
