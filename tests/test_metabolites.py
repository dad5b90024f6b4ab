"""Metabolites: files of every format, kernels on spectra by brute force, the table and its continuation."""

import gzip
import json
import os
import re
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold
from sklearn.utils import Bunch

from hilbertine import ConformalRegressor, RegressorCV, StructuredPredictor, losses
from hilbertine.datasets import fingerprints, load_metabolites, load_spectra, make_spectra
from hilbertine.experiments import Settings, identification, metabolites
from hilbertine.experiments.places import Scores
from hilbertine.kernels import GaussianTanimoto, MassSpectrum, NeutralLosses, Normalised, Peaks, Precomputed
from hilbertine.store import Store

pytest.importorskip("rdkit", reason="molecules need rdkit")
MASS = 46.0418648
ETHANOL = {
    "ik1": "LFQSCWFLJHTTHZ", "smiles": "CCO", "inchi_main": "C2H6O/c1-2-3/h3H,2H2,1H3", "formula": "C2H6O",
    "name": "Ethanol", "mass": MASS, "peaks": [[29.039, 0.5], [47.049, 1.0]], "licences": ["CC0"],
}  # fmt: skip
ETHER = {**ETHANOL, "ik1": "LCGLNKUTAGEVQW", "smiles": "COC", "inchi_main": "C2H6O/c1-3-2/h1-2H3", "name": "Ether"}
CANDIDATES = {"C2H6O": [[each["inchi_main"], each["smiles"], "here"] for each in (ETHER, ETHANOL)]}
RECORD = """ACCESSION: MSBNK-Test-0001
LICENSE: CC BY
CH$NAME: Ethanol
CH$NAME: ethyl alcohol
CH$FORMULA: C2H6O
CH$EXACT_MASS: 46.04186
CH$SMILES: CCO
MS$FOCUSED_ION: PRECURSOR_TYPE [M+H]+
MS$FOCUSED_ION: PRECURSOR_M/Z 47.0491
PK$NUM_PEAK: 2
PK$PEAK: m/z int. rel.int.
  29.039 500 499
  47.049 1000 999
//
"""
MGF = """BEGIN IONS
PEPMASS=47.0491
NAME=Ethanol
SMILES=CCO
29.039 500
47.049 1000
END IONS
"""
MSP = """NAME: Ethanol
PRECURSORMZ: 47.0491
FORMULA: C2H6O
SMILES: CCO
Num Peaks: 2
29.039 500
47.049 1000
"""


def write(folder, spectra=(ETHANOL, ETHER), candidates=None):
    """The two files of a data set."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "spectra.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" if isinstance(each, dict) else each for each in spectra)
    with gzip.open(folder / "candidates.json.gz", "wt", encoding="utf-8") as file:
        json.dump(CANDIDATES if candidates is None else candidates, file)


@pytest.fixture(autouse=True)
def _nowhere(tmp_path_factory, monkeypatch):
    """No data but those that a test names."""
    monkeypatch.delenv("HILBERTINE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def test_files_are_found_and_read(tmp_path, monkeypatch):
    write(tmp_path / "metabolites")
    given = [load_metabolites(tmp_path), load_metabolites(str(tmp_path / "metabolites"))]
    monkeypatch.setenv("HILBERTINE_DATA", str(tmp_path))
    for data in [*given, load_metabolites()]:
        assert data.smiles == ["CCO", "COC"]
        assert data.formulas == ["C2H6O", "C2H6O"]
        assert data.candidates == {"C2H6O": ["COC", "CCO"]}
        assert data.truth.tolist() == [1, 0]
        assert data.groups.tolist() == ["LFQSCWFLJHTTHZ", "LCGLNKUTAGEVQW"]
        assert data.licences == [["CC0"], ["CC0"]]
        assert data.spectra[0].precursor == pytest.approx(MASS + 1.00728, abs=1e-5)
        np.testing.assert_array_equal(data.spectra[0].peaks, ETHANOL["peaks"])
        assert not data.published
        assert "checksums differ" in data.DESCR


def test_a_molecule_that_is_no_candidate_has_no_place(tmp_path):
    write(tmp_path, candidates={"C2H6O": CANDIDATES["C2H6O"][:1]})
    assert load_metabolites(tmp_path).truth.tolist() == [-1, 0]
    write(tmp_path, candidates={})
    assert load_metabolites(tmp_path).truth.tolist() == [-1, -1]


def test_missing_files_say_where_they_were_sought(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"hilbertine.*HILBERTINE_DATA.*load_spectra"):
        load_metabolites()
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        load_metabolites(tmp_path)
    monkeypatch.setenv("HILBERTINE_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(FileNotFoundError, match="elsewhere"):
        load_metabolites()


@pytest.mark.parametrize(
    "line",
    ["{", "[1, 2]\n", {**ETHANOL, "peaks": [[1.0]]}, {**ETHANOL, "mass": None}, {"mass": 3}, {**ETHANOL, "peaks": 3}],
    ids=["broken", "list", "peaks", "mass", "fields", "number"],
)  # fmt: skip
def test_a_malformed_spectrum_is_named_by_its_line(tmp_path, line):
    write(tmp_path, [ETHANOL, line])
    with pytest.raises(ValueError, match=r"Line 2 of .*spectra.jsonl.gz is not a spectrum"):
        load_metabolites(tmp_path)


def test_malformed_candidates_and_empty_files_are_named(tmp_path):
    write(tmp_path, [])
    with pytest.raises(ValueError, match="holds no spectrum"):
        load_metabolites(tmp_path)
    for wrong in ([1], {"C2H6O": [["one"]]}, {"C2H6O": 3}):
        write(tmp_path, candidates=wrong)
        with pytest.raises(ValueError, match="not a table of candidates"):
            load_metabolites(tmp_path)
    (tmp_path / "candidates.json.gz").write_bytes(gzip.compress(b"{"))
    with pytest.raises(ValueError, match="not a table of candidates"):
        load_metabolites(tmp_path)


@pytest.mark.parametrize("name", ["spectra.jsonl.gz", "candidates.json.gz"])
def test_spoiled_archives_are_named(tmp_path, name):
    write(tmp_path)
    packed = gzip.compress(gzip.decompress((tmp_path / name).read_bytes()))
    # Never packed, cut off, with another checksum, and with a first byte after the header that no block begins with.
    for spoiled in (b"text", packed[:-12], packed[:-8] + bytes(8), packed[:10] + b"\xff" + packed[11:]):
        (tmp_path / name).write_bytes(spoiled)
        with pytest.raises(ValueError, match=f"{name} is no whole gzip file .*copy or build it again"):
            load_metabolites(tmp_path)


def test_a_spectrum_in_another_encoding_is_named_by_its_line(tmp_path):
    write(tmp_path)
    lines = json.dumps(ETHANOL) + "\n" + json.dumps({**ETHER, "name": "\xe9ther"}, ensure_ascii=False)
    (tmp_path / "spectra.jsonl.gz").write_bytes(gzip.compress(lines.encode("latin-1")))
    with pytest.raises(ValueError, match=r"Line 2 of .*UnicodeDecodeError"):
        load_metabolites(tmp_path)


@pytest.mark.parametrize(("suffix", "text"), [(".txt", RECORD), (".mgf", MGF), (".msp", MSP)])
def test_spectra_of_ones_own_in_three_formats(tmp_path, suffix, text):
    path = tmp_path / f"mine{suffix}"
    path.write_text(text, encoding="utf-8")
    table = tmp_path / "candidates.csv"
    table.write_text("source,smiles,formula\na,COC,C2H6O\nb,OCC,C2H6O\nc,CCO,C2H6O\nd,CCCC,C4H10\n", encoding="utf-8")
    for candidates in (table, {"C2H6O": ["COC", "OCC", "CCO"], "C4H10": ["CCCC"]}):
        data = load_spectra(path, candidates)
        # The same molecule twice is one candidate, and other formulas are none.
        assert data.candidates == {"C2H6O": ["COC", "OCC"]}
        assert data.truth.tolist() == [1]
        assert data.groups.tolist() == ["LFQSCWFLJHTTHZ"]
        assert (data.smiles, data.formulas, data.names) == (["CCO"], ["C2H6O"], ["Ethanol"])
        assert data.spectra[0].precursor == 47.0491
        np.testing.assert_array_equal(data.spectra[0].peaks, [[29.039, 500], [47.049, 1000]])
    assert load_spectra(path).truth.tolist() == [-1]


INCHI = "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3"


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".txt", RECORD.replace("CH$SMILES: CCO", f"CH$SMILES: N/A\nCH$IUPAC: {INCHI}")),
        (".mgf", MGF.replace("SMILES=CCO", f"INCHI={INCHI}")),
        (".mgf", MGF.replace("SMILES=CCO", f'SMILES=N/A\nINCHI="{INCHI}"')),
        (".msp", MSP.replace("FORMULA: C2H6O\nSMILES: CCO", f"InChI: {INCHI}")),
    ],
)
def test_an_inchi_alone_says_which_molecule_it_is(tmp_path, suffix, text):
    path = tmp_path / f"mine{suffix}"
    path.write_text(text, encoding="utf-8")
    data = load_spectra(path, {"C2H6O": ["COC", "OCC"]})
    assert (data.smiles, data.formulas, data.truth.tolist()) == (["CCO"], ["C2H6O"], [1])
    assert data.groups.tolist() == [ETHANOL["ik1"]]
    path.write_text(text.replace("InChI=1S/C2H6O", "InChI=1S/C2H6X"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"Spectrum 1 of .*its InChI .* does not parse"):
        load_spectra(path)


def test_candidates_come_from_excel_pandas_and_rdkit(tmp_path):
    from rdkit import Chem

    pd = pytest.importorskip("pandas", reason="a data frame needs pandas")
    (tmp_path / "mine.txt").write_text(RECORD, encoding="utf-8")
    # Excel puts a mark before UTF-8, and people write headers in capitals.
    (tmp_path / "excel.csv").write_text("Formula, SMILES\nC2H6O,COC\n\nC2H6O ,OCC\n", encoding="utf-8-sig")
    frame = pd.DataFrame({"name": ["a", "b"], "FORMULA": ["C2H6O"] * 2, "Smiles": ["COC", "OCC"]}, index=[7, 7])
    for candidates in (tmp_path / "excel.csv", str(tmp_path / "excel.csv"), frame):
        data = load_spectra(tmp_path / "mine.txt", candidates)
        assert data.candidates == {"C2H6O": ["COC", "OCC"]}
        assert data.truth.tolist() == [1]
    given = {"C2H6O": [Chem.AddHs(Chem.MolFromSmiles("COC")), INCHI]}
    assert load_spectra(tmp_path / "mine.txt", given).candidates == {"C2H6O": ["COC", "CCO"]}
    with pytest.raises(ValueError, match=r"data frame .* must have the columns formula and smiles; it has \['name'"):
        load_spectra(tmp_path / "mine.txt", frame.rename(columns={"Smiles": "molecule"}))


def test_files_that_are_not_utf_8_are_named_and_a_mark_before_it_is_not_data(tmp_path):
    for suffix, text in ((".txt", RECORD), (".mgf", MGF), (".msp", MSP)):
        path = tmp_path / f"mine{suffix}"
        path.write_text(text + "\n" + text, encoding="utf-8-sig")
        assert load_spectra(path).names == ["Ethanol"] * 2
        path.write_text(text.replace("Ethanol", "\xc9thanol"), encoding="latin-1")
        with pytest.raises(ValueError, match=f"mine{suffix} is not UTF-8 .*save it again"):
            load_spectra(path)
    (tmp_path / "mine.txt").write_text(RECORD, encoding="utf-8")
    (tmp_path / "table.csv").write_text("formula,smiles,name\nC2H6O,CCO,\xc9thanol\n", encoding="latin-1")
    with pytest.raises(ValueError, match=r"table\.csv is not UTF-8 .*save it again"):
        load_spectra(tmp_path / "mine.txt", tmp_path / "table.csv")


def test_a_folder_is_read_whole_and_records_may_follow_each_other(tmp_path):
    unknown = RECORD.replace("CH$SMILES: CCO", "CH$SMILES: N/A").replace("MS$FOCUSED_ION: PRECURSOR_M/Z 47.0491\n", "")
    (tmp_path / "a.txt").write_text(RECORD + unknown, encoding="utf-8")
    (tmp_path / "b.txt").write_text(RECORD, encoding="utf-8")
    (tmp_path / "notes.md").write_text("not a spectrum", encoding="utf-8")
    data = load_spectra(tmp_path, {"C2H6O": ["COC", "CCO"]})
    assert data.smiles == ["CCO", None, "CCO"]
    assert data.truth.tolist() == [1, -1, 1]
    assert data.licences == [["CC BY"]] * 3
    # The mass and the kind of ion stand in for a precursor m/z that is not given.
    assert data.spectra[1].precursor == pytest.approx(47.04914, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("CCO", "C1CC"), "its SMILES 'C1CC' does not parse"),
        (("  29.039 500", "  29.039 many"), "its peaks are not pairs of numbers.*'many'"),
        (("  29.039 500", "  29.039 -500"), "its peaks must be finite and >= 0"),
        (("  29.039 500", "  nan 500"), "its peaks must be finite and >= 0"),
        (("NUM_PEAK: 2", "NUM_PEAK: 3"), "it says that it has 3 peaks, and has 2"),
        (("PK$PEAK", "PEAKS"), "without PK"),
        (("M/Z 47.0491", "M/Z inf"), "its precursor m/z 'inf' is not a number > 0"),
        (("M/Z 47.0491", "M/Z 0"), "its precursor m/z '0' is not a number > 0"),
        (("M/Z 47.0491", "M/Z -3"), "its precursor m/z '-3' is not a number > 0"),
        (("M/Z 47.0491", "M/Z many"), "its precursor m/z 'many' is not a number > 0"),
    ],
)
def test_malformed_records_are_named(tmp_path, change, reason):
    path = tmp_path / "mine.txt"
    path.write_text(RECORD.replace(*change), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"holds no spectrum(.|\n)*Spectrum 1 of .*mine\.txt: .*{reason}"):
        load_spectra(path)


@pytest.mark.parametrize(
    ("suffix", "text", "change", "reason"),
    [
        (".msp", MSP, ("Num Peaks: 2\n", ""), "it lacks its line 'Num Peaks'"),
        (".msp", MSP, ("47.049 1000", "47.049"), "its peaks are not pairs of numbers"),
        (".msp", MSP, ("29.039 500\n", ""), "it says that it has 2 peaks, and has 1"),
        (".msp", MSP, ("29.039", "some"), "its peaks are not pairs of numbers.*'some'"),
        (".msp", MSP, ("PRECURSORMZ: 47.0491", "PRECURSORMZ: inf"), "its precursor m/z 'inf'"),
        (".msp", MSP, ("29.039 500", "29.039 -500"), "its peaks must be finite and >= 0"),
        (".mgf", MGF, ("END IONS\n", ""), "it lacks its line END IONS"),
        (".mgf", MGF, ("29.039 500", "twentynine 500"), "its peaks are not pairs of numbers.*'twentynine'"),
        (".mgf", MGF, ("29.039 500", "29.039"), "its peaks are not pairs of numbers"),
        (".mgf", MGF, ("PEPMASS=47.0491", "PEPMASS=0.0 100"), "its precursor m/z '0.0'"),
        (".mgf", MGF, ("29.039 500", "29.039 -500"), "its peaks must be finite and >= 0"),
        (".mgf", MGF, ("PEPMASS=47.0491\nNAME=Ethanol\nSMILES=CCO", "NAME=?"), "it has no precursor m/z, mass"),
    ],
)
def test_a_bad_record_is_left_out_named_and_counted(tmp_path, suffix, text, change, reason):
    path, bad = tmp_path / f"mine{suffix}", text.replace(*change)
    assert bad != text
    path.write_text("\n".join([text, bad, text, bad, text]), encoding="utf-8")
    with pytest.warns(UserWarning, match=rf"2 of 5 spectra of .*\nSpectra 2, 4 of .*mine\{suffix}: {reason}") as caught:
        assert load_spectra(path).names == ["Ethanol"] * 3
    assert len(caught) == 1
    path.write_text(bad, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"holds no spectrum(.|\n)*Spectrum 1 of .*mine\{suffix}: {reason}"):
        load_spectra(path)


def test_an_mgf_block_without_its_beginning_is_named(tmp_path):
    (tmp_path / "mine.mgf").write_text("COM=a header\n" + MGF + MGF.replace("BEGIN IONS\n", ""), encoding="utf-8")
    with pytest.warns(UserWarning, match="Spectrum 2 of .*it lacks its line BEGIN IONS"):
        assert len(load_spectra(tmp_path).spectra) == 1


# Electron ionisation leaves no precursor: the molecular ion takes its place, and a proton only where [M+H]+ says so.
@pytest.mark.parametrize(
    ("given", "precursor"),
    [
        ("ExactMass: 46.5\nSMILES: CCO\nMW: 46", 46.5),
        ("SMILES: CCO\nMW: 46", MASS),
        (f"InChI: {INCHI}", MASS),
        ("Formula: C2H6O\nMW: 46", MASS),
        ("Formula: C2H6O\nPrecursor_type: [M+H]+", MASS + 1.007276467),
        ("Formula: C2H6O\nPrecursor_type: [M]+.", MASS),
        ("MW: 46", 46.0),
        ('Comments: "SMILES=CCO" "computed SMILES=C" "total exact mass=46.25"', 46.25),
        ('Comments: author="anybody" SMILES="CCO"', MASS),
    ],
)
def test_a_record_without_precursor_has_its_molecular_ion(tmp_path, given, precursor):
    (tmp_path / "gc.MSP").write_text(f"Name: Ethanol\n{given}\nNum Peaks: 1\n31 999\n", encoding="utf-8")
    assert load_spectra(tmp_path).spectra[0].precursor == pytest.approx(precursor, abs=1e-6)


@pytest.mark.parametrize("formula", ["C2H6X", "2H", "C2H6O+", "ethanol"])
def test_a_formula_without_mass_is_named(tmp_path, formula):
    text = MSP.replace("SMILES: CCO\n", "").replace("PRECURSORMZ: 47.0491\n", "").replace("C2H6O", formula)
    (tmp_path / "mine.msp").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"its formula {formula!r}")):
        load_spectra(tmp_path)


def test_electron_ionisation_in_massbank(tmp_path):
    record = re.sub(r"MS\$FOCUSED_ION.*\n", "", RECORD)
    (tmp_path / "ei.txt").write_text(record, encoding="utf-8")
    assert load_spectra(tmp_path).spectra[0].precursor == 46.04186


@pytest.mark.parametrize(
    "peaks",
    [
        '29.039 500 "C2H5+"\n47.049 1000 "C2H7O+ [M+H]+"', "29.039,500; 47.049,1000;", "29.039:500 47.049:1000",
        "(29.039 500)(47.049\t1000)",
    ],
)  # fmt: skip
def test_the_ways_to_write_peaks_in_msp(tmp_path, peaks):
    text = MSP.replace("29.039 500\n47.049 1000", peaks)
    # Between records there may be no blank line, or too many.
    (tmp_path / "mine.msp").write_text(text + text + "\n\n\n" + text.replace("NAME", "name"), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = load_spectra(tmp_path)
    assert data.names == ["Ethanol"] * 3
    for spectrum in data.spectra:
        np.testing.assert_array_equal(spectrum.peaks, [[29.039, 500], [47.049, 1000]])


def test_wrong_paths_and_tables_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        load_spectra(tmp_path / "none.mgf")
    with pytest.raises(ValueError, match="holds no spectrum"):
        load_spectra(tmp_path)
    (tmp_path / "mine.xml").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"must be a \.mgf"):
        load_spectra(tmp_path / "mine.xml")
    (tmp_path / "mine.txt").write_text(RECORD, encoding="utf-8")
    (tmp_path / "table.csv").write_text("name,smiles\na,CCO\n", encoding="utf-8")
    with pytest.raises(ValueError, match="columns formula and smiles"):
        load_spectra(tmp_path / "mine.txt", tmp_path / "table.csv")
    with pytest.raises(ValueError, match="candidates of C2H6O: SMILES 1, 'C1'"):
        load_spectra(tmp_path / "mine.txt", {"C2H6O": ["CCO", "C1"]})
    (tmp_path / "table.csv").write_text("formula,name,smiles\nC2H6O,ethanol\n", encoding="utf-8")
    with pytest.raises(ValueError, match="candidates of C2H6O: SMILES 0, None"):
        load_spectra(tmp_path / "mine.txt", tmp_path / "table.csv")
    # A string is a sequence of letters, and C and O are molecules.
    with pytest.raises(ValueError, match=r"candidates of C2H6O: 'CCO' is one molecule.*put it in a list"):
        load_spectra(tmp_path / "mine.txt", {"C2H6O": "CCO"})
    with pytest.raises(TypeError, match=r"candidates must be a CSV file, a data frame .* got list"):
        load_spectra(tmp_path / "mine.txt", ["CCO"])


def random_spectra(seed, n):
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        k = int(rng.integers(1, 8))
        made.append(
            MassSpectrum(120.0 + rng.integers(3), np.stack([60.0 + rng.integers(0, 60, k), rng.random(k)], axis=1))
        )
    return made


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_kernels_on_spectra_by_brute_force(power):
    X, Z = random_spectra(0, 7), random_spectra(1, 5)

    def brute(x, z, lost):
        """Every pair of peaks that fall together counts with the product of their weights."""
        total = 0.0
        for m, a in x.peaks:
            for p, b in z.peaks:
                left, right = (x.precursor - m, z.precursor - p) if lost else (m, p)
                total += (a * b) ** power if left == right and left >= 0 else 0.0
        return total

    for kernel, lost in ((Peaks, False), (NeutralLosses, True)):
        K = kernel(0.01, power)(X, Z)
        np.testing.assert_allclose(K, [[brute(x, z, lost) for z in Z] for x in X], rtol=1e-12)
        assert K.max() > 0
        cosine = Normalised(kernel(0.01, power))(X, X)
        assert np.all(cosine <= 1 + 1e-12)
        np.testing.assert_allclose(np.diag(cosine), 1.0)


def test_peaks_meet_within_half_a_bin_and_a_heavier_peak_is_no_loss():
    x, z = MassSpectrum(100.0, [[50.004, 1.0], [101.0, 1.0]]), MassSpectrum(90.0, [[49.996, 4.0], [91.0, 1.0]])
    assert Peaks(0.01)([x], [z])[0, 0] == 2.0
    assert Peaks(0.001)([x], [z])[0, 0] == 0.0
    # Both lost -1: they have nothing in common.
    assert NeutralLosses(0.01)([x], [z])[0, 0] == 0.0
    assert NeutralLosses(0.01).diagonal([x])[0] == 1.0
    assert Peaks()([], [x]).shape == (0, 1)


@pytest.mark.parametrize(
    ("bad", "error"),
    [("spectrum", TypeError), (MassSpectrum(1.0, [[1.0, 2.0, 3.0]]), TypeError), (3.0, TypeError),
     (MassSpectrum(1.0, [[1.0, -2.0]]), ValueError), (MassSpectrum(np.nan, [[1.0, 2.0]]), ValueError)],
)  # fmt: skip
def test_what_is_no_spectrum_is_named(bad, error):
    with pytest.raises(error, match="1"):
        Peaks()([MassSpectrum(2.0, [[1.0, 1.0]]), bad], [MassSpectrum(2.0, [[1.0, 1.0]])])
    with pytest.raises(ValueError, match=r"Peaks\.width"):
        Peaks(width=0.0).diagonal([MassSpectrum(2.0, [[1.0, 1.0]])])


@pytest.fixture(scope="module")
def made():
    return make_spectra(120)


def test_synthetic_spectra_are_masses_of_pieces(made, monkeypatch):
    from rdkit import Chem
    from rdkit.Chem import Descriptors

    for j in (0, 5, 17):
        weight = Descriptors.ExactMolWt(Chem.MolFromSmiles(made.smiles[j]))
        assert made.spectra[j].precursor == pytest.approx(weight + 1.00728, abs=1e-3)
        assert made.spectra[j].peaks[-1, 0] == pytest.approx(made.spectra[j].precursor, abs=1e-3)
    for smiles, formula, truth in zip(made.smiles, made.formulas, made.truth, strict=True):
        assert made.candidates[formula][truth] == smiles
    assert {len(each) for each in made.candidates.values()} == {6, 24}
    assert len(set(made.groups)) == 120
    # The molecule is told by the rule of every other loader.
    keys = [Chem.MolToInchiKey(Chem.MolFromSmiles(smiles)).split("-")[0] for smiles in made.smiles]
    assert made.groups.tolist() == keys
    # Chloroethane breaks at two bonds, next to carbons with three and two hydrogens.
    monkeypatch.setattr("hilbertine.datasets.fragments.listed", lambda n: (["CCCl", "ClCC", "[Na+].[Cl-]"], []))
    pieces = make_spectra(1, seed=1).spectra[0].peaks[:, 0] - 1.00728
    known = [14.01565, 15.02348, 29.03913, 34.96885, 48.98450, 64.00798]
    assert len(pieces) > 3
    assert all(np.min(np.abs(piece - known)) < 1e-3 for piece in pieces)
    with pytest.raises(ValueError, match="holds 1 different molecules"):
        make_spectra(2)


@pytest.fixture(scope="module")
def task(made):
    return identification.make_task(made)


@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(0.2)], ids=repr)
def test_places_are_those_of_a_structured_predictor(task, loss, monkeypatch):
    # Six molecules calibrate here: too few for more.
    monkeypatch.setattr(identification, "LEVEL", 0.8)
    train, test = np.arange(90), np.arange(90, 120)
    starts = np.array([task.spans[i].start for i in test])
    # A molecule that looks like the right one stands on the first place that is not the right one's.
    rows = np.arange(task.candidates.shape[0])
    rows[starts[0] + (task.truth[90] == 0)] = starts[0] + task.truth[90]
    task = replace(task, candidates=task.candidates[rows])
    ((_, found),) = identification.Fold(task, train, test).solve(1e-3, [loss], 40, 1e-9)
    # Outputs and candidates as indices: molecules that look alike are still two.
    F = sparse.vstack([task.molecules, task.candidates], format="csr")
    output = Precomputed(GaussianTanimoto(0.72)(F, F))
    model = StructuredPredictor(loss, Precomputed(task.K), output, lam=1e-3, n_components=40, tol=1e-9, centre=None)
    truth, lists = 120 + starts + task.truth[test], [list(120 + np.r_[task.spans[i]]) for i in test]
    expected = model.fit(train, train).positions(test, truth, lists)
    assert found["places"] == expected.tolist()
    assert len(set(found["places"])) > 3
    assert found["truncation_gap"] == pytest.approx(model.truncation_gap_, rel=1e-4)
    assert found["n_components"] == 40
    # The sets of one half are those of a predictor that is calibrated on the other.
    sizes = [len(each) for each in lists]
    reported = np.flatnonzero(np.array(sizes) >= identification.ENOUGH)
    halves = np.random.default_rng(0).permutation(len(reported)) % 2
    for half in (0, 1):
        ours, theirs = reported[halves == half], reported[halves != half]
        sets = ConformalRegressor(model, identification.LEVEL).conformalize(test[theirs], truth[theirs])
        given = sets.predict_set(test[ours], candidates=[lists[i] for i in ours])
        assert not given.infinite.any()
        assert np.array(found["set_sizes"])[halves == half].tolist() == given.size.tolist()
        assert np.array(found["held"])[halves == half].tolist() == given.contains(truth[ours]).tolist()


def test_spectra_are_inputs_of_estimators_and_of_their_search(made, task):
    cosines = 0.5 * (Normalised(Peaks(power=0.25)) + Normalised(NeutralLosses(power=0.25)))
    model = StructuredPredictor(kernel=cosines, output_kernel=GaussianTanimoto(0.72), lam=1e-3, centre=None)
    model.fit(made.spectra[:90], task.molecules[:90])
    known = StructuredPredictor(kernel=Precomputed(task.K), output_kernel=GaussianTanimoto(0.72), lam=1e-3, centre=None)
    known.fit(np.arange(90), task.molecules[:90])
    np.testing.assert_allclose(model.embed(made.spectra[90:]), known.embed(np.arange(90, 120)), atol=1e-8)
    folds = GroupKFold(3)
    search = RegressorCV(model, lams=[1e-3, 1e3], cv=folds).fit(made.spectra, task.molecules, groups=made.groups)
    assert search.best_params_["lam"] == 1e-3


def test_molecules_that_look_alike_count_against_the_truth(task):
    fold = identification.Fold(task, np.arange(90), np.arange(90, 120))
    fold.candidates = [np.zeros_like(Z) for Z in fold.candidates]
    H = np.ones((30, fold.T.shape[1]))
    assert fold.places(H) == [len(Z) for Z in fold.candidates]


def small(quick):
    return metabolites.Grid([1e-4, 1e-2], [0.2], [3000.0, 10.0], 30, 1e-3)


def test_the_table_without_data_is_titled_synthetic(made, monkeypatch, tmp_path):
    monkeypatch.setattr(metabolites, "grid", small)
    monkeypatch.setattr(metabolites, "make_spectra", lambda n: made)
    told = []
    result = metabolites.run(Settings(quick=True, progress=lambda *args: told.append(args), out=tmp_path))
    assert result["title"].startswith("SYNTHETIC")
    assert "metabolites/spectra.jsonl.gz is not in" in result["note"]
    assert [row["loss"] for row in result["rows"]] == ["Ridge", "epsilon-Ridge", "Huber", "epsilon-SV"] * 2 + [
        "Ridge, whole"
    ]
    ridge = result["rows"][0]
    assert ridge["top1"] > 2 * result["chance"]["top1"]
    assert ridge["top1"] <= ridge["top10"] <= ridge["top20"]
    assert all(row["gap"] <= 1e-3 for row in result["rows"])
    assert ridge["truncation_gap"] > 0.01 > result["rows"][-1]["truncation_gap"]
    assert (ridge["n_components"], result["rows"][-1]["n_components"]) == (7, 96)
    assert told[-1][0] == told[-1][1] == 5 * 2 * 5
    assert json.loads(json.dumps(result)) == result
    head, body = metabolites.columns(result)
    assert all(len(row) == len(head) for row in body)
    assert metabolites.draw(result).axes[0].get_legend_handles_labels()[1] == ["top-1", "top-10", "top-20"]
    # Finished parts go when the record is written; the paper's figures stand in the note alone.
    assert [path.name for path in tmp_path.iterdir()] == ["metabolites.parts"]
    assert "38.3/82.2/89.1" in metabolites.NOTE
    assert not any("38.3" in cell for row in body for cell in row)


# The table of the paper, "Top 1 / 10 / 20 test accuracies (%)", as it is printed.
PRINTED = """
Lambda                 1e-6                   1e-4
Ridge-IOKR             35.7 | 79.9 | 86.6     38.1 | 82.0 | 88.9
epsilon-Ridge-IOKR     37.1 | 81.7 | 88.3     36.3 | 81.2 | 87.9
Huber-IOKR             38.3 | 82.2 | 89.1     37.7 | 81.9 | 88.8
"""


def test_the_numbers_of_the_paper_are_those_it_prints():
    head, *body = (line.replace("|", " ").split() for line in PRINTED.strip().splitlines())
    lams = [float(lam) for lam in head[1:]]
    printed = {
        name.removesuffix("-IOKR"): {lam: tuple(map(float, tops[3 * k : 3 * k + 3])) for k, lam in enumerate(lams)}
        for name, *tops in body
    }
    assert printed == metabolites.PAPER


def test_the_caps_of_huber_follow_the_number_of_spectra_and_bind(made, monkeypatch):
    published = metabolites.grid(False)
    assert published.ratios == [1000.0, 3000.0, 10000.0]
    assert published.scaled(4587) == published
    monkeypatch.setattr(metabolites, "make_spectra", lambda n: made)
    result = metabolites.run(Settings(quick=True))
    assert result["settings"]["ratios"] == [round(3000 * 120 / 4587, 1)]
    # Where no row reaches the cap Huber is ridge, and every molecule keeps its place.
    scores = {curve["loss"]: np.array(curve["selection"]) for curve in result["curves"]}
    assert np.all(scores["Huber"] != scores["Ridge"])


def begin(monkeypatch, tried, data, task, out, begun):
    """What `run` is about to work on, a call of `begun`, and no work."""

    def work(settings, store, task, folds, parts, tried):
        begun(store, folds)
        raise StoppedError

    monkeypatch.setattr(metabolites, "grid", lambda quick: tried)
    monkeypatch.setattr(metabolites, "load_metabolites", lambda given: data)
    monkeypatch.setattr(metabolites, "make_task", lambda data: task)
    monkeypatch.setattr(metabolites, "_work", work)
    with pytest.raises(StoppedError):
        metabolites.run(Settings(out=out))


def test_folds_share_no_molecule(made, task, monkeypatch):
    """Every molecule has two spectra, far apart in the list."""
    groups, doubled = np.tile(made.groups, 2), replace(task, truth=np.tile(task.truth, 2), spans=task.spans * 2)
    seen = []
    data = Bunch(groups=groups, published=False)
    begin(monkeypatch, small(True), data, doubled, None, lambda store, folds: seen.extend(folds))
    assert len(seen) == 5
    for train, test in seen:
        assert not set(groups[train]) & set(groups[test])
    assert sorted(np.concatenate([test for _, test in seen])) == list(range(240))


def test_the_command_line_names_the_folder_for_what_is_finished(monkeypatch, tmp_path):
    from typer.testing import CliRunner

    from hilbertine import cli

    def run(settings):
        raise StoppedError(settings.out)

    monkeypatch.setattr(metabolites, "run", run)
    outcome = CliRunner().invoke(cli._app(), ["reproduce", "metabolites", "--out", str(tmp_path)])
    assert outcome.exception.args == (tmp_path,)


class StoppedError(Exception):
    """The user has had enough."""


def test_an_interrupted_run_continues_to_the_same_numbers(made, monkeypatch, tmp_path):
    monkeypatch.setattr(metabolites, "grid", small)
    monkeypatch.setattr(metabolites, "load_metabolites", lambda data: made)
    straight = metabolites.run(Settings())

    def interrupt(done, total, doing):
        if done >= 17:
            raise StoppedError

    with pytest.raises(StoppedError):
        metabolites.run(Settings(progress=interrupt, out=tmp_path))
    parts = sorted((tmp_path / "metabolites.parts").iterdir())
    assert len(parts) == 17
    # As if a disk had lost the end of one of them.
    parts[0].write_text(parts[0].read_text(encoding="utf-8")[:40], encoding="utf-8")
    solved, solve = [], identification.Fold.solve
    monkeypatch.setattr(identification.Fold, "solve", lambda *args: solved.append(args) or solve(*args))
    continued = metabolites.run(Settings(out=tmp_path))
    assert len(solved) == 5 * 2 * 5 - 16
    strip = [{key: value for key, value in row.items() if key != "seconds"} for row in continued["rows"]]
    assert strip == [{key: value for key, value in row.items() if key != "seconds"} for row in straight["rows"]]
    assert [curve["selection"] for curve in continued["curves"]] == [c["selection"] for c in straight["curves"]]


def moved(part):
    """The same kind of data, changed a little: for fingerprints one part less, or one part with another molecule."""
    if not sparse.issparse(part):
        return [[*part[1:], part[0]] if isinstance(part, list) else np.roll(part, 1)]
    columns, ends = part.indices.copy(), part.indptr.copy()
    columns[0] += 1
    ends[1] -= 1
    return [
        sparse.csr_matrix((part.data, *changed), part.shape)
        for changed in ((columns, part.indptr), (part.indices, ends))
    ]


def test_the_digest_knows_all_data(task):
    assert replace(task).digest() == task.digest()
    for field in fields(task):
        for other in moved(getattr(task, field.name)):
            assert replace(task, **{field.name: other}).digest() != task.digest(), field.name


def test_a_run_continues_with_its_own_grid_and_data_alone(made, task, monkeypatch, tmp_path):
    tried, key, known = small(True), (0, 1e-4, "Ridge"), []

    def begun(store, folds):
        known.append(key in store)
        store.put(key, [])

    fewer = replace(task, truth=np.where(np.arange(120) == 0, -1, task.truth))
    others = [tried._replace(**{name: [0.5]}) for name in ("lams", "epsilons")]
    others += [tried._replace(ratios=[100.0]), tried._replace(n_components=20), tried._replace(tol=0.5)]
    calls = [(tried, task), (tried, task), *((other, task) for other in others), (tried, fewer), (tried, task)]
    for each in calls:
        begin(monkeypatch, each[0], made, each[1], tmp_path, begun)
    assert known == [False, True, False, False, False, False, False, False, True]


def test_jobs_share_the_work_and_change_nothing(made, monkeypatch):
    monkeypatch.setattr(metabolites, "grid", small)
    monkeypatch.setattr(metabolites, "load_metabolites", lambda data: made)
    one, two = (metabolites.run(Settings(jobs=jobs)) for jobs in (1, 2))
    assert [row["top1"] for row in one["rows"]] == [row["top1"] for row in two["rows"]]


def entry(places, parameter=None):
    return {
        "places": places,
        "held": [1.0, 0.0],
        "set_sizes": [4.0, 6.0],
        "parameter": parameter,
        "gap": 0.0,
        "truncation_gap": 0.0,
        "n_components": 1,
        "seconds": 0,
    }


def test_parameters_are_chosen_on_molecules_that_are_not_reported():
    """Two folds of four molecules, lists of 3, 3, 30, 30; the choice follows the short lists against the long ones."""
    sizes = np.array([3, 3, 30, 30] * 2)
    folds = [(np.arange(4, 8), np.arange(4)), (np.arange(4), np.arange(4, 8))]
    store = Store(None, "test")
    parts = [(lam, name) for lam in (1e-4, 1e-2) for name in ("Ridge", "Huber")]
    for k in range(2):
        store.put((k, 1e-4, "Ridge"), [entry([1, 2, 1, 11])])
        store.put((k, 1e-2, "Ridge"), [entry([3, 3, 1, 1])])
        store.put((k, 1e-4, "Huber"), [entry([3, 3, 1, 1], 0.1), entry([1, 1, 5 + 6 * k, 25], 0.2)])
        store.put((k, 1e-2, "Huber"), [entry([2, 2, 2, 2], 0.1), entry([3, 3, 1, 1], 0.2)])
    scores = Scores(Bunch(sizes=sizes), folds, store, parts)
    row = scores.row(1e-4, "Huber")
    assert (row["parameter"], row["selection"]) == (0.2, 1.0)
    assert (row["top1"], row["top10"], row["top20"]) == (0.0, 25.0, 50.0)
    assert row["top10_error"] == pytest.approx(25.0)
    assert (row["over_ridge"], row["over_ridge_error"]) == (-50.0, 0.0)
    assert (row["held"], row["held_error"], row["set_size"]) == (50.0, 0.0, 5.0)
    # Both ridge and the best of all are at 1e-4: the other lam is that of the best elsewhere.
    assert scores.two_lams() == [1e-4, 1e-2]
    # The whole space is shown beside one lam, and chooses none.
    for k in range(2):
        store.put((k, 1e-3, "Ridge, whole"), [entry([1, 1, 1, 1])])
    assert Scores(Bunch(sizes=sizes), folds, store, [*parts, (1e-3, "Ridge, whole")]).two_lams() == [1e-4, 1e-2]
    assert scores.chance() == pytest.approx({"top1": 100 / 30, "top10": 1000 / 30, "top20": 2000 / 30})
    with pytest.raises(ValueError, match="at least 10 candidates"):
        Scores(Bunch(sizes=np.full(8, 30)), folds, store, parts)


DATA = os.environ.get("HILBERTINE_DATA")


@pytest.mark.skipif(
    not DATA or not os.path.isfile(os.path.join(DATA, "metabolites", "spectra.jsonl.gz")),
    reason="HILBERTINE_DATA has no metabolites",
)
def test_real_spectra_are_identified_far_better_than_by_chance(monkeypatch):
    data = load_metabolites(DATA)
    assert data.published
    assert len(data.spectra) == 4587
    sizes = np.array([len(data.candidates[formula]) for formula in data.formulas])
    assert np.sum(sizes >= 10) == 1311
    assert np.all(data.truth >= 0)
    rows = np.concatenate([np.flatnonzero(sizes >= 10)[:300], np.flatnonzero((sizes < 10) & (sizes > 1))[:300]])
    part = Bunch(
        spectra=[data.spectra[i] for i in rows], smiles=[data.smiles[i] for i in rows], truth=data.truth[rows],
        formulas=[data.formulas[i] for i in rows], groups=data.groups[rows], published=False,
        candidates={data.formulas[i]: data.candidates[data.formulas[i]] for i in rows},
    )  # fmt: skip
    monkeypatch.setattr(metabolites, "load_metabolites", lambda given: part)
    monkeypatch.setattr(metabolites, "grid", lambda quick: metabolites.Grid([1e-4], [0.2], [3000.0], 150, 1e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        result = metabolites.run(Settings())
    for row in result["rows"]:
        assert row["top1"] > 2.5 * result["chance"]["top1"]
        assert row["top10"] > 1.3 * result["chance"]["top10"]
        assert row["gap"] <= 1e-3
        # 300 molecules, sets calibrated on some 30 each.
        assert abs(row["held"] - 90) < 8
        assert row["set_size"] < 0.8 * np.median(sizes[rows[:300]])


def test_fingerprints_side_by_side_tell_more_molecules_apart():
    smiles = ["CCCCCCCCO", "CCCCCCCCCO", "CCO"]
    alone = fingerprints(smiles, "morgan", 4096)
    both = identification._described(smiles)
    assert sparse.issparse(both)
    assert (alone[0] != alone[1]).nnz == 0
    np.testing.assert_array_equal(both[:, 4096:].toarray(), alone.toarray())
