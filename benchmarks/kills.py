"""Is anything lost when a worker or the client dies?

    python benchmarks/kills.py --workers 20 --clients 10 --out results/kills.json

A Huber regression on two workers of a Dask cluster, its rows in eight blocks. In the first rounds a worker, chosen at
random, is killed (SIGKILL) at a random moment of the fit, and the fit has to end by itself; in the others the process
of the client is killed at a random moment and started again until it ends, each time from its checkpoint. Every round
has to end at the tolerance, and predict as a fit that nobody disturbed, as near as the tolerance says.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from hilbertine import HuberRegressor, kernels
from hilbertine.estimators import checkpoint

TOL, BLOCKS = 1e-10, 8
# Two models with gaps of at most g are so many square roots of g apart, in the units of the outputs.
NEAR = 30.0
Record = dict[str, Any]


def data(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1) + 0.1 * rng.standard_normal((n, 2))
    Y[::9] *= -5.0
    return X, Y


def model(**settings: Any) -> HuberRegressor:
    return HuberRegressor(0.3, kernel=kernels.Nystroem(kernels.Gaussian("auto"), 40), lam=1e-4, tol=TOL, **settings)


def spread(n: int) -> tuple[Any, Any]:
    return tuple(da.from_array(A, chunks=(-(-n // BLOCKS), A.shape[1])) for A in data(n))


def same(found: HuberRegressor, n: int, expected: np.ndarray) -> bool:
    near = float(np.abs(found.predict(data(n)[0][:500]) - expected).max())
    return bool(found.dual_gap_ <= TOL) and near <= NEAR * TOL**0.5


def worker_killed(cluster: LocalCluster, n: int, expected: np.ndarray, moment: float, which: int) -> Record:
    """A fit in which one worker dies at a moment."""
    dead: list[str] = []

    def kill() -> None:
        # One that was killed in the round before may not be there yet.
        running = [worker for worker in cluster.workers.values() if worker.process is not None]
        if running:
            worker = running[which % len(running)]
            os.kill(worker.process.process.pid, signal.SIGKILL)
            dead.append(str(worker.name))

    timer = threading.Timer(moment, kill)
    start = time.monotonic()
    timer.start()
    found = model().fit(*spread(n))
    seconds = time.monotonic() - start
    timer.cancel()
    timer.join()
    return {"kind": "worker", "at": moment, "killed": len(dead), "seconds": seconds, "gap": found.dual_gap_,
            "steps": found.n_iter_, "same": same(found, n, expected)}  # fmt: skip


def client_killed(cluster: LocalCluster, n: int, expected: np.ndarray, moments: list[float]) -> Record:
    """A fit whose process is killed at these moments, one after another, and started again."""
    with tempfile.TemporaryDirectory() as folder:
        path, steps, killed = str(Path(folder) / "fit.npz"), [], 0
        for moment in [*moments, 1e9]:
            code = [sys.executable, __file__, "--fit", cluster.scheduler_address, path, str(n)]
            child = subprocess.Popen(code, stdout=subprocess.PIPE, text=True, start_new_session=True)
            assert child.stdout is not None
            child.stdout.readline()
            try:
                said = child.communicate(timeout=min(moment, 500.0))[0]
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                killed += 1
                continue
            assert child.returncode == 0, said
            ended = json.loads(said.splitlines()[-1])
            steps.append(ended["steps"])
            break
        leftovers = [name for name in os.listdir(folder) if name not in ("fit.npz", "fit.npy")]
        near = float(np.abs(np.load(f"{path[:-4]}.npy") - expected).max())
    return {"kind": "client", "at": moments, "killed": killed, "gap": ended["gap"], "steps": steps[-1],
            "same": ended["gap"] <= TOL and near <= NEAR * TOL**0.5, "leftovers": len(leftovers)}  # fmt: skip


def fit(address: str, path: str, n: int) -> None:
    """What a client does: it says that it begins, and what it has reached."""
    checkpoint.PAUSE = checkpoint.PRICE = 0.0
    with Client(address):
        print("begun", flush=True)
        found = model(checkpoint=path).fit(*spread(n))
        np.save(f"{path[:-4]}.npy", found.predict(data(n)[0][:500]))
        print(json.dumps({"gap": found.dual_gap_, "steps": found.n_iter_}), flush=True)


def rounds(workers: int, clients: int, n: int, seed: int = 0) -> list[Record]:
    rng, records = random.Random(seed), list[Record]()
    with cluster_of_two() as cluster:
        length, expected = alone(n)
        while sum(record["killed"] for record in records) < clients:
            # A fit may end before its moment: another one takes its place.
            records.append(client_killed(cluster, n, expected, [rng.uniform(0.0, length)]))
            print(len(records), records[-1], flush=True)
    killed = 0
    while killed < workers:
        # A worker that dies while it starts is not started again: each fit has a cluster of its own.
        with cluster_of_two() as cluster:
            alone(n)
            records.append(worker_killed(cluster, n, expected, rng.uniform(0.0, length), rng.randrange(2)))
        killed += records[-1]["killed"]
        print(len(records), records[-1], flush=True)
    return records


@contextmanager
def cluster_of_two() -> Iterator[LocalCluster]:
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(**settings) as cluster, Client(cluster):
        yield cluster


def alone(n: int) -> tuple[float, np.ndarray]:
    """How long a fit takes that nobody disturbs, and what it predicts."""
    # The first fit of a cluster takes longer: its workers import what they need.
    model().fit(*spread(BLOCKS * 100))
    start = time.monotonic()
    straight = model().fit(*spread(n))
    length = time.monotonic() - start
    print(f"alone {length:.1f} s, {straight.n_iter_} steps, gap {straight.dual_gap_:.1e}", flush=True)
    return length, straight.predict(data(n)[0][:500])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=20)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--fit", nargs=3, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.fit is not None:
        fit(options.fit[0], options.fit[1], int(options.fit[2]))
        return
    records = rounds(options.workers, options.clients, options.rows, options.seed)
    wrong = sum(not record["same"] for record in records)
    dead = {kind: sum(r["killed"] for r in records if r["kind"] == kind) for kind in ("worker", "client")}
    print(
        f"{dead['worker']} workers and {dead['client']} clients killed in {len(records)} fits: {wrong} ended elsewhere"
    )
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(records, indent=1))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
