"""YEAST label sets as structured outputs: the linear kernel is the Euclidean model, others score whole sets."""

import numpy as np
import pytest

from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    HuberRegressor,
    Ridge,
    StructuredPredictor,
    datasets,
    kernels,
    losses,
    metrics,
    spaces,
)

LAM, N = 1e-3, 400
INPUTS = kernels.Gaussian(1.0)
PAIRS = {
    "Ridge": (Ridge(LAM, INPUTS, centre=None), losses.Square()),
    "epsilon-Ridge": (EpsilonRidge(0.1, LAM, INPUTS, centre=None), losses.EpsilonSquare(0.1)),
    "Huber": (HuberRegressor(0.5, LAM, INPUTS, centre=None), losses.Huber(0.5)),
    "epsilon-SV": (EpsilonSVR(0.1, LAM, INPUTS, centre=None), losses.EpsilonNorm(0.1)),
}
KERNELS = [
    kernels.Intersection(),
    kernels.Tanimoto(),
    kernels.GaussianTanimoto(1.0),
    kernels.Gaussian(0.1),
    kernels.Normalised(kernels.Polynomial(2, coef0=1.0)),
]


@pytest.fixture(scope="module")
def data():
    train, test = datasets.load_yeast("train"), datasets.load_yeast("test")
    return train.data[:N], train.target[:N], test.data, test.target


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("kernel", [None, kernels.Intersection()], ids=["linear", "intersection"])
def test_the_linear_kernel_with_clamping_gives_the_euclidean_figures_to_the_last_digit(data, name, kernel):
    X, Y, new, truth = data
    euclidean, loss = PAIRS[name]
    points = euclidean.set_params(tol=1e-12).fit(X, Y).predict(new)
    structured = StructuredPredictor(loss, INPUTS, kernel, decoder=spaces.Clamp(), lam=LAM, tol=1e-12, centre=None).fit(
        X, Y
    )
    predicted = structured.predict(new)
    assert structured.dual_coef_.shape == (N, 14)
    assert max(structured.dual_gap_, euclidean.dual_gap_) <= 1e-12
    np.testing.assert_array_equal(predicted, (points > 0.5).astype(float))
    np.testing.assert_array_equal(metrics.hamming(truth, predicted), metrics.hamming(truth, points))
    assert structured.score(new, truth) == metrics.exact_match(truth, points).mean()


def test_on_the_whole_of_yeast_ridge_and_its_structured_twin_have_one_hamming_error():
    train, test = datasets.load_yeast("train"), datasets.load_yeast("test")
    twin = StructuredPredictor(kernel=INPUTS, decoder=spaces.Clamp(), lam=LAM, centre=None)
    errors = [
        metrics.hamming(test.target, model.fit(train.data, train.target).predict(test.data)).mean()
        for model in (Ridge(LAM, INPUTS, centre=None), twin)
    ]
    assert errors[0] == errors[1]
    assert 0.186 <= errors[0] <= 0.193


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_whole_sets_are_chosen_by_their_distance_in_the_feature_space(data, name, kernel):
    """By kernel values alone: |h(x) - phi(z)|^2 is k(z, z) - 2 sum_i a_i(x) k(y_i, z), up to a constant."""
    X, Y, new, truth = data
    seen = np.unique(Y, axis=0)
    model = StructuredPredictor(PAIRS[name][1], INPUTS, kernel, candidates=seen, lam=LAM, centre=None).fit(X, Y)
    predicted = model.predict(new)
    assert model.dual_gap_ <= 1e-6
    weights = INPUTS(new, X) @ (model.dual_coef_ @ model.space_.axes_.T) / (LAM * N)
    distances = kernel.diagonal(seen) - 2 * weights @ kernel(Y, seen)
    np.testing.assert_allclose(model.decision_function(new), -distances, atol=1e-8)
    best = distances.min(axis=1)
    chosen = np.array([np.flatnonzero((seen == row).all(axis=1))[0] for row in predicted])
    np.testing.assert_allclose(distances[np.arange(len(new)), chosen], best, atol=1e-8)
    # The majority label set is the trivial answer.
    values, counts = np.unique(Y, axis=0, return_counts=True)
    assert metrics.exact_match(truth, predicted).mean() > (truth == values[counts.argmax()]).all(axis=1).mean()


def test_ridge_over_label_sets_is_solved_by_hand(data):
    X, Y, new, _ = data
    kernel, seen = kernels.Gaussian(0.1), np.unique(Y, axis=0)
    model = StructuredPredictor(kernel=INPUTS, output_kernel=kernel, candidates=seen, lam=LAM, centre=None).fit(X, Y)
    weights = np.linalg.solve(INPUTS(X, X) + LAM * N * np.eye(N), INPUTS(X, new)).T
    scores = 2 * weights @ kernel(Y, seen) - 1.0
    np.testing.assert_allclose(model.decision_function(new), scores, atol=1e-8)
    np.testing.assert_array_equal(model.predict(new), seen[scores.argmax(axis=1)])
