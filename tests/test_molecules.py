"""Molecules: fingerprints against rdkit's own similarity, properties, the NCI list, bad SMILES named."""

import sys

import numpy as np
import pytest
from scipy import sparse

from hilbertine import kernels
from hilbertine.datasets import fingerprints, load_drugs, properties

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
