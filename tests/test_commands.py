"""`hilbertine fit`, `predict`, `inspect`, `identify`: what they write for files of one's own, and what they refuse."""

import csv
import re
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

import hilbertine
from hilbertine import RegressorCV, cli, datasets
from hilbertine.commands.summary import explained

rng = np.random.default_rng(0)
N = 40
X = rng.uniform(-1, 1, (N, 2))
Y = np.stack([100 * np.sin(X[:, 0]), X[:, 0] * X[:, 1] + 3], axis=1) + 0.01 * rng.standard_normal((N, 2))
Y[[4, 20]] += [300, 5]
COLOURS = np.where(X[:, 1] > 0, "red", "blue")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = cli._app()

    def call(*words, fails=False):
        outcome = CliRunner().invoke(app, [str(word) for word in words])
        assert (outcome.exit_code != 0) == fails, outcome.output
        assert outcome.exception is None or isinstance(outcome.exception, SystemExit), outcome.exception
        return re.sub(r"\s+", " ", outcome.output if not fails else str(outcome.exception))

    return call


@pytest.fixture
def quick(monkeypatch):
    """Two values of lam, no choice of kernels."""
    monkeypatch.setattr("hilbertine.tables.choice.RegressorCV", partial(RegressorCV, lams=[1e-4, 1e-2]))
    monkeypatch.setattr(RegressorCV, "_kernel_for", lambda *parts: {})


def table(path, rows=slice(None), delimiter=","):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["sample", "u", "v", "colour", "a", "b"])
        for i in range(N)[rows]:
            writer.writerow([f"S{i}", *X[i].round(4), COLOURS[i], *Y[i].round(4)])
    return path


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_from_a_table_to_a_model_a_report_and_predictions(run, tmp_path):
    said = run(
        "fit", table(tmp_path / "mine.csv"), "--outputs", "a,b", "--model", "m.hil", "--report", "out", "--quiet"
    )
    assert "Inputs: u (numbers); v (numbers); colour (words: blue, red)" in said
    assert "Rows are named by: sample" in said
    assert re.search(r"rows are suspects S(4|20): \d+.\d times as far off as a usual row S(4|20): ", said)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 4
    named = re.findall(r"<td>(S\d+)</td><td>line (\d+)</td>", page)
    assert set(named[:2]) == {("S4", "6"), ("S20", "22")}
    assert "http" not in page
    suspects = read(tmp_path / "out" / "suspects.csv")
    assert [row["row"] for row in suspects] == [name for name, _ in named]
    assert suspects[0]["stands at"] == "line 6"
    unseen = read(tmp_path / "out" / "predictions.csv")
    assert sorted(row["row"] for row in unseen) == sorted(f"S{i}" for i in range(N))
    clean = [row for row in unseen if row["row"] not in ("S4", "S20")]
    truth = {f"S{i}": Y[i] for i in range(N)}
    errors = [abs(float(row["a"]) - truth[row["row"]][0]) for row in clean]
    assert np.median(errors) < 5.0
    assert "Rows: 40 of 40" in run("inspect", "m.hil")
    table(tmp_path / "new.csv", slice(0, 5), ";")
    assert "new-predicted.csv, 5 rows" in run("predict", "m.hil", "new.csv")
    found = read(tmp_path / "new-predicted.csv")
    assert [row["row"] for row in found] == [f"S{i}" for i in range(5)]
    again = hilbertine.load(tmp_path / "m.hil").predict(tmp_path / "new.csv")
    np.testing.assert_array_equal(again, [[float(row["a"]), float(row["b"])] for row in found])
    for name in "ab":
        assert all(float(row[f"{name}_low"]) < float(row[name]) < float(row[f"{name}_high"]) for row in found)
    assert "Sets that promise to hold 90% hold" in said
    run("predict", "m.hil", "new.csv", "--level", "0.5", "--out", "half.csv")
    half = read(tmp_path / "half.csv")
    assert all(float(one["a_high"]) < float(other["a_high"]) for one, other in zip(half, found, strict=True))


def test_curves_from_a_long_table(run, quick, tmp_path):
    table(tmp_path / "mine.csv")
    with (tmp_path / "long.csv").open("w") as file:
        file.write("sample,hour,load\n")
        for i in range(N):
            for t in np.sort(rng.choice(24, 12, replace=False)):
                file.write(f"S{i},{t},{np.sin(t / 8) * (2 + X[i, 0]):.4f}\n")
    said = run("fit", "mine.csv", "--curves", "long.csv", "--ignore", "a,b", "--report", "out", "--quiet")
    assert "Outputs: load over hour" in said
    assert float(re.search(r"explains (\d+)%", said)[1]) > 95
    run("predict", "mine.hil", "mine.csv", "--out", "curves.csv")
    found = read(tmp_path / "curves.csv")
    assert list(found[0]) == ["row", "hour", "load", "load_low", "load_high"]
    assert len(found) == N * 24
    first = np.array([[float(row["hour"]), float(row["load"])] for row in found if row["row"] == "S0"])
    np.testing.assert_allclose(first[:, 1], np.sin(first[:, 0] / 8) * (2 + X[0, 0]), atol=0.25)


def test_many_rows_get_a_kernel_of_few_columns(run, quick, tmp_path, monkeypatch):
    monkeypatch.setattr("hilbertine.tables.choice.EXACT", 35)
    monkeypatch.setattr("hilbertine.tables.choice.SEARCHED", 30)
    monkeypatch.setattr("hilbertine.tables.choice.COLUMNS", 20)
    said = run("fit", table(tmp_path / "mine.csv"), "--outputs", "a", "--quiet", "--ignore", "b")
    assert "made of 20 pieces since there are many rows" in said
    assert "on 30 rows drawn at random" in said


WRONG = {
    "a column that is not there": (("--outputs", "a,c"), "has no column 'c'"),
    "nothing to predict": ((), "Say what to predict, by --outputs"),
    "a column of words": (("--outputs", "colour"), "line 2, column 'colour': '(red|blue)' is no number"),
    "nothing to predict from": (("--outputs", "a,b", "--ignore", "u,v,colour"), "no column to predict from"),
    "an ignored column that is not there": (("--outputs", "a", "--ignore", "w"), "no column 'w'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_and_nothing_is_written(what, run, tmp_path):
    words, message = WRONG[what]
    assert re.search(message, run("fit", table(tmp_path / "mine.csv"), *words, "--report", "out", fails=True))
    assert [each.name for each in tmp_path.iterdir()] == ["mine.csv"]


def test_too_few_rows_and_models_that_know_no_columns(run, tmp_path):
    assert "at least 10" in run("fit", table(tmp_path / "few.csv", slice(0, 9)), "--outputs", "a", fails=True)
    hilbertine.save(hilbertine.Ridge().fit(X, Y), tmp_path / "ridge.hil")
    assert "knows no columns" in run("predict", "ridge.hil", "few.csv", fails=True)
    assert "Fitted to 40 samples of 2 coordinates" in run("inspect", "ridge.hil")
    hilbertine.save(hilbertine.Ridge(), tmp_path / "plain.hil")
    assert "Not fitted" in run("inspect", "plain.hil")
    assert "no model that can be read" in run("inspect", "few.csv", fails=True)


def test_a_file_that_was_there_survives_a_failure(run, quick, tmp_path, monkeypatch):
    table(tmp_path / "mine.csv", slice(0, 20))
    words = ("fit", "mine.csv", "--outputs", "a", "--model", "m.hil", "--report", "out", "--quiet")
    run(*words)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    monkeypatch.setattr("hilbertine.commands.report._body", lambda summary: (_ for _ in ()).throw(OSError("full disk")))
    assert "full disk" in run(*words, fails=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_the_share_explained():
    y = np.array([[1.0], [2.0], [3.0]])
    assert explained(y, y) == 1.0
    assert explained(y, np.full_like(y, 2.0)) == 0.0
    assert explained(np.array([[1.0], [np.nan], [3.0]]), np.array([[1.0], [9.0], [3.0]])) == 1.0


def write_spectra(folder, data, known, unknown):
    """A library in MSP, a run in MGF without formulas, and a table of candidates."""
    peaks = ["".join(f"{mass:.5f} {height:.5f}\n" for mass, height in each.peaks) for each in data.spectra]
    with (folder / "lib.msp").open("w") as file:
        for i in known:
            head = f"Name: {i}\nPrecursorMZ: {data.spectra[i].precursor}\nSMILES: {data.smiles[i]}"
            file.write(f"{head}\nNum Peaks: {len(data.spectra[i].peaks)}\n{peaks[i]}\n")
    with (folder / "run.mgf").open("w") as file:
        for i in unknown:
            file.write(f"BEGIN IONS\nTITLE={i}\nPEPMASS={data.spectra[i].precursor:.5f} 7\n{peaks[i]}END IONS\n")
        file.write("BEGIN IONS\nTITLE=stranger\nPEPMASS=9999.5\n100 1\nEND IONS\n")
    lines = [f"{name};{each}" for name, smiles in data.candidates.items() for each in smiles]
    (folder / "candidates.csv").write_text("\n".join(["Formula;SMILES", *lines, "CH4;", ""]))


@pytest.fixture(scope="module")
def synthetic():
    pytest.importorskip("rdkit")
    pytest.importorskip("river")
    return datasets.make_spectra(240)


def better_than_chance(run, folder, data, known, unknown):
    """How often the first candidate is the right one, over how often a random one would be."""
    write_spectra(folder, data, known, unknown)
    said = run("identify", "run.mgf", "--train", "lib.msp", "--candidates", "candidates.csv", "--quiet")
    assert f"{len(unknown)} of {len(unknown) + 1} spectra have candidates" in said
    assert "the right one was first in" in said
    found = read(folder / "run-ranked.csv")
    assert [row["candidates"] for row in found if row["name"] == "stranger"] == ["0"]
    first = {row["name"]: row for row in found if row["rank"] == "1"}
    right = np.mean([first[str(i)]["smiles"] == data.smiles[i] for i in unknown])
    return right / np.mean([1 / int(first[str(i)]["candidates"]) for i in unknown])


def test_spectra_are_identified_among_candidates_of_their_mass(run, tmp_path, synthetic):
    assert better_than_chance(run, tmp_path, synthetic, range(200), range(200, 240)) > 2


def test_metabolites_are_identified(run, tmp_path):
    pytest.importorskip("rdkit")
    try:
        data = datasets.load_metabolites()
    except FileNotFoundError:
        pytest.skip("the metabolite files have no public address; name their folder in HILBERTINE_DATA")
    chosen = np.flatnonzero([len(data.candidates.get(name, [])) > 4 for name in data.formulas] & (data.truth >= 0))
    chosen = rng.permutation(chosen)[:300].tolist()
    data.candidates = {data.formulas[i]: data.candidates[data.formulas[i]] for i in chosen}
    assert better_than_chance(run, tmp_path, data, chosen[40:], chosen[:40]) > 1.2


def test_what_identify_refuses(run, tmp_path, synthetic):
    write_spectra(tmp_path, synthetic, range(20), range(20, 22))
    words = ("identify", "run.mgf", "--train", "lib.msp", "--candidates", "bad.csv", "--quiet")
    (tmp_path / "bad.csv").write_text("formula,smiles\nC2H6O,CCO\nXq7,CCC\n")
    assert "line 3, column 'formula': 'Xq7' is no formula" in run(*words, fails=True)
    (tmp_path / "bad.csv").write_text("formula,inchikey\nC2H6O,XX\n")
    assert "has no column 'smiles'" in run(*words, fails=True)
    assert "--adduct must be one of" in run(*words, "--adduct", "[M]", fails=True)
    (tmp_path / "lib.msp").write_text("Name: a\nPrecursorMZ: 100\nNum Peaks: 1\n50 1\n")
    assert "at least 10 are needed" in run(*words, fails=True)
    assert not (tmp_path / "run-ranked.csv").exists()
