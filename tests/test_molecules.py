"""Molecules: fingerprints against rdkit's own similarity, properties, the NCI list, bad SMILES named."""

import sys

import numpy as np
import pytest
from scipy import sparse

from hilbertine import StructuredPredictor, kernels
from hilbertine.datasets import fingerprints, load_drugs, properties
from hilbertine.datasets.molecules import formula, identity, parse

pytest.importorskip("rdkit", reason="molecules need rdkit")
SMILES = ["CCO", "OCC", "CC1=CC(=O)C=CC1=O", "c1ccccc1O", "CC(=O)Oc1ccccc1C(=O)O", "OC1=C(Cl)C=C(C=C1)[N+]([O-])=O"]
every_kind = pytest.mark.parametrize("kind", ["morgan", "path"])


def similarities(kind, counts):
    """Tanimoto similarities by rdkit's own bit vectors."""
    from rdkit import Chem, DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    make = {"morgan": rdFingerprintGenerator.GetMorganGenerator, "path": rdFingerprintGenerator.GetRDKitFPGenerator}
    generator = make[kind](fpSize=2048, **({"radius": 2} if kind == "morgan" else {"maxPath": 7}))
    form = generator.GetCountFingerprint if counts else generator.GetFingerprint
    prints = [form(Chem.MolFromSmiles(each)) for each in SMILES]
    return np.array([[DataStructs.TanimotoSimilarity(a, b) for b in prints] for a in prints])


@every_kind
def test_tanimoto_on_fingerprints_is_that_of_rdkit(kind):
    F = fingerprints(SMILES, kind)
    assert sparse.issparse(F)
    assert F.format == "csr"
    assert set(F.data) == {1.0}
    np.testing.assert_allclose(kernels.Tanimoto()(F, F), similarities(kind, counts=False))


@every_kind
def test_counts_hold_how_often(kind):
    binary, counted = fingerprints(SMILES, kind), fingerprints(SMILES, kind, counts=True)
    assert counted.max() > 1
    np.testing.assert_array_equal((counted > 0).toarray(), binary.toarray() > 0)
    # rdkit's similarity of counts is min/max; what both share is the value one for molecules with equal counts.
    equal = np.isclose(similarities(kind, counts=True), 1.0)
    np.testing.assert_array_equal(np.isclose(kernels.Tanimoto()(counted, counted), 1.0), equal)


def test_the_arguments_shape_the_fingerprint():
    assert fingerprints(SMILES, n_bits=64).shape == (6, 64)
    assert fingerprints([]).shape == (0, 2048)
    for kind in ("morgan", "path"):
        sizes = [fingerprints(SMILES, kind, reach=reach).sum() for reach in (1, 3)]
        assert sizes[0] < sizes[1]


@pytest.mark.parametrize("bad", ["C1CC", "", "not a molecule", None])
def test_a_smiles_that_does_not_parse_is_named_and_nothing_is_printed(bad, capfd):
    for act in (fingerprints, properties):
        with pytest.raises(ValueError, match=f"SMILES 1, {bad!r}, does not parse"):
            act(["CCO", bad])
    assert capfd.readouterr().err == ""


def test_molecules_of_rdkit_and_inchi_are_as_good_as_smiles():
    from rdkit import Chem

    parsed = [Chem.MolFromSmiles(each) for each in SMILES]
    ways = [
        parsed, [Chem.AddHs(each) for each in parsed], [Chem.MolFromSmiles(each, sanitize=False) for each in SMILES],
        [Chem.MolToInchi(each) for each in parsed], np.array(parsed, dtype=object), [*SMILES[:3], *parsed[3:]],
    ]  # fmt: skip
    for given in ways:
        for kind in ("morgan", "path"):
            np.testing.assert_array_equal(
                fingerprints(given, kind, counts=True).toarray(), fingerprints(SMILES, kind, counts=True).toarray()
            )
        np.testing.assert_allclose(properties(given)[1], properties(SMILES)[1])
    # What is given stays as it is.
    assert ways[1][0].GetNumAtoms() == 9
    five_bonds = Chem.MolFromSmiles("CC(C)(C)(C)C", sanitize=False)
    for bad in (five_bonds, Chem.Mol(), "InChI=1S/nothing", 3):
        with pytest.raises(ValueError, match=r"SMILES 1, .* does not parse"):
            fingerprints([parsed[0], bad])
    with pytest.raises(TypeError, match=r"is one molecule.*put it in a list"):
        properties(parsed[0])


def test_one_rule_says_which_molecules_are_the_same():
    def key(smiles):
        return identity(parse(smiles))

    assert key("CCO") == key("OCC") == "LFQSCWFLJHTTHZ"
    assert key("C[C@H](N)C(=O)O") == key("C[C@@H](N)C(=O)O") == key("CC(N)C(=O)O")
    assert key("CCO") != key("COC")
    # An open place has no InChI; two such molecules are still two.
    assert key("*CC") == key("CC*") != key("*CCC")
    assert formula(parse("OCC")) == "C2H6O"


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="'morgan' or 'path'"):
        fingerprints(SMILES, "maccs")
    with pytest.raises(ValueError, match="n_bits"):
        fingerprints(SMILES, n_bits=0)
    with pytest.raises(ValueError, match="reach"):
        fingerprints(SMILES, reach=1.5)
    with pytest.raises(TypeError, match="put it in a list"):
        fingerprints("CCO")


def test_properties_of_a_known_molecule():
    names, values = properties(["CC(=O)Oc1ccccc1C(=O)O", "CCO"])
    aspirin = dict(zip(names, values[0], strict=True))
    assert aspirin["molecular weight"] == pytest.approx(180.16, abs=0.01)
    assert (aspirin["heavy atoms"], aspirin["hydrogen donors"], aspirin["rings"]) == (13, 1, 1)
    assert values.shape == (2, len(names))
    assert properties([])[1].shape == (0, len(names))


def test_drugs_are_the_first_large_enough_molecules():
    from rdkit import Chem, RDConfig, rdBase

    with open(f"{RDConfig.RDDataDir}/NCI/first_5K.smi", encoding="utf-8") as file, rdBase.BlockLogs():
        listed = [line.split() for line in file][:250]
        parsed = [(smiles, name, Chem.MolFromSmiles(smiles)) for smiles, name in listed]
    kept = [(smiles, name) for smiles, name, mol in parsed if mol is not None and mol.GetNumHeavyAtoms() >= 6]
    assert len(kept) < 250
    drugs = load_drugs(len(kept))
    assert list(zip(drugs.smiles, drugs.names, strict=True)) == kept
    assert drugs.data.shape[0] == len(drugs.target) == len(kept)
    assert drugs.target.shape[1] == len(drugs.target_names)
    assert drugs.target[:, drugs.target_names.index("heavy atoms")].min() == 6
    np.testing.assert_array_equal(load_drugs(20, "morgan").data.toarray(), fingerprints(drugs.smiles[:20]).toarray())


def test_molecules_that_the_list_holds_twice_are_said():
    drugs = load_drugs(1000)
    twice = [(i, j) for j, later in enumerate(drugs.smiles) for i in range(j) if drugs.smiles[i] == later]
    assert drugs.duplicates == twice
    assert len(twice) > 2


def test_the_gram_matrix_of_the_drugs_is_positive():
    F = load_drugs(300).data
    K = kernels.Tanimoto()(F, F)
    assert np.linalg.eigvalsh(K)[0] > -1e-10
    assert np.all((K >= 0) & (K <= 1))


def test_the_whole_list_has_4930_molecules():
    with pytest.raises(ValueError, match="holds 4930 such molecules"):
        load_drugs(5000)


def test_without_rdkit_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    monkeypatch.setitem(sys.modules, "rdkit.Chem.rdFingerprintGenerator", None)
    with pytest.raises(ModuleNotFoundError, match=r"hilbertine\[paper\]"):
        fingerprints(["CCO"])


def test_molecules_are_outputs_by_their_smiles():
    """A kernel on fingerprints of SMILES: answers are SMILES, and two molecules with one fingerprint stay two."""
    drugs = load_drugs(60, kind="path")
    by_smiles = StructuredPredictor(
        kernel=kernels.Tanimoto(), output_kernel=kernels.Features(fingerprints, kernels.GaussianTanimoto(0.72))
    ).fit(drugs.data[:40], drugs.smiles[:40])
    by_bits = StructuredPredictor(kernel=kernels.Tanimoto(), output_kernel=kernels.GaussianTanimoto(0.72))
    by_bits.fit(drugs.data[:40], fingerprints(drugs.smiles[:40]))
    scores = [
        each.decision_function(drugs.data[40:], given)
        for each, given in ((by_smiles, drugs.smiles[40:]), (by_bits, fingerprints(drugs.smiles[40:])))
    ]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-8)
    assert set(by_smiles.predict(drugs.data[40:])) <= set(drugs.smiles[:40])
    twins = ["CCCCCCCCO", "CCCCCCCCCO"]
    np.testing.assert_array_equal(*fingerprints(twins).toarray())
    assert np.array_equal(by_smiles.positions(drugs.data[40:41], twins[:1], twins), [2.0])


def test_features_of_the_training_molecules_are_computed_once():
    seen = []

    def counted(smiles):
        seen.append(len(smiles))
        return fingerprints(smiles)

    drugs = load_drugs(30, kind="path")
    model = StructuredPredictor(kernel=kernels.Tanimoto(), output_kernel=kernels.Features(counted, kernels.Tanimoto()))
    model.fit(drugs.data[:20], drugs.smiles[:20]).predict(drugs.data[20:], drugs.smiles[20:])
    assert seen.count(20) == 1
