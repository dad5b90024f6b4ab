"""What is published: a wheel and an archive with everything in them and nothing else, and one place for each fact."""

import email
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import hilbertine

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOWEST = {re.split(r"[><]", each)[0]: re.search(r">=([\d.]+)", each)[1] for each in PROJECT["project"]["dependencies"]}
SOURCES = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a wheel and an archive, built by hatchling itself: no network."""
    pytest.importorskip("hatch_fancy_pypi_readme")
    builders = [pytest.importorskip("hatchling.builders.sdist").SdistBuilder]
    builders.append(pytest.importorskip("hatchling.builders.wheel").WheelBuilder)
    folder = tmp_path_factory.mktemp("dist")
    for builder in builders:
        assert list(builder(str(ROOT)).build(directory=str(folder)))
    return folder


def test_the_wheel_holds_the_package_and_nothing_else(built):
    (path,) = built.glob("*.whl")
    assert path.name == f"hilbertine-{hilbertine.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if ".dist-info/" not in name]
        info = {Path(name).name: wheel.read(name).decode() for name in wheel.namelist() if ".dist-info/" in name}
    assert set(names) == SOURCES | {"hilbertine/py.typed"}
    assert info["entry_points.txt"].split("\n")[:2] == ["[console_scripts]", "hilbertine = hilbertine.cli:main"]
    assert info["LICENSE"] == text("LICENSE")
    about = email.message_from_string(info["METADATA"])
    assert about["Version"] == hilbertine.__version__
    assert about["License-Expression"] == "BSD-3-Clause"
    assert about["Requires-Python"] == PROJECT["project"]["requires-python"]
    assert set(about.get_all("Provides-Extra")) == set(PROJECT["project"]["optional-dependencies"])
    page = about.get_payload()
    assert page.startswith("# hilbertine")
    assert re.findall(r"\]\((?!https?://|#).*?\)", page) == []
    assert f"/v{hilbertine.__version__}/docs/choosing.md" in page


def test_the_archive_holds_what_tests_and_pages_need(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        sizes = {member.name.partition("/")[2]: member.size for member in archive.getmembers()}
    assert {f"src/{name}" for name in SOURCES} <= set(sizes)
    needed = ("tests", "docs", "examples", "benchmarks")
    assert {name.split("/")[0] for name in sizes if "/" in name} >= set(needed)
    tracked = [path for part in needed for path in (ROOT / part).rglob("*.py") if "_build" not in path.parts]
    kept = {path.relative_to(ROOT).as_posix() for path in tracked if not {"api", "gallery"} & set(path.parts)}
    assert kept <= set(sizes)
    assert {"README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md", "pyproject.toml"} <= set(sizes)
    assert not [name for name in sizes if name.startswith((".git/", ".venv", "dist", "results"))]
    # Pictures are the largest; data are somewhere else.
    assert max(sizes.values()) < 400_000
    assert sum(sizes.values()) < 6_000_000


def test_the_version_stands_in_one_place():
    found = re.compile(rf"(?<![\d.=]){re.escape(hilbertine.__version__)}(?![\d.])")
    homes = ["pyproject.toml", "CITATION.cff", "conda/recipe.yaml", "docs/conf.py", "docs/support.md", "paper/paper.md"]
    assert [home for home in homes if found.search(text(home))] == []
    assert text("src/hilbertine/version.py").count(hilbertine.__version__) == 1


def test_lowest_versions_are_those_of_the_package_wherever_they_stand():
    recipe = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", text("conda/recipe.yaml").partition("  run:")[2], re.M))
    assert recipe == {"python": "3.11", **LOWEST}
    page = {
        name.lower(): lowest for name, lowest in re.findall(r"^\| ([\w-]+) \| ([\d.]+)", text("docs/support.md"), re.M)
    }
    assert page == recipe
    assert PROJECT["project"]["requires-python"] == f">={recipe['python']}"


def test_the_versions_of_python_are_those_that_are_tested():
    said = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    workflow = text(".github/workflows/tests.yml") if (ROOT / ".github").is_dir() else pytest.skip("no workflows here")
    assert re.search(r"python: \[(.*)\]", workflow)[1] == ", ".join(f'"{version}"' for version in said)
    assert f"tested up to {said[-1]}" in text("docs/support.md")


def test_what_workflows_run_is_there():
    folder = ROOT / ".github" / "workflows"
    if not folder.is_dir():
        pytest.skip("no workflows here")
    for path in folder.glob("*.yml"):
        for script in re.findall(r"run: (\.ci/\w+)", path.read_text(encoding="utf-8")):
            assert (ROOT / script).is_file(), script
        for extra in re.findall(r"\.\[(\w+)\]", path.read_text(encoding="utf-8")):
            assert extra in PROJECT["project"]["optional-dependencies"]


def test_every_reference_of_the_paper_is_in_its_bibliography():
    paper = text("paper/paper.md")
    cited = set(re.findall(r"@([\w-]+)", paper))
    known = set(re.findall(r"^@\w+\{([\w-]+),", text("paper/paper.bib"), re.M))
    assert cited == known
    body = paper.split("---\n")[2]
    assert 250 <= len(body.split()) <= 1000
    for section in ("Summary", "Statement of need", "State of the field", "Software design", "References"):
        assert f"\n# {section}\n" in body
