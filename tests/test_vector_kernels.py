"""Kernels on vectors: widths, one for each feature, multiples of the median; sparse points; what is no vector."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.gaussian_process import kernels as gaussian_process
from sklearn.model_selection import GridSearchCV

from hilbertine import HuberRegressor, Regressor, RegressorCV, Ridge, kernels
from hilbertine.kernels import Exponential, Gaussian, IntegralLaplacian, Laplacian, Linear, Matern, Polynomial

rng = np.random.default_rng(0)
X, Z = rng.standard_normal((9, 3)), rng.standard_normal((5, 3))
GAMMAS = np.array([0.5, 2.0, 0.0])
RADIAL = [Gaussian, Laplacian, Exponential, Matern]
SPARSE = [Linear(), Polynomial(2), Gaussian(), Gaussian(GAMMAS), Exponential(), Matern(2.5), Gaussian() + Linear()]


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Gaussian(GAMMAS), np.exp(-(np.abs(X[:, None] - Z[None]) ** 2 @ GAMMAS))),
        (Laplacian(list(GAMMAS)), np.exp(-(np.abs(X[:, None] - Z[None]) @ GAMMAS))),
        (Exponential(GAMMAS), np.exp(-cdist(GAMMAS * X, GAMMAS * Z))),
        (Matern(0.5, GAMMAS), np.exp(-cdist(GAMMAS * X, GAMMAS * Z))),
    ],
    ids=["Gaussian", "Laplacian", "Exponential", "Matern"],
)
def test_one_gamma_for_each_feature(kernel, expected):
    assert np.allclose(kernel(X, Z), expected, rtol=1e-12)
    assert np.allclose(clone(kernel).fit(Z).cross(X), expected, rtol=1e-12)
    same = [clone(kernel).set_params(gamma=gamma)(X, Z) for gamma in (0.7, [0.7] * 3)]
    assert np.allclose(*same, rtol=1e-12)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("scale", [0.4, np.array([0.5, 2.0, 3.0])], ids=["one", "each"])
def test_matern_is_that_of_scikit_learn(nu, scale):
    theirs = gaussian_process.Matern(length_scale=scale, nu=nu)
    assert np.allclose(Matern(nu, 1 / scale)(X, Z), theirs(X, Z), rtol=1e-10)


def test_matern_of_least_smoothness_is_the_exponential():
    assert np.array_equal(Matern(0.5, 0.3)(X, Z), Exponential(0.3)(X, Z))
    assert Matern().fit(X).gamma_ == Exponential().fit(X).gamma_
    with pytest.raises(ValueError, match=r"Matern\.nu must be 0\.5, 1\.5 or 2\.5, got 1"):
        Matern(1)(X, Z)


@pytest.mark.parametrize(
    "kernel",
    [Gaussian(GAMMAS), Laplacian(GAMMAS), Matern(1.5, GAMMAS), Matern(2.5, GAMMAS), Matern(2.5, 0.4)],
    ids=repr,
)
def test_pullbacks_are_the_derivatives_of_the_gram(kernel):
    M, D = rng.standard_normal((9, 9)), 1e-5 * rng.standard_normal((9, 3))
    M = M + M.T
    values = [np.sum(M * kernel(points, points)) for points in (X + D, X - D)]
    assert np.sum(kernel.pullback(X, M) * D) == pytest.approx((values[0] - values[1]) / 2, rel=1e-6, abs=1e-12)


def test_only_smooth_matern_kernels_are_differentiated():
    with pytest.raises(NotImplementedError, match=r"Matern\(.* has no pullback"):
        Matern(0.5, 1.0).pullback(X, np.eye(9))


@pytest.mark.parametrize("kind", [*RADIAL, IntegralLaplacian])
def test_multiples_of_the_median(kind):
    once = kind(gamma="median").fit(X)
    twice = kind(gamma=" 2e0  median ").fit(X)
    assert twice.gamma_ == pytest.approx(2 * once.gamma_, rel=1e-14)
    assert np.allclose(twice.cross(Z), kind(gamma=2 * once.gamma_)(Z, X))
    assert np.allclose(kind(gamma="2 median")(Z, X), twice.cross(Z))
    for word in ("0 median", "-1 median", "inf median", "two median", "1 2 median", "mean", "", "nan median"):
        with pytest.raises(ValueError, match=r"\.gamma must be a number > 0, 'median' or 'auto', got"):
            kind(gamma=word).fit(X)


def test_a_grid_of_multiples_of_the_median_is_searched():
    grid = {"kernel__gamma": ["0.1 median", "median", "10 median"]}
    search = GridSearchCV(Ridge(kernel=Gaussian(), lam=1e-3), grid, cv=3).fit(X, X[:, 0])
    assert search.best_params_["kernel__gamma"] in grid["kernel__gamma"]


@pytest.mark.parametrize("kind", RADIAL)
@pytest.mark.parametrize("gamma", [[1.0, 2.0], [1.0, -2.0, 1.0], [1.0, np.nan, 1.0], np.eye(3)], ids=str)
def test_gammas_that_are_not_one_for_each_feature_are_refused(kind, gamma):
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.gamma must be .* for each of the 3 features"):
        kind(gamma=gamma)(X, Z)


@pytest.mark.parametrize("kernel", SPARSE, ids=repr)
@pytest.mark.parametrize("form", ["csr_matrix", "coo_array", "lil_matrix", "csc_array"])
def test_sparse_points_are_those_of_the_dense_matrix(kernel, form):
    A, B = (np.where(np.abs(points) > 0.7, points, 0.0) for points in (X, Z))
    fitted = clone(kernel).fit(A)
    ours = clone(kernel).fit(getattr(sparse, form)(A))
    for new in (B, getattr(sparse, form)(B)):
        K = ours.cross(new)
        assert isinstance(K, np.ndarray)
        assert np.allclose(K, fitted.cross(B), rtol=1e-10, atol=1e-14)
        assert np.allclose(ours.diagonal(new), fitted.diagonal(B), rtol=1e-12)
    assert np.allclose(ours.gram(), fitted.gram(), rtol=1e-10, atol=1e-14)


def test_sparse_points_are_not_made_dense():
    wide = sparse.random(50, 10**6, 1e-5, format="csr", random_state=0)
    tracemalloc.start()
    for kernel in (Linear(), Gaussian(), Matern()):
        assert kernel.fit(wide).gram().shape == (50, 50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * 10**6


@pytest.mark.parametrize("kernel", [None, Gaussian(0.5) + Linear()], ids=repr)
def test_estimators_take_sparse_inputs(kernel):
    model = HuberRegressor(kernel=kernel)
    A, B = (np.where(np.abs(points) > 0.7, points, 0.0) for points in (X, Z))
    expected = clone(model).fit(A, X[:, 0], sample_weight=np.arange(len(X))).predict(B)
    ours = clone(model).fit(sparse.csr_matrix(A), X[:, 0], sample_weight=np.arange(len(X)))
    for new in (B, sparse.coo_array(B)):
        np.testing.assert_allclose(ours.predict(new), expected, rtol=1e-6, atol=1e-8)
    search = RegressorCV(model, [1e-4, 1e-2], {} if model.kernel else None, cv=2).fit(sparse.csc_array(A), X[:, 0])
    assert np.isfinite(search.predict(sparse.csr_matrix(B))).all()


def test_estimators_refuse_sparse_inputs_that_their_kernel_cannot_read():
    with pytest.raises(TypeError, match=r"Laplacian takes no sparse matrix; pass X\.toarray\(\)"):
        Ridge(kernel=Laplacian()).fit(sparse.csr_matrix(X), X[:, 0])


def test_features_of_linear_are_dense_and_sparse_features_stay_sparse():
    A = sparse.csr_matrix(X)
    assert np.array_equal(Linear().features(A), X)
    kernel = kernels.Features(lambda points: sparse.csr_matrix(points), Linear()).fit(X)
    assert sparse.issparse(kernel.points_)
    assert np.allclose(kernel.gram(), X @ X.T)


@pytest.mark.parametrize("kernel", [Laplacian(), IntegralLaplacian()], ids=repr)
def test_kernels_that_take_no_sparse_points_say_what_to_do(kernel):
    with pytest.raises(TypeError, match=rf"{type(kernel).__name__} takes no sparse matrix; pass X\.toarray\(\)"):
        kernel.fit(sparse.csr_matrix(X))


ON_VECTORS = [Linear(), Polynomial(2), Gaussian(), Gaussian(0.3), Laplacian(), Exponential(), Matern()]


@pytest.mark.parametrize("kernel", [*ON_VECTORS, IntegralLaplacian(), 2.0 * Linear() + Gaussian()], ids=repr)
def test_vectors_are_read_in_every_form(kernel):
    expected = clone(kernel).fit(X)
    frame = pd.DataFrame(X)
    for form in (X.tolist(), frame, list(X), X.astype(object)):
        assert np.array_equal(kernel(form, Z.tolist()), kernel(X, Z))
        ours = clone(kernel).fit(form)
        assert np.array_equal(ours.gram(), expected.gram())
        assert np.array_equal(ours.diagonal(form), expected.diagonal(X))
    column = X[:, :1]
    for form in (column[:, 0], column[:, 0].tolist(), frame[0]):
        assert np.array_equal(kernel(form, form), kernel(column, column))
    counts = rng.integers(0, 3, (4, 2))
    assert np.array_equal(kernel(counts, counts > 9), kernel(1.0 * counts, 0.0 * counts))


NO_VECTORS = {
    "complex": X + 1j,
    "complex list": [[1j, 2.0]],
    "datetime": np.array([["2020-01-01"]], dtype="datetime64[s]"),
    "frame of dates": pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
    "series of dates": pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])),
    "dates and numbers": pd.DataFrame({"day": pd.to_datetime(["2020-01-01"]), "x": [1.0]}),
    "duration": np.array([[1, 2]], dtype="timedelta64[s]"),
    "words": ["cart", "care"],
    "words of digits": [["1", "2"]],
    "dictionaries": [{"a": 1.0}],
    "ragged": [[1.0, 2.0], [1.0]],
    "nothing": None,
    "number": 3.0,
    "sparse complex": sparse.csr_matrix(X + 1j),
}


@pytest.mark.parametrize("kernel", [*ON_VECTORS[:3], Laplacian(0.2), Matern(), IntegralLaplacian()], ids=repr)
@pytest.mark.parametrize("form", NO_VECTORS)
def test_what_is_no_vector_is_refused_by_name(kernel, form):
    points = NO_VECTORS[form]
    doors = [kernel.fit, kernel.diagonal, lambda A: kernel(A, A), lambda A: kernel(X, A)]
    for door in doors:
        with pytest.raises(TypeError, match=rf"^{type(kernel).__name__} (is a kernel|takes)"):
            door(points)


def test_points_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"Gaussian is a kernel on vectors.* shape \(2, 2, 2\); flatten"):
        Gaussian()(np.ones((2, 2, 2)), np.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="these have 3 and 2 numbers"):
        Linear().fit(X[:, :2]).cross(X)


def test_arrays_that_are_fine_are_not_copied():
    assert Linear().fit(X).points_ is X
    A = sparse.csr_matrix(X)
    assert Linear().fit(A).points_.data is A.data or np.shares_memory(Linear().fit(A).points_.data, A.data)


def test_kernels_of_gaussian_processes_are_kernels():
    theirs = 1.5 * gaussian_process.RBF(2.0) + gaussian_process.WhiteKernel(0.0)
    ours = 1.5 * Gaussian(1 / 8)
    fits = [Regressor(kernel=kernel, lam=1e-2).fit(X, X[:, :2]).predict(Z) for kernel in (theirs, ours)]
    assert np.allclose(*fits)
    model = Ridge(kernel=gaussian_process.RBF(2.0))
    assert clone(model).get_params()["kernel__length_scale"] == 2.0
