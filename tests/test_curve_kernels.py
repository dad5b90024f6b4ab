"""Kernels on curves, on transformed inputs, and the derivative of curves."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilbertine import Ridge
from hilbertine.arrays import to_numpy
from hilbertine.kernels import Derivative, Features, Gaussian, IntegralLaplacian, Linear, Precomputed, Tanimoto

rng = np.random.default_rng(0)
GRID = np.linspace(0, 1, 11)
X, Z = rng.standard_normal((7, 11)), rng.standard_normal((4, 11))
TRAPEZOID = np.array([0.5, *np.ones(9), 0.5]) / 10


def brute(X, Z, gamma, weights):
    return [[np.sum(weights * np.exp(-gamma * np.abs(x - z))) for z in Z] for x in X]


def test_integral_laplacian_by_brute_force():
    assert np.allclose(IntegralLaplacian(7.0)(X, Z), brute(X, Z, 7.0, np.full(11, 1 / 11)), rtol=1e-12)
    assert np.allclose(IntegralLaplacian(0.5, TRAPEZOID)(X, Z), brute(X, Z, 0.5, TRAPEZOID), rtol=1e-12)
    assert np.allclose(IntegralLaplacian(0.5, list(TRAPEZOID)).diagonal(X), 1.0)
    assert np.allclose(IntegralLaplacian(0.5, 3 * TRAPEZOID).diagonal(X), 3.0)


def test_integral_laplacian_of_ever_finer_constant_curves_is_a_laplacian():
    flat = rng.standard_normal((5, 1))
    for points in (1, 2, 30):
        K = IntegralLaplacian(2.0)(np.tile(flat, points), np.tile(flat, points))
        assert np.allclose(K, np.exp(-2.0 * np.abs(flat - flat.T)), rtol=1e-12)


def test_median_width_is_one_over_the_median_mean_distance():
    between = [np.sum(TRAPEZOID * np.abs(X[i] - X[j])) for i in range(7) for j in range(i)]
    assert IntegralLaplacian(weights=TRAPEZOID).fit(X).gamma_ == pytest.approx(1 / np.median(between))
    kernel = IntegralLaplacian().fit(X)
    assert np.allclose(IntegralLaplacian().fit(10 * X)(10 * Z, 10 * X), kernel(Z, X), rtol=1e-12)


def test_blocks_of_the_matrix_are_the_matrix_of_blocks():
    K = IntegralLaplacian(7.0)(X, Z)
    assert np.array_equal(np.block([[IntegralLaplacian(7.0)(x[None], z[None]) for z in Z] for x in X]), K)


@pytest.mark.parametrize(
    "kernel",
    [IntegralLaplacian(7.0, TRAPEZOID), IntegralLaplacian(), Features(PCA(3), Gaussian()), Features(PCA(3), Linear())],
    ids=repr,
)
def test_torch_gives_the_same_numbers(kernel):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    A, B = torch.asarray(X), torch.asarray(Z)
    theirs = clone(kernel).fit(A)
    K = theirs(A, B)
    assert isinstance(K, torch.Tensor)
    kernel = clone(kernel).fit(X)
    assert np.allclose(to_numpy(K), kernel(X, Z), rtol=1e-12)
    assert np.allclose(to_numpy(theirs.diagonal(A)), kernel.diagonal(X), rtol=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [(np.ones(3), "one weight for each point"), (-np.ones(11), "not positive"), (np.full(11, np.nan), "finite")],
)
def test_weights_that_are_no_quadrature_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        IntegralLaplacian(1.0, weights)(X, Z)


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.inf, "mean"])
def test_a_width_that_is_none_is_refused(gamma):
    with pytest.raises(ValueError, match=r"IntegralLaplacian\.gamma"):
        IntegralLaplacian(gamma)(X, Z)


def test_features_are_those_of_the_transformer_fitted_on_the_training_inputs():
    scores = PCA(3).fit(X)
    kernel = Features(PCA(3), Gaussian(0.3)).fit(X)
    assert np.allclose(kernel(Z, X), Gaussian(0.3)(scores.transform(Z), scores.transform(X)))
    assert np.allclose(kernel.diagonal(Z), 1.0)
    assert Features(PCA(3), Gaussian()).fit(X).kernel_.gamma_ == Gaussian().fit(scores.transform(X)).gamma_
    assert np.allclose(Features(PCA(3), Gaussian(0.3))(Z, X), kernel(Z, X))
    assert not hasattr(kernel.transformer, "components_")


def test_features_of_a_derivative_are_blind_to_a_constant():
    kernel = Features(Derivative(GRID), Linear()).fit(X)
    assert np.allclose(kernel(X + 5.0, Z - 3.0), kernel(X, Z))
    assert np.allclose(kernel(X, Z), np.gradient(X, 0.1, axis=1) @ np.gradient(Z, 0.1, axis=1).T)


def test_features_in_a_regressor_are_searched_like_its_own_parameters():
    model = Ridge(kernel=Features(StandardScaler(), Gaussian(0.1)), lam=1e-2, centre=None)
    scale = StandardScaler().fit(X)
    plain = Ridge(kernel=Gaussian(0.1), lam=1e-2, centre=None).fit(scale.transform(X), X[:, :2])
    assert np.allclose(model.fit(X, X[:, :2]).predict(Z), plain.predict(scale.transform(Z)))
    grid = {"kernel__transformer__with_std": [True, False], "kernel__kernel__gamma": [0.1, 0.2]}
    search = GridSearchCV(model, grid, cv=2, scoring="neg_mean_squared_error").fit(X, X[:, 0])
    assert len(set(search.cv_results_["mean_test_score"])) == 4


def test_features_of_objects():
    words = ["say bob", "say bob again", "bob"]
    counts = CountVectorizer().fit_transform(words).toarray().astype(float)
    kernel = Features(CountVectorizer(), Linear()).fit(words)
    assert kernel.domain == "objects"
    assert np.array_equal(kernel(words, words), counts @ counts.T)
    assert np.allclose(Features(CountVectorizer(), Tanimoto())(words, words), Tanimoto()(counts, counts))
    records = [{"a": 1.0}, {"b": 2.0}]
    assert np.allclose(Features(DictVectorizer(), Linear())(records, records), np.diag([1.0, 4.0]))


def test_features_that_cannot_be_are_refused():
    with pytest.raises(TypeError, match="neither a function nor a transformer"):
        Features(Gaussian(), Linear()).fit(X)
    with pytest.raises(ValueError, match="Gram matrix"):
        Features(StandardScaler(), "precomputed").fit(X)
    with pytest.raises(ValueError, match="fit before diagonal"):
        Features(StandardScaler(), Linear()).diagonal(X)
    with pytest.raises(ValueError, match="indices"):
        Features(StandardScaler(), Precomputed(np.eye(3))).fit(X)(X, X)


def test_derivative_of_polynomials():
    assert np.allclose(Derivative(GRID).fit_transform([3 * GRID - 1, 0 * GRID]), [3 + 0 * GRID, 0 * GRID])
    assert np.allclose(Derivative(GRID).fit_transform([GRID**2])[0, 1:-1], 2 * GRID[1:-1])
    assert np.allclose(Derivative(GRID, order=2).fit_transform([GRID**2])[0, 2:-2], 2.0)
    uneven = GRID**2
    assert np.allclose(Derivative(uneven).fit_transform([uneven**2])[0, 1:-1], 2 * uneven[1:-1])
    assert np.allclose(Derivative().fit_transform([GRID]), 1.0)


@pytest.mark.parametrize(
    ("derivative", "message"),
    [
        (Derivative(GRID[:5]), "got 5 numbers"),
        (Derivative(GRID[::-1]), "do not increase"),
        (Derivative(order=0), r"Derivative\.order"),
        (Derivative(order=1.5), r"Derivative\.order"),
    ],
)
def test_derivatives_that_cannot_be_are_refused(derivative, message):
    with pytest.raises(ValueError, match=message):
        derivative.fit(X)


@parametrize_with_checks([Derivative()])
def test_derivative_is_a_transformer_of_scikit_learn(estimator, check):
    check(estimator)
