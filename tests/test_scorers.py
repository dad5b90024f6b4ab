"""Scores of structured predictions: places of the truth, label sets, and all of them in cross-validation."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import accuracy_score, hamming_loss
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.preprocessing import MultiLabelBinarizer

from hilbertine import Regressor, RegressorCV, Ridge, StructuredPredictor, kernels, losses, metrics, spaces
from hilbertine.containers.identity import distinct, identities

rng = np.random.default_rng(0)
WORDS = ["cart", "care", "card", "dogs", "dots", "dog", "cat", "cats", "bird", "birds", "cart", "barn"]
X = np.array([[len(word), sum(map(ord, word)) / 400] for word in WORDS]) + 0.01 * rng.standard_normal((12, 2))
CANDIDATES = ["cart", "bards", "cord", "dogs", "darts", "c"]
SETS = [frozenset(word) for word in WORDS]
LABELS = MultiLabelBinarizer().fit_transform(SETS).astype(float)


def predictor(loss=None, **params):
    settings = {"kernel": kernels.Gaussian(1.0), "output_kernel": kernels.Substrings(2), "lam": 1e-3, **params}
    return StructuredPredictor(loss, **settings)


def given_scores(table):
    """A decoder that gives word z the score table[z], whatever the point."""
    return lambda space, C, candidates: [[table[word] for word in candidates]] * len(C)


def test_places_count_distinct_rivals_and_ties_against_the_truth():
    table = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0, "e": 2.0 * (1 - 1e-14)}
    model = predictor(decoder=given_scores(table)).fit(X, WORDS)
    candidates = ["a", "a", "d", "b", "c", "e", "a", "d"]
    places = {word: model.positions(X[:1], [word], candidates)[0] for word in "abcdez"}
    # b, c and e cannot be told apart, whichever of them rounding has put first.
    assert places == {"a": 1, "b": 4, "c": 4, "d": 5, "e": 4, "z": np.inf}
    assert np.array_equal(model.positions(X[:2], ["d", "b"], [["d", "b"], ["d", "d"]]), [2, np.inf])
    nothing = predictor(decoder=given_scores(dict.fromkeys("abc", 0.0))).fit(X, WORDS)
    assert nothing.positions(X[:1], ["a"], ["a", "b", "c"])[0] == 3


def test_places_agree_with_the_ranking():
    model = predictor().fit(X, WORDS)
    ranked = [[word for word, _ in best] for best in model.rank(X, CANDIDATES + WORDS[1:], k=100)]
    expected = [1 + list(dict.fromkeys(best)).index(word) for best, word in zip(ranked, WORDS, strict=True)]
    np.testing.assert_array_equal(model.positions(X, WORDS, CANDIDATES + WORDS[1:]), expected)
    assert max(expected) > 1


def test_values_of_the_scorers():
    model, candidates = predictor(lam=0.3).fit(X, WORDS), [*CANDIDATES, *WORDS[1:8]]
    places = model.positions(X, WORDS, candidates)
    assert np.isinf(places).any()
    for k in (1, 2, 5):
        assert metrics.top_k(k, candidates)(model, X, WORDS) == sum(place <= k for place in places) / 12
    assert (places == 2).any()
    assert metrics.mean_reciprocal_rank(candidates)(model, X, WORDS) == pytest.approx(np.mean(1 / places))
    assert metrics.top_k(1)(model, X, WORDS) == pytest.approx(model.score(X, WORDS))
    space = model.space_
    direct = ((model.embed(X) - space.encode(WORDS)) ** 2).sum(axis=1).mean()
    assert metrics.rkhs_distance(model, X, WORDS) == pytest.approx(-direct)


def test_label_errors_are_scikit_learns():
    P = LABELS + 0.4 * rng.standard_normal(LABELS.shape)
    clamped = (P > 0.5).astype(float)
    assert metrics.hamming(LABELS, P).mean() == pytest.approx(hamming_loss(LABELS, clamped))
    assert metrics.exact_match(LABELS, P).mean() == pytest.approx(accuracy_score(LABELS, clamped))
    bits = (P > 0.9).astype(float)
    assert metrics.hamming(LABELS, P, threshold=0.9).mean() == pytest.approx(hamming_loss(LABELS, bits))
    assert metrics.exact_match(LABELS[:1], 0.8 * LABELS[:1], threshold=0.9)[0] == 0
    others = SETS[1:] + SETS[:1]
    rolled = np.roll(LABELS, -1, axis=0)
    np.testing.assert_allclose(metrics.hamming(SETS, others), metrics.hamming(LABELS, rolled))


@pytest.mark.parametrize("scoring", [metrics.neg_hamming, metrics.exact_matches], ids=["hamming", "exact"])
def test_label_scores_of_vectors_and_of_sets_agree_in_cross_validation(scoring):
    """Sets chosen from the label sets seen, or the rows that stand for them."""
    folds, kernel = KFold(3), kernels.Gaussian(1.0)
    sets = cross_val_score(predictor(output_kernel=kernels.Intersection()), X, SETS, cv=folds, scoring=scoring)
    rows = cross_val_score(predictor(output_kernel=kernels.Linear()), X, LABELS, cv=folds, scoring=scoring)
    if scoring is metrics.exact_matches:
        np.testing.assert_allclose(sets, rows)
    assert np.all(np.isfinite(cross_val_score(Ridge(kernel=kernel), X, LABELS, cv=folds, scoring=scoring)))
    expected = []
    for train, test in folds.split(X):
        P = predictor(output_kernel=kernels.Linear()).fit(X[train], LABELS[train]).predict(X[test])
        wrong = hamming_loss(LABELS[test], P)
        expected.append(-wrong if scoring is metrics.neg_hamming else accuracy_score(LABELS[test], P))
    np.testing.assert_allclose(rows, expected)


SCORERS = {
    "top 3": metrics.top_k(3, CANDIDATES + WORDS),
    "own lists": metrics.top_k(1, lambda inputs: [CANDIDATES + WORDS if x[0] > 4 else WORDS for x in inputs]),
    "reciprocal": metrics.mean_reciprocal_rank(WORDS),
    "distance": metrics.rkhs_distance,
    "exact": None,
}


@pytest.mark.parametrize("name", SCORERS)
def test_scores_work_in_searches_with_objects_and_groups(name):
    groups, scoring = np.arange(12) // 2, SCORERS[name]
    search = GridSearchCV(predictor(), {"lam": [1e-4, 1.0]}, scoring=scoring, cv=GroupKFold(3))
    assert np.all(np.isfinite(search.fit(X, WORDS, groups=groups).cv_results_["mean_test_score"]))
    if scoring is not None:
        ours = RegressorCV(predictor(), lams=[1e-4, 1.0], scoring=scoring, cv=GroupKFold(3)).fit(X, WORDS, groups)
        np.testing.assert_allclose(
            ours.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"], rtol=1e-6, atol=1e-9
        )


def test_searches_with_scorers_are_pickled():
    for scoring in (metrics.top_k(3, WORDS), metrics.mean_reciprocal_rank(), metrics.neg_hamming):
        search = GridSearchCV(predictor(), {"lam": [1e-3]}, scoring=scoring, cv=2)
        assert pickle.loads(pickle.dumps(search)).scoring.__class__ is scoring.__class__


def test_graphs_with_arrays_are_told_apart():
    path, star = np.diag(np.ones(3), 1), np.zeros((4, 4))
    star[0, 1:] = 1
    graphs = [(A + A.T, dict.fromkeys(range(4), label)) for A in (path, star) for label in ("C", "N")] * 3
    assert distinct(graphs) == [0, 1, 2, 3]

    def degrees(left, right):
        sort = [[np.sort(A.sum(axis=0)) + (labels[0] == "N") for A, labels in each] for each in (left, right)]
        return np.exp(-((np.array(sort[0])[:, None] - np.array(sort[1])[None]) ** 2).sum(axis=2))

    model = predictor(output_kernel=degrees, kernel=kernels.Gaussian(1e3)).fit(X, graphs)
    assert np.array_equal(model.positions(X, graphs), np.ones(12))


def test_identity_of_vectors_sparse_rows_sets_and_numbers():
    rows = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, -0.0]])
    assert identities(rows)[0] == identities(rows)[2] != identities(rows)[1]
    assert identities(sparse.csr_matrix(rows)) == identities(rows) == identities(rows.astype(int))
    assert identities(list(sparse.csr_matrix(rows))) == identities(rows)
    assert identities([{1, 2}, (1, 2), [1, 2]]) == [frozenset({1, 2}), (1, 2), (1, 2)]
    assert identities(np.array([3, 4])) == [3, 4] == identities(np.array([[3.0], [4.0]]))
    assert identities([{"a": rows}]) == identities([{"a": rows.copy()}])
    with pytest.raises(TypeError, match="bytearray cannot be told apart"):
        identities([bytearray(b"a")])


def test_exact_answers_on_numbers_and_on_vectors_as_lists():
    y = np.round(X[:, 0])
    sharp = predictor(output_kernel=None, kernel=kernels.Gaussian(1e4)).fit(X, y)
    assert sharp.score(X, y) == 1.0 == sharp.score(X, y.tolist())
    vectors = predictor(output_kernel=None, kernel=kernels.Gaussian(1e4)).fit(X, LABELS.tolist())
    assert vectors.score(X, LABELS.tolist()) == 1.0
    plain = Regressor(losses.Square(), kernels.Gaussian(1e4), space=spaces.RKHS(kernels.Tanimoto())).fit(X, LABELS)
    assert metrics.exact_matches(plain, X, LABELS) == 1.0


def test_output_kernels_are_not_compared_by_errors_in_their_own_norms():
    grid = {"output_kernel__gamma": [1e-6, 1e-2, 1.0]}
    search = RegressorCV(predictor(output_kernel=kernels.Gaussian(1.0)), [1e-3], grid, cv=3)
    with pytest.raises(ValueError, match="output_kernel__gamma changes the norm of the output space"):
        search.fit(X, LABELS)
    assert search.set_params(scoring=metrics.top_k(1)).fit(X, LABELS).best_params_["lam"] == 1e-3


def test_searches_are_scored_as_what_they_found():
    search = RegressorCV(predictor(), [1e-3], {}, cv=3)
    scores = {
        name: cross_val_score(search, X, WORDS, cv=KFold(3), scoring=scoring)
        for name, scoring in SCORERS.items()
        if scoring is not None
    }
    for name, values in scores.items():
        np.testing.assert_allclose(values, cross_val_score(predictor(), X, WORDS, cv=KFold(3), scoring=SCORERS[name]))
