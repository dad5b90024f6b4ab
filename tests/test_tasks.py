"""Callbacks of scikit-learn: what they hear of a fit, its steps and its refits, and that they change nothing."""

import subprocess
import sys
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hilbertine
from hilbertine import (
    ConformalRegressor,
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
    solvers,
)

sklearn_callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
rng = np.random.default_rng(0)
X = rng.standard_normal((30, 2))
Y = np.stack([np.sin(X[:, 0]), X[:, 0] * X[:, 1]], axis=1) + 0.3 * rng.standard_normal((30, 2))
near = kernels.Gaussian(0.5)
FITS = {
    **{cls.__name__: cls(kernel=near, lam=0.01) for cls in (Ridge, EpsilonRidge, HuberRegressor, EpsilonSVR)},
    "Regressor": Regressor(kernel=near),
    "FunctionalRegressor": FunctionalRegressor(kernel=near),
    "StructuredPredictor": StructuredPredictor(kernel=near, output_kernel=kernels.Gaussian(0.5)),
    "KernelAutoencoder": KernelAutoencoder(1),
    "RegressorCV": RegressorCV(Ridge(kernel=near), lams=[0.01, 0.1, 1.0], cv=3),
    "leave-one-out": RegressorCV(Ridge(kernel=near), lams=[0.01, 0.1], cv="loo"),
    "pipeline": RegressorCV(make_pipeline(StandardScaler(), Ridge(kernel=near)), lams=[0.01, 0.1], cv=3),
    **{name: ConformalRegressor(Ridge(kernel=near), method=name, cv=3) for name in ("split", "cv+", "jackknife+")},
    "grown": HuberRegressor(kernel=kernels.Nystroem(near, 2, target=1e-3), lam=0.1),
}
every_fit = pytest.mark.parametrize("name", FITS)


class Listener:
    """Writes down what it hears; asks to stop at the step of this number."""

    max_propagation_depth = None

    def __init__(self, stop=None, at_step=None):
        self.heard, self.open, self.models = [], [], []
        self.stop, self.at_step, self.steps = stop, at_step, 0

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        assert context.parent is None or self.open
        self.open.append((type(estimator).__name__, context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        place = (type(estimator).__name__, context.task_name, context.task_id)
        assert self.open.pop() == place
        self.heard.append(place)
        if fitted_estimator is not None:
            self.models.append((place, fitted_estimator, X, y, metadata))
        if context.task_name == "step":
            self.steps += 1
            if self.at_step is not None:
                self.at_step(fitted_estimator)
            return self.steps == self.stop
        return False


def fitted(model):
    return model.fit(X) if isinstance(model, KernelAutoencoder) else model.fit(X, Y)


def answers(model):
    return np.asarray(model.transform(X) if isinstance(model, KernelAutoencoder) else model.predict(X))


@every_fit
@pytest.mark.filterwarnings("ignore")
def test_every_task_that_begins_ends_and_the_model_is_the_same(name):
    listener = Listener()
    model = fitted(clone(FITS[name]).set_callbacks(listener))
    assert (listener.heard[0], listener.heard[-1], listener.open) == ("setup", "teardown", [])
    assert listener.heard.count("setup") == 1
    assert listener.heard[-2] == (type(model).__name__, "fit", 0)
    assert listener.steps > 0
    np.testing.assert_array_equal(answers(model), answers(fitted(clone(FITS[name]))))
    assert set(vars(model)) == {*vars(fitted(clone(FITS[name]))), "_skl_callbacks"}
    *_, (place, last, inputs, outputs, _) = listener.models
    assert place[1] == "fit"
    assert inputs is X
    assert outputs is (None if isinstance(model, KernelAutoencoder) else Y)
    np.testing.assert_array_equal(answers(last), answers(model))


@pytest.mark.parametrize("weights", [None, rng.uniform(0.5, 2.0, 30), np.arange(30.0) % 2])
def test_a_certificate_brings_the_model_had_the_fit_ended_there(weights):
    listener = Listener()
    model = HuberRegressor(0.3, kernel=near, lam=0.01, solver="splitting").set_callbacks(listener).fit(X, Y, weights)
    steps = [each for each in listener.models if each[0][1] == "step"]
    assert [each[1].dual_gap_ for each in steps] == [each.gap for each in model.history_]
    np.testing.assert_allclose(answers(steps[-1][1]), answers(model), atol=1e-12)
    assert np.abs(answers(steps[0][1]) - answers(model)).max() > 0.1
    assert all((each[4] is None) == (weights is None) for each in steps)


def test_refits_are_tasks_one_after_another():
    listener = Listener()
    model = clone(FITS["grown"]).set_callbacks(listener).fit(X, Y)
    assert model.kernel_.get_params()["scalar"].n_components > 2
    solves = [place for place in listener.heard if place[1] == "solve"]
    assert len(solves) > 1
    assert [place[2] for place in solves] == list(range(len(solves)))


def test_searches_and_sets_pass_callbacks_on_to_what_they_train():
    listener = Listener()
    clone(FITS["RegressorCV"]).set_callbacks(listener).fit(X, Y)
    assert listener.heard.count(("RegressorCV", "search", 0)) == 1
    assert sum(place[:2] == ("RegressorCV", "step") for place in listener.heard) == 9
    assert ("Ridge", "fit", 1) in listener.heard
    listener = Listener()
    model = clone(FITS["cv+"]).set_callbacks(listener).fit(X, Y)
    assert sum(place[:2] == ("Ridge", "fit") for place in listener.heard) == 4
    assert not hasattr(model.estimator_, "_skl_callbacks")


def test_a_callback_ends_the_steps_and_what_is_left_is_certified(recwarn):
    listener = Listener(stop=2)
    model = HuberRegressor(0.3, kernel=near, lam=1e-4, solver="splitting").set_callbacks(listener).fit(X, Y)
    # The start, one step, and its certificate.
    assert (listener.steps, model.n_iter_) == (3, 1)
    assert not model.converged_
    assert model.dual_gap_ == model.history_[-1].gap > model.tol
    steps = solvers.ProximalGradient(check_every=1)
    own = HuberRegressor(0.3, kernel=near, lam=1e-4, solver=steps, callback=lambda told: told.n_iter > 1)
    assert own.fit(X, Y).n_iter_ == 2
    assert not [each for each in recwarn if issubclass(each.category, ConvergenceWarning)]
    assert len(KernelAutoencoder(1, tol=1e-9, callback=lambda told: told.n_iter == 3).fit(X).history_) == 4


class StopError(Exception):
    pass


@every_fit
@pytest.mark.filterwarnings("ignore")
def test_a_fit_that_fails_is_torn_down_and_leaves_nothing(name):
    def fail(model):
        raise StopError

    listener = Listener(at_step=fail)
    model = clone(FITS[name]).set_callbacks(listener)
    before = dict(vars(model))
    with pytest.raises(StopError):
        fitted(model)
    assert listener.heard[-1] == "teardown"
    assert vars(model) == before


def test_errors_of_the_inside_are_told_as_without_callbacks():
    told = []
    for model in (HuberRegressor(), HuberRegressor().set_callbacks(Listener())):
        with pytest.raises((TypeError, ValueError)) as caught:
            model.fit({1: 2}, {3: 4})
        told.append(str(caught.value))
    assert told[0] == told[1]
    with pytest.raises(TypeError, match="FitCallback protocol"):
        HuberRegressor().set_callbacks(print)


def test_a_callback_may_keep_what_it_is_shown(tmp_path):
    def keep(model):
        if model is not None:
            hilbertine.save(model, tmp_path / "last.hil")
            np.testing.assert_array_equal(answers(deepcopy(model)), answers(model))

    model = HuberRegressor(0.3, kernel=near, lam=0.01).set_callbacks(Listener(at_step=keep)).fit(X, Y)
    np.testing.assert_allclose(answers(hilbertine.load(tmp_path / "last.hil")), answers(model), atol=1e-12)


def test_the_monitor_and_the_bar_of_scikit_learn(capfd):
    pytest.importorskip("rich")
    pytest.importorskip("pandas")
    monitor = sklearn_callback.ScoringMonitor(scoring=["r2", "neg_mean_squared_error"])
    model = HuberRegressor(0.3, kernel=near, lam=0.01).set_callbacks(monitor, sklearn_callback.ProgressBar()).fit(X, Y)
    scores = monitor.get_logs().data_as_pandas
    assert scores["r2"].iloc[-1] == pytest.approx(model.score(X, Y))
    assert scores["r2"].max() > scores["r2"].min()
    assert "HuberRegressor - fit" in capfd.readouterr().out


def test_inside_a_grid_and_a_pipeline_of_scikit_learn(capfd):
    pytest.importorskip("rich")
    steps = make_pipeline(StandardScaler(), Ridge(kernel=near))
    search = GridSearchCV(steps, {"ridge__lam": [0.1, 1.0]}, cv=2)
    search.set_callbacks(sklearn_callback.ProgressBar(max_propagation_depth=None)).fit(X, Y)
    shown = capfd.readouterr().out
    assert "Ridge - fit" in shown
    np.testing.assert_array_equal(search.predict(X), clone(search).set_callbacks().fit(X, Y).predict(X))


BEFORE = """
import importlib.util
known = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "sklearn.callback" else known(name, *rest)
from hilbertine import ConformalRegressor, KernelAutoencoder, RegressorCV, Ridge
X, Y = [[float(i), float(i % 3)] for i in range(20)], [[float(i % 3)] for i in range(20)]
for model in (Ridge(), RegressorCV(Ridge(), lams=[.1, 1.], cv=2), ConformalRegressor(Ridge()), KernelAutoencoder(1)):
    model.fit(X, Y)
    assert not hasattr(model, "set_callbacks")
    assert "_task" not in vars(model)
"""


def test_scikit_learn_before_there_were_callbacks():
    subprocess.run([sys.executable, "-W", "ignore", "-c", BEFORE], check=True, env={"PYTHONPATH": ":".join(sys.path)})
