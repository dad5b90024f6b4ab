"""Odd inputs by name: what people hand over, and what they should not."""

import datetime
import math
from decimal import Decimal

import numpy as np
import pandas as pd
from scipy import sparse

from hilbertine import kernels, losses, spaces

N = 6
rng = np.random.default_rng(0)
A = rng.standard_normal((N, 3))
WORDS = ["cart", "care", "card", "word", "ward", "dogs"]


def spoiled(value, at=(1, 1)):
    B = A.copy()
    B[at] = value
    return B


ORDINARY = {
    "matrix": lambda: A.copy(),
    "another matrix": lambda: A[::-1] * 2.0 + 0.1,
    "one row": lambda: A[:1],
}
ODD = {
    "list of lists": lambda: A.tolist(),
    "1-d": lambda: A[:, 0].copy(),
    "list of numbers": lambda: A[:, 0].tolist(),
    "0-d": lambda: np.array(1.0),
    "3-d": lambda: A.reshape(N, 3, 1),
    "empty": lambda: np.empty((0, 3)),
    "no columns": lambda: np.empty((N, 0)),
    "empty list": lambda: [],
    "frame": lambda: pd.DataFrame(A, columns=["a", "b", "c"]),
    "frame of times": lambda: pd.DataFrame(A, columns=pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-04"])),
    "mixed frame": lambda: pd.DataFrame({"a": A[:, 0], "b": WORDS}),
    "categories": lambda: pd.Series(WORDS, dtype="category"),
    "series": lambda: pd.Series(A[:, 0], index=list("uvwxyz")),
    "nullable": lambda: pd.Series([1, 2, None, 4, 5, 6], dtype="Int64"),
    "dates": lambda: np.datetime64("2020-01-01") + np.arange(N).astype("m8[D]"),
    "matrix of dates": lambda: (np.datetime64("2020-01-01") + np.arange(3 * N).astype("m8[D]")).reshape(N, 3),
    "list of dates": lambda: [datetime.date(2020, 1, day) for day in range(1, N + 1)],
    "series of dates": lambda: pd.Series(pd.date_range("2020", periods=N)),
    "durations": lambda: np.arange(N).astype("m8[s]"),
    "complex": lambda: A + 1j,
    "complex of real numbers": lambda: A + 0j,
    "objects that are numbers": lambda: A.astype(object),
    "decimals": lambda: [[Decimal(k), Decimal(k * k)] for k in range(N)],
    "objects": lambda: [object() for _ in range(N)],
    "words": lambda: list(WORDS),
    "array of words": lambda: np.array(WORDS),
    "numbers as words": lambda: [["1", "2"], ["3", "4"]],
    "bytes": lambda: [word.encode() for word in WORDS],
    "label sets": lambda: [set(word) for word in WORDS],
    "ragged": lambda: [[1.0], [1.0, 2.0], [3.0], [4.0], [5.0, 6.0], []],
    "pairs": lambda: [([0.0, 0.5, 1.0], [1.0, 2.0, k]) for k in range(N)],
    "broken pairs": lambda: [([0.0, 0.5], [1.0, 2.0, k]) for k in range(N)],
    "dicts": lambda: [{"a": k} for k in range(N)],
    "a dict": lambda: {"a": 1.0},
    "None": lambda: None,
    "Nones": lambda: [None] * N,
    "some None": lambda: [1.0, None, 2.0, 3.0, 4.0, 5.0],
    "a number": lambda: 3.0,
    "a word": lambda: "word",
    "generator": lambda: (row for row in A),
    "a set": lambda: set(WORDS),
    "range": lambda: range(N),
    "NaN": lambda: spoiled(math.nan),
    "row of NaN": lambda: spoiled(math.nan, (2, slice(None))),
    "infinity": lambda: spoiled(math.inf),
    "huge": lambda: 1e200 * A,
    "beyond": lambda: 1e308 * A,
    "tiny": lambda: 1e-200 * A,
    "denormal": lambda: 1e-310 * A,
    "one huge": lambda: spoiled(1e300),
    "zeros": lambda: np.zeros((N, 3)),
    "constant": lambda: np.full((N, 3), 7.0),
    "negative": lambda: -np.abs(A),
    "twins": lambda: np.repeat(A[:2], 3, axis=0),
    "integers": lambda: np.arange(3 * N).reshape(N, 3),
    "largest integers": lambda: np.full((N, 3), 2**63 - 1),
    "small integers": lambda: np.arange(3 * N, dtype=np.int8).reshape(N, 3),
    "unsigned": lambda: np.arange(3 * N, dtype=np.uint8).reshape(N, 3),
    "integers of Python": lambda: [[10**400, 1], [2, 3]],
    "truths": lambda: A > 0,
    "single": lambda: A.astype(np.float32),
    "half": lambda: A.astype(np.float16),
    "long double": lambda: A.astype(np.longdouble),
    "foreign bytes": lambda: A.astype(">f8"),
    "transposed": lambda: np.asfortranarray(A),
    "backwards": lambda: A[::-1, ::-1],
    "read-only": lambda: np.broadcast_to(A[0], (N, 3)),
    "masked": lambda: np.ma.masked_less(A, 0.0),
    "a matrix of old": lambda: np.asmatrix(A),
    "structured": lambda: np.zeros(N, dtype=[("a", float), ("b", int)]),
    "csr": lambda: sparse.csr_matrix(A),
    "csr array": lambda: sparse.csr_array(A),
    "coo": lambda: sparse.coo_matrix(A),
    "sparse NaN": lambda: sparse.csr_matrix(spoiled(math.nan)),
    "sparse complex": lambda: sparse.csr_matrix(A + 1j),
    "fewer rows": lambda: A[:4],
    "more columns": lambda: np.hstack([A, A]),
    "spectra": lambda: [kernels.MassSpectrum(100.0 + k, np.array([[50.0, 1.0], [60.0 + k, 2.0]])) for k in range(N)],
    "broken spectra": lambda: [kernels.MassSpectrum(math.nan, np.array([[50.0, -1.0]])) for _ in range(N)],
    "spectra without peaks": lambda: [kernels.MassSpectrum(100.0, np.empty((0, 2))) for _ in range(N)],
    "gram": lambda: A @ A.T,
    "indefinite gram": lambda: A @ A.T - 2.0 * np.eye(N),
    "crooked": lambda: np.triu(np.ones((N, N))),
}
COLLECTIONS = ORDINARY | ODD


def nothing(*arguments, **named):
    """A function that takes anything and returns None."""


PARAMETERS = {
    "None": None, "'words'": "words", "''": "", "'auto'": "auto", "'median'": "median", "-1": -1, "0": 0, "1": 1,
    "0.5": 0.5, "2.5": 2.5, "nan": math.nan, "inf": math.inf, "-inf": -math.inf, "1e300": 1e300, "1e-300": 1e-300,
    "10**400": 10**400, "10**18": 10**18, "True": True, "[]": [], "[1, 2]": [1, 2], "{}": {}, "{'a': 1}": {"a": 1},
    "'a' only": ("a",), "object()": object(), "array": np.array([0.5, 1.0, 2.0]), "NaNs": np.full(3, math.nan),
    "array of words": np.array(["a", "b"]), "1j": 1j, "nothing": nothing, "a class": kernels.Gaussian,
    "a date": datetime.date(2020, 1, 1), "a kernel": kernels.Gaussian(0.5), "a loss": losses.Huber(1.0),
    "a space": spaces.Euclidean(), "a basis": spaces.Fourier(3), "float64": np.float64(0.5), "0-d": np.array(0.5),
    "int64": np.int64(3), "bytes": b"a", "[None]": [None], "matrix": A[:, :3].T @ A[:, :3], "range": range(3),
    "Decimal": Decimal("0.5"), "complex array": np.array([1j, 2.0]), "sparse": sparse.csr_matrix(np.eye(3)),
}  # fmt: skip
