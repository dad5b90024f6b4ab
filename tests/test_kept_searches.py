"""A search that was killed computes what was not finished, and nothing of another search is taken for its own."""

import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from hilbertine import HuberRegressor, RegressorCV, kernels
from hilbertine.estimators import fold_jobs

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = np.tanh(X @ RNG.standard_normal((3, 2)))
SEARCH = RegressorCV(HuberRegressor(kernel=kernels.Gaussian(0.5)), [1e-4, 1e-3, 1e-2], {"kappa": [0.1, 0.5, 1.0]}, cv=4)
pytestmark = pytest.mark.filterwarnings("ignore:The best")


@pytest.fixture
def folds(monkeypatch):
    """The sizes of the folds that were computed."""
    original, seen = fold_jobs.score_fold, []

    def counted(*given):
        seen.append(len(given[3]))
        return original(*given)

    monkeypatch.setattr(fold_jobs, "score_fold", counted)
    return seen


def same(one, other):
    assert one.best_params_ == other.best_params_
    for name in ("mean_test_score", "max_dual_gap", "split3_test_score", "mean_saturated"):
        assert one.cv_results_[name].tolist() == other.cv_results_[name].tolist()


def interrupted(search, after):
    def stop(done, total):
        if done == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clone(search).set_params(callback=stop).fit(X, Y)


@pytest.mark.parametrize("weights", [None, 1.0 + np.arange(60) % 2], ids=["plain", "weights"])
def test_what_was_finished_is_not_computed_again(tmp_path, folds, weights):
    whole = clone(SEARCH).fit(X, Y, sample_weight=weights)
    kept = clone(SEARCH).set_params(checkpoint=tmp_path)
    if weights is None:
        interrupted(kept, 3)
    folds.clear()
    same(kept.fit(X, Y, sample_weight=weights), whole)
    assert len(folds) == (1 if weights is None else 4)
    folds.clear()
    same(clone(kept).fit(X, Y, sample_weight=weights), whole)
    assert folds == []
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json"] * 4


def test_a_file_that_was_cut_short_is_no_fold(tmp_path, folds):
    kept = clone(SEARCH).set_params(checkpoint=tmp_path).fit(X, Y)
    one = min(tmp_path.iterdir())
    one.write_bytes(one.read_bytes()[:-10])
    folds.clear()
    same(clone(kept).fit(X, Y), kept)
    assert len(folds) == 1


CHANGES = {
    "data": ({}, X + 1e-9, Y),
    "outputs": ({}, X, Y + 1e-9),
    "lams": ({"lams": [1e-4, 1e-3, 2e-2]}, X, Y),
    "grid": ({"grid": {"kappa": [0.1, 0.5, 2.0]}}, X, Y),
    "kernel": ({"estimator__kernel": kernels.Gaussian(0.6)}, X, Y),
    "tol": ({"estimator__tol": 1e-4}, X, Y),
    "folds": ({"cv": 3}, X, Y),
    "scoring": ({"scoring": "neg_mean_absolute_error"}, X, Y),
}


@pytest.mark.parametrize("name", CHANGES)
def test_everything_that_determines_a_fold_is_in_its_name(name, tmp_path, folds):
    kept = clone(SEARCH).set_params(checkpoint=tmp_path)
    kept.fit(X, Y)
    folds.clear()
    settings, inputs, outputs = CHANGES[name]
    kept.set_params(**settings).fit(inputs, outputs)
    assert len(folds) == (3 if name == "folds" else 4)


def test_two_processes_on_one_folder_do_no_harm(tmp_path):
    searches = [clone(SEARCH).set_params(checkpoint=tmp_path) for _ in range(2)]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(search.fit)(X, Y) for search in searches)
    whole = clone(SEARCH).fit(X, Y)
    for each in found:
        assert each.cv_results_["mean_test_score"] == pytest.approx(whole.cv_results_["mean_test_score"], rel=1e-9)
    assert len(list(tmp_path.iterdir())) == 4


def test_folds_are_tasks_of_a_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    whole = clone(SEARCH).fit(X, Y)
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with warnings.catch_warnings(), distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as one:
        warnings.simplefilter("ignore")
        found = clone(SEARCH).set_params(n_jobs=-1, checkpoint=tmp_path).fit(X, Y)
        done = one.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)
    same(found, whole)
    assert done > 0
    assert len(list(tmp_path.iterdir())) == 4
