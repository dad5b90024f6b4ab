"""One page for each module and one for each public name, from `__all__`: nothing public is left out."""

import inspect
from importlib import import_module
from pathlib import Path

ROOT = "hilbertine"
# The modules in the order a reader needs them, each with its title.
MODULES = {
    "hilbertine": "Estimators, and models in files",
    "hilbertine.losses": "Losses",
    "hilbertine.kernels": "Kernels",
    "hilbertine.spaces": "Output spaces, bases and decoders",
    "hilbertine.operator_kernels": "Operator-valued kernels",
    "hilbertine.solvers": "Solvers",
    "hilbertine.conformal": "Sets of outputs",
    "hilbertine.metrics": "Metrics and scorers",
    "hilbertine.datasets": "Data",
    "hilbertine.datasets.outliers": "Outliers, made on purpose",
    "hilbertine.dual": "The dual problem",
    "hilbertine.risk": "Losses bound to their rows",
    "hilbertine.stability": "Stability",
    "hilbertine.assumptions": "Assumptions, checked",
    "hilbertine.matrices": "Matrices",
    "hilbertine.files": "Files",
}


def public(name: str) -> list[str]:
    """The public classes, functions and values of a module; without `__all__`, those that it defines.

    Left out is what the package itself exports: it has its page there.
    """
    module = import_module(name)
    listed = getattr(module, "__all__", None)
    found = [each for each in (listed or vars(module)) if not each.startswith("_")]
    things = {each: getattr(module, each) for each in found}
    return sorted(
        (
            each
            for each, thing in things.items()
            if not inspect.ismodule(thing)
            and (listed or defined(thing, name))
            and (name == ROOT or not known(each, thing))
        ),
        key=str.lower,
    )


def known(name: str, thing: object) -> bool:
    return getattr(import_module(ROOT), name, None) is thing


def defined(thing: object, module: str) -> bool:
    return (inspect.isclass(thing) or inspect.isfunction(thing)) and thing.__module__ == module


def write(folder: Path) -> list[str]:
    """The pages of all modules, left alone where nothing changed; returns their paths."""
    folder.mkdir(exist_ok=True)
    contents = "\n".join(f"   {name}" for name in MODULES)
    pages = {"index": f"{titled('Reference')}Every public name.\n\n.. toctree::\n   :maxdepth: 1\n\n{contents}\n"}
    for name, title in MODULES.items():
        names = "\n".join(f"   {each}" for each in public(name))
        pages[name] = (
            f"{titled(title)}.. automodule:: {name}\n   :no-members:\n\n.. currentmodule:: {name}\n\n"
            f".. autosummary::\n   :toctree: .\n   :nosignatures:\n\n{names}\n"
        )
    for name, text in pages.items():
        page = folder / f"{name}.rst"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
    return [str(folder / f"{name}.rst") for name in pages]


def titled(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n"
