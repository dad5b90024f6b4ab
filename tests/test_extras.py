"""Packages that are not there: each error has the line to type, and the extra of that line exists and brings them."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hilbertine

ROOT = Path(__file__).parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FIT = "from hilbertine import *; m = Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])"
USES = {
    "typer": "from hilbertine.cli import main; main()",
    "rich": "import sys; sys.argv = ['', 'reproduce', 'losses']; from hilbertine.cli import main; main()",
    "matplotlib": f"{FIT}; m.plot_residuals()",
    "rdkit": "from hilbertine.datasets import fingerprints; fingerprints(['CCO'])",
    "river": "from hilbertine.datasets import load_yeast; load_yeast()",
    "pooch": "from hilbertine.datasets import load_lip; load_lip()",
    "grakel": "from hilbertine.kernels import Graphs; Graphs()([({(0, 1): 1}, {0: 'a', 1: 'b'})], [])",
    "pywt": "from hilbertine.spaces import Wavelet; import numpy as np; Wavelet(4, 'db2').values(np.linspace(0, 1, 8))",
    "pyarrow": "open('t.parquet', 'w'); from hilbertine.tables import as_table; as_table('t.parquet')",
}
PACKAGES = {"pywt": "PyWavelets"}


def without(package, code, folder):
    """What an interpreter says in which a package cannot be imported, in a place without data."""
    blocked = f"import sys, importlib.util as u; sys.modules[{package!r}] = None; f = u.find_spec; "
    blocked += f"u.find_spec = lambda name, *more: None if name == {package!r} else f(name, *more); "
    clean = {name: value for name, value in os.environ.items() if name != "HILBERTINE_DATA"}
    clean |= {"PYTHONPATH": str(Path(hilbertine.__file__).parents[1]), "XDG_CACHE_HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", blocked + code], capture_output=True, text=True, check=False, cwd=folder, env=clean
    )


def brings(extra, package):
    """Whether an extra, or one that it names, has the package."""
    wanted = PACKAGES.get(package, package).lower()
    nested = [name for each in EXTRAS[extra] for name in re.findall(r"hilbertine\[(.*?)\]", each)]
    return any(re.match(rf"{wanted}\b", each.lower()) for each in EXTRAS[extra]) or any(
        brings(name, package) for names in nested for name in names.split(",")
    )


@pytest.mark.parametrize("package", USES)
def test_a_missing_package_is_named_with_the_line_to_type(package, tmp_path):
    outcome = without(package, USES[package], tmp_path)
    assert outcome.returncode != 0
    said = outcome.stderr.strip().splitlines()[-1] if package != "rich" else outcome.stderr
    found = re.findall(r"pip install 'hilbertine\[(\w+)\]'", said)
    assert found, outcome.stderr[-500:]
    assert any(brings(extra, package) for extra in found)
    if package in ("typer", "rich"):
        assert "Traceback" not in outcome.stderr


def test_every_extra_that_a_page_or_an_error_names_is_there():
    places = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/**/*.py")]
    named = {name for path in places for name in re.findall(r"(?:hilbertine|\.)\[([a-z,]+)\]['\"`]", path.read_text())}
    assert {each for name in named for each in name.split(",")} <= set(EXTRAS)
    assert named
