"""A fit that was killed goes on from its checkpoint, to the same certified gap, and from nobody else's."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from hilbertine import EpsilonSVR, HuberRegressor, Regressor, StructuredPredictor, kernels, load, losses, save
from hilbertine.estimators import checkpoint
from hilbertine.operator_kernels import Matrix, Separable
from hilbertine.solvers import sample

RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 3))
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1) + 0.1 * RNG.standard_normal((300, 2))
Y[::9] *= -5.0
WEIGHTS = RNG.integers(0, 3, 300).astype(float)
FEW = kernels.Nystroem(kernels.Gaussian("auto"), 15)
MODELS = {
    "a kernel matrix": HuberRegressor(0.3, tol=1e-10, lam=1e-4),
    "features": HuberRegressor(0.3, kernel=FEW, tol=1e-10, lam=1e-4),
    "cells": HuberRegressor(0.3, kernel=FEW, tol=1e-8, lam=1e-4, cells=True),
    "no curvature": EpsilonSVR(0.1, kernel=FEW, tol=1e-6, lam=1e-3),
    "an operator": Regressor(losses.Huber(0.3), Separable(FEW, Matrix([[2.0, 0.5], [0.5, 1.0]])), tol=1e-10, lam=1e-4),
    "automatic": HuberRegressor(kernel=FEW, tol=1e-10, lam=1e-4),
}


@pytest.fixture(autouse=True)
def every_step(monkeypatch):
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    monkeypatch.setattr(checkpoint, "PRICE", 0.0)


def cut_short(model, steps, path, *weights):
    """The model after so many steps of a fit that was ended by an error, which leaves the file alone."""

    def stop(told):
        if told.n_iter >= steps:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clone(model).set_params(checkpoint=path, callback=stop).fit(X, Y, *weights)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weights", [(), (WEIGHTS,)], ids=["plain", "weights"])
def test_it_goes_on_to_the_same_gap(name, weights, tmp_path):
    model, path = MODELS[name], tmp_path / "fit.npz"
    whole = clone(model).fit(X, Y, *weights)
    assert whole.n_iter_ > 6, "too easy to be cut short"
    cut_short(model, whole.n_iter_ - 2, path, *weights)
    begun = clone(model).set_params(checkpoint=str(path)).fit(X, Y, *weights)
    assert begun.converged_
    assert begun.dual_gap_ <= model.tol
    assert begun.n_iter_ <= whole.n_iter_ / 2
    assert begun.predict(X) == pytest.approx(whole.predict(X), abs=10.0 * model.tol**0.5)
    # What is done is done: a further fit starts where this one ended.
    assert clone(begun).fit(X, Y, *weights).n_iter_ <= whole.n_iter_ / 2


def test_many_rows_go_on_from_p_by_m_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "ROWS", 60)
    model = clone(MODELS["features"]).set_params(solver="sampled_newton")
    whole, path = clone(model).fit(X, Y), tmp_path / "fit.npz"
    cut_short(model, whole.n_iter_ - 1, path)
    with np.load(path) as file:
        assert file["state"].shape == (15, 2)
    begun = clone(model).set_params(checkpoint=path).fit(X, Y)
    assert begun.dual_gap_ <= model.tol
    assert begun.n_iter_ < whole.n_iter_ / 2


OTHERS = {
    "lam was 0.0001 and is 0.01": ({"lam": 1e-2}, X, Y, None),
    "kappa was 0.3 and is 0.5": ({"kappa": 0.5}, X, Y, None),
    "kernel was .*15.* and is .*16": ({"kernel": kernels.Nystroem(kernels.Gaussian("auto"), 16)}, X, Y, None),
    "X has other values": ({}, X + 1e-9, Y, None),
    "y has other values": ({}, X, Y + 1e-9, None),
    "y was ndarray of shape": ({}, X, Y[:, :1], None),
    "sample_weight was None": ({}, X, Y, WEIGHTS + 1.0),
}


@pytest.mark.parametrize("words", OTHERS)
def test_the_state_of_another_fit_is_refused(words, tmp_path):
    path, model = tmp_path / "fit.npz", MODELS["features"]
    cut_short(model, 4, path)
    before = path.read_bytes()
    settings, inputs, outputs, weights = OTHERS[words]
    other = clone(model).set_params(checkpoint=path, **settings)
    with pytest.raises(ValueError, match=rf"checkpoint of another fit.*{words}.*remove the file"):
        other.fit(inputs, outputs, weights)
    assert path.read_bytes() == before
    assert not hasattr(other, "function_")


def test_how_a_fit_goes_is_free(tmp_path):
    path, model = tmp_path / "fit.npz", MODELS["features"]
    with pytest.warns(ConvergenceWarning):
        clone(model).set_params(checkpoint=path, max_iter=12).fit(X, Y)
    assert clone(model).set_params(checkpoint=path, tol=1e-9, solver="splitting").fit(X, Y).converged_


def test_what_is_no_checkpoint_stays_what_it_is(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("all I have")
    with pytest.raises(ValueError, match=r"thesis\.txt is no checkpoint"):
        clone(MODELS["features"]).set_params(checkpoint=path).fit(X, Y)
    assert path.read_text() == "all I have"


def test_settings_without_a_name_are_refused(tmp_path):
    model = Regressor(losses.Huber(0.3), lambda A, B: A @ B.T, checkpoint=tmp_path / "fit.npz")
    with pytest.raises(TypeError, match="checkpoint= has to know kernel again"):
        model.fit(X, Y)


def test_outputs_may_be_words_and_models_are_saved(tmp_path):
    words = [str(k % 7) for k in range(40)]
    model = StructuredPredictor(losses.Huber(0.3), checkpoint=tmp_path / "fit.npz", output_kernel=kernels.Substrings(1))
    model.fit(X[:40], words)
    assert clone(model).fit(X[:40], words).converged_
    save(model, tmp_path / "model.hil")
    assert load(tmp_path / "model.hil").predict(X[:2]) == model.predict(X[:2])


KILLED = """
import os, signal, sys
import numpy as np
sys.path.insert(0, {here!r})
from hilbertine.estimators import checkpoint
from test_checkpoint import MODELS, X, Y
checkpoint.PAUSE = checkpoint.PRICE = 0.0
def die(told):
    if told.n_iter >= {steps}:
        os.kill(os.getpid(), signal.SIGKILL)
MODELS["features"].set_params(checkpoint={path!r}, callback=die).fit(X, Y)
"""


def test_a_process_that_was_killed_is_gone_on_with(tmp_path):
    path, model = str(tmp_path / "fit.npz"), MODELS["features"]
    whole = clone(model).fit(X, Y)
    code = KILLED.format(here=str(Path(__file__).parent), path=path, steps=whole.n_iter_ - 2)
    ended = subprocess.run([sys.executable, "-c", code], env=dict(os.environ), capture_output=True, timeout=120)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    assert sorted(os.listdir(tmp_path)) == ["fit.npz"]
    begun = clone(model).set_params(checkpoint=path).fit(X, Y)
    assert begun.dual_gap_ <= model.tol
    assert begun.n_iter_ < whole.n_iter_
