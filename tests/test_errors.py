"""Bad input gets an error that names object, reason and remedy; a failed or interrupted fit loses nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import lil_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Regressor, Ridge, datasets, kernels, operator_kernels
from hilbertine.kernels import Constant, Gaussian, Laplacian, Linear, Polynomial, Precomputed
from hilbertine.losses import Ball, EpsilonSquare, Huber, InfConv
from hilbertine.operator_kernels import FromGram, Matrix, Separable
from hilbertine.solvers import Direct, ProximalGradient
from hilbertine.spaces import RKHS, Euclidean

rng = np.random.default_rng(0)
X = rng.standard_normal((8, 3))
Y = rng.standard_normal((8, 2))
K = X @ X.T
D = np.linalg.norm(X[:, None] - X[None, :], axis=2)
POINTS = list(np.arange(8.0))
WORDS = ["cart", "care", "card", "cord", "word", "ward", "dogs", "dots"]

ridge_and_huber = pytest.mark.parametrize("Estimator", [Ridge, HuberRegressor], ids=lambda cls: cls.__name__)


def spoiled(A, value):
    A = np.array(A, dtype=float)
    A[1, 1] = value
    return A


def same_letters(A, B):
    return [[sum(a == b for a, b in zip(v, w, strict=True)) for w in B] for v in A]


def distance(A, B):
    return np.abs(np.subtract.outer(A, B))


def sigmoid(A, B):
    return np.tanh(2.0 * np.multiply.outer(A, B) - 3.0)


def opposite(A, B):
    return -np.exp(-(np.subtract.outer(A, B) ** 2))


def one_sided(A, B):
    return (np.greater_equal.outer(A, B)).astype(float)


def broken(A, B):
    return spoiled(np.eye(len(A), len(B)), np.nan)


def unbounded(A, B):
    return spoiled(np.eye(len(A), len(B)), np.inf)


@pytest.mark.parametrize("kernel", [Gaussian(1.0), operator_kernels.Sum(Constant(), Gaussian(1.0)), "precomputed"])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_inputs_that_are_not_finite(kernel, value, word):
    inputs = K if kernel == "precomputed" else X
    with pytest.raises(ValueError, match=f"X contains {word}"):
        Ridge(kernel=kernel, max_iter=5).fit(spoiled(inputs, value), Y)
    with pytest.raises(ValueError, match=f"X contains {word}"):
        Ridge(kernel=kernel, max_iter=20_000).fit(inputs, Y).predict(spoiled(inputs, value))


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_outputs_that_are_not_finite(value, word):
    outputs = spoiled(Y, value)
    for y in (outputs, outputs[:, 1]):
        with pytest.raises(ValueError, match=f"y contains {word}"):
            Ridge().fit(X, y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_outputs_that_are_not_finite_in_an_rkhs(value):
    with pytest.raises(ValueError, match=r"(?i)(\by\b|outputs?\b).*(NaN|infinity|finite)"):
        Ridge(space=RKHS(Gaussian(1.0)), max_iter=5).fit(X, spoiled(Y, value))


@pytest.mark.parametrize(
    ("inputs", "outputs", "reason"),
    [
        (X[:0], Y[:0], "0 sample.*minimum of 1 is required by Ridge"),
        (X[:, :0], Y, "0 feature.*minimum of 1 is required by Ridge"),
        (X, Y[:, :0], r"0 feature.*minimum of 1"),
        (X, [], r"inconsistent numbers of samples: \[8, 0\]"),
        (X, Y[:5], r"inconsistent numbers of samples: \[8, 5\]"),
        (X[:5], Y, r"inconsistent numbers of samples: \[5, 8\]"),
        (X[:, 0], Y, r"Expected 2D array, got 1D.*(?s:.*)reshape\(-1, 1\)"),
        (X, Y[:, :, None], "dim 3, while dim <= 2"),
        (X, None, "requires y to be passed"),
    ],
)
def test_inputs_and_outputs_of_impossible_shapes(inputs, outputs, reason):
    with pytest.raises(ValueError, match=reason):
        Ridge().fit(inputs, outputs)


def test_an_empty_list_of_objects():
    with pytest.raises(ValueError, match="at least one sample"):
        Ridge(kernel=same_letters).fit([], [])


def test_objects_and_outputs_of_different_numbers():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[8, 3\]"):
        Ridge(kernel=same_letters).fit(WORDS, Y[:3])


@pytest.mark.parametrize("y", [WORDS, [{"a"}] * 8, [{"a": 1}] * 8], ids=["words", "sets", "dicts"])
def test_outputs_that_are_no_numbers_in_a_euclidean_space(y):
    with pytest.raises(ValueError, match=r"Euclidean output space needs numbers.*RKHS\(kernel\)"):
        Ridge().fit(X, y)


def test_output_words_under_a_kernel_on_vectors():
    with pytest.raises(ValueError, match=r"Gaussian.*(vectors|numbers)"):
        Ridge(space=RKHS(Gaussian(1.0))).fit(X, WORDS)


def test_input_words_under_a_kernel_on_vectors():
    with pytest.raises(ValueError, match=r"(?i)kernel"):
        Ridge(kernel=Gaussian(1.0)).fit(WORDS, Y)


def test_prediction_for_vectors_of_another_length():
    model = Ridge().fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features, but Ridge is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D"):
        model.predict(X[0])
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(X[:0])


@pytest.mark.parametrize("rows", [K[:3, :5], np.ones((3, 9))], ids=["narrow", "wide"])
def test_prediction_from_precomputed_rows_of_another_length(rows):
    model = Ridge(kernel="precomputed").fit(K, Y)
    with pytest.raises(
        ValueError, match=r"(?i)(training|kernel values|gram).*\b8\b|\b8\b.*(training|kernel values|gram)"
    ):
        model.predict(rows)


@pytest.mark.parametrize("space", [Euclidean(), RKHS(Gaussian(1.0))], ids=["euclidean", "rkhs"])
@pytest.mark.parametrize("y", [Y[:1], Y[:5]], ids=["one", "five"])
def test_score_against_outputs_of_another_number(space, y):
    model = Ridge(space=space).fit(X, Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y)


def test_score_against_outputs_of_another_dimension():
    with pytest.raises(ValueError, match="1 columns, the space was fitted to 2"):
        Ridge().fit(X, Y).score(X, Y[:, :1])


@pytest.mark.parametrize("method", ["predict", "embed"])
def test_a_model_that_was_not_fitted(method):
    with pytest.raises(NotFittedError, match=r"not fitted yet\. Call 'fit'"):
        getattr(Ridge(), method)(X)


BAD_GRAMS = {
    "not_square": (K[:, :5], r"square.*\(8, 5\)"),
    "not_symmetric": (K + np.triu(np.ones((8, 8)), 1), r"not symmetric.*\(K \+ K\.T\) / 2"),
    "indefinite": (2.0 * np.ones((8, 8)) - np.eye(8), r"not positive semi-definite.*(?i:clip)"),
    "negative_diagonal": (K - 5.0 * np.eye(8), r"not positive semi-definite.*diagonal entry \d is -"),
    "distances": (D, r"not positive semi-definite.*distance"),
    "squared_distances": (D**2, r"not positive semi-definite.*distance"),
    "opposite_distances": (-D, r"not positive semi-definite"),
}


@ridge_and_huber
@pytest.mark.parametrize("case", BAD_GRAMS)
def test_a_precomputed_matrix_that_is_no_gram(Estimator, case):
    gram, reason = BAD_GRAMS[case]
    with pytest.raises(ValueError, match=f"precomputed Gram matrix.*{reason}"):
        Estimator(kernel="precomputed").fit(gram, Y)


@pytest.mark.parametrize("case", BAD_GRAMS)
def test_a_precomputed_kernel_on_indices_that_is_no_gram(case):
    gram, reason = BAD_GRAMS[case]
    with pytest.raises(ValueError, match=rf"Precomputed\.matrix.*{reason}"):
        Ridge(kernel=Precomputed(gram)).fit(np.arange(8), Y)


@ridge_and_huber
def test_a_precomputed_kernel_on_indices_with_nan(Estimator):
    with pytest.raises(ValueError, match=r"Precomputed\.matrix.*(NaN|finite)"):
        Estimator(kernel=Precomputed(spoiled(K, np.nan)), max_iter=5).fit(np.arange(8), Y)


@pytest.mark.parametrize(
    "indices",
    [np.arange(1, 9), np.arange(-1, 7), np.arange(8) + 0.5, WORDS, K, [0, 1, 2, 3, 4, 5, 6, None]],
    ids=["too_large", "negative", "fractions", "words", "matrix", "none"],
)
def test_indices_that_a_precomputed_kernel_does_not_have(indices):
    remedy = r"indices 0 \.\. 7 of its 8 x 8 Gram matrix; pass such indices"
    with pytest.raises(ValueError, match=remedy):
        Ridge(kernel=Precomputed(K)).fit(indices, Y)
    with pytest.raises(ValueError, match=remedy):
        Ridge(space=RKHS(Precomputed(K))).fit(X, indices)
    with pytest.raises(ValueError, match=remedy):
        Ridge(kernel=Precomputed(K)).fit(np.arange(8), Y).predict(indices)


NUMBERS = [
    (Ridge, "lam", [0, -1.0, np.inf]),
    (EpsilonRidge, "epsilon", [-0.1, np.inf]),
    (EpsilonSVR, "epsilon", [-0.1, np.inf]),
    (HuberRegressor, "kappa", [0, -1.0]),
]


@pytest.mark.parametrize(("Estimator", "name", "values"), NUMBERS)
def test_numbers_out_of_range(Estimator, name, values):
    for value in values:
        with pytest.raises(ValueError, match=rf"\b{name} must be .*> ?=? ?0, got {value!r}"):
            Estimator(**{name: value}).fit(X, Y)
    with pytest.raises(ValueError, match=f"{name} is NaN"):
        Estimator(**{name: np.nan}).fit(X, Y)


@pytest.mark.parametrize(("Estimator", "name", "values"), NUMBERS)
@pytest.mark.parametrize("value", ["small", "0.1", None, [1.0, 2.0], 1j])
def test_what_is_no_number(Estimator, name, values, value):
    with pytest.raises(TypeError, match=rf"\b{name} must be a number, got "):
        Estimator(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("value", [0, -1, 1.5, "many"])
def test_max_iter_is_a_whole_number_above_zero(value):
    with pytest.raises((TypeError, ValueError), match="max_iter must be"):
        HuberRegressor(max_iter=value).fit(X, Y)


@pytest.mark.parametrize("value", [-1.0, np.nan, "tight"])
def test_tol_is_a_number_not_below_zero(value):
    with pytest.raises((TypeError, ValueError), match=r"\btol (must be|is NaN)"):
        HuberRegressor(tol=value, max_iter=5).fit(X, Y)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (Gaussian(0.0), r"Gaussian\.gamma must be finite and > 0, got 0\.0"),
        (Gaussian(-1.0), r"Gaussian\.gamma must be finite and > 0, got -1\.0"),
        (Gaussian(np.inf), r"Gaussian\.gamma must be finite"),
        (Gaussian(np.nan), r"Gaussian\.gamma is NaN"),
        (Gaussian("scale"), r"Gaussian\.gamma must be a number > 0, 'median' or 'auto', got 'scale'"),
        (Laplacian(-1.0), r"Laplacian\.gamma must be finite and > 0"),
        (Polynomial(degree=1.5), r"Polynomial\.degree must be a whole number, got 1\.5"),
        (Polynomial(coef0=-1.0), r"Polynomial\.coef0 must be finite and >= 0"),
        (-1.0 * Gaussian(1.0), r"Scaled\.factor must be finite and > 0"),
        (Constant(-1.0), r"Constant\.value must be finite and >= 0"),
        (Gaussian(1.0) + Gaussian(-1.0), r"Gaussian\.gamma must be finite and > 0"),
        (Separable(Gaussian(-1.0)), r"Gaussian\.gamma must be finite and > 0"),
    ],
    ids=repr,
)
def test_kernel_parameters_out_of_range(kernel, reason):
    with pytest.raises(ValueError, match=reason):
        Ridge(kernel=kernel).fit(X, Y)


@pytest.mark.parametrize("kernel", ["rbf", Gaussian, 3], ids=repr)
def test_what_is_no_kernel(kernel):
    with pytest.raises(TypeError, match=r"is not a kernel; pass a kernel of hilbertine\.kernels such as Gaussian"):
        Ridge(kernel=kernel).fit(X, Y)


@pytest.mark.parametrize("loss", ["huber", Huber, 3, Gaussian(1.0)], ids=repr)
def test_what_is_no_loss(loss):
    with pytest.raises(TypeError, match=r"\bloss\b.*hilbertine\.losses"):
        Regressor(loss).fit(X, Y)


def test_an_infimal_convolution_with_what_is_no_loss():
    with pytest.raises(TypeError, match=r"InfConv.*loss"):
        Regressor(InfConv("huber", Ball(0.1))).fit(X, Y)


@pytest.mark.parametrize("space", ["rkhs", RKHS, 3, Gaussian(1.0)], ids=repr)
def test_what_is_no_space(space):
    with pytest.raises(TypeError, match=r"\bspace\b.*hilbertine\.spaces"):
        Ridge(space=space).fit(X, Y)


@pytest.mark.parametrize("operator", ["identity", np.eye(2), Matrix], ids=["word", "array", "class"])
def test_what_is_no_operator(operator):
    with pytest.raises(TypeError, match=r"\boperator\b.*Matrix"):
        Ridge(kernel=Separable(Gaussian(1.0), operator)).fit(X, Y)


@pytest.mark.parametrize(
    ("A", "reason"),
    [
        (np.diag([1.0, -1.0]), r"not positive semi-definite \(smallest eigenvalue -1\).*B @ B\.T"),
        (-np.eye(2), r"not positive semi-definite"),
        ([[1.0, 1.0], [0.0, 1.0]], r"not symmetric.*entries differ by 1"),
        (np.eye(3), r"shape \(3, 3\).*outputs have 2 coordinates; give a 2 x 2 matrix"),
        ([1.0, 2.0], r"shape \(2,\).*give a 2 x 2 matrix"),
        ([[np.nan, 0.0], [0.0, 1.0]], r"NaN|finite"),
    ],
    ids=["indefinite", "negative", "not_symmetric", "too_large", "vector", "nan"],
)
@ridge_and_huber
def test_an_output_matrix_that_is_no_positive_operator(Estimator, A, reason):
    with pytest.raises(ValueError, match=rf"Matrix\.A.*({reason})"):
        Estimator(kernel=Separable(Gaussian(1.0), Matrix(A)), max_iter=5).fit(X, Y)


@pytest.mark.parametrize(
    ("gram", "reason"),
    [
        (np.eye(3), r"shape \(3, 3\) for 8 training outputs; give the 8 x 8 matrix"),
        (np.triu(np.ones((8, 8))), "not symmetric"),
        (-np.eye(8), "not positive semi-definite"),
        (spoiled(np.eye(8), np.nan), "NaN|finite"),
    ],
    ids=["too_small", "not_symmetric", "negative", "nan"],
)
def test_an_operator_known_by_a_matrix_that_is_no_gram(gram, reason):
    with pytest.raises(ValueError, match=rf"FromGram\.gram.*({reason})"):
        Ridge(kernel=Separable(Gaussian(1.0), FromGram(gram)), max_iter=5).fit(X, Y)


@pytest.mark.parametrize(
    "kernel",
    [lambda A, B: np.eye(3), lambda a, b: 1.0, lambda A, B: np.ones(len(A)), lambda A, B: None],
    ids=["fixed", "pointwise", "vector", "nothing"],
)
def test_a_kernel_function_that_returns_another_shape(kernel):
    with pytest.raises(ValueError, match=r"kernel function.*returned shape.*two whole collections.*\(8, 8\)"):
        Ridge(kernel=kernel).fit(WORDS, Y)
    with pytest.raises(ValueError, match=r"kernel function.*returned shape.*two whole collections.*\(8, 8\)"):
        Ridge(space=RKHS(kernel)).fit(X, WORDS)


@ridge_and_huber
@pytest.mark.parametrize("kernel", [broken, unbounded])
def test_a_kernel_function_that_returns_values_that_are_not_finite(Estimator, kernel):
    with pytest.raises(ValueError, match=rf"kernel.*{kernel.__name__}.*(NaN|infinity)"):
        Estimator(kernel=kernel, max_iter=5).fit(POINTS, Y)
    with pytest.raises(ValueError, match=rf"kernel.*{kernel.__name__}.*(NaN|infinity)"):
        Estimator(space=RKHS(kernel), max_iter=5).fit(X, POINTS)


@ridge_and_huber
def test_an_error_inside_a_kernel_function_comes_through(Estimator):
    with pytest.raises(ZeroDivisionError):
        Estimator(kernel=lambda A, B: 1 / 0).fit(POINTS, Y)


@ridge_and_huber
@pytest.mark.parametrize("lam", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [distance, sigmoid, opposite])
def test_an_indefinite_kernel_function_is_refused_whatever_lam(Estimator, kernel, lam):
    with pytest.raises(ValueError, match=r"not positive semi-definite.*(?i:check|clip|holds)"):
        Estimator(kernel=kernel, lam=lam).fit(POINTS, Y)


@ridge_and_huber
def test_a_kernel_function_that_is_not_symmetric(Estimator):
    with pytest.raises(ValueError, match="not symmetric"):
        Estimator(kernel=one_sided, max_iter=5).fit(POINTS, Y)


@pytest.mark.parametrize("kernel", [distance, sigmoid, opposite])
def test_an_indefinite_output_kernel(kernel):
    with pytest.raises(ValueError, match=rf"output kernel.*{kernel.__name__}.*not positive semi-definite.*eigenvalues"):
        Ridge(space=RKHS(kernel)).fit(X, POINTS)


def test_an_output_kernel_that_is_not_symmetric():
    with pytest.raises(ValueError, match="Gram matrix of the outputs is not symmetric"):
        Ridge(space=RKHS(one_sided)).fit(X, POINTS)


def test_outputs_without_any_length():
    with pytest.raises(ValueError, match="zero norm under the output kernel"):
        Ridge(space=RKHS(Linear())).fit(X, np.zeros((8, 2)))


@pytest.mark.parametrize("value", [0, -1, 1.5, "few"])
def test_n_components_is_a_whole_number_above_zero(value):
    with pytest.raises((TypeError, ValueError), match=r"RKHS\.n_components must be"):
        Ridge(space=RKHS(n_components=value)).fit(X, Y)


@pytest.mark.parametrize("candidates", [[], (), np.empty((0, 2))], ids=["list", "tuple", "array"])
def test_decoding_among_no_candidates(candidates):
    space = RKHS(Gaussian(1.0)).fit(Y)
    with pytest.raises(ValueError, match="at least one candidate; the candidate list is empty"):
        space.decode(space.encode(Y), candidates)


def test_decoding_among_no_words():
    space = RKHS(same_letters).fit(WORDS)
    with pytest.raises(ValueError, match="at least one candidate"):
        space.decode(space.encode(WORDS), [])


def test_decoding_among_candidates_of_another_dimension():
    space = RKHS(Gaussian(1.0)).fit(Y)
    with pytest.raises(ValueError, match=r"\b5\b.*\b2\b|\b2\b.*\b5\b") as caught:
        space.decode(space.encode(Y), np.ones((3, 5)))
    assert "broadcast" not in str(caught.value)


def test_decoding_points_of_another_dimension():
    space = RKHS(Gaussian(1.0)).fit(Y)
    with pytest.raises(ValueError, match=r"\b2\b.*\b8\b|\b8\b.*\b2\b"):
        space.decode(space.encode(Y)[:, :2])


def test_candidates_for_a_euclidean_space():
    with pytest.raises(ValueError, match=r"no candidates; use spaces\.RKHS\(kernel\)"):
        Euclidean().fit(Y).decode(Y, Y)


@pytest.mark.parametrize("loss", [Ball(0.3), InfConv(Ball(0.1), Ball(0.2))], ids=["ball", "balls"])
def test_a_ball_is_not_trained_alone(loss):
    with pytest.raises(ValueError, match=r"Ball.*cannot be trained alone.*EpsilonSquare\(epsilon=0\.3\).*InfConv"):
        Regressor(loss).fit(X, Y)


@pytest.mark.parametrize("solver", ["newton", None, Direct], ids=repr)
def test_an_unknown_solver(solver):
    with pytest.raises(ValueError, match=r"solver must be 'auto', one of \[.*'direct'.*Solver object; got"):
        Ridge(solver=solver).fit(X, Y)


@pytest.mark.parametrize("solver", ["direct", Direct()], ids=repr)
@pytest.mark.parametrize("loss", [Huber(0.5), EpsilonSquare(0.5)], ids=repr)
def test_direct_refuses_other_losses_than_the_square(solver, loss):
    with pytest.raises(ValueError, match=rf"Direct solves the square loss only, not {type(loss).__name__}.*'auto'"):
        Regressor(loss, solver=solver).fit(X, Y)


def test_direct_refuses_what_it_cannot_factor(monkeypatch):
    monkeypatch.setattr(operator_kernels.gram, "SMALL", 0)
    kernel = operator_kernels.AlignedAnchored(Gaussian(1.0))
    with pytest.raises(ValueError, match=r"Direct needs a kernel that can be factored.*; use solver='auto'"):
        Ridge(kernel=kernel, solver="direct").fit(X, Y)


class InterruptAt:
    """Raises KeyboardInterrupt at the given certificate, as Ctrl-C would."""

    def __init__(self, call):
        self.call = call
        self.calls = 0

    def __call__(self, progress):
        self.calls += 1
        if self.calls == self.call:
            raise KeyboardInterrupt


def interruptible(**params):
    return HuberRegressor(kernel=Gaussian(0.5), lam=1e-3, solver="proximal_gradient", **params)


@pytest.mark.parametrize("call", [1, 3])
def test_an_interrupted_first_fit_leaves_the_estimator_unfitted_and_ready(call):
    model = interruptible(callback=InterruptAt(call))
    before = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert vars(model) == before
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict(X)
    model.set_params(callback=None).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), interruptible().fit(X, Y).predict(X))


@pytest.mark.parametrize("warm_start", [False, True])
def test_an_interrupted_second_fit_keeps_the_first_model_exactly(warm_start):
    model = interruptible(warm_start=warm_start).fit(X, Y)
    predictions, coefficients = model.predict(X), model.dual_coef_.copy()
    model.set_params(callback=InterruptAt(2), kernel__gamma=3.0)
    before = dict(vars(model))
    for inputs, outputs in ((X, -Y), (X[:6, :2], Y[:6, 0])):
        model.callback.calls = 0
        with pytest.raises(KeyboardInterrupt):
            model.fit(inputs, outputs)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())
        np.testing.assert_array_equal(model.predict(X), predictions)
        np.testing.assert_array_equal(model.dual_coef_, coefficients)


def test_an_interruption_inside_a_kernel_function_leaves_the_estimator_unfitted():
    def interrupted(A, B):
        raise KeyboardInterrupt

    model = Ridge(kernel=interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(POINTS, Y)
    assert set(vars(model)) == set(vars(Ridge()))


FAILING_FITS = {
    "nan_inputs": ({}, spoiled(X, np.nan), Y),
    "nan_outputs": ({}, X[:, :2], spoiled(Y, np.nan)),
    "lengths": ({}, X[:, :2], Y[:3]),
    "lam": ({"lam": -1.0}, X[:, :2], Y),
    "kappa": ({"kappa": -1.0}, X[:, :2], Y),
    "gamma": ({"kernel__gamma": -1.0}, X[:, :2], Y),
    "solver": ({"solver": "newton"}, X[:, :2], Y),
    "direct": ({"solver": Direct()}, X[:, :2], Y),
    "words": ({}, X[:, :2], WORDS),
    "callback": ({"callback": lambda progress: 1 / 0, "solver": ProximalGradient()}, X[:, :2], Y),
}


@pytest.mark.parametrize("case", FAILING_FITS)
def test_a_failed_second_fit_keeps_the_first_model_exactly(case):
    params, inputs, outputs = FAILING_FITS[case]
    model = interruptible().fit(X, Y)
    predictions = model.predict(X)
    model.set_params(**params)
    before = dict(vars(model))
    with pytest.raises((ValueError, ZeroDivisionError)):
        model.fit(inputs, outputs)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(model.predict(X), predictions)


@pytest.mark.parametrize("case", FAILING_FITS)
def test_a_failed_first_fit_leaves_the_estimator_unfitted(case):
    params, inputs, outputs = FAILING_FITS[case]
    model = interruptible().set_params(**params)
    with pytest.raises((ValueError, ZeroDivisionError)):
        model.fit(inputs, outputs)
    assert set(vars(model)) == set(vars(interruptible()))


def test_kernel_values_that_overflow_are_named():
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"NaN.*standardise"):
        HuberRegressor(kernel=kernels.Polynomial(20)).fit(1e20 * np.eye(3), [1.0, 2.0, 3.0])


def test_what_happens_to_y_after_fit_does_not_reach_the_model():
    X, y = np.arange(6.0)[:, None], np.arange(12.0).reshape(6, 2)
    kernel = operator_kernels.Separable(kernels.Gaussian(1.0), operator_kernels.Covariance())
    model = Ridge(kernel=kernel).fit(X, y)
    before = model.predict(X)
    y *= 10
    assert np.array_equal(model.predict(X), before)


def test_clones_share_a_precomputed_gram():
    kernel = kernels.Precomputed(np.eye(4))
    assert clone(Ridge(kernel=kernel)).kernel.matrix is kernel.matrix


def test_a_sum_keeps_what_its_scalar_parts_learned():
    class Learned(kernels.Kernel):
        def fit(self, X):
            self.scale_ = float(np.abs(X).max())
            return self

        def __call__(self, X, Z):
            return X @ Z.T / self.scale_

    X = np.arange(1.0, 7.0)[:, None]
    model = Ridge(kernel=operator_kernels.Sum(Learned(), kernels.Linear())).fit(X, X[:, 0])
    assert model.predict(X[:2]).shape == (2,)


@pytest.mark.parametrize("n", [5, 9, 12, 15, 40, 100])
def test_one_negative_eigenvalue_is_seen_at_any_size(n):
    rng = np.random.default_rng(n)
    for _ in range(10):
        Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
        values = rng.uniform(0.1, 1.0, n)
        values[0] = -0.5
        with pytest.raises(ValueError, match="positive semi-definite"):
            Ridge(kernel="precomputed", lam=1.0).fit((Q * values) @ Q.T, np.ones(n))


@pytest.mark.parametrize("unit", ["datetime64[D]", "timedelta64[s]"])
def test_dates_are_no_numbers(unit):
    days = np.arange(8).astype(unit)
    for inputs, outputs, name in ((X, days, "y"), (days[:, None], Y, "X"), (X, pd.Series(days), "y")):
        with pytest.raises(TypeError, match=rf"{name} holds dates or durations; make numbers of them, .* for days"):
            Ridge().fit(inputs, outputs)
    with pytest.raises(TypeError, match="X holds dates or durations"):
        HuberRegressor().fit(pd.DataFrame({"length": X[:, 0], "day": days}), Y)
    with pytest.raises(TypeError, match="X holds dates or durations"):
        Ridge().fit(X[:, :1], Y).predict(days[:, None])


@pytest.mark.parametrize("form", [np.asarray, lil_array, pd.DataFrame])
def test_the_first_gap_of_the_inputs_is_named(form):
    inputs = form(np.where(np.arange(20).reshape(5, 4) == 13, np.nan, 1.0))
    model = Ridge(kernel=kernels.Linear())
    with pytest.raises(ValueError, match=r"Input X contains NaN, first in row 3, column 1; put .*SimpleImputer"):
        model.fit(inputs, np.ones(5))


def test_a_matrix_is_no_seed():
    with pytest.raises(TypeError, match="seed must be a whole number"):
        datasets.make_spectra(5, np.matrix([[1.0, 2.0]]))
