"""YEAST: the official split, the table's four models, and the experiment from data to record."""

import hashlib
import json
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import hamming_loss
from sklearn.model_selection import ParameterGrid, ShuffleSplit
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, RegressorCV, Ridge, datasets, kernels, metrics
from hilbertine.experiments import Settings, yeast, yeast_paths, yeast_peers
from hilbertine.experiments.base import record


@pytest.fixture(scope="module")
def split():
    return datasets.load_yeast("train"), datasets.load_yeast("test")


def test_official_split(split):
    train, test = split
    everything = datasets.load_yeast("all")
    assert train.data.shape == (1500, 103)
    assert test.data.shape == (917, 103)
    assert np.array_equal(np.concatenate([test.data, train.data]), everything.data)
    assert everything.target.dtype == np.float64
    assert set(np.unique(everything.target)) == {0.0, 1.0}
    assert everything.target.sum(axis=1).mean() == pytest.approx(4.24, abs=0.005)
    assert np.allclose(np.linalg.norm(everything.data, axis=1), 1.0, atol=1e-3)
    digest = hashlib.sha256(everything.target.astype(np.uint8).tobytes()).hexdigest()
    assert digest == "2ef51465364c74f50d1e23e8af4c32f1314f3fc050a6d262107e057473d88bbc"


def test_unknown_subset_is_named():
    with pytest.raises(ValueError, match="'train', 'test' or 'all'"):
        datasets.load_yeast("validation")


@pytest.mark.parametrize(
    "model",
    [
        Ridge(lam=1.8e-3),
        EpsilonRidge(0.1, lam=1.8e-3),
        HuberRegressor(2.0, lam=1.8e-3),
        EpsilonSVR(0.1, lam=1e-3),
    ],
    ids=repr,
)
def test_every_row_of_the_table_is_within_its_range(split, model):
    train, test = split
    model.set_params(kernel=kernels.Gaussian(1.0)).fit(train.data, train.target)
    assert model.dual_gap_ <= 1e-6
    assert 18.6 <= 100 * metrics.hamming(test.target, model.predict(test.data)).mean() <= 19.3


def few_peers(quick):
    """One peer that is chosen from a grid, one that is taken as it stands."""
    return {
        "neighbours": (KNeighborsClassifier(), {"n_neighbors": [1, 20]}),
        "linear": (MultiOutputClassifier(LogisticRegression()), {}),
    }


def test_experiment_from_data_to_record(tmp_path, monkeypatch, split):
    monkeypatch.setattr(yeast, "grids", lambda quick: ([1e-3, 3e-3], [0.1], [2.0]))
    monkeypatch.setattr(yeast, "peers", few_peers)
    seen = []
    result = yeast.run(Settings(quick=True, progress=lambda done, total, doing: seen.append((done, total))))
    assert [row["loss"] for row in result["rows"]] == ["Ridge", "epsilon-Ridge", "Huber", "epsilon-SV"]
    assert seen == sorted(seen)
    assert seen[-1] == (6, 6)
    for row in result["rows"]:
        assert 18.6 <= row["hamming"] <= 19.3
        assert max(row["gap"], row["worst_cv_gap"]) <= 1e-6
        assert row["standard_error"] == pytest.approx(0.46, abs=0.03)
        assert 18 <= row["exact_match"] <= 23
        assert 0 < row["seconds"] < row["search_seconds"]
    neighbours, linear = result["peers"]
    train, test = split
    model = KNeighborsClassifier(20).fit(train.data, train.target)
    assert neighbours["parameters"] == {"n_neighbors": 20}
    assert neighbours["hamming"] == pytest.approx(100 * hamming_loss(test.target, model.predict(test.data)))
    assert neighbours["exact_match"] == pytest.approx(100 * model.score(test.data, test.target))
    assert (linear["model"], linear["parameters"]) == ("linear", {})
    assert linear["estimator"] == "MultiOutputClassifier(estimator=LogisticRegression())"
    assert 19.5 <= linear["hamming"] <= 20.5
    record(result, tmp_path / "new" / "yeast.json")
    saved = json.loads((tmp_path / "new" / "yeast.json").read_text())
    assert saved["rows"] == result["rows"]
    assert saved["peers"] == result["peers"]
    assert "scikit-learn" in saved["versions"]
    yeast.draw(result).savefig(tmp_path / "yeast.png")
    head, body = yeast.columns(result)
    assert [row[0] for row in body[4:]] == ["neighbours", "linear", "SSVM", "SPEN"]
    assert all(len(row) == len(head) for row in body)
    assert body[4][head.index("exact")] == f"{neighbours['exact_match']:.1f}"


@pytest.mark.parametrize("quick", [True, False])
def test_every_peer_can_be_set_to_both_ends_of_its_grid_and_predicts_label_sets(split, quick):
    train = split[0]
    X, Y = train.data[:120], train.target[:120, :3]
    for model, grid in yeast_peers.peers(quick).values():
        for point in (list(ParameterGrid(grid))[i] for i in (0, -1)):
            small = clone(model).set_params(**point)
            small.set_params(**{name: 5 for name in ("n_estimators", "max_iter") if name in small.get_params()})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                predicted = small.fit(X, Y).predict(X)
            assert predicted.shape == Y.shape
            assert set(np.unique(predicted)) <= {0.0, 1.0}


def test_authors_reduced_protocol_gives_their_ridge_curve():
    """Their saved curve: 2.1029 at its best, lam = 3.36e-3, and 2.2177 at lam = 1e-8."""
    data = datasets.load_yeast("all")
    X, Y = data.data[:300], data.target[:300]
    folds = [next(ShuffleSplit(1, test_size=1 / 3, random_state=seed).split(X)) for seed in range(3)]
    lams = np.logspace(-8, -1, 20)
    search = RegressorCV(Ridge(kernel=kernels.Gaussian(1.0), centre=None), lams, {}, cv=folds).fit(X, Y)
    errors = -search.cv_results_["mean_test_score"]
    assert errors.min() == pytest.approx(2.1029, abs=5e-5)
    assert lams[errors.argmin()] == pytest.approx(3.36e-3, rel=1e-2)
    assert errors[0] == pytest.approx(2.2177, abs=5e-5)


def test_paths_experiment_draws_its_panels(tmp_path, monkeypatch):
    monkeypatch.setattr(yeast_paths, "grids", lambda quick: ([1e-3, 1e-2], [0.1, 0.5], [0.1, 2.0]))
    result = yeast_paths.run(Settings(authors=True))
    assert [row["loss"] for row in result["rows"]] == ["Ridge", "epsilon-Ridge", "Huber", "epsilon-SV"]
    assert max(row["gap"] for row in result["rows"]) <= 1e-6
    huber = result["panels"][2]
    assert np.all(np.array(huber["capped"][0]) >= np.array(huber["capped"][1]))
    yeast_paths.draw(result).savefig(tmp_path / "paths.png")
    head, body = yeast_paths.columns(result)
    assert all(len(row) == len(head) for row in body)
