"""Nonsense fed to losses of margins, families, structured outputs, stability and assumptions is named."""

import numpy as np
import pytest
from scipy import sparse

from hilbertine import Regressor, Ridge, StructuredPredictor, assumptions, kernels, losses, operator_kernels, stability

X, WORDS = np.arange(3.0)[:, None], ["ab", "cd", "xx"]
NAN = float("nan")


def words(**params):
    return StructuredPredictor(
        losses.Huber(1.0), kernels.Gaussian(1.0), kernels.Substrings(2), lam=1e-4, **params, centre=None
    )


class Positional:
    """A pandas series in what matters: `[]` goes by label, `iloc` by position."""

    ndim = 1

    def __init__(self, values, labels):
        self.values, self.labels, self.iloc = values, labels, values

    def __getitem__(self, label):
        return self.values[self.labels.index(label)]

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)


def test_series_are_read_by_position():
    shuffled = Positional(WORDS, [2, 0, 1])
    assert words().fit(X, shuffled).predict(X) == WORDS
    model = words().fit(X, WORDS)
    assert model.score(X, shuffled) == 1.0
    assert model.predict(X, shuffled) == WORDS
    assert np.all(model.positions(X, shuffled, shuffled) == 1)


def test_rows_of_numbers_are_fingerprints_whatever_holds_them():
    rows = np.array([[1.0, 0, 1], [0, 1, 1]])
    for form in (rows.tolist(), list(rows), sparse.csr_matrix(rows), tuple(rows.tolist())):
        np.testing.assert_allclose(kernels.Tanimoto()(form, rows), [[1, 1 / 3], [1 / 3, 1]])
    with pytest.raises(TypeError, match="do not mix"):
        kernels.Tanimoto()([{1}, {2}], rows)
    with pytest.raises(ValueError, match=r"different lengths, \[2, 3\]"):
        kernels.Tanimoto()(rows[:, :2], rows)
    with pytest.raises(ValueError, match="NaN"):
        kernels.Tanimoto()(sparse.csr_matrix([[NAN, 1.0]]), sparse.csr_matrix([[1.0, 1.0]]))
    with pytest.raises(TypeError, match="neither fingerprints nor sets"):
        kernels.Tanimoto()([1, 2], [3])


def test_lists_as_training_outputs_are_outputs():
    outputs = [["ab", "cd"], ["cd"], ["ef", "ab"]]
    model = StructuredPredictor(kernel=kernels.Gaussian(1.0), output_kernel=kernels.Tanimoto(), lam=1e-4, centre=None)
    assert model.fit(X, outputs).predict(X) == outputs
    assert model.score(X, outputs) == 1.0
    assert model.predict(X[:1]) == outputs[:1]


@pytest.mark.parametrize("bad", [NAN, None, 3])
def test_substrings_of_what_is_no_string(bad):
    with pytest.raises(TypeError, match=rf"Substrings.*element 1 is {bad}"):
        kernels.Substrings(2)(["ab", bad], ["ab"])


def test_substrings_keep_whitespace():
    assert kernels.Substrings(2)(["a  b"], ["a  b", "a b"]).tolist() == [[9.0, 6.0]]


def test_what_is_asked_of_a_structured_model():
    model = words().fit(X, WORDS)
    for k in (0, -1, 1.5):
        with pytest.raises(ValueError, match="k must be a whole number >= 1"):
            model.rank(X, k=k)
    with pytest.raises(TypeError, match="one string, not a collection"):
        model.predict(X, "care")
    assert set(model.predict(X, {"ab", "cd"})) <= {"ab", "cd"}
    assert model.predict(X, (word for word in WORDS)) == WORDS
    indices = StructuredPredictor(
        kernel=kernels.Gaussian(1.0), output_kernel=kernels.Precomputed(np.eye(3)), lam=1e-4, centre=None
    )
    assert indices.fit(X, np.arange(3)[:, None]).score(X, np.arange(3)) == 1.0


FAMILIES = [operator_kernels.AlignedFamily, operator_kernels.PairAlignedFamily]


@pytest.mark.parametrize("Family", FAMILIES)
@pytest.mark.parametrize("family", [None, [], kernels.Gaussian(1.0), "precomputed", kernels.Gaussian], ids=repr)
def test_a_family_that_is_none(Family, family):
    with pytest.raises(TypeError, match=rf"{Family.__name__}\.family must be a list of kernels"):
        Ridge(0.1, Family(family), centre=None).fit(X, np.eye(3))


def test_families_as_arrays_and_of_grams():
    kernel = kernels.Gaussian(1.0)
    plain = Ridge(0.1, operator_kernels.AlignedFamily([kernel] * 3), tol=1e-12, centre=None).fit(X, np.eye(3))
    array = operator_kernels.AlignedFamily(np.array([kernel] * 3, dtype=object))
    np.testing.assert_allclose(Ridge(0.1, array, tol=1e-12, centre=None).fit(X, np.eye(3)).predict(X), plain.predict(X))
    gram = operator_kernels.AlignedFamily(["precomputed"] * 3)
    fitted = Ridge(0.1, gram, tol=1e-12, centre=None).fit(kernel(X, X), np.eye(3))
    np.testing.assert_allclose(fitted.predict(kernel(X, X)), plain.predict(X), atol=1e-5)
    with pytest.raises(ValueError, match="3 lists of 3 kernels"):
        Ridge(0.1, operator_kernels.PairAlignedFamily([[kernel] * 9]), centre=None).fit(X, np.eye(3))


@pytest.mark.parametrize(
    ("kernel", "error", "message"),
    [
        (operator_kernels.PairAlignedAnchored(None), TypeError, "needs a function"),
        (operator_kernels.PairAlignedAnchored(lambda S, A, B: np.ones(3)), ValueError, r"shape \(3,\).*here \(3, 3\)"),
        (operator_kernels.PairAlignedAnchored(lambda S, A, B: np.full((3, 3), NAN)), ValueError, "NaN or infinity"),
        (operator_kernels.RandomFourier(np.eye(3)), TypeError, "density must be a function"),
        (operator_kernels.AlignedWeighted(weights=["a"] * 3), TypeError, "weights must be numbers"),
        (operator_kernels.AlignedWeighted(weights=[1, 2, NAN]), ValueError, "NaN"),
        (operator_kernels.AlignedWeighted(weights=[1, 2]), ValueError, r"shape \(2,\)"),
    ],
    ids=lambda value: getattr(type(value), "__name__", None),
)
def test_functions_and_weights_of_operator_kernels(kernel, error, message):
    with pytest.raises(error, match=message):
        Ridge(0.1, kernel, centre=None).fit(X, np.eye(3))


@pytest.mark.parametrize("f", [losses.MaxMargin, None, np.abs], ids=repr)
def test_a_margin_of_what_is_no_function(f):
    with pytest.raises(TypeError, match="Margin needs a convex function of one variable"):
        Regressor(losses.Margin(f), centre=None).fit(X, np.eye(3))


def test_an_infimal_convolution_of_what_is_not_radial():
    with pytest.raises(TypeError, match=r"InfConv combines radial losses.*Hinge"):
        Regressor(losses.InfConv(losses.Hinge(), losses.Square()), centre=None).fit(X, np.eye(3))


@pytest.mark.parametrize(
    ("outputs", "images", "message"),
    [
        ([[1.0, 1.0]], [[NAN, 1.0]], "NaN"),
        ([[1.0, 1.0], [0.0, 1.0]], [[1.0, 1.0]], "an image for each output"),
        ([[1.0, 1.0]], [[1.0, 1.0, 1.0]], "an image for each output"),
        ([], [], "an image for each output"),
    ],
)
def test_invariance_of_nonsense_is_not_granted(outputs, images, message):
    with pytest.raises(ValueError, match=message):
        assumptions.check_invariance(outputs, images)


def test_admissibility_is_asked_of_losses():
    for thing in (None, losses.Huber):
        with pytest.raises(TypeError, match="is not a loss"):
            assumptions.check_admissible(thing)


def test_bounds_that_the_training_set_contradicts():
    model = Regressor(losses.Huber(1.0), kernels.Gaussian(1.0), centre=None).fit(X, np.eye(3))
    with pytest.raises(ValueError, match=r"radius = 0\.1 must bound all outputs.*norm 1"):
        model.stability_report(radius=0.1)
    for numbers in ({"risk": NAN, "beta": 0.1, "M": 1.0}, {"risk": 0.1, "beta": -0.1, "M": 1.0}):
        with pytest.raises(ValueError, match=r"NaN|>= 0"):
            stability.generalisation_bound(**numbers, n=10)
