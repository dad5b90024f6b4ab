"""Examples and the code of the README run as they stand."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent


def names_of(page):
    """What the code of a page leaves behind."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S):
        exec(block, names)
    return names


def test_readme_code_runs_and_says_the_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = names_of("README.md")
    model, bad = names["model"], np.arange(442)[::7]
    found = model.suspects()
    assert f"{found.flagged.sum()} of 442" == "65 of 442"
    assert str(found).startswith("65 of 442 samples are suspects")
    assert np.isin(bad, found.samples[found.flagged]).all()
    assert len(bad) == 64
    assert model.dual_gap_ <= 2e-7


def test_the_code_of_the_first_page_of_the_site():
    assert str(names_of("docs/index.md")["model"].suspects()).startswith("65 of 442 samples are suspects")


def test_the_tutorial_says_the_truth(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = names_of("docs/tutorial.md")
    said, printed = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"), capsys.readouterr().out
    for truth in (
        "ridge -0.27, Huber 0.38", "49 of 331 samples are suspects", "48 of 48 bad rows among 49 suspects",
        "without suspects 0.41", "(2, 3)", "['bird']",
    ):  # fmt: skip
        assert truth in printed
        assert truth in said
    assert names["model"].converged_
    swapped = np.arange(300) % 9 == 0
    assert swapped[names["found"].samples[:30]].all()
    assert names["search"].best_estimator_.score(names["X_test"], names["Y_test"]) > 0.38


def test_the_page_on_scikit_learn_says_the_truth():
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
    names = names_of("docs/scikit_learn.md")
    assert {entry["task_name"] for entry in names["monitor"].get_logs().data} == {"fit", "step"}
    assert not names["rough"].converged_
    assert names["model"].tol < names["rough"].dual_gap_ < 1e-2


# What an example shows, by the names that it leaves behind; the large ones run where the site is built.
SHOWN = {
    "three_lines": lambda names: np.isin(names["bad"], names["found"].samples[names["found"].flagged]).all(),
    "one_bad_cell": lambda names: (
        sorted(names["scores"].values())[-2] < 0 < 0.9 < names["scores"]["HuberRegressor(cells=True)"]
    ),
    "missing_entries": lambda names: (
        names["scores"]['missing="ignore"'][-1] > max(kept[-1] for kept in list(names["scores"].values())[:2])
    ),
    "weights": lambda names: names["errors"]["by their counts"] < 0.7 * names["errors"]["all alike"],
    "which_loss": lambda names: (
        names["errors"]["HuberRegressor"] < names["errors"]["Ridge"] / 2
        and len(names["models"]["EpsilonSVR"].support_) < 40 == len(names["models"]["Ridge"].support_)
    ),
    "search_a_kernel": lambda names: names["search"].average_ == "trimmed",
    "how_sure": lambda names: abs(names["inside"].mean() - 0.9) < 0.04 and names["both"].mean() < 0.86,
    "keep_a_model": lambda names: len(names["sizes"]) == 3,
}


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_shows_what_it_says(name, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(plt, "show", lambda: None)
    names = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
    assert plt.get_fignums()
    plt.close("all")
    assert SHOWN[name](names)


def test_bad_rows(tmp_path):
    main = runpy.run_path(str(ROOT / "examples" / "bad_rows.py"))["main"]
    result = main(str(tmp_path / "picture.png"), splits=2)
    bad, caught, flagged = result["found"]
    assert caught == bad <= flagged < 1.1 * bad
    clean, mixed = (np.mean([each[:, k] for each in result["scores"].values()], axis=1) for k in (0, 1))
    assert mixed[-1] > max(mixed[:-1]) + 0.05
    assert result["repaired"].mean() > max(clean) - 0.05
    assert (tmp_path / "picture.png").stat().st_size > 0


def test_bad_sensors(tmp_path):
    main = runpy.run_path(str(ROOT / "examples" / "bad_sensors.py"))["main"]
    result = main(str(tmp_path / "picture.png"))
    assert np.array_equal(result["suspects"], result["bad"])
    assert result["errors"]["huber"] < result["errors"]["ridge"] / 10
    assert (tmp_path / "picture.png").stat().st_size > 0


def test_spelling(capsys, tmp_path):
    runpy.run_path(str(ROOT / "examples" / "spelling.py"))["main"](str(tmp_path / "picture.png"))
    assert (tmp_path / "picture.png").stat().st_size > 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 9
    assert lines[-1] == "right at once: 100%, among three: 100%"


def test_molecules(capsys, tmp_path):
    runpy.run_path(str(ROOT / "examples" / "molecules.py"))["main"](str(tmp_path / "picture.png"))
    assert (tmp_path / "picture.png").stat().st_size > 0
    out = capsys.readouterr().out
    best, ten = (int(number) for number in re.findall(r"(\d+)%", out.splitlines()[-1]))
    # By chance 0.25% and 2.5%.
    assert best >= 20
    assert ten >= 60
    assert out.count("<- the molecule itself") >= 1
    scores = [float(line.split()[0]) for line in out.splitlines() if line.startswith("  ")]
    assert all(scores[i : i + 3] == sorted(scores[i : i + 3], reverse=True) for i in range(0, len(scores), 3))


def test_label_sets(capsys):
    results = runpy.run_path(str(ROOT / "examples" / "label_sets.py"))["main"]()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(results)
    assert results["linear, clamped"][:2] == results["ridge, clamped"][:2]
    exact = {name: result[1] for name, result in results.items()}
    assert exact["linear, clamped"] + 2 < exact["linear, chosen"] < exact["Gaussian 0.1"] < exact["Gaussian 1"]
    assert max(abs(gap) for _, _, gap in results.values()) <= 1e-12
