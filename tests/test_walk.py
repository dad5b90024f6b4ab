"""A walk through fit and predict: nothing is done twice, and predictions repeat nothing of the fit."""

import gc
import sys
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest

from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    KernelAutoencoder,
    Regressor,
    RegressorCV,
    Ridge,
    StructuredPredictor,
    kernels,
    losses,
    operator_kernels,
    spaces,
)
from hilbertine.dual import Dual
from hilbertine.operator_kernels import Gram
from hilbertine.risk import Risk

N = 40
rng = np.random.default_rng(0)
X, NEW = rng.standard_normal((N, 3)), rng.standard_normal((7, 3))
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2], np.cos(X[:, 2])], axis=1) + 0.1 * rng.standard_normal((N, 3))
Y[::9] *= -20.0
CURVES = Y[:, :1] * np.sin(np.linspace(0, 6, 25)) + Y[:, 1:2]
WORDS = ["".join("abc"[int(np.clip(round(v) + 1, 0, 2))] for v in row) for row in np.clip(Y, -1, 1)]

# What a prediction has no business doing: the kernel was checked, and its operator inverted, by the fit.
CHECKS = {"check_gram", "check_symmetric", "_check_positive", "eigh", "eigvalsh", "pinv", "inv", "svd", "cholesky"}


class Walk:
    """The Python calls of a block: methods of the library as (module, class, name), and the matrices of its kernels."""

    def __init__(self):
        self.calls = Counter()
        self.names = set()
        self.total = 0
        self.matrices = []

    def __call__(self, frame, event, value):
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if event == "call":
            self.total += 1
            self.names.add(name)
        # A method that hands over to its parent's, or back to itself, is called once.
        if event not in ("call", "return") or not _of(module, "hilbertine") or _repeats(frame):
            return
        owner = type(frame.f_locals["self"]).__name__ if "self" in frame.f_locals else ""
        if event == "call":
            self.calls[module, owner, name] += 1
        elif name == "between" and hasattr(value, "shape") and not _of_parts(frame):
            self.matrices.append((owner, *value.shape))

    def of(self, name, package="hilbertine"):
        """How often each class of the package was asked for that."""
        return {owner: n for (module, owner, what), n in self.calls.items() if what == name and _of(module, package)}


def _of(module, package):
    return module == package or module.startswith(f"{package}.")


def _repeats(frame):
    """Whether the caller is the same method of the same object."""
    own, caller = frame.f_locals.get("self"), frame.f_back
    same = caller is not None and caller.f_code.co_name == frame.f_code.co_name
    return same and own is not None and caller.f_locals.get("self") is own


def _of_parts(frame):
    """Whether a kernel made of others only combines what they return."""
    return any(hasattr(frame.f_locals["self"], part) for part in ("left", "kernel"))


@contextmanager
def walking():
    walk = Walk()
    before = sys.getprofile()
    sys.setprofile(walk)
    try:
        yield walk
    finally:
        sys.setprofile(before)


def letters(A, B):
    return np.array([[sum(a == b for a, b in zip(x, y, strict=True)) for y in B] for x in A], dtype=float)


MIXED = kernels.Gaussian(0.3) + 0.1 * kernels.Linear()
RELATED = operator_kernels.Separable(None, operator_kernels.Covariance())
GAPPY = np.where(np.eye(N, 3) > 0, np.nan, Y)
HUBER = losses.Huber("auto")
# Estimators, their outputs, and the kernels that they fit, parts of one another included.
CASES = {
    "Ridge": (Ridge(), Y, ["Gaussian"]),
    "EpsilonRidge": (EpsilonRidge(), Y, ["Gaussian"]),
    "HuberRegressor": (HuberRegressor(), Y, ["Gaussian"]),
    "HuberRegressor, cells": (HuberRegressor(cells=True), Y, ["Gaussian"]),
    "HuberRegressor, gaps": (HuberRegressor(missing="ignore"), GAPPY, ["Gaussian"]),
    "EpsilonSVR": (EpsilonSVR(), Y, ["Gaussian"]),
    "Regressor, a sum": (Regressor(HUBER, MIXED), Y, ["Gaussian", "Linear", "Scaled", "Sum"]),
    "Regressor, Covariance": (Regressor(HUBER, RELATED), Y, ["Gaussian"]),
    "StructuredPredictor": (StructuredPredictor(HUBER, output_kernel=letters), WORDS, ["FromCallable", "Gaussian"]),
    "FunctionalRegressor": (FunctionalRegressor(HUBER, basis=spaces.Cosine(5)), CURVES, ["Gaussian"]),
}
every_case = pytest.mark.parametrize("name", CASES)
pytestmark = pytest.mark.filterwarnings("ignore:No row lies inside the tube")


@every_case
@pytest.mark.parametrize("weights", [None, 1.0 + np.arange(N) % 2], ids=["plain", "weights"])
def test_a_fit_does_everything_once(name, weights):
    estimator, outputs, fitted = CASES[name]
    with walking() as walk:
        estimator.fit(X, outputs, weights)
    evaluated = [kernel for kernel in fitted if kernel not in ("Scaled", "Sum")]
    assert sorted(walk.matrices) == [(kernel, N, N) for kernel in evaluated]
    assert walk.of("fit", "hilbertine.kernels") == dict.fromkeys(fitted, 1)
    assert list(walk.of("fit", "hilbertine.operator_kernels").values()) == [1]
    assert list(walk.of("gram", "hilbertine.operator_kernels").values()) == [1]
    # The outputs become coordinates once; nothing encodes them again.
    assert list(walk.of("fit_measure", "hilbertine.spaces").values()) == [1]
    assert walk.of("encode", "hilbertine.spaces") == {}


@every_case
def test_a_prediction_repeats_nothing_of_the_fit(name):
    estimator, outputs, fitted = CASES[name]
    estimator.fit(X, outputs)
    with walking() as walk:
        estimator.predict(NEW)
    inputs = [kernel for kernel in fitted if kernel in ("Gaussian", "Linear")]
    assert sorted(each for each in walk.matrices if each[0] in inputs) == [(each, len(NEW), N) for each in inputs]
    for what in ("fit", "fit_measure", "gram"):
        assert walk.of(what) == {}
    assert walk.names & CHECKS == set()


def test_a_search_builds_one_kernel_for_each_fold_and_one_for_the_model():
    search = RegressorCV(HuberRegressor(), lams=[1e-3, 1e-2, 1e-1], grid={"kappa": [0.5, 1.0, 2.0]}, cv=4)
    with walking() as walk:
        search.fit(X, Y)
    square = [each for each in walk.matrices if each[1] == each[2]]
    assert sorted(square) == [*[("Gaussian", 30, 30)] * 4, ("Gaussian", N, N)]
    assert walk.of("fit_measure", "hilbertine.spaces") == {"Euclidean": 5}


def test_an_autoencoder_builds_its_outer_kernel_once():
    model = KernelAutoencoder(2, kernel=kernels.Laplacian(0.3), inner_kernel=kernels.Gaussian(1.0))
    with walking() as walk:
        model.fit(X)
    assert [each for each in walk.matrices if each[0] == "Laplacian"] == [("Laplacian", N, N)]
    with walking() as walk:
        model.transform(NEW)
    assert walk.matrices == [("Laplacian", len(NEW), N)]
    assert walk.of("fit") == walk.of("fit_measure") == {}
    assert walk.names & CHECKS == set()


def test_candidates_are_read_once_however_many_blocks_of_points_there_are(monkeypatch):
    monkeypatch.setattr("hilbertine.memory.BLOCK", 64)
    words, many = [str(k) for k in range(12)], [str(k) for k in range(30)]
    model = StructuredPredictor(output_kernel=kernels.Substrings(1)).fit(X[:12], words)
    for decoder in (None, spaces.InnerProduct(), spaces.LossTrick()):
        model.set_params(decoder=decoder)
        for ask in (model.predict, model.rank, model.decision_function):
            with walking() as walk:
                ask(NEW, many)
            assert walk.of("represent")["Substrings"] == 1, (decoder, ask)
            if not isinstance(decoder, spaces.LossTrick):
                assert walk.of("inner")["Images"] > 1


LEFT = {
    **{name: (estimator, outputs, {}) for name, (estimator, outputs, _) in CASES.items()},
    "weights": (HuberRegressor(), Y, {"sample_weight": 1.0 + np.arange(N) % 2}),
    "RegressorCV": (RegressorCV(HuberRegressor(), lams=[1e-3, 1e-2], cv=2), Y, {}),
    "leave-one-out": (RegressorCV(Ridge(), lams=[1e-3, 1e-2], cv="loo"), Y, {}),
    "KernelAutoencoder": (KernelAutoencoder(2), None, {}),
}


@pytest.mark.parametrize("name", LEFT)
def test_a_fit_frees_its_matrices_as_it_returns(name):
    """An n x n matrix that waits for the cyclic collector is still there when the next fit asks for its own."""
    estimator, outputs, more = LEFT[name]
    kinds = (Dual, Gram, Risk)
    gc.collect()
    before = [each for each in gc.get_objects() if isinstance(each, kinds)]
    gc.disable()
    try:
        estimator.fit(X, outputs, **more)
        found = (each for each in gc.get_objects() if isinstance(each, kinds))
        left = [type(each).__name__ for each in found if not any(each is other for other in before)]
    finally:
        gc.enable()
    assert left == []


def test_one_row_costs_the_same_whatever_the_operator():
    n, m = 300, 60
    points, targets = rng.standard_normal((n, 4)), rng.standard_normal((n, m))
    B = rng.standard_normal((m, m))
    operators = {
        "Identity": operator_kernels.Identity(),
        "Covariance": operator_kernels.Covariance(),
        "Matrix": operator_kernels.Matrix(B @ B.T),
        "FromGram": operator_kernels.FromGram(targets @ (B @ B.T) @ targets.T),
    }
    calls = {}
    for name, operator in operators.items():
        kernel = operator_kernels.Separable(kernels.Gaussian(0.5), operator)
        model = Ridge(lam=1.0, kernel=kernel, centre=None).fit(points, targets)
        model.predict(points[:1])
        with walking() as walk:
            model.predict(points[:1])
        assert walk.names & CHECKS == set(), name
        calls[name] = walk.total
    assert max(calls.values()) <= 2 * min(calls.values()), calls
