"""Kernel autoencoders: gradients against differences, reductions to kernel PCA, codes and the way back."""

import json
import pickle
import runpy
from pathlib import Path

import array_api_strict
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from examples import KERNELS, POINTS, TRAINABLE
from hilbertine import KernelAutoencoder
from hilbertine.arrays import to_numpy
from hilbertine.estimators.descent import Iterate, at_rest, smaller
from hilbertine.estimators.first_codes import first_codes
from hilbertine.estimators.layers import Layers
from hilbertine.experiments import Settings, autoencoder
from hilbertine.experiments.base import record
from hilbertine.kernels import (
    Constant,
    Gaussian,
    Laplacian,
    Linear,
    Normalised,
    Polynomial,
    Precomputed,
    Substrings,
)
from hilbertine.losses import EpsilonNorm, EpsilonSquare, Huber, Radial, Square
from hilbertine.solvers import ProximalGradient
from hilbertine.spaces import RKHS

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 5)) * np.array([3.0, 2.0, 1.5, 0.7, 0.3])
NEW = rng.standard_normal((6, 5))
K, ROWS = Gaussian(0.1)(X, X), Gaussian(0.1)(NEW, X)
WORDS = ["cart", "care", "card", "cars", "dogs", "dots", "dog", "bat", "cat", "hat", "heat", "beat"]
SPELLING = Normalised(Substrings(2))
ROBUST = [Square(), EpsilonSquare(0.2), Huber(0.1), EpsilonNorm(0.2)]
each = {"ids": repr}


def layers(loss=None, kernel=None, encoder=None, n=12, tol=1e-13):
    space = RKHS(Gaussian(0.1)).fit(X[:n])
    T = space.encode(X[:n])
    V = T if encoder is None else RKHS(encoder).fit(X[:n]).encode(X[:n])
    kernels = kernel if isinstance(kernel, list) else [kernel or Gaussian(0.5)]
    return Layers(V, T, kernels, loss or Square(), 0.05, 0.02, "auto", tol)


def small(**params):
    """The problem of the paper as printed, solved to the end."""
    printed = KernelAutoencoder(
        2, kernel=Gaussian(0.1), lam=1e-2, inner_lam=1e-3, centre=None, inner_tol=1e-10, tol=1e-4
    )
    return printed.set_params(**params)


def differentiable(kernel):
    try:
        kernel.fit(POINTS).pullback(POINTS, np.eye(len(POINTS)))
    except (NotImplementedError, TypeError, ValueError):
        return False
    return True


SMOOTH = [kernel for kernel in KERNELS if differentiable(kernel)]


def test_the_kernels_on_vectors_can_be_differentiated():
    names = {type(kernel).__name__ for kernel in SMOOTH}
    assert names >= {"Linear", "Polynomial", "Gaussian", "Laplacian", "Constant"}
    assert names >= {"Sum", "Product", "Scaled", "Normalised"}


@pytest.mark.parametrize("kernel", [*SMOOTH, Gaussian(0.3) * Polynomial(3, 0.2) + 2.0 * Linear()], **each)
def test_pullbacks_are_the_derivatives_of_the_gram(kernel):
    kernel = clone(kernel).fit(X[:8])
    M, D = rng.standard_normal((8, 8)), 1e-5 * rng.standard_normal((8, 5))
    M = M + M.T
    values = [np.sum(M * kernel(points, points)) for points in (X[:8] + D, X[:8] - D)]
    derivative = np.sum(kernel.pullback(X[:8], M) * D)
    assert derivative == pytest.approx((values[0] - values[1]) / 2, rel=1e-6, abs=1e-12)


def test_a_kernel_without_derivative_is_named():
    with pytest.raises(NotImplementedError, match=r"no pullback.*use a differentiable kernel"):
        small(inner_kernel=lambda A, B: A @ B.T).fit(X)


@pytest.mark.parametrize("loss", [loss for loss in TRAINABLE if isinstance(loss, Radial)], **each)
@pytest.mark.parametrize("encoder", [None, Laplacian(0.2)], ids=["linear", "another kernel"])
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Polynomial(2)], **each)
def test_gradients_are_those_of_differences_for_every_loss_and_both_layers(loss, encoder, kernel):
    F = layers(loss, kernel, encoder)
    draw = np.random.default_rng(3)
    B, D = (draw.standard_normal((F.V.shape[1], 2)) / 3 for _ in range(2))
    _, (gradient,), gap = F([B])
    difference = (F([B + 1e-4 * D])[0] - F([B - 1e-4 * D])[0]) / 2e-4
    # Some losses end at a gap of 2e-13.
    assert gap < 1e-12
    assert abs(np.sum(gradient * D) - difference) <= 1e-5 * np.linalg.norm(gradient) * np.linalg.norm(D)


@pytest.mark.parametrize("loss", ROBUST, **each)
def test_gradients_of_every_layer_of_a_deep_encoder_are_those_of_differences(loss):
    F = layers(loss, [Gaussian(0.5), Polynomial(2), Gaussian(0.3)])
    draw = np.random.default_rng(3)
    shapes = [(F.V.shape[1], 4), (12, 3), (12, 2)]
    A = [draw.standard_normal(shape) / scale for shape, scale in zip(shapes, (3, 3, 30), strict=True)]
    _, gradient, gap = F(A)
    assert gap < 1e-12
    for s in range(3):
        D = draw.standard_normal(A[s].shape) * np.abs(A[s]).mean()
        ahead, behind = ([*A[:s], A[s] + h * D, *A[s + 1 :]] for h in (1e-5, -1e-5))
        difference = (F(ahead)[0] - F(behind)[0]) / 2e-5
        assert abs(np.sum(gradient[s] * D) - difference) <= 1e-5 * np.linalg.norm(gradient[s]) * np.linalg.norm(D)


@pytest.mark.parametrize("loss", ROBUST, **each)
@pytest.mark.filterwarnings("ignore:KernelAutoencoder stopped")
def test_a_list_of_layers(loss):
    model = small(n_components=[4, 2], loss=loss, inner_kernel=[Gaussian(0.1), Gaussian(0.5)], max_iter=40).fit(X)
    assert model.codes_.shape == (30, 2)
    assert np.allclose(model.transform(X), model.codes_, atol=1e-8)
    assert np.all(np.diff([step.objective for step in model.history_]) <= 0)
    assert model.history_[-1].objective < model.history_[0].objective
    ((kernel, before, coefficients),) = model.hidden_
    assert before.shape == (30, 4)
    inner = np.sum(model.coef_**2) + np.sum(coefficients * (kernel(before, before) @ coefficients))
    second = np.sum(model.dual_coef_ * (model.inner_kernel_(model.codes_, model.codes_) @ model.dual_coef_))
    risk = loss.phi(np.linalg.norm(model.embed(model.codes_) - model.space_.encode(X), axis=1)).mean()
    value = risk + second / (2 * model.lam * 30**2) + model.inner_lam * inner / 2
    assert model.objective_ == pytest.approx(value, rel=1e-6)


def test_a_descent_that_stalls_is_not_called_converged():
    rough = small(loss=EpsilonNorm(0.2), inner_tol=1e-2, tol=1e-6, solver=ProximalGradient())
    with pytest.warns(ConvergenceWarning, match="lower inner_tol"):
        rough.fit(X)
    assert not rough.converged_
    assert rough.history_[-1].slope > 1e-6
    assert rough.n_iter_ < rough.max_iter
    assert small(loss=Huber(0.1)).fit(X).converged_


def test_a_second_layer_that_is_not_solved_is_named_once():
    lazy = small(solver=ProximalGradient(max_iter=2), max_iter=2)
    with pytest.warns(ConvergenceWarning, match="second layer was solved to a duality gap of") as warned:
        lazy.fit(X)
    assert len([each for each in warned if "second layer" in str(each.message)]) == 1
    assert not any("ProximalGradient stopped" in str(each.message) for each in warned)


def test_codes_that_are_no_numbers_are_named():
    model = small().fit(X)
    for codes, message in (([[np.nan, 0.0]], "NaN or infinity"), (np.empty((0, 2)), r"got shape \(0, 2\)")):
        with pytest.raises(ValueError, match=message):
            model.inverse_transform(codes)


def test_candidates_of_a_precomputed_kernel_are_the_training_points_or_indices():
    data = X * np.linspace(0.5, 2, 30)[:, None]
    gram, chosen = data @ data.T, [20, 3, 11, 7, 5]
    rows, indices = small(kernel="precomputed").fit(gram), small(kernel=Precomputed(gram)).fit(range(30))
    best = indices.inverse_transform(indices.codes_[chosen], list(range(30)))
    found = rows.inverse_transform(rows.codes_[chosen], gram)
    assert np.array_equal(found, gram[best])
    with pytest.raises(ValueError, match=r"training ones in their order; .*Precomputed"):
        rows.inverse_transform(rows.codes_[chosen], gram[chosen])


def test_the_diagonal_of_new_points_is_one_number_for_each():
    model = small(kernel="precomputed").fit(K)
    for diagonal in (0.0, np.ones(5)):
        with pytest.raises(ValueError, match="k\\(x, x\\) of the 6 points"):
            model.reconstruction_error(ROWS, diagonal)


def test_kernels_are_evaluated_once():
    calls = []

    def counted(A, B):
        calls.append((len(A), len(B)))
        return Gaussian(0.1)(A, B)

    model = small(kernel=counted).fit(X)
    assert calls.count((30, 30)) == 1
    calls.clear()
    model.reconstruction_error(NEW)
    assert calls.count((6, 30)) == 1


def test_a_list_of_one_layer_is_that_layer_and_odd_lists_are_named():
    assert np.array_equal(small(n_components=[2]).fit(X).codes_, small().fit(X).codes_)
    for params in ({"n_components": []}, {"n_components": [3, 2], "inner_kernel": [Gaussian()]}):
        with pytest.raises(ValueError, match="give one kernel, or one for each layer"):
            small(**params).fit(X)
    with pytest.raises(ValueError, match="cannot be precomputed"):
        small(inner_kernel="precomputed").fit(X)


def test_the_second_layer_starts_from_the_one_before():
    F = layers(Huber(0.1), tol=1e-9)
    B = rng.standard_normal((F.V.shape[1], 2))
    steps = [F.solve(F.codes([B])[-1])[1].n_iter for _ in range(2)]
    assert steps[0] > 0
    assert steps[1] == 0


@pytest.mark.parametrize("loss", ROBUST, **each)
def test_the_objective_is_that_of_the_two_layers(loss):
    model = small(loss=loss).fit(X)
    P = model.embed(model.codes_)
    T = model.space_.encode(X)
    risk = np.mean(loss.value(P, T))
    second = np.sum(model.dual_coef_ * (model.inner_kernel_(model.codes_, model.codes_) @ model.dual_coef_))
    # |f|^2 in the RKHS of K: codes C = K A give tr(A^T K A) = tr(C^T K^-1 C).
    first = np.sum(model.codes_ * (np.linalg.pinv(K) @ model.codes_))
    total = risk + 1e-2 / 2 * second / (1e-2 * 30) ** 2 + 1e-3 / 2 * first
    assert model.objective_ == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("loss", ROBUST, **each)
def test_the_objective_never_rises_and_ends_where_it_is_flat(loss):
    seen = []
    model = small(loss=loss, tol=1e-6, max_iter=1000, callback=seen.append).fit(X)
    values = [iterate.objective for iterate in model.history_]
    assert len(values) > 5
    assert np.all(np.diff(values) <= 0)
    assert model.converged_
    assert model.history_[-1].slope < 0.01 * model.history_[0].slope
    assert max(iterate.gap for iterate in model.history_) <= model.inner_tol
    assert model.dual_gap_ <= model.inner_tol
    assert seen == model.history_
    assert [iterate.n_iter for iterate in seen] == list(range(model.n_iter_ + 1))


@pytest.mark.parametrize("init", ["kernel_pca", "random"])
def test_linear_layers_with_vanishing_lam_reconstruct_as_uncentred_kernel_pca(init):
    sigma = np.linalg.eigvalsh(X @ X.T)[::-1]
    model = KernelAutoencoder(
        2, inner_kernel=Linear(), lam=1e-6, inner_lam=1e-6, centre=None, init=init, random_state=0, inner_tol=1e-10,
        tol=1e-8,
    )  # fmt: skip
    assert model.fit(X).reconstruction_error(X) == pytest.approx(sigma[2:].sum() / 30, rel=1e-5)
    # With as many components as the rank nothing is lost, and for the linear kernel the points are vectors.
    everything = clone(model).set_params(n_components=5).fit(X)
    np.testing.assert_allclose(everything.inverse_transform(everything.transform(NEW)), NEW, atol=1e-3)


def test_an_empty_tube_is_the_square_loss():
    square, tube = (small(loss=loss).fit(X) for loss in (Square(), EpsilonSquare(0.0)))
    np.testing.assert_array_equal(square.codes_, tube.codes_)
    close = small(loss=EpsilonSquare(1e-9), tol=1e-4, max_iter=1000).fit(X)
    exact = small(tol=1e-4, max_iter=1000).fit(X)
    assert close.objective_ == pytest.approx(exact.objective_, rel=1e-6)


def test_a_tube_discards_points_and_a_cap_marks_the_odd_ones():
    tube = small(loss=EpsilonSquare(0.75)).fit(X)
    outside = np.flatnonzero(tube.residual_norms_ > 0.75 + 1e-7)
    assert 0 < len(tube.support_) < 30
    np.testing.assert_array_equal(tube.support_, outside)
    assert np.all(np.delete(tube.dual_coef_, tube.support_, axis=0) == 0)
    cap = small(loss=Huber(0.2)).fit(X)
    np.testing.assert_array_equal(cap.saturated_, np.flatnonzero(cap.residual_norms_ > 0.2 - 1e-7))
    assert 0 < len(cap.saturated_) < 30


def test_a_tube_wider_than_the_data_leaves_nothing():
    model = small(loss=EpsilonSquare(1.1)).fit(X)
    assert len(model.support_) == 0
    assert model.reconstruction_error(X) == pytest.approx(1.0)


FORMS = {
    "vectors": (X, NEW, Gaussian(0.1), None),
    "function": (X, NEW, lambda A, B: Gaussian(0.1)(A, B), None),
    "precomputed": (K, ROWS, "precomputed", None),
    "indices": (np.arange(30), None, Precomputed(K), None),
    "another first layer": (X, NEW, Gaussian(0.1), Polynomial(2)),
    "words": (WORDS, ["dots", "rat"], SPELLING, None),
}


@pytest.mark.parametrize("form", FORMS)
def test_codes_of_training_points_are_their_transforms(form):
    data, new, kernel, encoder = FORMS[form]
    model = small(kernel=kernel, encoding_kernel=encoder, loss=EpsilonSquare(0.1)).fit(data)
    np.testing.assert_allclose(model.transform(data), model.codes_, atol=1e-10)
    np.testing.assert_allclose(clone(model).fit_transform(data), model.codes_, atol=1e-10)
    if new is not None:
        codes = model.transform(new)
        assert codes.shape == (len(new), 2)
        np.testing.assert_array_equal(
            pickle.loads(pickle.dumps(model)).transform(new) if form != "function" else codes, codes
        )


@pytest.mark.parametrize("form", ["function", "precomputed"])
def test_what_the_data_are_makes_no_difference(form):
    data, new, kernel, _ = FORMS[form]
    other, vectors = small(kernel=kernel).fit(data), small().fit(X)
    np.testing.assert_allclose(np.abs(other.transform(new)), np.abs(vectors.transform(NEW)), atol=1e-4)


def test_the_first_layer_is_linear_in_the_features_of_its_kernel():
    """f(x) = k(x, X) A with A = K^-1 C."""
    model = small(encoding_kernel=Polynomial(2)).fit(X)
    G = Polynomial(2)(X, X)
    np.testing.assert_allclose(
        model.transform(NEW), Polynomial(2)(NEW, X) @ np.linalg.pinv(G) @ model.codes_, atol=1e-6
    )


def test_reconstruction_errors_by_brute_force_on_new_data():
    model = small(loss=Huber(0.2)).fit(X)
    weights = model.inner_kernel_(model.transform(NEW), model.codes_) @ model.dual_coef_ / (1e-2 * 30)
    # In terms of phi(x_1) .. phi(x_n).
    A = weights @ model.space_.axes_.T
    brute = np.mean(np.sum(A * (A @ K), axis=1) - 2 * np.sum(A * ROWS, axis=1) + 1)
    assert model.reconstruction_error(NEW) == pytest.approx(brute, rel=1e-9)
    assert model.score(NEW) == -model.reconstruction_error(NEW)
    assert model.reconstruction_error(X) == pytest.approx(np.mean(model.residual_norms_**2), rel=1e-9)


def test_precomputed_rows_need_the_diagonal_of_new_points():
    model = small(kernel="precomputed").fit(K)
    assert get_tags(model).input_tags.pairwise
    assert model.reconstruction_error(K) == pytest.approx(small().fit(X).reconstruction_error(X), abs=1e-5)
    assert model.reconstruction_error(ROWS, np.ones(6)) == pytest.approx(
        small().fit(X).reconstruction_error(NEW), abs=1e-5
    )
    with pytest.raises(ValueError, match=r"Precomputed.* the diagonal"):
        model.reconstruction_error(ROWS)


def test_codes_come_back_as_vectors_points_or_candidates():
    model = small(kernel=SPELLING, n_components=8, lam=1e-5).fit(WORDS)
    C = model.transform(WORDS)
    assert model.inverse_transform(C, WORDS) == WORDS
    np.testing.assert_allclose(model.inverse_transform(C), model.embed(C))
    assert model.embed(C).shape == (12, model.space_.rank_)
    assert small(kernel=None).fit(X).inverse_transform(np.zeros((3, 2))).shape == (3, 5)
    with pytest.raises(ValueError, match="Codes have 8 columns"):
        model.inverse_transform(C[:, :3])


def test_starts_are_deterministic():
    first, again, other = (small(init="random", random_state=seed, max_iter=3) for seed in (0, 0, 1))
    with pytest.warns(ConvergenceWarning, match=r"stopped after 3 steps at a slope"):
        codes = [model.fit_transform(X) for model in (first, again, other)]
    np.testing.assert_array_equal(codes[0], codes[1])
    assert not np.allclose(codes[0], codes[2])
    np.testing.assert_array_equal(small().fit_transform(X), small().fit_transform(X))


@pytest.mark.parametrize("init", ["kernel_pca", "random"])
def test_starts_do_not_depend_on_the_signs_of_the_axes(init):
    """Rounding, and so the number of threads, decides these."""
    V = RKHS(Gaussian(0.1)).fit(X).encode(X)
    signs = np.where(np.arange(V.shape[1]) % 2, 1.0, -1.0)
    codes = [
        np.abs(points @ first_codes(points, 3, None, init, 0)[1][0])
        for points in (V - V.mean(0), (V - V.mean(0)) * signs)
    ]
    np.testing.assert_allclose(*codes, atol=1e-9)


def test_the_start_is_kernel_pca():
    with pytest.warns(ConvergenceWarning):
        model = small(max_iter=1).fit(X)
    sigma, U = np.linalg.eigh(K)
    F = layers(n=30, tol=1e-10)
    F.lam, F.inner_lam, F.kernels = 1e-2, 1e-3, [model.inner_kernel_]
    assert model.history_[0].objective == pytest.approx(F([np.eye(F.V.shape[1], 2)])[0], rel=1e-9)
    np.testing.assert_allclose(np.abs(F.V[:, :2]), np.abs(U[:, -2:] * np.sqrt(sigma[-2:]))[:, ::-1], atol=1e-10)


def test_searches_reach_the_parts():
    grid = {"loss__epsilon": [0.05, 0.5], "inner_kernel__gamma": [0.5]}
    model = small(loss=EpsilonSquare(), inner_kernel=Gaussian(1.0), max_iter=20, tol=0.1)
    search = GridSearchCV(model, grid, cv=KFold(3)).fit(X)
    assert search.best_params_["loss__epsilon"] in (0.05, 0.5)
    assert np.all(search.cv_results_["mean_test_score"] < 0)
    by_index = GridSearchCV(clone(model).set_params(kernel=Precomputed(K)), grid, cv=KFold(3)).fit(np.arange(30))
    np.testing.assert_allclose(
        by_index.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"], rtol=1e-3
    )


@parametrize_with_checks([KernelAutoencoder()])
def test_scikit_learn_checks_pass(estimator, check):
    check(estimator)


def test_columns_have_names():
    assert small().fit(X).get_feature_names_out().tolist() == ["kernelautoencoder0", "kernelautoencoder1"]


def test_other_array_libraries_give_the_same_codes():
    model = small(loss=EpsilonSquare(0.3)).fit(array_api_strict.asarray(X))
    np.testing.assert_allclose(
        np.abs(to_numpy(model.codes_)), np.abs(small(loss=EpsilonSquare(0.3)).fit(X).codes_), atol=1e-4
    )


def test_an_interrupted_fit_leaves_the_model_as_it_was():
    def stop(iterate):
        raise KeyboardInterrupt

    model = small().fit(X)
    codes = model.transform(NEW)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(callback=stop, n_components=1).fit(NEW)
    np.testing.assert_array_equal(model.transform(NEW), codes)


@pytest.mark.parametrize("gram", [np.ones((5, 5)), np.eye(1)], ids=["constant", "one sample"])
def test_points_that_are_all_alike_get_one_code_and_come_back(gram):
    model = KernelAutoencoder(1, kernel="precomputed").fit(gram)
    np.testing.assert_allclose(model.codes_, model.codes_[:1] * np.ones((len(gram), 1)))
    assert model.reconstruction_error(gram) < 1e-6


@pytest.mark.parametrize(
    ("gram", "params", "message"),
    [
        (np.diag([1.0, 1.0, -0.5]), {}, "not positive semi-definite"),
        (np.zeros((4, 4)), {}, "nothing to learn"),
        (np.ones((4, 4)), {"n_components": 2}, r"exceeds the rank 1 .* at most 1"),
        (np.eye(4), {"lam": 0.0}, "lam must be finite and > 0"),
        (np.eye(4), {"inner_lam": -1.0}, "inner_lam must be finite and >= 0"),
        (np.eye(4), {"init": "pca"}, "init must be"),
        (np.eye(4), {"encoding_kernel": Linear()}, "there is one kernel"),
        (np.eye(4), {"n_components": 0}, "n_components must be a whole number"),
    ],
)
def test_nonsense_is_named(gram, params, message):
    with pytest.raises(ValueError, match=message):
        KernelAutoencoder(1, kernel="precomputed").set_params(**params).fit(gram)


def test_a_constant_kernel_between_codes_learns_the_mean_alone():
    model = small(inner_kernel=Constant(), lam=1e-8).fit(X)
    np.testing.assert_allclose(model.embed(model.codes_), np.tile(model.space_.encode(X).mean(0), (30, 1)), atol=1e-6)
    assert isinstance(small(inner_kernel=Laplacian(0.3)).fit(X).inner_kernel_, Laplacian)


def test_the_experiment_from_molecules_to_record(tmp_path, monkeypatch):
    pytest.importorskip("rdkit", reason="the molecules come with rdkit")
    monkeypatch.setattr(autoencoder, "sizes", lambda quick: (90, 2, 10, 40))
    monkeypatch.setattr(autoencoder, "grids", lambda quick, n: ([0.0, 0.9, 1.0], [1e-5, 1.0]))
    seen = []
    result = autoencoder.run(Settings(quick=True, progress=lambda done, total, doing: seen.append(done / total)))
    rows = result["rows"]
    assert [(row["loss"], row["data"]) for row in rows] == [
        ("kernel PCA", "clean"),
        *[("epsilon-KAE", "clean")] * 3,
        ("kernel PCA", "contaminated"),
        ("square-KAE", "contaminated"),
        *[("Huber-KAE", "contaminated")] * 2,
    ]
    assert all(0 < row["error"] <= 1 + 1e-9 for row in rows)
    assert all(row["gap"] <= 1e-10 for row in rows if row["loss"] != "kernel PCA")
    # Molecules have norm one: a tube of that width holds them all, and a tiny cap binds everywhere.
    assert [row["discarded"] for row in rows[1:4]][::2] == [0.0, 45.0]
    assert [row["capped"] for row in rows[6:]] == [45.0, 0.0]
    assert rows[3]["error"] == pytest.approx(1.0)
    assert rows[0]["error"] < rows[4]["error"]
    assert seen == sorted(seen)
    record(result, tmp_path / "autoencoder.json")
    assert json.loads((tmp_path / "autoencoder.json").read_text())["rows"] == rows
    autoencoder.draw(result).savefig(tmp_path / "autoencoder.png")
    head, body = autoencoder.columns(result)
    assert len(body) == len(rows) + 3
    assert all(len(row) == len(head) for row in body)


def test_contaminated_copies_have_as_many_bits_elsewhere():
    data = sparse.csr_matrix((rng.uniform(size=(20, 64)) < 0.3).astype(float))
    everything, places = autoencoder.contaminated(data)
    bad = np.flatnonzero(places >= 20)
    assert len(bad) == 4
    assert everything.shape == (24, 64)
    np.testing.assert_array_equal(everything[:20].toarray(), data.toarray())
    np.testing.assert_array_equal(everything[places].sum(axis=1), data.sum(axis=1))
    assert np.all((everything[places[bad]] != data[bad]).sum(axis=1) > 0)
    assert np.array_equal(np.delete(places, bad), np.delete(np.arange(20), bad))


def test_codes_predict_properties_by_their_neighbours(capsys):
    pytest.importorskip("rdkit", reason="the molecules come with rdkit")
    path = Path(__file__).parent.parent / "examples" / "molecular_codes.py"
    scores = runpy.run_path(str(path))["main"](n=200)
    assert capsys.readouterr().out.count("\n") == 5
    assert scores["neighbours", "autoencoder"].mean() > scores["neighbours", "kernel PCA"].mean()


@pytest.mark.parametrize("centre", ["mean", "median", None])
@pytest.mark.parametrize("inner", [None, Linear()], **each)
def test_data_in_other_units_have_the_same_codes(centre, inner):
    """k and 9 k: the codes agree, and reconstructions scale."""
    one, nine = (
        KernelAutoencoder(2, kernel=kernel, inner_kernel=inner, centre=centre).fit(X)
        for kernel in (Gaussian(0.1), 9.0 * Gaussian(0.1))
    )
    np.testing.assert_allclose(np.abs(nine.codes_), np.abs(one.codes_), atol=1e-6)
    assert nine.objective_ == pytest.approx(9.0 * one.objective_, rel=1e-6)
    assert nine.reconstruction_error(NEW) == pytest.approx(9.0 * one.reconstruction_error(NEW), rel=1e-6)


@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_codes_about_a_centre_do_not_see_where_the_data_lie(shift):
    near, far = (KernelAutoencoder(2).fit(points) for points in (X, X + shift))
    np.testing.assert_allclose(np.abs(far.transform(NEW + shift)), np.abs(near.transform(NEW)), atol=1e-5)
    np.testing.assert_allclose(
        far.inverse_transform(far.codes_) - shift, near.inverse_transform(near.codes_), atol=1e-4
    )


def test_the_objective_about_a_centre_is_that_of_the_centred_data():
    centred = KernelAutoencoder(2, kernel="precomputed", centre=None)
    H = np.eye(30) - 1 / 30
    model = KernelAutoencoder(2, kernel="precomputed", encoding_kernel=None).fit(K)
    assert model.objective_ == pytest.approx(centred.fit(H @ K @ H).objective_, rel=1e-6)
    assert model.reconstruction_error(K) == pytest.approx(np.mean(model.residual_norms_**2), rel=1e-6)
    np.testing.assert_allclose(model.transform(K), model.codes_, atol=1e-9)


def test_linear_layers_with_vanishing_lam_about_the_mean_are_kernel_pca():
    settings = {"lam": 1e-6, "inner_lam": 1e-6, "inner_tol": 1e-10, "tol": 1e-8}
    model = KernelAutoencoder(2, inner_kernel=Linear(), **settings).fit(X + 5.0)
    principal = KernelPCA(2).fit(X + 5.0)
    centred = X - X.mean(axis=0)
    left = np.mean(np.sum(centred**2, axis=1) - np.sum(principal.transform(X + 5.0) ** 2, axis=1))
    assert model.reconstruction_error(X + 5.0) == pytest.approx(left, rel=1e-5)


def test_defaults_converge_on_digits_and_are_no_worse_than_kernel_pca():
    data, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(data))
    train, test = order[:400], order[400:]
    scores = []
    for model in (KernelAutoencoder(10, kernel=Gaussian()), KernelAutoencoder(10), KernelPCA(10)):
        codes = model.fit_transform(data[train])
        reader = KNeighborsClassifier(5).fit(codes, labels[train])
        scores.append(reader.score(model.transform(data[test]), labels[test]))
        assert getattr(model, "converged_", True)
        assert getattr(model, "n_iter_", 0) <= 10
    assert min(scores[:2]) > scores[2] - 0.01


def test_smaller_problems_come_first_and_only_for_many_points():
    few, many = layers(n=30), Layers(np.eye(400, 9), np.eye(400), [Gaussian(0.5)], Square(), 1e-3, 1e-3, "auto", 1e-6)
    assert list(smaller(few)) == []
    assert [part.T.shape for part in smaller(many)] == [(134, 100), (400, 100)]
    many.loss = Huber(1.0)
    assert list(smaller(many)) == []
    many.loss, many.kernels = Square(), [Gaussian(0.5), Gaussian(0.5)]
    assert [part.T.shape for part in smaller(many)] == [(400, 100)]
    many.T = np.eye(400, 9)
    assert list(smaller(many)) == []


def test_steps_that_gain_little_are_rest_and_a_stall_is_not():
    def history(*values, gap=0.0):
        return [Iterate(k, value, 1.0, gap) for k, value in enumerate(values)]

    assert not at_rest(history(2.0, 1.0, 0.999), 1e-3)
    assert at_rest(history(2.0, 1.0, 0.9995, 0.999), 1e-3)
    assert not at_rest(history(2.0, 1.0, 0.9995, 0.999, gap=1e-2), 1e-3)
    assert at_rest([Iterate(0, 1.0, 1e-4, 0.0)], 1e-3)


def test_suspects_are_far_points_and_not_those_at_the_bound():
    odd = np.concatenate([X, [[0.0, 0.0, 0.0, 0.0, 40.0]]])
    model = KernelAutoencoder(1, Huber(0.5), centre="median").fit(odd)
    found = model.suspects()
    assert found.samples[0] == 30
    assert found.flagged[0]
    assert model.suspects(0.1).flagged.sum() == 3
    assert len(model.saturated_) > found.flagged.sum()
