"""What predicts of a model with features: centres and coefficients, whatever the number of samples."""

import numpy as np
import pytest

import hilbertine
from hilbertine import FunctionalRegressor, HuberRegressor, RegressorCV, Ridge, kernels, spaces
from hilbertine.kernels import Gaussian, Nystroem
from hilbertine.matrices import Tall

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (900, 2))
Y = np.sin(3 * X) + 0.1 * rng.standard_normal((900, 2))


def saved(model, folder):
    hilbertine.save(model, folder / "model.hil")
    return (folder / "model.hil").stat().st_size


def test_a_compact_model_predicts_the_same_and_is_small(tmp_path):
    model = HuberRegressor(kernel=Nystroem(Gaussian(2.0), 30)).fit(X, Y)
    small = model.compact()
    again_small = small.compact()
    assert np.array_equal(small.predict(X), model.predict(X))
    assert np.array_equal(again_small.predict(X), model.predict(X))
    assert (small.dual_gap_, small.dual_coef_.shape) == (model.dual_gap_, (0, 2))
    assert model.dual_coef_.shape == (900, 2)
    assert saved(small, tmp_path) < 30_000 < saved(model, tmp_path)
    hilbertine.save(small, tmp_path / "small.hil")
    assert np.array_equal(hilbertine.load(tmp_path / "small.hil").predict(X), model.predict(X))


def test_its_size_does_not_know_the_samples(tmp_path):
    kernel = Nystroem(Gaussian(2.0), centres=X[:30])
    sizes = [saved(Ridge(kernel=kernel).fit(X[:n], Y[:n]).compact(), tmp_path) for n in (300, 900)]
    assert abs(sizes[0] - sizes[1]) < 200


def test_curves_too():
    curves = np.sin(X @ np.ones((2, 20)) + np.linspace(0, 1, 20))
    model = FunctionalRegressor(kernel=Nystroem(Gaussian(2.0), 30), basis=spaces.Fourier(3)).fit(X, curves)
    assert np.array_equal(model.compact().predict(X), model.predict(X))


def test_without_features_the_points_are_needed():
    with pytest.raises(ValueError, match="predicts with all 900 training points; a kernel with features needs none"):
        Ridge(kernel=kernels.Gaussian(2.0)).fit(X, Y).compact()


@pytest.mark.parametrize("estimator", [Ridge(), HuberRegressor(0.5)], ids=["ridge", "huber"])
def test_the_square_of_the_features_is_formed_once_for_a_fold_and_its_grid(estimator, monkeypatch):
    formed = []
    made = Tall.section
    monkeypatch.setattr(Tall, "section", lambda self: formed.append(self.shape) or made(self))
    settings = {"lams": np.logspace(-5, -1, 4), "cv": 3}
    grid = {} if isinstance(estimator, Ridge) else {"kappa": [0.2, 0.5]}
    RegressorCV(estimator.set_params(kernel=Nystroem(Gaussian(2.0), 30)), grid=grid, **settings).fit(X, Y)
    assert formed.count((600, 30)) == 3
    assert formed.count((900, 30)) == 1


def test_leave_one_out_on_features_is_in_closed_form():
    Z, T, centres = X[:60], Y[:60], X[:15]
    kernel = Nystroem(Gaussian(2.0), centres=centres)
    search = RegressorCV(Ridge(kernel=kernel, centre=None), lams=[1e-3, 1e-2], grid={}, cv="loo").fit(Z, T)
    for lam, score in zip([1e-3, 1e-2], search.cv_results_["mean_test_score"], strict=True):
        model = Ridge(kernel=kernel, lam=lam, centre=None)
        left = [np.delete(np.arange(60), i) for i in range(60)]
        errors = [((model.fit(Z[k], T[k]).predict(Z[i : i + 1]) - T[i]) ** 2).sum() for i, k in enumerate(left)]
        assert np.isclose(-score, np.mean(errors), rtol=1e-6)
