"""The examples on curves and the code of docs/curves.md run as they stand and say the truth."""

import os
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent


def main_of(name):
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"]


def test_the_code_of_the_page_on_curves(tmp_path, monkeypatch):
    pytest.importorskip("skfda")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "curves.md").read_text(encoding="utf-8"), re.S):
        exec(block, names)
    model, X = names["model"], names["X"]
    assert model.predict(X[:2]).shape == (2, 100)
    assert model.predict(X[:2], grid=[0.25, 0.5, 0.75]).shape == (2, 3)
    found = model.suspects()
    assert names["worst"].tolist() == np.sort(found.samples[:3]).tolist() == [5, 17, 40]
    assert found.flagged.sum() == 4
    assert found.ratios[2] > 5 > 3 > found.ratios[3]
    assert len(model.set_params(loss__kappa=0.1).fit(X, names["Y"]).saturated_) == 29
    model.set_params(loss__kappa=0.3).fit(X, names["Y"])
    assert model.dual_gap_ <= 1e-6
    # As the page has it: near 1 a basis cannot express the curves, near the duality gap it costs nothing.
    assert names["gaps"][5] > 0.5
    assert names["gaps"][45] < 1e-3
    assert all((tmp_path / f"{name}.png").stat().st_size > 0 for name in ("prediction", "outliers"))


def check_lip(result, picture):
    errors, fits, outliers = result["errors"], result["fits"], np.flatnonzero(result["outliers"])
    for way in ("trimmed", "trusted"):
        assert errors["Huber", way] < 0.9 * errors["ridge", way]
        assert fits["Huber", way].dual_gap_ <= 1e-8 < fits["Huber", way].truncation_gap_
    assert np.array_equal(result["worst"], outliers)
    assert set(outliers) <= set(fits["Huber", "trimmed"].saturated_)
    assert result["cosines"].truncation_gap_ < fits["Huber", "trimmed"].truncation_gap_
    assert picture.stat().st_size > 0


def test_muscle_to_lip_without_the_data(tmp_path, monkeypatch, capsys):
    def unreachable(*arguments, **settings):
        raise OSError

    monkeypatch.setattr(pytest.importorskip("pooch"), "retrieve", unreachable)
    monkeypatch.delenv("HILBERTINE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    check_lip(main_of("emg_to_acceleration")(str(tmp_path / "picture.png")), tmp_path / "picture.png")
    assert "Synthetic curves instead of the Lip data" in capsys.readouterr().out


@pytest.mark.skipif("HILBERTINE_DATA" not in os.environ, reason="the Lip data are in the folder of HILBERTINE_DATA")
def test_muscle_to_lip(tmp_path, capsys):
    result = main_of("emg_to_acceleration")(str(tmp_path / "picture.png"))
    check_lip(result, tmp_path / "picture.png")
    out = capsys.readouterr().out
    assert "Synthetic" not in out
    assert "36 curves of 641 points, 4 of them flipped" in out


def test_weather(tmp_path, capsys):
    pytest.importorskip("vega_datasets")
    result = main_of("weather")(str(tmp_path / "picture.png"))
    # In degrees Celsius; a faulty reading is off by eight at least.
    assert result["errors"]["Huber"] < 0.3 < 0.5 < result["errors"]["ridge"]
    assert result["found"] >= 0.9 * result["faulty"] > 0
    assert result["fits"]["Huber"].dual_gap_ <= 1e-6
    assert "10% of the hours are missing" in capsys.readouterr().out
    assert (tmp_path / "picture.png").stat().st_size > 0


def test_scalar_on_function(tmp_path):
    pytest.importorskip("skfda")
    result = main_of("scalar_on_function")(str(tmp_path / "picture.png"))
    # On sound numbers all do well, on spoilt ones Huber alone.
    assert all(sound < 0.03 for sound, _ in result["errors"].values())
    assert {name for name, (_, spoilt) in result["errors"].items() if spoilt < 0.03} == {"Huber"}
    assert all(spoilt > 0.1 for name, (_, spoilt) in result["errors"].items() if name != "Huber")
    assert set(result["wrong"]) <= set(result["suspects"])
    assert (tmp_path / "picture.png").stat().st_size > 0


def test_scalar_on_function_without_scikit_fda(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "skfda", None)
    main = main_of("scalar_on_function")
    models = main.__globals__["MODELS"]
    monkeypatch.delitem(models, "Huber")
    assert list(main()["errors"]) == ["ridge"]
    assert "scikit-fda  not installed: pip install 'hilbertine[functional]'" in capsys.readouterr().out
