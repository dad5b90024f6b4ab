"""scikit-learn's checks and manners for estimators beyond plain regressors: searches, objects, codes."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import cross_validate
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilbertine import ConformalRegressor, HuberRegressor, KernelAutoencoder, RegressorCV, Ridge, StructuredPredictor
from hilbertine.discovery import all_estimators

rng = np.random.default_rng(0)
X = rng.standard_normal((20, 3))
Y = np.stack([X[:, 0], X[:, 1] ** 2], axis=1)
WEIGHTS = dict.fromkeys(
    [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")],
    "folds are cut by places: repeated rows lie in other folds than one row of that weight",
)
EXPECTED = {
    RegressorCV: {"check_regressors_train": "score is minus the squared error, not a share", **WEIGHTS},
    StructuredPredictor: {
        "check_regressors_train": "score is the share of exact answers, none where outputs are real numbers",
        "check_regressors_no_decision_function": "candidates have scores",
        "check_sample_weight_equivalence_on_dense_data": "a column for each distinct output in its order in the data",
        "check_sample_weight_equivalence_on_sparse_data": "a column for each distinct output in its order in the data",
    },
}


@parametrize_with_checks(
    [
        StructuredPredictor(),
        KernelAutoencoder(2),
        RegressorCV(Ridge(), lams=[0.1, 1.0], cv=2),
        ConformalRegressor(Ridge()),
    ],
    expected_failed_checks=lambda estimator: EXPECTED.get(type(estimator), {}),
)
def test_scikit_learn_checks_pass(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


# What SCIPY_ARRAY_API switches on is decided when scipy is imported.
DISPATCHED = """
import unittest, warnings
from sklearn.utils.estimator_checks import _check_name, _yield_array_api_checks
from hilbertine import *
warnings.simplefilter("ignore")
search = RegressorCV(Ridge(), lams=[.1, 1.], cv=2)
for model in (HuberRegressor(), search, ConformalRegressor(Ridge()), KernelAutoencoder(2)):
    assert model.__sklearn_tags__().array_api_support
    for check in _yield_array_api_checks(model):
        try:
            check(type(model).__name__, model)
            print("passed", type(model).__name__, _check_name(check), *check.keywords.values())
        except unittest.SkipTest:
            pass
        except (AssertionError, RuntimeError) as error:
            print("failed", type(model).__name__, _check_name(check), *check.keywords.values(), str(error)[:80])
"""
# Where arrays of other libraries are taken otherwise than scikit-learn has it: NumPy's are predicted from by models of
# tensors too; tensors in single precision are answered in single, NumPy's in double; of devices torch's and CuPy's are
# known, not one that a library without any pretends to have.
OTHERWISE = ("same_namespace", "torch cpu float32", "device1")


@pytest.mark.skipif(sklearn.__version__ < "1.9", reason="scikit-learn checks arrays of other libraries from 1.9 on")
def test_arrays_of_other_libraries_pass_the_checks_of_scikit_learn():
    pytest.importorskip("array_api_strict")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SCIPY_ARRAY_API": "1"}
    run = subprocess.run(
        [sys.executable, "-c", DISPATCHED], env=environment, capture_output=True, text=True, check=True
    )
    told = run.stdout.splitlines()
    assert sum(line.startswith("passed") for line in told) >= 8
    assert [line for line in told if line.startswith("failed") and not any(why in line for why in OTHERWISE)] == []
    assert get_tags(StructuredPredictor()).array_api_support is False


def test_estimators_are_found_by_name_and_kind():
    names = [name for name, _ in all_estimators()]
    assert names == sorted(names)
    assert {"HuberRegressor", "RegressorCV", "KernelAutoencoder"} <= set(names)
    assert set(all_estimators("regressor")) | set(all_estimators("transformer")) == set(all_estimators())
    assert "KernelAutoencoder" not in dict(all_estimators("regressor"))
    with pytest.raises(ValueError, match="type_filter must be None, 'regressor' or 'transformer'"):
        all_estimators("classifier")


def test_codes_have_names_and_go_into_frames():
    pandas = pytest.importorskip("pandas")
    model = KernelAutoencoder(2).set_output(transform="pandas").fit(X)
    assert list(model.get_feature_names_out()) == ["kernelautoencoder0", "kernelautoencoder1"]
    codes = model.transform(pandas.DataFrame(X, index=range(5, 25)).to_numpy())
    assert list(codes.columns) == list(model.get_feature_names_out())
    np.testing.assert_array_equal(codes.to_numpy(), model.set_output(transform="default").transform(X))


def test_metadata_are_routed():
    weights = np.r_[np.zeros(5), np.ones(15)]
    for model in (HuberRegressor(), RegressorCV(Ridge(), lams=[0.1, 1.0], cv=2)):
        folds = [(np.arange(15), np.arange(15, 20))]
        with sklearn.config_context(enable_metadata_routing=True):
            asked = model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
            settings = {"params": {"sample_weight": weights}, "cv": folds, "return_estimator": True}
            (routed,) = cross_validate(asked, X, Y, **settings)["estimator"]
        by_hand = model.fit(X[:15], Y[:15], sample_weight=weights[:15])
        np.testing.assert_array_equal(routed.predict(X), by_hand.predict(X))
        assert np.abs(routed.predict(X) - model.fit(X[:15], Y[:15]).predict(X)).max() > 1e-6
