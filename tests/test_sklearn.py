"""The scikit-learn contract: its own checks, nested search, cloning, pickling, and what a fitted model publishes."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    Regressor,
    Ridge,
    kernels,
    losses,
    operator_kernels,
    solvers,
    spaces,
)
from hilbertine.kernels import Constant, Gaussian, Linear, Precomputed
from hilbertine.operator_kernels import Covariance, Separable
from hilbertine.solvers import Progress, ProximalGradient
from hilbertine.spaces import RKHS

ESTIMATORS = [Ridge, EpsilonRidge, HuberRegressor, EpsilonSVR, Regressor]
LAM = 0.05
FOLDS = KFold(3)

rng = np.random.default_rng(0)
X = rng.standard_normal((18, 2))
Y = np.stack([np.sin(X[:, 0]), X[:, 0] * X[:, 1]], axis=1) + 0.3 * rng.standard_normal((18, 2))
y = Y[:, 0]
Z = rng.standard_normal((5, 2))

every_estimator = pytest.mark.parametrize("Estimator", ESTIMATORS, ids=lambda cls: cls.__name__)


def shared_letters(A, B):
    return [[sum(a == b for a, b in zip(v, w, strict=True)) for w in B] for v in A]


def small(Estimator, **params):
    return Estimator(kernel=Gaussian(0.5), lam=LAM).set_params(**params)


@parametrize_with_checks([Estimator() for Estimator in [*ESTIMATORS, FunctionalRegressor]])
def test_scikit_learn_checks_pass(estimator, check):
    if "sample_weight_equivalence" in str(check):
        # Numbers are compared to nine digits, and "auto" lengths come from fits at a loose gap.
        lengths = {"kappa", "epsilon"} & set(estimator.get_params())
        estimator.set_params(tol=1e-15, **dict.fromkeys(lengths, 0.3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def through_loss(value):
    return Regressor(losses.Huber(value), Gaussian(0.5), lam=LAM)


def through_separable(value):
    return Ridge(kernel=Separable(Gaussian(value), Covariance()), lam=LAM)


def through_operator_sum(value):
    left, right = Separable(Gaussian(value)), Separable(Linear(), Covariance())
    return Ridge(kernel=operator_kernels.Sum(left, right), lam=LAM)


NESTED = {
    "lam": lambda value: Ridge(kernel=Gaussian(0.5), lam=value),
    "kernel__gamma": lambda value: Ridge(kernel=Gaussian(value), lam=LAM),
    "kappa": lambda value: HuberRegressor(kappa=value, kernel=Gaussian(0.5), lam=LAM),
    "epsilon": lambda value: EpsilonRidge(epsilon=value, kernel=Gaussian(0.5), lam=LAM),
    "loss__kappa": through_loss,
    "kernel__scalar__gamma": through_separable,
    "kernel__left__gamma": lambda value: Ridge(kernel=Gaussian(value) + Linear(), lam=LAM),
    "kernel__right__kernel__gamma": lambda value: Ridge(kernel=Linear() * (2.0 * Gaussian(value)), lam=LAM),
    "kernel__left__scalar__gamma": through_operator_sum,
    "space__kernel__gamma": lambda value: Ridge(kernel=Gaussian(0.5), space=RKHS(Gaussian(value)), lam=LAM),
    "solver__tol": lambda value: HuberRegressor(kernel=Gaussian(0.5), lam=LAM, solver=ProximalGradient(tol=value)),
}


@pytest.mark.parametrize("name", NESTED)
def test_grid_search_over_a_nested_parameter_scores_the_models_built_with_it(name):
    build, values = NESTED[name], [0.05, 0.8]
    search = GridSearchCV(build(3.0), {name: values}, cv=FOLDS).fit(X, Y)
    expected = [cross_val_score(build(value), X, Y, cv=FOLDS).mean() for value in values]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-12)
    assert expected[0] != expected[1]
    assert search.best_params_ == {name: values[int(np.argmax(expected))]}


def test_grid_search_reaches_through_a_pipeline():
    model = make_pipeline(StandardScaler(), small(HuberRegressor))
    grid = {"huberregressor__kernel__gamma": [0.1, 1.0], "huberregressor__kappa": [0.1, 1.0]}
    search = GridSearchCV(model, grid, cv=FOLDS).fit(X, Y)
    assert set(search.best_params_) == set(grid)
    assert search.predict(Z).shape == (5, 2)


def test_a_pipeline_predicts_as_its_steps_by_hand():
    scaler = StandardScaler().fit(X)
    by_hand = small(HuberRegressor).fit(scaler.transform(X), Y).predict(scaler.transform(Z))
    pipeline = make_pipeline(StandardScaler(), small(HuberRegressor)).fit(X, Y)
    np.testing.assert_array_equal(pipeline.predict(Z), by_hand)


@every_estimator
def test_parameters_survive_a_round_trip(Estimator):
    model = small(Estimator, tol=1e-4, space=RKHS(Gaussian(2.0), n_components=3))
    params = model.get_params()
    assert params["kernel__gamma"] == 0.5
    assert params["space__kernel__gamma"] == 2.0
    assert Estimator().set_params(**model.get_params(deep=False)).get_params() == params


def test_an_unknown_parameter_is_named():
    with pytest.raises(ValueError, match="Invalid parameter 'gama' for estimator Gaussian"):
        Ridge(kernel=Gaussian()).set_params(kernel__gama=1.0)


@every_estimator
def test_new_parameters_wait_for_the_next_fit(Estimator):
    model = small(Estimator).fit(X, Y)
    before = model.predict(Z)
    model.set_params(kernel__gamma=5.0, lam=1.0)
    np.testing.assert_array_equal(model.predict(Z), before)
    assert not np.allclose(model.fit(X, Y).predict(Z), before)


@every_estimator
def test_a_clone_is_unfitted_and_fits_to_the_same_predictions(Estimator):
    model = small(Estimator).fit(X, Y)
    copy = clone(model)
    assert not hasattr(copy, "dual_coef_")
    assert copy.kernel is not model.kernel
    np.testing.assert_array_equal(copy.fit(X, Y).predict(Z), model.predict(Z))


PICKLED = {
    "vectors": (X, Y, Z, {}),
    "median": (X, Y, Z, {"kernel": Gaussian()}),
    "operator": (X, Y, Z, {"kernel": through_operator_sum(0.5).kernel}),
    "precomputed": (X @ X.T, Y, Z @ X.T, {"kernel": "precomputed"}),
    "indices": (np.arange(18), Y, [3, 1], {"kernel": Precomputed(X @ X.T)}),
    "words": (["cart", "care", "dogs"], [0.0, 1.0, 2.0], ["dots"], {"kernel": shared_letters}),
    "outputs": ([[0.0], [1.0], [2.0]], ["cart", "care", "dogs"], [[1.2]], {"space": RKHS(shared_letters)}),
}


@pytest.mark.parametrize("case", PICKLED)
def test_a_pickled_model_predicts_identically(case):
    A, B, new, params = PICKLED[case]
    model = small(HuberRegressor, **params).fit(A, B)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(new), model.predict(new))
    np.testing.assert_array_equal(copy.embed(new), model.embed(new))


# Every public class of these modules is enrolled; a required argument takes its value from here.
EXAMPLES = {
    "left": Gaussian(0.5),
    "right": Linear(),
    "factor": 2.0,
    "kernel": Gaussian(0.5),
    "function": shared_letters,
    "gram": np.eye(2),
    "matrix": np.eye(2),
    "A": np.eye(2),
    "f": losses.Huber(0.5),
    "loss": losses.Huber(0.5),
    "g": losses.Ball(0.5),
    "family": shared_letters,
    "operators": shared_letters,
    "scalar": Linear(),
    "transformer": StandardScaler(),
    "values": 2.0,
}
MODULES = (kernels, losses, spaces, operator_kernels, solvers)
COMPONENTS = [
    member
    for module in MODULES
    for member in (getattr(module, name) for name in module.__all__)
    if inspect.isclass(member) and issubclass(member, BaseEstimator)
]
every_component = pytest.mark.parametrize("Component", COMPONENTS, ids=lambda c: f"{c.__module__}.{c.__name__}")


def arguments(Component):
    parameters = inspect.signature(Component).parameters.values()
    return [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


def example(Component):
    return Component(**{p.name: EXAMPLES[p.name] for p in arguments(Component) if p.default is p.empty})


@every_component
def test_components_are_cloned_and_shown(Component):
    component = example(Component)
    copy = clone(component)
    assert type(copy) is Component
    assert copy is not component
    assert repr(copy) == repr(component)
    # Sums and products are written with their symbol.
    assert getattr(component, "symbol", Component.__name__) in repr(component)


@every_component
def test_components_store_their_arguments_untouched(Component):
    component = example(Component)
    for p in arguments(Component):
        assert getattr(component, p.name) is (EXAMPLES[p.name] if p.default is p.empty else p.default)


@pytest.mark.parametrize("Class", [*COMPONENTS, *ESTIMATORS], ids=lambda c: f"{c.__module__}.{c.__name__}")
def test_no_default_is_an_object_that_two_instances_would_share(Class):
    defaults = [p.default for p in arguments(Class) if p.default is not p.empty]
    assert all(value is None or isinstance(value, int | float | str) for value in defaults)


@every_estimator
def test_two_fitted_estimators_share_no_part(Estimator):
    first, second = Estimator(lam=LAM).fit(X, Y), Estimator(lam=LAM).fit(10 * X, Y)
    for part in ("kernel_", "space_", "loss_"):
        assert getattr(first, part) is not getattr(second, part)
    np.testing.assert_allclose(first.predict(X), second.predict(10 * X), atol=1e-6)


def test_fit_leaves_the_parts_it_was_given_untouched():
    kernel, output_kernel, loss, solver = Gaussian(), Gaussian(), losses.Huber(), ProximalGradient()
    space = RKHS(output_kernel)
    Regressor(loss, kernel, space, lam=LAM, solver=solver).fit(X, Y)
    for part in (kernel, output_kernel, loss, solver, space):
        assert set(vars(part)) == set(part.get_params(deep=False))
    assert (solver.tol, solver.max_iter, solver.callback) == (None, None, None)


def test_a_space_or_an_operator_kernel_fitted_alone_leaves_its_kernel_untouched():
    kernel = Gaussian()
    RKHS(kernel).fit(Y)
    Separable(kernel).fit(X, Y)
    assert vars(kernel) == {"gamma": "median"}


def test_an_operator_kernel_fitted_again_uses_its_new_scalar_kernel():
    kernel = Separable(Gaussian(1.0)).fit(X, Y)
    kernel.set_params(scalar=Linear())
    np.testing.assert_allclose(kernel.fit(X, Y).gram() @ Y, X @ X.T @ Y)


PRECOMPUTED = {
    "word": "precomputed",
    "separable": Separable("precomputed"),
    "operator": Separable("precomputed", Covariance()),
    "operator_sum": operator_kernels.Sum(Separable("precomputed"), Separable("precomputed", Covariance())),
    "sum": kernels.Sum("precomputed", "precomputed"),
}


@pytest.mark.parametrize("case", PRECOMPUTED)
def test_a_precomputed_kernel_is_tagged_pairwise(case):
    assert get_tags(Ridge(kernel=PRECOMPUTED[case])).input_tags.pairwise
    assert not get_tags(Ridge(kernel=Gaussian())).input_tags.pairwise


@pytest.mark.parametrize("Estimator", [Ridge, HuberRegressor], ids=lambda cls: cls.__name__)
def test_cross_validation_slices_a_precomputed_gram_on_both_sides(Estimator):
    K = Gaussian(0.5)(X, X)
    pairwise, vectors = small(Estimator, kernel="precomputed", tol=1e-10), small(Estimator, tol=1e-10)
    for validate in (cross_val_score, cross_val_predict):
        np.testing.assert_allclose(validate(pairwise, K, Y, cv=FOLDS), validate(vectors, X, Y, cv=FOLDS), atol=1e-4)


def test_grid_search_slices_a_precomputed_gram():
    grid = {"kappa": [0.1, 1.0], "lam": [0.01, 0.1]}
    model = HuberRegressor(kernel="precomputed", tol=1e-10)
    pairwise = GridSearchCV(model, grid, cv=FOLDS).fit(Gaussian(0.5)(X, X), Y)
    vectors = GridSearchCV(clone(model).set_params(kernel=Gaussian(0.5)), grid, cv=FOLDS).fit(X, Y)
    assert pairwise.best_params_ == vectors.best_params_
    np.testing.assert_allclose(pairwise.predict(Gaussian(0.5)(Z, X)), vectors.predict(Z), atol=1e-4)


def test_a_precomputed_kernel_adds_to_a_constant():
    model = Ridge(kernel=kernels.Sum("precomputed", Constant()), lam=LAM).fit(X @ X.T, Y)
    expected = Ridge(kernel=Linear() + Constant(), lam=LAM).fit(X, Y).predict(Z)
    np.testing.assert_allclose(model.predict(Z @ X.T), expected, rtol=1e-10)


def test_cross_validation_slices_the_indices_of_a_precomputed_kernel():
    K = Gaussian(0.5)(X, X)
    by_index = cross_val_score(Ridge(kernel=Precomputed(K), lam=LAM), np.arange(18), Y, cv=FOLDS)
    np.testing.assert_allclose(by_index, cross_val_score(small(Ridge), X, Y, cv=FOLDS), rtol=1e-10)


def test_cross_validation_slices_the_indices_of_a_precomputed_output_kernel():
    by_index = cross_val_score(small(Ridge, space=RKHS(Precomputed(Y @ Y.T))), X, np.arange(18), cv=FOLDS)
    by_vector = cross_val_score(small(Ridge, space=RKHS(Linear())), X, Y, cv=FOLDS)
    np.testing.assert_allclose(by_index, by_vector, rtol=1e-8)


@every_estimator
def test_predictions_have_the_shape_of_the_outputs(Estimator):
    for outputs in (y, y[:, None], Y):
        model = small(Estimator).fit(X, outputs)
        assert model.predict(Z).shape == (5, *outputs.shape[1:])
        assert model.embed(Z).shape == (5, model.dual_coef_.shape[1])


@pytest.mark.parametrize("outputs", [Y > 0, y > 0, np.round(3 * Y).astype(int), np.arange(18, dtype=np.uint8)])
def test_boolean_and_whole_outputs_are_numbers(outputs):
    model, expected = small(HuberRegressor).fit(X, outputs), small(HuberRegressor).fit(X, outputs.astype(float))
    assert model.predict(Z).dtype == np.float64
    np.testing.assert_array_equal(model.predict(Z), expected.predict(Z))


def test_single_precision_inputs_are_computed_in_double():
    model = small(Ridge).fit(X.astype(np.float32), Y.astype(np.float32))
    assert model.predict(Z.astype(np.float32)).dtype == np.float64


def test_lists_are_accepted():
    model = small(Ridge).fit(X.tolist(), Y.tolist())
    np.testing.assert_array_equal(model.predict(Z.tolist()), small(Ridge).fit(X, Y).predict(Z))


@pytest.mark.parametrize("outputs", [y, Y], ids=["vector", "matrix"])
def test_score_is_the_coefficient_of_determination_in_euclidean_space(outputs):
    model = small(HuberRegressor).fit(X[:12], outputs[:12])
    assert model.score(X[12:], outputs[12:]) == pytest.approx(r2_score(outputs[12:], model.predict(X[12:])))


def test_score_is_minus_the_mean_squared_norm_in_an_rkhs():
    model = small(Ridge, space=RKHS(Linear())).fit(X[:12], Y[:12])
    errors = small(Ridge).fit(X[:12], Y[:12]).predict(X[12:]) - Y[12:]
    assert model.score(X[12:], Y[12:]) == pytest.approx(-np.mean(np.sum(errors**2, axis=1)))


def test_score_counts_what_lies_outside_the_span_of_the_training_outputs():
    model = small(Ridge, space=RKHS(Linear())).fit(X, Y * [1.0, 0.0])
    errors = small(Ridge).fit(X, Y * [1.0, 0.0]).predict(X) - Y
    assert model.embed(X).shape == (18, 1)
    assert model.score(X, Y) == pytest.approx(-np.mean(np.sum(errors**2, axis=1)))


@every_estimator
def test_a_fitted_model_publishes_its_certificate_and_its_parts(Estimator):
    model = small(Estimator).fit(X, Y)
    assert model.dual_coef_.shape == Y.shape
    np.testing.assert_allclose(
        model.embed(X), Gaussian(0.5)(X, X) @ model.dual_coef_ / (LAM * 18) + model.centre_, atol=1e-12
    )
    assert model.dual_gap_ <= model.tol
    assert model.dual_gaps_.shape == (18,)
    assert np.all(model.dual_gaps_ >= -1e-12)
    assert model.converged_ is True
    assert 1 <= model.n_iter_ <= model.max_iter
    assert isinstance(model.space_, spaces.Euclidean)
    assert isinstance(model.loss_, losses.Loss)
    assert model.n_features_in_ == 2
    np.testing.assert_allclose(model.residual_norms_, np.linalg.norm(model.predict(X) - Y, axis=1), atol=1e-12)
    lengths = np.linalg.norm(model.dual_coef_, axis=1)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(lengths > 1e-8 * lengths.max()))
    np.testing.assert_array_equal(model.saturated_, np.flatnonzero(lengths >= model.loss_.cap * (1 - 1e-8)))


@pytest.mark.parametrize("loss", [losses.Huber(0.3), losses.EpsilonNorm(0.3), losses.EpsilonSquare(0.3)], ids=repr)
@pytest.mark.parametrize("m", [1, 2, 12])
def test_special_rows_do_not_depend_on_the_tolerance(loss, m):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (30, 2))
    Y = np.sin(3 * X @ rng.standard_normal((2, m))) / m**0.5
    Y[:3] *= -3.0
    exact, rough = (Regressor(loss, Gaussian(1.0), lam=0.01, tol=tol, centre=None).fit(X, Y) for tol in (1e-13, 1e-4))
    np.testing.assert_array_equal(rough.support_, exact.support_)
    np.testing.assert_array_equal(rough.saturated_, exact.saturated_)
    assert len(exact.support_) < 30 if loss.coefficients.b else len(exact.saturated_) > 0


def test_saturated_rows_are_the_planted_outliers():
    x = np.linspace(0, 6, 25)
    outputs = np.stack([np.sin(x), np.cos(x)], axis=1)
    outputs[[4, 17]] += [5.0, -5.0]
    model = HuberRegressor(kappa=0.5, kernel=Gaussian(1.0), lam=0.01).fit(x[:, None], outputs)
    np.testing.assert_array_equal(model.saturated_, [4, 17])
    assert set(np.argsort(model.residual_norms_)[-2:]) == {4, 17}


def test_rows_inside_the_tube_are_not_in_the_support():
    model = small(EpsilonRidge, epsilon=0.5, tol=1e-12).fit(X, Y)
    inside = np.flatnonzero(model.residual_norms_ < 0.5 - 1e-4)
    assert inside.size > 0
    assert not set(inside) & set(model.support_)


@pytest.fixture
def hard():
    return HuberRegressor(kappa=0.1, kernel=Gaussian(0.5), lam=1e-4, tol=1e-12, solver="proximal_gradient")


def test_callback_and_history_tell_the_same_certificates(hard):
    seen = []
    model = hard.set_params(callback=seen.append, tol=1e-6).fit(X, Y)
    assert all(isinstance(progress, Progress) for progress in seen)
    assert model.history_ == seen
    counts = [progress.n_iter for progress in seen]
    assert counts == sorted(set(counts))
    assert counts[-1] == model.n_iter_
    assert {progress.tol for progress in seen} == {1e-6}
    assert min(progress.gap for progress in seen) == model.dual_gap_ <= 1e-6


@pytest.mark.parametrize("max_iter", [1, 2, 7, 10, 23])
def test_max_iter_is_honoured_exactly_and_the_warning_carries_the_numbers(hard, max_iter):
    with pytest.warns(ConvergenceWarning) as caught:
        model = hard.set_params(max_iter=max_iter).fit(X, Y)
    assert model.n_iter_ == max_iter
    assert model.converged_ is False
    assert model.dual_gap_ > 1e-12
    (message,) = (str(warning.message) for warning in caught)
    assert f"after {max_iter} iteration" in message
    assert f"duality gap of {model.dual_gap_:.2g}" in message
    assert "tol = 1e-12" in message
    assert "raise max_iter" in message


def test_the_model_returned_early_is_the_best_one_certified(hard):
    with pytest.warns(ConvergenceWarning):
        model = hard.set_params(max_iter=60).fit(X, Y)
    assert model.dual_gap_ == min(progress.gap for progress in model.history_)


def test_a_converged_fit_is_silent(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(HuberRegressor).fit(X, Y).predict(Z)
    assert capsys.readouterr() == ("", "")


def test_a_solver_object_keeps_its_own_settings_and_inherits_the_others():
    model = small(HuberRegressor, tol=1e-3, solver=ProximalGradient(tol=1e-9)).fit(X, Y)
    assert model.dual_gap_ <= 1e-9
    model = small(HuberRegressor, tol=1e-3, max_iter=500, solver=ProximalGradient()).fit(X, Y)
    assert {progress.tol for progress in model.history_} == {1e-3}


def test_a_warm_start_continues_from_the_previous_solution(hard):
    hard.set_params(tol=1e-8, warm_start=True).fit(X, Y)
    cold = hard.n_iter_
    assert hard.fit(X, Y).n_iter_ == 1 < cold
    hard.set_params(kappa=0.11).fit(X, Y)
    np.testing.assert_allclose(hard.predict(Z), clone(hard).fit(X, Y).predict(Z), atol=1e-3)


def test_a_warm_start_with_another_number_of_samples_starts_afresh(hard):
    hard.set_params(tol=1e-6, warm_start=True).fit(X, Y)
    expected = clone(hard).fit(X[:9], y[:9]).predict(Z)
    np.testing.assert_array_equal(hard.fit(X[:9], y[:9]).predict(Z), expected)


def test_walk_inside_the_tube_no_coefficient_outside_the_residual_minus_epsilon():
    inputs, outputs = [[0.0], [1.0], [2.0]], [[0.0, 0.0], [1.0, 0.0], [3.0, 4.0]]
    model = EpsilonRidge(epsilon=0.5, lam=0.1, kernel=Gaussian(1.0), tol=1e-12, centre=None).fit(inputs, outputs)
    lengths = np.linalg.norm(model.dual_coef_, axis=1)
    np.testing.assert_allclose(lengths, [0.0, 0.136, 1.064], atol=5e-4)
    np.testing.assert_allclose(model.residual_norms_, [0.133, 0.636, 1.564], atol=5e-4)
    np.testing.assert_array_equal(model.support_, [1, 2])
    np.testing.assert_allclose(lengths[1:], model.residual_norms_[1:] - 0.5, atol=1e-5)


@every_estimator
def test_walk_from_numbers_to_words(Estimator):
    words = ["cart", "care", "dogs"]
    model = Estimator(kernel=Gaussian(1.0), space=RKHS(shared_letters)).fit([[0.0], [1.0], [2.0]], words)
    point = model.embed([[1.2]])
    distances = np.linalg.norm(model.space_.encode(words) - point, axis=1)
    assert distances.min() > 0.1
    assert model.space_.decode(point, candidates=[*words, "card", "dots"]) == ["care"]
    assert model.predict([[0.0], [1.2], [2.0]]) == ["cart", "care", "dogs"]


def test_walk_from_words_to_words():
    words = ["cart", "care", "dogs", "dots"]
    model = Ridge(kernel=shared_letters, space=RKHS(shared_letters), lam=1e-3).fit(words, [w[::-1] for w in words])
    assert model.predict(["care", "dogs"]) == ["erac", "sgod"]
    assert model.score(words, [w[::-1] for w in words]) > -0.1
    assert cross_val_score(model, words, words, cv=2).shape == (2,)
