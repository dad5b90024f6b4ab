"""Imports go strictly down, the core stands alone, and files stay short."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import hilbertine

ROOT = Path(hilbertine.__file__).parent
# From high to low. Units on one line do not see each other; `hilbertine` is the package's own __init__.
LAYERS = [
    {"cli"},
    {"experiments", "commands", "discovery"},
    {"hilbertine"},
    {"files"},
    {"datasets", "tables"},
    {"estimators"},
    {"plotting"},
    {"function"},
    {"conformal"},
    {"solvers", "stability", "metrics", "assumptions"},
    {"dual"},
    {"risk"},
    {"operator_kernels"},
    {"spaces"},
    {"losses", "kernels"},
    {"matrices", "containers"},
    {"checks"},
    {"spread"},
    {"memory", "store"},
    {"lanczos", "threads", "waiting"},
    {"factors"},
    {"doors"},
    {"expected"},
    {"arrays", "docstrings", "site", "version", "writing"},
]
HEIGHT = {unit: -level for level, units in enumerate(LAYERS) for unit in units}
PUBLIC = {
    "Regressor", "Ridge", "EpsilonRidge", "HuberRegressor", "EpsilonSVR", "RegressorCV", "StructuredPredictor",
    "FunctionalRegressor", "KernelAutoencoder", "ConformalRegressor", "conformal", "kernels", "spaces",
    "operator_kernels", "losses", "solvers", "stability", "metrics", "datasets", "save", "load",
}  # fmt: skip
EXTRAS = [
    "matplotlib", "typer", "rich", "river", "rdkit", "pooch", "skfda", "pywt", "grakel", "pandas", "pyarrow", "dask",
    "distributed",
]  # fmt: skip
FIT = "from hilbertine import Ridge; Ridge(kernel='precomputed').fit([[1.0]], [2.0]).predict([[1.0]])"
PACKAGES = [path.parent.name for path in sorted(ROOT.glob("*/__init__.py"))]
every_file = pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))


def module_name(path: Path) -> str:
    return ".".join(("hilbertine", *path.relative_to(ROOT).with_suffix("").parts))


def unit_of(module: str) -> str:
    """The module or subpackage right under the root that a dotted name lies in."""
    parts = module.removesuffix(".__init__").split(".")
    return parts[1] if len(parts) > 1 else "hilbertine"


def imports(source: str, module: str) -> Iterator[tuple[str, str]]:
    """(unit, name) for every import from within the package, at the top or inside a function."""
    package = module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            targets = [(origin, alias.name) for alias in node.names]
        else:
            continue
        for origin, name in targets:
            if origin == "hilbertine" and name in HEIGHT:
                yield name, name
            elif origin.split(".")[0] == "hilbertine":
                yield unit_of(origin), name


@pytest.mark.parametrize(
    ("source", "module", "found"),
    [
        ("from ..metrics import r2", "hilbertine.solvers.base", ("metrics", "r2")),
        ("def f():\n    from ..kernels.base import Domain", "hilbertine.spaces.rkhs", ("kernels", "Domain")),
        ("from .. import losses", "hilbertine.estimators.base", ("losses", "losses")),
        ("from . import dual", "hilbertine.metrics", ("dual", "dual")),
        ("from .base import Loss", "hilbertine.losses.__init__", ("losses", "Loss")),
        ("from .losses import Loss", "hilbertine.__init__", ("losses", "Loss")),
        ("from hilbertine import Ridge", "hilbertine.cli", ("hilbertine", "Ridge")),
        ("import hilbertine.dual as d", "hilbertine.cli", ("dual", "")),
        ("if True:\n    import numpy", "hilbertine.cli", None),
        ("from hilbertinesque import losses", "hilbertine.cli", None),
    ],
)
def test_every_form_of_import_is_seen(source, module, found):
    assert list(imports(source, module)) == ([] if found is None else [found])


@every_file
def test_every_module_has_a_layer(path):
    assert unit_of(module_name(path)) in HEIGHT


@every_file
def test_imports_go_strictly_down(path):
    own = unit_of(module_name(path))
    others = {unit for unit, _ in imports(path.read_text(), module_name(path)) if unit != own}
    assert {unit for unit in others if HEIGHT[unit] >= HEIGHT[own]} == set()


def test_the_dual_knows_no_concrete_loss_or_kernel():
    seen = set(imports((ROOT / "dual.py").read_text(), "hilbertine.dual"))
    assert {(unit, name) for unit, name in seen if unit not in ("arrays", "checks", "doors")} == {
        ("losses", "Loss"),
        ("losses", "Units"),
        ("operator_kernels", "Gram"),
        ("risk", "Risk"),
        *(("risk", name) for name in ("both", "relative", "second", "special_rows", "terms", "with_totals")),
        *(("risk", name) for name in ("counted_in", "extraordinary", "units_of")),
    }


@cache
def modules_after(statement: str) -> frozenset[str]:
    """The modules of a fresh interpreter after one statement."""
    result = subprocess.run(
        [sys.executable, "-c", f"import sys; {statement}; print(*sys.modules)"],
        env={**os.environ, "PYTHONPATH": str(ROOT.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(result.stdout.split())


@pytest.mark.parametrize("optional", [*EXTRAS, "torch"])
def test_importing_the_package_leaves_optional_packages_alone(optional):
    # scikit-learn brings rich along where it is installed.
    added = modules_after("import hilbertine") - modules_after("import sklearn.metrics")
    assert "hilbertine.dual" in added
    assert optional not in added


def test_the_package_fits_where_no_extra_is_installed():
    blocked = f"sys.modules.update(dict.fromkeys({EXTRAS!r}))"
    assert "hilbertine.dual" in modules_after(f"{blocked}; {FIT}")


def lengths(source: str) -> Iterator[tuple[int, str]]:
    """(lines of code in its body, name) of every function: without docstring, comments and empty lines."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            # A decorator stands above the line that its function is said to begin at.
            first = [*getattr(body[0], "decorator_list", []), body[0]][0].lineno if body else 0
            inside = lines[first - 1 : node.end_lineno] if body else []
            yield sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in inside), node.name


@pytest.mark.parametrize(
    ("source", "length"),
    [
        ("def f(): return 1", 1),
        ('def f(\n    x,\n):\n    """Words."""\n    # A reason.\n    y = x\n\n    return y', 2),
        ('def f():\n    """Words alone."""', 0),
        ("@cache\ndef f():\n    @cache\n    def g():\n        pass\n    return g", 4),
    ],
)
def test_lines_of_code_are_counted(source, length):
    assert (length, "f") in lengths(source)


def test_functions_stay_short():
    found = [length for path in ROOT.rglob("*.py") for length in lengths(path.read_text())]
    middle, long, longest = (sorted(found)[round(part * (len(found) - 1))] for part in (0.5, 0.9, 1.0))
    assert (middle[0] <= 4, long[0] <= 15, longest[0] <= 45) == (True, True, True), (middle, long, longest)


@every_file
def test_source_files_stay_short(path):
    assert len(path.read_text().splitlines()) < 280


@pytest.mark.parametrize("module", ["hilbertine", *(f"hilbertine.{name}" for name in PACKAGES)])
def test_public_names_exist(module):
    module = import_module(module)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert len(set(module.__all__)) == len(module.__all__)


def test_the_package_exports_public_names_and_nothing_else():
    assert set(hilbertine.__all__) == PUBLIC
