"""verbose=1: steps, gap and seconds left on stderr, by rich on a terminal and by lines elsewhere; else silence."""

import builtins
import re
import sys

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone

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
)
from hilbertine.estimators.progress import Falling, _terminal
from hilbertine.solvers import Progress, ProximalGradient

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 2))
Y = np.stack([np.sin(X[:, 0]), X[:, 0] * X[:, 1]], axis=1) + 0.3 * rng.standard_normal((30, 2))
FITS = [
    *(
        (cls(kernel=kernels.Gaussian(0.5), lam=0.01), X, Y)
        for cls in (Ridge, EpsilonRidge, HuberRegressor, EpsilonSVR, Regressor, FunctionalRegressor)
    ),
    (StructuredPredictor(kernel=kernels.Gaussian(0.5), output_kernel=kernels.Gaussian(0.5)), X, Y),
    (KernelAutoencoder(1), X, None),
    (RegressorCV(Ridge(kernel=kernels.Gaussian(0.5)), lams=[0.01, 0.1, 1.0], cv=3), X, Y),
]
every_fit = pytest.mark.parametrize(("model", "X", "Y"), FITS, ids=lambda value: type(value).__name__)


@every_fit
@pytest.mark.filterwarnings("ignore")
def test_silent_unless_asked_and_then_on_stderr_alone(model, X, Y, capfd):
    plain = clone(model).fit(X, Y)
    assert capfd.readouterr() == ("", "")
    shown = clone(model).set_params(verbose=1).fit(X, Y)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(type(model).__name__ + ": ")
    assert re.search(r"(step \d+, (gap|slope) [\d.e+-]+ of|9 of 9 fits)", err)
    assert re.search(r"after [\d.]+ s\n$", err)
    assert np.array_equal(np.asarray(plain.predict(X[:3]) if Y is not None else plain.transform(X[:3])),
                          np.asarray(shown.predict(X[:3]) if Y is not None else shown.transform(X[:3])))  # fmt: skip


@every_fit
def test_it_is_a_parameter_as_any_other(model, X, Y):
    asked = clone(model).set_params(verbose=1)
    assert asked.get_params()["verbose"] == 1
    assert clone(asked).verbose == 1
    assert clone(model).verbose == 0


def test_the_callback_of_the_user_hears_the_certificates_alone_and_the_bar_guesses_too():
    told, shown = [], []
    solver = ProximalGradient(check_every=5)
    model = HuberRegressor(0.3, lam=1e-4, kernel=kernels.Gaussian(0.5), solver=solver, callback=told.append, verbose=1)
    model.fit(X, Y)
    assert told == model.history_
    falling = Falling(lambda part, words: shown.append((part, words)), told.append, "gap", 1e-6)
    falling.estimate(Progress(3, 1e-3, 1e-6))
    assert len(told) == len(model.history_)
    assert len(shown) == 1


def test_the_solver_tells_guesses_to_those_who_want_them():
    class Listener:
        def __init__(self):
            self.certified, self.guessed = [], []

        def __call__(self, progress):
            self.certified.append(progress)

        def estimate(self, progress):
            self.guessed.append(progress)

    listener = Listener()
    model = HuberRegressor(0.3, lam=1e-5, kernel=kernels.Gaussian(0.5), solver="splitting", callback=listener).fit(X, Y)
    assert listener.certified == model.history_
    assert listener.guessed
    assert not {each.n_iter for each in listener.guessed} & {each.n_iter for each in listener.certified}


def test_seconds_left_follow_the_decay_of_the_gap():
    # A gap that falls by a digit in two seconds: from 1e-2 to 1e-6 takes eight.
    clock = iter([0.0, 2.0, 4.0])
    falling = Falling(lambda part, words: None, None, "gap", 1e-6, lambda: next(clock))
    for step, gap in enumerate([1.0, 0.1, 0.01]):
        falling.estimate(Progress(step, gap, 1e-6))
    assert falling.seconds_left() == pytest.approx(8.0)
    assert falling.part() == pytest.approx(2 / 6)


def test_gaps_that_rise_stand_still_or_are_infinite_are_no_rate():
    clock = iter(range(10))
    falling = Falling(lambda part, words: None, None, "gap", 1e-6, lambda: float(next(clock)))
    for step, gap in enumerate([np.inf, 1e-2, 1e-1, np.nan, 1e-2]):
        falling.estimate(Progress(step, gap, 1e-6))
    assert falling.seconds_left() is None
    assert falling.part() == 0.0


def test_a_fit_that_fails_ends_its_bar(capfd):
    def stop(progress):
        raise KeyboardInterrupt

    model = HuberRegressor(0.3, callback=stop, verbose=1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert capfd.readouterr().err.endswith("s\n")
    assert not hasattr(model, "dual_coef_")


def test_rich_draws_on_a_terminal_and_lines_do_without_it(monkeypatch, capfd):
    rich = pytest.importorskip("rich.console")
    monkeypatch.setenv("FORCE_COLOR", "1")
    HuberRegressor(0.3, verbose=1).fit(X, Y)
    drawn = capfd.readouterr().err
    assert "\x1b[" in drawn
    assert "━" in drawn
    assert isinstance(_terminal(), rich.Console)
    imported = builtins.__import__

    def without_rich(name, *args, **kwargs):
        if name.startswith("rich"):
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("rich")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without_rich)
    HuberRegressor(0.3, verbose=1).fit(X, Y)
    lines = capfd.readouterr().err
    assert "\x1b[" not in lines
    assert "gap" in lines


@pytest.mark.parametrize("settings", [{"cv": "loo"}, {"cv": 3, "n_jobs": 2}])
def test_a_search_counts_its_fits(settings, capfd):
    told = []
    model = Ridge(kernel=kernels.Gaussian(0.5))
    search = RegressorCV(model, lams=[0.01, 0.1, 1.0], verbose=1, callback=lambda *n: told.append(n), **settings)
    with parallel_config("threading"):
        search.fit(X, Y)
    total = 90 if settings["cv"] == "loo" else 9
    assert f"{total} of {total} fits" in capfd.readouterr().err
    assert told[-1] == ((90, 90) if total == 90 else (3, 3))


def test_losses_by_name_hear_of_it_too(capfd):
    Regressor(losses.Power(1.5), kernels.Gaussian(0.5), verbose=True).fit(X, Y)
    assert "gap" in capfd.readouterr().err
