"""Structured prediction: decoding by brute force, ranking, candidates and outputs of every kind."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from examples import TRAINABLE
from hilbertine import EpsilonRidge, Regressor, StructuredPredictor, kernels, losses, metrics, spaces

rng = np.random.default_rng(0)
WORDS = ["cart", "care", "card", "dogs", "dots", "dog", "cat", "cats", "bird", "birds", "cart", "barn"]
X = np.array([[len(word), sum(map(ord, word)) / 400] for word in WORDS]) + 0.01 * rng.standard_normal((12, 2))
NEW = X[:4] + 0.05
CANDIDATES = ["cart", "bards", "cord", "dogs", "darts", "c"]
SUBSTRINGS = kernels.Substrings(2)
LOSSES = [loss for loss in TRAINABLE if isinstance(loss, losses.Radial)]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)


def predictor(loss=None, **params):
    settings = {"kernel": kernels.Gaussian(1.0), "output_kernel": SUBSTRINGS, "lam": 1e-3, **params}
    return StructuredPredictor(loss, **settings, centre=None)


def brute_scores(model, inputs, candidates):
    """2 <h(x), phi(z)> - k(z, z) with h(x) = sum_i a_i phi(y_i), by kernel values alone."""
    omega = model.dual_coef_ @ np.linalg.pinv(model.targets_)
    weights = kernels.Gaussian(1.0)(inputs, X) @ omega / (model.lam * len(X))
    K = SUBSTRINGS(WORDS, candidates)
    return 2 * weights @ K - SUBSTRINGS.diagonal(candidates)[None, :]


@every_loss
def test_decoding_is_the_nearest_candidate_by_brute_force(loss):
    model = predictor(loss).fit(X, WORDS)
    scores = brute_scores(model, NEW, CANDIDATES)
    np.testing.assert_allclose(model.decision_function(NEW, CANDIDATES), scores, atol=1e-6)
    assert model.predict(NEW, CANDIDATES) == [CANDIDATES[j] for j in scores.argmax(axis=1)]

    # argmin_z l(phi(z), h(x)): no candidate has a smaller loss, |h(x) - phi(z)|^2 being |h(x)|^2 less the score.
    C = model.embed(NEW)
    values = loss.phi(np.sqrt(np.clip((C**2).sum(axis=1, keepdims=True) - scores, 0.0, None)))
    chosen = [CANDIDATES.index(word) for word in model.predict(NEW, CANDIDATES)]
    np.testing.assert_allclose(values[np.arange(4), chosen], values.min(axis=1), rtol=1e-6)


def test_a_ranking_is_sorted_and_does_not_depend_on_blocks(monkeypatch):
    model = predictor().fit(X, WORDS)
    ranked = model.rank(NEW, CANDIDATES, k=4)
    scores = brute_scores(model, NEW, CANDIDATES)
    for row, best in zip(scores, ranked, strict=True):
        assert [word for word, _ in best] == [CANDIDATES[j] for j in np.argsort(-row)[:4]]
        assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)
    for size in (1, 7, 13):
        monkeypatch.setattr("hilbertine.memory.BLOCK", 2 * size)
        for best, again in zip(ranked, model.rank(NEW, CANDIDATES, k=4), strict=True):
            assert [word for word, _ in again] == [word for word, _ in best]
            np.testing.assert_allclose([s for _, s in again], [s for _, s in best], rtol=1e-9)
        assert model.predict(NEW, CANDIDATES) == [best[0][0] for best in ranked]


def test_candidates_for_each_sample():
    model = predictor().fit(X, WORDS)
    lists = [CANDIDATES, ["dogs"], CANDIDATES[2:], ["cart", "dots"]]
    expected = [model.predict(NEW[i : i + 1], each)[0] for i, each in enumerate(lists)]
    assert model.predict(NEW, lists) == expected
    assert [best[0][0] for best in model.rank(NEW, lists)] == expected
    assert [len(row) for row in model.decision_function(NEW, lists)] == [6, 1, 4, 2]
    assert [len(best) for best in model.rank(NEW, lists, k=3)] == [3, 1, 3, 2]
    with pytest.raises(ValueError, match="inconsistent"):
        model.predict(NEW, lists[:2])


def test_candidates_as_a_function_of_the_inputs():
    model, table = predictor().fit(X, WORDS), {True: CANDIDATES, False: ["dogs", "cart"]}

    def by_length(inputs):
        return [table[bool(x[0] > 4.04)] for x in inputs]

    assert model.predict(NEW, by_length) == model.predict(NEW, by_length(NEW))
    assert predictor(candidates=by_length).fit(X, WORDS).predict(NEW) == model.predict(NEW, by_length)
    with pytest.raises(ValueError, match="must return a list of lists"):
        model.predict(NEW, lambda inputs: CANDIDATES)
    with pytest.raises(TypeError, match="a function of the inputs"):
        model.predict(NEW, table)


def test_outputs_and_candidates_that_are_lists_themselves():
    Y = (rng.standard_normal((12, 3)) > 0).astype(float)
    model = StructuredPredictor(kernel=kernels.Gaussian(1.0), centre=None).fit(X, Y.tolist())
    corners = [[0, 0, 1], [1, 0, 1], [1, 1, 1]]
    np.testing.assert_array_equal(model.predict(NEW, corners), model.predict(NEW, np.array(corners)))
    np.testing.assert_array_equal(model.predict(NEW, [corners] * 4), model.predict(NEW, corners))
    listed = [list(word) for word in WORDS]
    model = predictor(output_kernel=kernels.Intersection()).fit(X, listed)
    some = [["a", "b"], ["c", "a", "r"], ["d", "o"]]
    assert all(word in listed for word in model.predict(NEW))
    assert all(word in some for word in model.predict(NEW, some))
    assert model.predict(NEW, [some] * 4) == model.predict(NEW, some)
    assert np.array_equal(model.positions(X, listed, listed), model.positions(X, listed))


def test_an_empty_list_of_candidates_is_named():
    model = predictor().fit(X, WORDS)
    for candidates in ([], [CANDIDATES, [], CANDIDATES, CANDIDATES]):
        for act in (model.predict, model.rank):
            with pytest.raises(ValueError, match="at least one candidate"):
                act(NEW, candidates)


def test_candidates_default_to_the_training_outputs_or_the_parameter():
    model = predictor().fit(X, WORDS)
    assert model.candidates_ == list(dict.fromkeys(WORDS))
    assert set(model.predict(NEW)) <= set(WORDS)
    assert all(len({word for word, _ in best}) == 11 for best in model.rank(NEW, k=20))
    assert set(predictor(candidates=["c", "dots"]).fit(X, WORDS).predict(NEW)) <= {"c", "dots"}


def test_a_linear_output_kernel_with_clamping_is_the_euclidean_model():
    Y = (rng.standard_normal((12, 5)) > 0).astype(float)
    structured = StructuredPredictor(
        losses.EpsilonSquare(0.2), kernels.Gaussian(1.0), decoder=spaces.Clamp(), tol=1e-12, centre=None
    )
    euclidean = EpsilonRidge(0.2, 1e-3, kernels.Gaussian(1.0), tol=1e-12, centre=None).fit(X, Y)
    np.testing.assert_array_equal(structured.fit(X, Y).predict(NEW), (euclidean.predict(NEW) > 0.5).astype(float))
    lengths = np.linalg.norm(structured.dual_coef_, axis=1)
    np.testing.assert_allclose(lengths, np.linalg.norm(euclidean.dual_coef_, axis=1), atol=1e-8)


def test_clamping_needs_vectors_with_their_inner_product():
    Y = (rng.standard_normal((12, 5)) > 0).astype(float)
    plain = predictor(output_kernel=None, decoder=spaces.Clamp()).fit(X, Y)
    for kernel in (None, kernels.Intersection()):
        same = predictor(output_kernel=kernel, decoder=spaces.Clamp()).fit(X, sparse.csr_matrix(Y))
        np.testing.assert_array_equal(same.predict(NEW), plain.predict(NEW))
    assert (
        predictor(output_kernel=None, decoder=spaces.Clamp(0.9)).fit(X, Y).predict(NEW).sum() < plain.predict(NEW).sum()
    )
    for kernel, outputs in ((kernels.Tanimoto(), Y), (SUBSTRINGS, WORDS)):
        with pytest.raises(ValueError, match="Clamp reads labels off vectors"):
            predictor(output_kernel=kernel, decoder=spaces.Clamp()).fit(X, outputs).predict(NEW)
    with pytest.raises(ValueError, match="chooses among no candidates"):
        plain.predict(NEW, Y)
    assert np.array_equal(
        plain.decision_function(NEW, Y), predictor(output_kernel=None).fit(X, Y).decision_function(NEW, Y)
    )


@every_loss
def test_the_loss_trick_agrees_with_the_nearest_where_norms_are_constant(loss):
    kernel = kernels.Normalised(SUBSTRINGS)
    near, trick = (predictor(loss, output_kernel=kernel, decoder=d).fit(X, WORDS) for d in (None, spaces.LossTrick()))
    assert near.predict(NEW, CANDIDATES) == trick.predict(NEW, CANDIDATES)


def test_the_loss_trick_by_brute_force_and_apart_from_the_nearest():
    model = predictor(decoder=spaces.LossTrick(losses.Huber(2.0))).fit(X, WORDS)
    weights = kernels.Gaussian(1.0)(NEW, X) @ (model.dual_coef_ @ np.linalg.pinv(model.targets_)) / (1e-3 * 12)
    squares = SUBSTRINGS.diagonal(WORDS)[:, None] + SUBSTRINGS.diagonal(CANDIDATES) - 2 * SUBSTRINGS(WORDS, CANDIDATES)
    expected = -weights @ losses.Huber(2.0).phi(np.sqrt(squares))
    np.testing.assert_allclose(model.decision_function(NEW, CANDIDATES), expected, atol=1e-6)
    # Where neither norms are constant nor weights sum to one, the two decoders part.
    near = predictor(lam=0.1).fit(X, WORDS)
    orders = [
        np.argsort(near.set_params(decoder=decoder).decision_function(NEW, CANDIDATES), axis=1)
        for decoder in (None, spaces.LossTrick())
    ]
    assert not np.array_equal(*orders)


def test_the_loss_trick_on_numbers_and_with_other_losses():
    y = np.round(X[:, 0])
    model = predictor(output_kernel=None, decoder=spaces.LossTrick()).fit(X, y)
    assert model.predict(NEW, [3.0, 4.0, 5.0]) == [3.0 if x < 3.5 else 5.0 if x > 4.5 else 4.0 for x in NEW[:, 0]]
    with pytest.raises(TypeError, match="LossTrick needs a radial loss"):
        predictor(decoder=spaces.LossTrick(losses.Hinge())).fit(X, WORDS).predict(NEW)


def test_both_orders_of_the_products_and_any_blocks_give_the_inner_products(monkeypatch):
    space = spaces.RKHS(SUBSTRINGS)
    T, _ = space.fit_measure(WORDS)
    np.testing.assert_allclose(T, space.encode(WORDS), atol=1e-12)
    many = CANDIDATES * 3
    expected = T @ space.encode(many).T
    for size in (2**23, 40):
        monkeypatch.setattr("hilbertine.memory.BLOCK", 2 * size)
        np.testing.assert_allclose(space.inner(T, many), expected, atol=1e-12)
        np.testing.assert_allclose(space.inner(T[:1], many), expected[:1], atol=1e-12)


def test_a_gram_of_whole_numbers_is_a_gram():
    G = SUBSTRINGS(WORDS, WORDS)
    ours, theirs = (predictor(output_kernel=kernels.Precomputed(gram)).fit(X, range(12)) for gram in (G.astype(int), G))
    np.testing.assert_array_equal(ours.predict(NEW), theirs.predict(NEW))


def test_margins_decode_by_the_inner_product():
    model = predictor(losses.Hinge()).fit(X, WORDS)
    scores = model.decision_function(NEW, CANDIDATES)
    expected = (brute_scores(model, NEW, CANDIDATES) + SUBSTRINGS.diagonal(CANDIDATES)) / 2
    np.testing.assert_allclose(scores, expected, atol=1e-6)


@pytest.mark.parametrize("form", ["dense", "sparse", "sets"])
def test_fingerprints_and_sets_are_outputs(form):
    sets = [set(word) for word in WORDS]
    letters = sorted(set("".join(WORDS)))
    binary = np.array([[letter in each for letter in letters] for each in sets], dtype=float)
    outputs = {"dense": binary, "sparse": sparse.csr_matrix(binary), "sets": sets}[form]
    model = predictor(output_kernel=kernels.GaussianTanimoto(0.72), kernel=kernels.Gaussian(1e4)).fit(X, outputs)
    assert model.score(X, outputs) == 1.0
    assert np.all(model.positions(X, outputs) <= 1)


def test_a_precomputed_output_gram_is_sliced_by_cross_validation():
    G = SUBSTRINGS(WORDS, WORDS)
    by_index = predictor(output_kernel=kernels.Precomputed(G))
    indices, folds = np.arange(12), KFold(3)
    ours = cross_val_score(by_index, X, indices, cv=folds, scoring=metrics.rkhs_distance)
    theirs = cross_val_score(predictor(), X, WORDS, cv=folds, scoring=metrics.rkhs_distance)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_outputs_of_rank_one_and_duplicates():
    model = predictor().fit(X, ["abc"] * 12)
    assert model.dual_coef_.shape == (12, 1)
    assert model.predict(NEW) == ["abc"] * 4


def test_components_are_dropped_with_a_certificate():
    model = predictor(n_components=3).fit(X, WORDS)
    assert model.dual_coef_.shape == (12, 3)
    assert model.truncation_gap_ > model.dual_gap_
    plain = Regressor(kernel=kernels.Gaussian(1.0), space=spaces.RKHS(SUBSTRINGS, 3), lam=1e-3, centre=None).fit(
        X, WORDS
    )
    np.testing.assert_allclose(model.embed(NEW), plain.embed(NEW))
    assert model.predict(NEW) == plain.predict(NEW)


@pytest.mark.parametrize("bad", ["clamp", spaces.Nearest], ids=repr)
def test_a_decoder_that_is_none_is_named(bad):
    with pytest.raises(TypeError, match=r"is not a decoder.* function \(space, C, candidates\) -> scores"):
        predictor(decoder=bad).fit(X, WORDS)


def nearest(space, C, candidates):
    """-|c_i - phi(z_j)|^2 by plain distances, |c_i|^2 and what the span misses of the candidates included."""
    E = space.encode(candidates)
    missed = space.norms(candidates) ** 2 - (E**2).sum(axis=1)
    return -((C[:, None] - E[None]) ** 2).sum(axis=2) - missed


def shortest(space, C, candidates):
    """The shortest word, whatever the point."""
    return [[-len(word) for word in candidates]] * len(C)


def test_a_decoder_is_any_function_that_scores_candidates():
    theirs, ours = predictor(decoder=nearest).fit(X, WORDS), predictor().fit(X, WORDS)
    lists = [CANDIDATES, ["dogs"], CANDIDATES[2:], ["cart", "dots"]]
    for candidates in (None, CANDIDATES, lists):
        assert theirs.predict(NEW, candidates) == ours.predict(NEW, candidates)
        ranked, expected = theirs.rank(NEW, candidates, k=3), ours.rank(NEW, candidates, k=3)
        assert [[word for word, _ in best] for best in ranked] == [[word for word, _ in best] for best in expected]
    assert predictor(decoder=shortest).fit(X, WORDS).predict(NEW, CANDIDATES) == ["c"] * 4


def test_a_decoder_function_rules_out_candidates_and_survives_blocks(monkeypatch):
    def four_letters(space, C, candidates):
        ruled_out = np.array([0.0 if len(word) == 4 else -np.inf for word in candidates])
        return spaces.Nearest().scores(space, C, candidates) + ruled_out

    model = predictor(decoder=four_letters).fit(X, WORDS)
    expected = model.predict(NEW, CANDIDATES)
    assert expected == predictor().fit(X, WORDS).predict(NEW, ["cart", "cord", "dogs"])
    monkeypatch.setattr("hilbertine.memory.BLOCK", 14)
    assert model.predict(NEW, CANDIDATES) == expected


def test_decoder_functions_are_parameters_of_a_search():
    grid = {"decoder": [shortest, nearest, spaces.FromCallable(nearest), None]}
    search = GridSearchCV(predictor(), grid, cv=KFold(3)).fit(X, WORDS)
    scores = search.cv_results_["mean_test_score"]
    assert scores[0] < scores[1] == scores[2] == scores[3]
    nested = predictor(decoder=spaces.FromCallable(shortest)).set_params(decoder__function=nearest).fit(X, WORDS)
    assert nested.predict(NEW) == predictor().fit(X, WORDS).predict(NEW)


def outputs_themselves(space, C, candidates):
    return [candidates[0]] * len(C)


@pytest.mark.parametrize(
    ("function", "returned"),
    [
        (lambda space, C, candidates: np.zeros((len(candidates), len(C))), r"<lambda>.* shape \(6, 4\)"),
        (lambda space, C, candidates: np.zeros(len(C)), r"shape \(4,\)"),
        (lambda space, C, candidates: None, r"shape \(\)"),
        (outputs_themselves, "'outputs_themselves' returned what is no matrix of numbers"),
        (lambda space, C, candidates: np.full((len(C), len(candidates)), np.nan), "returned NaN"),
    ],
    ids=["transposed", "one per point", "nothing", "outputs", "NaN"],
)
def test_a_decoder_function_that_returns_no_scores_is_named(function, returned):
    model = predictor(decoder=function).fit(X, WORDS)
    for act in (model.predict, model.rank, model.decision_function):
        with pytest.raises(ValueError, match=rf"{returned}.* matrix of all scores, here \(4, 6\)"):
            act(NEW, CANDIDATES)


def test_truths_that_no_answer_can_equal_are_counted():
    words = ["cart", "care", "dogs"]
    model = StructuredPredictor(losses.Huber(1.0), output_kernel=kernels.Normalised(kernels.Substrings(2)))
    fitted = model.fit([[0.0], [1.0], [2.0]], words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted.score([[0.0], [1.0], [2.0]], words) == 1.0
    with pytest.warns(UserWarning, match="1 of 2 true outputs are not among the candidates"):
        assert fitted.score([[0.0], [1.0]], ["cart", "card"]) == 0.5
    for candidates in (["cart", "care"], lambda X: [["cart", "care"]] * len(X)):
        fitted = clone(model).set_params(candidates=candidates).fit([[0.0], [1.0], [2.0]], words)
        with pytest.warns(UserWarning, match="1 of 3 true outputs"):
            fitted.score([[0.0], [1.0], [2.0]], words)


@pytest.mark.parametrize("shape", [(12,), (12, 1), (12, 2)])
def test_numbers_come_back_in_the_shape_they_had(shape):
    values = np.arange(float(np.prod(shape))).reshape(shape)
    model = StructuredPredictor(kernel=kernels.Gaussian(1.0), output_kernel=kernels.Gaussian(1.0))
    for given in (values, values.tolist()):
        answers = model.fit(np.arange(12.0)[:, None], given).predict(np.arange(12.0)[:, None])
        assert answers.shape == shape
    assert model.score(np.arange(12.0)[:, None], values) > 0.9
