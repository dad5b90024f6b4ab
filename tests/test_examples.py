"""Examples and the code of the README run as they stand."""

import re
import runpy
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent


def test_readme_code_runs_and_says_the_truth():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S):
        exec(block, names)
    model, bad = names["model"], np.arange(442)[::7]
    found = model.suspects()
    assert f"{found.flagged.sum()} of 442" == "65 of 442"
    assert str(found).startswith("65 of 442 samples are suspects")
    assert np.isin(bad, found.samples[found.flagged]).all()
    assert len(bad) == 64
    assert model.dual_gap_ <= 1e-7


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


def test_spelling(capsys):
    runpy.run_path(str(ROOT / "examples" / "spelling.py"))["main"]()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 9
    assert lines[-1] == "right at once: 100%, among three: 100%"


def test_molecules(capsys):
    runpy.run_path(str(ROOT / "examples" / "molecules.py"))["main"]()
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
