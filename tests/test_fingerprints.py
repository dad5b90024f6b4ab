"""Fingerprints and label sets in every form: vectors of rdkit, sparse formats, tuples of any length, and no others."""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from hilbertine import Ridge, StructuredPredictor, datasets, kernels

SMILES = ["CCO", "CC1=CC(=O)C=CC1=O", "c1ccccc1O", "CC(=O)Oc1ccccc1C(=O)O", "OC1=C(Cl)C=C(C=C1)[N+]([O-])=O"]
BINARY = (np.random.default_rng(0).random((10, 6)) > 0.5).astype(float)
TANIMOTO = kernels.Tanimoto()


def morgan(form, **options):
    """Vectors of rdkit, by the name of the method that makes them."""
    pytest.importorskip("rdkit", reason="the vectors are rdkit's")
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, **options)
    return [getattr(generator, form)(Chem.MolFromSmiles(each)) for each in SMILES]


@pytest.mark.parametrize("form", ["GetFingerprint", "GetSparseFingerprint"])
def test_bit_vectors_of_rdkit_have_the_similarity_of_rdkit(form):
    vectors = morgan(form)
    from rdkit import DataStructs

    expected = np.array([[DataStructs.TanimotoSimilarity(a, b) for b in vectors] for a in vectors])
    assert expected.min() < 0.2
    np.testing.assert_allclose(TANIMOTO(vectors, vectors), expected)
    np.testing.assert_allclose(TANIMOTO(vectors[:2], vectors[1:]), expected[:2, 1:])
    sizes = [vector.GetNumOnBits() for vector in vectors]
    np.testing.assert_array_equal(kernels.Intersection().diagonal(vectors), sizes)


@pytest.mark.parametrize("form", ["GetCountFingerprint", "GetSparseCountFingerprint"])
def test_count_vectors_of_rdkit_are_counts(form):
    vectors = morgan(form)
    counts = [vector.GetNonzeroElements() for vector in vectors]
    assert max(max(each.values()) for each in counts) > 1
    expected = [[sum(value * b.get(place, 0) for place, value in a.items()) for b in counts] for a in counts]
    np.testing.assert_array_equal(kernels.Intersection()(vectors, vectors), expected)


def test_bits_and_counts_of_rdkit_have_the_same_places():
    bits = morgan("GetSparseFingerprint")
    from rdkit.DataStructs import UIntSparseIntVect

    ones = []
    for counts in morgan("GetSparseCountFingerprint"):
        ones.append(UIntSparseIntVect(bits[0].GetNumBits()))
        for place in counts.GetNonzeroElements():
            ones[-1][place] = 1
    np.testing.assert_array_equal(TANIMOTO(bits, ones), TANIMOTO(bits, bits))
    np.testing.assert_array_equal(TANIMOTO([*bits[:2], *ones[2:]], bits), TANIMOTO(bits, bits))


def test_vectors_of_rdkit_meet_matrices_of_the_same_length():
    vectors, F = morgan("GetFingerprint"), datasets.fingerprints(SMILES)
    for other in (F, F.toarray(), morgan("GetFingerprintAsNumPy"), vectors):
        np.testing.assert_allclose(TANIMOTO(vectors, other), TANIMOTO(F, F))
    with pytest.raises(ValueError, match=r"different lengths, \[64, 2048\]"):
        TANIMOTO(vectors, morgan("GetFingerprint", fpSize=64))
    with pytest.raises(ValueError, match=r"different lengths, \[64, 2048\]"):
        TANIMOTO(vectors + morgan("GetFingerprint", fpSize=64), vectors)
    y = np.arange(5.0)
    expected = Ridge(kernel=TANIMOTO).fit(F[:4], y[:4]).predict(F)
    np.testing.assert_allclose(Ridge(kernel=TANIMOTO).fit(vectors[:4], y[:4]).predict(vectors), expected)


@pytest.mark.parametrize("holds", [tuple, set, frozenset])
def test_what_a_label_set_is_does_not_depend_on_lengths(holds):
    same, ragged = [holds([1, 2]), holds([2, 3])], [holds([1, 2]), holds([2, 3]), holds([1]), holds([])]
    expected = np.array([[1, 1 / 3, 1 / 2, 0], [1 / 3, 1, 0, 0], [1 / 2, 0, 1, 0], [0, 0, 0, 1]])
    np.testing.assert_allclose(TANIMOTO(ragged, ragged), expected)
    np.testing.assert_allclose(TANIMOTO(same, same), expected[:2, :2])
    np.testing.assert_allclose(TANIMOTO(ragged, same), expected[:, :2])
    np.testing.assert_array_equal(kernels.Intersection().diagonal(same), [2, 2])
    np.testing.assert_allclose(TANIMOTO((each for each in ragged), iter(same)), expected[:, :2])


def test_candidates_of_equal_length_serve_a_model_of_ragged_tuples():
    outputs, X = [(1, 2), (2, 3, 4), (1,), ()], np.arange(4.0)[:, None]
    model = StructuredPredictor(kernel=kernels.Gaussian(1.0), output_kernel=TANIMOTO, lam=1e-4).fit(X, outputs)
    assert model.predict(X) == outputs
    assert model.predict(X[:2], [(2, 4), (1, 2)]) == [(1, 2), (2, 4)]


def test_labels_are_whatever_can_be_hashed():
    sets = [{(1, 2), (3, 4)}, {(1, 2), "a"}, {frozenset("ab")}]
    np.testing.assert_allclose(TANIMOTO(sets, sets), [[1, 1 / 3, 0], [1 / 3, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(TANIMOTO([["a", "b"], ["b"], []], [["b"]]), [[1 / 2], [1], [0]])
    with pytest.raises(TypeError, match=r"must be hashable .*give each set"):
        TANIMOTO([[["a"]]], [["b"]])


@pytest.mark.parametrize(
    ("points", "error", "said"),
    [
        (["CCO", "OCC"], TypeError, r"element 0 is 'CCO'.* SMILES become fingerprints by datasets\.fingerprints"),
        ([{1}, Counter("ab")], TypeError, r"element 1 is Counter.* sets of labels"),
        ([range(3), range(2)], TypeError, "neither fingerprints nor sets"),
        ([b"ab"], TypeError, "neither fingerprints nor sets"),
        ([np.array(["a", "b"])], TypeError, "neither fingerprints nor sets"),
        ([np.eye(2)], TypeError, "neither fingerprints nor sets"),
        ([1.0, 0.0], TypeError, "neither fingerprints nor sets"),
        ([{1, 2}, [0.0, 1.0]], TypeError, "do not mix.* tuples of labels"),
        ([[1, 2], [3]], ValueError, r"different lengths, \[1, 2\].* Give sets of numbers as sets or tuples"),
        ([(1, 2), (0, 1, 1)], TypeError, r"element 1 repeats numbers; .* lists or arrays"),
    ],
    ids=["SMILES", "counter", "ranges", "bytes", "strings", "matrix", "numbers", "mixed", "ragged lists", "vector"],
)
def test_what_is_neither_is_refused(points, error, said):
    for act in (TANIMOTO.diagonal, lambda X: kernels.Intersection()(X, X)):
        with pytest.raises(error, match=said):
            act(points)


@pytest.mark.parametrize("form", ["coo", "csc", "dia", "bsr", "lil"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_every_sparse_format_is_input_and_output(form, kind):
    F, y, X = getattr(sparse, f"{form}_{kind}")(BINARY), np.arange(10.0), np.arange(10.0)[:, None]
    expected = Ridge(kernel=TANIMOTO).fit(BINARY, y).predict(BINARY)
    np.testing.assert_allclose(Ridge(kernel=TANIMOTO).fit(F, y).predict(F), expected)
    model = StructuredPredictor(kernel=kernels.Gaussian(10.0), output_kernel=TANIMOTO, lam=1e-6).fit(X, F)
    np.testing.assert_array_equal(model.predict(X, F).toarray(), BINARY)
