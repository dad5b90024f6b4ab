"""The command line: what it writes, and what it says when something is missing."""

import inspect
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from hilbertine import __version__, cli
from hilbertine.experiments import NAMES, Experiment, load, yeast


@pytest.fixture
def app():
    return cli._app()


def test_reproduce_writes_a_table_a_figure_and_a_record(app, tmp_path, monkeypatch):
    row = {"loss": "Ridge", "lam": 1e-3, "parameter": None, "hamming": 18.9, "standard_error": 0.46, "paper": 19.0}
    row |= {"cv_mse": 1.9, "support": 3, "saturated": 0, "gap": 1e-9, "worst_cv_gap": 1e-9, "seconds": 1.0}
    row |= {"exact_match": 20.1, "search_seconds": 2.0}
    peer = {"model": "SVC chain", "hamming": 18.7, "standard_error": 0.47, "exact_match": 21.8, "seconds": 3.0}
    result = {
        "rows": [row],
        "peers": [peer],
        "published": {"SSVM": 20.2, "SPEN": 20.0},
        "curves": [{"loss": "Ridge", "lam": [1e-3, 1e-2], "mse": [1.9, 2.0]}],
    }
    monkeypatch.setattr(yeast, "run", lambda settings: result)
    outcome = CliRunner().invoke(app, ["reproduce", "yeast", "--quick", "--out", str(tmp_path)])
    assert outcome.exit_code == 0, outcome.output
    assert "18.90 ± 0.46" in outcome.output
    assert "18.70 ± 0.47" in outcome.output
    assert "20.2" in outcome.output
    assert (tmp_path / "yeast.json").stat().st_size > 0
    assert (tmp_path / "yeast.png").stat().st_size > 0


def test_an_unknown_experiment_is_named_with_the_known_ones(app):
    outcome = CliRunner().invoke(app, ["reproduce", "mnist"])
    assert outcome.exit_code != 0
    assert "mnist" in outcome.output
    assert "yeast" in outcome.output


def test_version(app):
    assert CliRunner().invoke(app, ["--version"]).output.strip() == __version__


def test_without_the_extra_it_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from hilbertine.cli import main; main()"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert outcome.returncode != 0
    assert "pip install 'hilbertine[paper]'" in outcome.stderr
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_is_one(name):
    experiment = load(name)
    assert isinstance(experiment, Experiment)
    for part in ("run", "columns", "draw"):
        _, *asked = inspect.signature(getattr(Experiment, part)).parameters
        assert list(inspect.signature(getattr(experiment, part)).parameters) == asked


def test_another_module_is_no_experiment(monkeypatch):
    monkeypatch.setitem(NAMES, "places", "places")
    with pytest.raises(TypeError, match="needs TITLE, NOTE, run, columns and draw"):
        load("places")
