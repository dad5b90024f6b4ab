"""The numerical core on other array libraries: the same lines, the same numbers."""

import importlib

import numpy as np
import pytest
from sklearn.base import clone

from examples import KERNELS, LOSSES, OPERATOR_KERNELS, SOLVERS, applied, dual_of
from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    HuberRegressor,
    Regressor,
    RegressorCV,
    Ridge,
    arrays,
    factors,
    kernels,
    lanczos,
    spaces,
)
from hilbertine import operator_kernels as ok
from hilbertine.losses import EpsilonNorm, EpsilonSquare, ExpNorm, Hinge, Power, Square

rng = np.random.default_rng(0)
X, Z, Y = rng.standard_normal((10, 3)), rng.standard_normal((4, 3)), rng.standard_normal((10, 3))
# One kernel for each way to solve: a factor, eigenbases, products alone.
SOLVED = [ok.Separable(), ok.Separable(kernels.Linear(), ok.Covariance()), ok.AlignedAnchored()]


@pytest.fixture(params=["array_api_strict", "torch"])
def xp(request):
    pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    if request.param == "torch":
        return arrays.namespace(importlib.import_module("torch").zeros(1))
    return importlib.import_module(request.param)


def same(theirs, ours, rtol=1e-10):
    assert arrays.is_foreign(theirs)
    return np.allclose(arrays.to_numpy(theirs), ours, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_losses(xp, loss):
    P, T, W = X, Y, loss.prox(X, Y, 0.5)
    A, B, C = (xp.asarray(M) for M in (P, T, W))
    assert same(loss.value(A, B), loss.value(P, T))
    assert same(loss.conjugate(C, B), loss.conjugate(W, T))
    assert same(loss.prox(A, B, 0.5), W)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_kernels(xp, kernel):
    on_objects = kernels.FromCallable | kernels.Graphs | kernels.NeutralLosses | kernels.Peaks | kernels.Substrings
    if isinstance(kernel, on_objects):
        pytest.skip("takes no arrays, or decides for itself which")
    if isinstance(kernel, kernels.Precomputed):
        other, A, B, points = kernels.Precomputed(xp.asarray(kernel.matrix)), [0, 3], [1], ([0, 3], [1])
    else:
        points = X, Z
        if isinstance(kernel, kernels.Tanimoto | kernels.GaussianTanimoto | kernels.Intersection):
            points = tuple((part > 0).astype(float) for part in points)
        other, A, B = clone(kernel), *(xp.asarray(part) for part in points)
    kernel = clone(kernel).fit(points[0])
    assert same(other.fit(A)(A, B), kernel(*points))
    assert same(other.diagonal(A), kernel.diagonal(points[0]))
    assert same(other.gram(), kernel.gram())
    assert same(other.cross(B), kernel.cross(points[1]))
    F, G = other.features(B), kernel.features(points[1])
    # Eigenvectors have no sign of their own.
    assert F is None or same(F @ F.T, G @ G.T)


@pytest.mark.parametrize("kernel", OPERATOR_KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_gram_operators(xp, kernel):
    A, B, T = xp.asarray(X), xp.asarray(Z), xp.asarray(Y)
    assert same(clone(kernel, safe=False).fit(A, T).gram() @ T, clone(kernel, safe=False).fit(X, Y).gram() @ Y)
    assert same(applied(kernel, B, A, T, T), applied(kernel, Z, X, Y, Y))
    assert clone(kernel, safe=False).fit(A, T).gram().norm() == pytest.approx(
        clone(kernel, safe=False).fit(X, Y).gram().norm(), rel=1e-6
    )


@pytest.mark.parametrize("kernel", SOLVED, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("loss", [Square(), EpsilonSquare(), EpsilonNorm(), Power(), ExpNorm(), Hinge()], ids=repr)
def test_solvers(xp, kernel, solver, loss):
    dual = dual_of(clone(kernel, safe=False).fit(X, Y).gram(), loss, Y, 0.1)
    A, T = xp.asarray(X), xp.asarray(Y)
    other = dual_of(kernel.fit(A, T).gram(), loss, T, 0.1)
    if not solver.missing(dual):
        ours, theirs = (clone(solver).set_params(tol=1e-9).solve(problem) for problem in (dual, other))
        assert theirs.gap <= 1e-9
        assert float(other.objective(theirs.W)) == pytest.approx(float(dual.objective(ours.W)), rel=1e-8)
        assert same(other.predict(theirs.W), dual.predict(ours.W), rtol=1e-2)


def test_operator_from_gram(xp):
    A = np.diag([1.0, 2.0, 3.0])
    T = xp.asarray(Y)
    assert same(ok.FromGram(xp.asarray(Y @ A @ Y.T)).matrix(T), A)


@pytest.mark.parametrize("model", [Ridge(), EpsilonRidge(), HuberRegressor(), EpsilonSVR()], ids=repr)
@pytest.mark.parametrize("targets", [Y, Y[:, 0]], ids=["matrix", "vector"])
def test_estimators_give_back_the_arrays_they_were_given(xp, model, targets):
    model = clone(model).set_params(lam=0.05, tol=1e-9)
    ours = clone(model).fit(X, targets)
    theirs = clone(model).fit(xp.asarray(X), xp.asarray(targets))
    assert same(theirs.predict(xp.asarray(Z)), ours.predict(Z), rtol=1e-3)
    assert arrays.is_foreign(theirs.dual_coef_)
    assert theirs.score(xp.asarray(X), xp.asarray(targets)) == pytest.approx(ours.score(X, targets), rel=1e-4)
    assert arrays.to_numpy(theirs.support_).tolist() == ours.support_.tolist()


def test_inputs_alone_decide_the_library(xp):
    """Outputs known by a kernel on objects stay on the host; their coordinates follow the inputs."""
    labels = ["ab", "abc", "b", "cd", "d"] * 2

    def overlap(A, B):
        return [[len(set(a) & set(b)) for b in B] for a in A]

    model = Regressor(space=spaces.RKHS(overlap), lam=1e-3).fit(xp.asarray(X), labels)
    assert arrays.is_foreign(model.embed(xp.asarray(Z)))
    assert model.predict(xp.asarray(X)) == Regressor(space=spaces.RKHS(overlap), lam=1e-3).fit(X, labels).predict(X)


def test_precomputed_gram_with_other_arrays(xp):
    K = kernels.Gaussian(0.5)(X, X)
    model = HuberRegressor(kernel="precomputed", lam=0.1).fit(xp.asarray(K), xp.asarray(Y))
    ours = HuberRegressor(kernel="precomputed", lam=0.1).fit(K, Y)
    assert same(model.predict(xp.asarray(K[:3])), ours.predict(K[:3]), rtol=1e-3)
    with pytest.raises(ValueError, match="features"):
        model.predict(xp.asarray(K[:3, :5]))


@pytest.mark.parametrize("bad", [np.full((10, 3), np.nan), np.zeros((0, 3)), np.zeros(10)], ids=["nan", "empty", "1d"])
def test_bad_inputs_are_refused_on_every_library(xp, bad):
    with pytest.raises(ValueError, match=r"NaN|empty"):
        Ridge().fit(xp.asarray(bad), xp.asarray(Y))
    with pytest.raises(ValueError, match=r"NaN|non-empty|columns|finite"):
        Ridge().fit(xp.asarray(X), xp.asarray(np.full(10, np.nan)))


def test_single_precision_is_raised_to_double(xp):
    model = Ridge().fit(xp.asarray(X.astype(np.float32)), xp.asarray(Y.astype(np.float32)))
    assert model.dual_coef_.dtype == xp.float64


@pytest.mark.parametrize("order", ["C", "F"])
def test_product_is_the_product_in_either_order(order):
    A, B = np.asarray(rng.standard_normal((5, 4)), order=order), np.asarray(rng.standard_normal((4, 3)), order=order)
    assert np.allclose(arrays.product(A, B), A @ B)
    assert np.allclose(arrays.product(A, B.copy()), A @ B)
    assert np.allclose(arrays.product(A[::2], B), A[::2] @ B)


@pytest.mark.parametrize("n", [1, 5, 30])
def test_halves_are_completed(n):
    A = rng.standard_normal((n, 7))
    np.testing.assert_allclose(arrays.outer(A), A @ A.T, rtol=1e-12, atol=1e-12)
    B = A @ A.T + np.eye(n)
    np.testing.assert_allclose(factors.positive_inverse(B.copy()) @ B, np.eye(n), atol=1e-9)


def test_only_what_may_be_overwritten_is(xp):
    A, R, d = X @ X.T + np.eye(10), Y, np.arange(10.0)
    # Of a copy: some libraries take the memory of NumPy's arrays for their own.
    for make in (np.array, lambda values: xp.asarray(np.array(values))):
        M, B = make(A), make(R)
        assert np.allclose(arrays.to_numpy(arrays.shifted(M, make(d))), A + np.diag(d))
        assert np.allclose(arrays.to_numpy(arrays.shifted(make(A), 2.0, overwrite=True)), A + 2.0 * np.eye(10))
        assert np.array_equal(arrays.to_numpy(M), A)
        for overwrite in (False, True):
            solved = factors.cholesky_solver(make(A), overwrite)(make(R) if overwrite else B)
            assert np.allclose(arrays.to_numpy(solved), np.linalg.solve(A, R))
        assert np.array_equal(arrays.to_numpy(B), R)


def test_what_may_be_overwritten_costs_no_memory():
    A, R = X @ X.T + np.eye(10), Y.copy()
    assert np.shares_memory(arrays.shifted(A, 1.0, overwrite=True), A)
    assert np.shares_memory(factors.cholesky_solver(A, overwrite=True)(R), R)
    assert np.shares_memory(factors.positive_inverse(A), A)


def test_lanczos_finds_both_ends_of_the_spectrum():
    A = rng.standard_normal((60, 60))
    A = A @ A.T - 5 * np.eye(60)
    values = np.linalg.eigvalsh(A)
    smallest, largest = lanczos.extreme_eigenvalues(A)
    assert largest == pytest.approx(values[-1], rel=1e-6)
    assert values[0] * (1 + 1e-12) <= smallest <= values[0] + 0.5


def test_models_predict_whatever_library_the_inputs_come_from(xp):
    here, there = Ridge(lam=0.1).fit(X, Y), Ridge(lam=0.1).fit(xp.asarray(X), xp.asarray(Y))
    assert np.allclose(here.predict(xp.asarray(Z)), here.predict(Z))
    assert same(there.predict(Z), here.predict(Z))


def test_tensors_in_single_precision_are_answered_in_single_and_certified_in_double(xp):
    A, B = (xp.asarray(M.astype(np.float32)) for M in (X, Y))
    model = HuberRegressor(0.5, tol=1e-8).fit(A, B)
    assert model.dual_coef_.dtype == xp.float64
    assert model.dual_gap_ <= 1e-8
    assert model.predict(A).dtype == xp.float32
    assert model.predict(xp.asarray(X)).dtype == xp.float64
    expected = HuberRegressor(0.5, tol=1e-8).fit(X.astype(np.float32), Y.astype(np.float32)).predict(X)
    assert np.allclose(arrays.to_numpy(model.predict(A)), expected, atol=1e-4)


def test_searches_try_the_same_kernels_on_tensors(xp):
    if "torch" not in xp.__name__:
        pytest.skip("the search sorts and splits as PyTorch does")
    inputs = rng.uniform(-1, 1, (60, 2))
    outputs = np.abs(inputs) + 0.01 * rng.standard_normal((60, 2))
    search = RegressorCV(HuberRegressor(0.5), lams=[1e-4, 1e-2], cv=3)
    ours = clone(search).fit(inputs, outputs)
    theirs = clone(search).fit(xp.asarray(inputs), xp.asarray(outputs))
    assert repr(theirs.best_params_["kernel"]) == repr(ours.best_params_["kernel"])
    assert same(theirs.predict(xp.asarray(inputs)), ours.predict(inputs), rtol=1e-6)
