"""docs/cluster.md from the records of cluster.py."""

from typing import Any, NamedTuple

import numpy as np
from large_page import table
from scipy.optimize import nnls

HEAD = """# On a cluster

The same estimators take Dask arrays and data frames; `pip install "hilbertine[cluster]"` brings what it needs. With a
client the work is done on its cluster, without one by Dask's default scheduler.

```python
import dask.array as da
import numpy as np
from hilbertine import HuberRegressor, kernels

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (3000, 2))
Y = np.sin(3 * X) + 0.1 * rng.standard_normal((3000, 2))

X, Y = da.from_array(X, chunks=(1000, 2)), da.from_array(Y, chunks=(1000, 2))  # or dd.read_parquet(..)
model = HuberRegressor(kernel=kernels.Nystroem(kernels.Gaussian("auto"), 100), checkpoint="fit.npz").fit(X, Y)
P = model.predict(X)  # a Dask array, computed when it is asked for
print(model.dual_gap_, model.matrix_)
```

The kernel needs features: `Nystroem`, `RandomFourier`, `Linear`, your own. One that needs an n x n matrix is refused
with the line that works. All losses, weights, missing entries, centres, output operators and `compact()` are there.
Everything that has a row for each sample (`dual_coef_`, `residual_norms_`, `targets_`, ..) is a Dask array after the
fit, in the memory of the workers.

## What travels

F, n x p, are the features, W, n x m, the dual rows.

| what | when | bytes to the client |
|---|---|---|
| rows that the kernel learns from | once | 8 times 20,000 rows of inputs |
| rows whose median is the centre, and that scales are taken from | once | 8 m times 50,000 |
| rows that stand for all, for a start and a curvature | once, from 80,000 rows on | 8 p times 20,000 to 50,000 |
| F^T W and a sum | a step with a loss of a curvature (Huber, epsilon-insensitive squared) | 8 (p m + 1) |
| F^T R, twice more where lam is small, and inner products of the steps remembered | a step of the others | \
8 (3 p m + 2 k + 5), k <= 20 |
| F^T F, p x p | once, for the others | 8 p^2 |
| a certificate | now and then | 8 (p m + 3) |

To each block go p x m numbers. Each worker adds up its part, eight at a time, so that a worker receives eight times as
much at once and the client one sum. No array of all rows comes to the client, in a fit, its certificate, `suspects()`,
`approximation_gap()` or `score`: `tests/test_clusters.py` counts what it receives. `suspects()` has the 1000 worst
samples, and `approximation_gap()` is estimated from 20,000 rows at most. `plot_residuals` and `stability_report` do
bring a number for each sample to the client.

Features are kept by the workers where they take half of their memory at most, and are made again in each pass where
they do not: `model.matrix_` is the first to ask when a fit is slow. Blocks of some 100,000 rows are a good size; a
task holds a block of features, and the more blocks there are the more Dask has to do for a step.

## What may die

- A worker: Dask makes its blocks again from their source, and the fit goes on from the p x m numbers that the client
  has. Nothing is pinned to a worker.
- The client: with `checkpoint=PATH` the p x m numbers are on disk, written every second at most, whole or not at all.
  The same script started again goes on from them, to the same certified gap. A file that belongs to other settings or
  data is refused, and says what differs; blocks of other sizes count as other data. Without a cluster it works just so.
- All workers, or the scheduler: after 60 s without any the fit ends with an error that says so, and what to do.
- A search: `RegressorCV(n_jobs=-1, checkpoint=FOLDER)` keeps each fold, and `hilbertine reproduce` each part, as soon
  as it is finished; with a client they are tasks of its cluster. Data of a search are NumPy arrays.

`python benchmarks/kills.py` kills workers and clients at random moments and compares what comes out.
"""


MADE = """Made by `python benchmarks/cluster.py` and `python benchmarks/cluster.py page`, workers and client on one
machine of two cores.
"""
# Bytes a second of 10 Gbit/s.
NETWORK = 1.25e9


class Step(NamedTuple):
    """Seconds of a step: a + b blocks + c rows p m / hands + d p m blocks, hands the cores that compute at once."""

    a: float
    b: float
    c: float
    d: float
    error: float

    def seconds(self, n: float, p: int, m: int, hands: int, blocks: int, bandwidth: float = np.inf) -> float:
        work = self.c * n * p * m / hands + self.d * p * m * blocks
        return self.a + self.b * blocks + work + 8.0 * p * m * blocks / bandwidth


def model_of_a_step(records: dict[str, Any]) -> Step:
    """Fitted to the median times, relative errors squared, coefficients that are not negative."""
    groups: dict[tuple[int, ...], list[float]] = {}
    for record in records.values():
        for each in record["times"]:
            hands = min(each["workers"], record["cores"])
            key = each["n"], each["p"], each["m"], hands, each["blocks"], each["workers"]
            groups.setdefault(key, []).append(each["seconds"])
    times = np.array([np.median(values) for values in groups.values()])
    terms = np.array([[1.0, b, n * p * m / h, p * m * b] for n, p, m, h, b, _ in groups])
    scale = np.maximum(terms.max(axis=0), 1e-300)
    found = nnls(terms / scale / times[:, None], np.ones(len(times)))[0] / scale
    error = float(np.sqrt(np.mean((terms @ found / times - 1.0) ** 2)))
    return Step(*found.tolist(), error)


def page(records: dict[str, Any]) -> str:
    parts = [HEAD]
    if "million" in records or "ten_million" in records or "steps" in records:
        parts.append(MADE)
    if "million" in records:
        parts.append(_million(records["million"]))
    if "ten_million" in records:
        parts.append(_ten_million(records["ten_million"]["10^7"]))
    if "steps" in records:
        parts.append(_model(records["steps"]))
    return "\n".join(parts)


def _million(found: dict[str, Any]) -> str:
    names = {"0": "one process, two threads", "1": "one worker of one thread", "2": "two workers of one thread"}
    rows = [[names[k], f"{r['seconds']:.1f}", str(r["steps"]), f"{r['gap']:.0e}"] for k, r in found.items()]
    text = "## n = 10^6\n\nHuber, p = 300, ten inputs, five outputs, lam n = 1, single precision, tol = 1e-5.\n\n"
    text += table(["where", "seconds", "steps", "gap"], rows)
    if len(found) == 3:
        one, two, alone = (found[k]["seconds"] for k in ("1", "2", "0"))
        text += f"\nTwo workers are {one / two:.2f} times as fast as one, and take {two / alone:.2f} times the seconds "
        text += "of a fit without a cluster.\n"
    return text


def _ten_million(r: dict[str, Any]) -> str:
    row = [f"{r['seconds']:.0f}", str(r["steps"]), f"{r['gap']:.0e}", f"{r['workers_gb']:.1f} GB"]
    row += [f"{r['client_gb']:.1f} GB"]
    return (
        "## n = 10^7 in twice 2 GB\n\nHuber, p = 300, ten inputs, two outputs, lam n = 1, tol = 1e-3, from .npy files; "
        "two workers of one thread and 2 GB\neach. The features would take 12 GB, and are made again in each pass.\n\n"
        + table(["seconds", "steps", "gap", "largest worker", "client"], [row])
    )


def _model(records: dict[str, Any]) -> str:
    step = model_of_a_step(records)
    rows = []
    for n, p, m, hands in ((10**7, 300, 5, 10), (10**8, 300, 5, 10), (10**8, 300, 5, 100), (10**9, 300, 5, 100),
                           (10**9, 1000, 5, 100)):  # fmt: skip
        blocks = max(n // 100_000, hands)
        rows.append(
            [f"{n:.0e}", str(p), str(m), str(hands), str(blocks), f"{step.seconds(n, p, m, hands, blocks, 1.25e9):.1f}"]
        )
    return (
        "## A model of the cost of a step\n\n**A model, not a measurement.** Seconds of a step are\n\n"
        f"    {step.a:.2e} + {step.b:.2e} blocks + {step.c:.2e} n p m / cores + {step.d:.2e} p m blocks\n\n"
        "fitted to steps of 10^5 and 4 10^5 rows, p = 100 and 300, on 1, 2, 4 and 8 workers of this machine, whose "
        "two cores count\nas two however many workers share them; the root mean square of the relative error is "
        f"{step.error:.0%}. Drawn out to larger\nclusters, blocks of 100,000 rows kept in memory, with what p x m "
        "numbers for each block take at 10 Gbit/s beside it:\n\n"
        + table(["rows", "p", "m", "workers", "blocks", "seconds a step"], rows)
    )
