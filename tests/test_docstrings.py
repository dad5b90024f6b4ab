"""Docstrings of the public API: a formula or a sentence first, then sections that numpydoc reads."""

import inspect
import warnings
from types import ModuleType

import pytest

import hilbertine
from hilbertine import (
    assumptions,
    containers,
    datasets,
    kernels,
    losses,
    matrices,
    metrics,
    operator_kernels,
    solvers,
    spaces,
    stability,
)
from hilbertine.dual import Dual
from hilbertine.function import Expansion
from hilbertine.risk import Risk

docscrape = pytest.importorskip("numpydoc.docscrape")
MODULES = [
    hilbertine, kernels, losses, operator_kernels, spaces, solvers, metrics, stability, assumptions, datasets,
    datasets.outliers, matrices, containers,
]  # fmt: skip


def exported(module):
    """What a module's `__all__` names; without one, what it defines under a public name."""
    names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    things = [getattr(module, name) for name in names]
    own = (
        things if hasattr(module, "__all__") else [t for t in things if getattr(t, "__module__", "") == module.__name__]
    )
    return [thing for thing in own if not isinstance(thing, ModuleType) and callable(thing)]


THINGS = {thing: None for module in MODULES for thing in exported(module)} | dict.fromkeys((Dual, Expansion, Risk))


def methods(cls):
    """The public methods, and `__call__`, that the class itself defines."""
    for name, member in vars(cls).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if inspect.isfunction(function) and (name == "__call__" or not name.startswith("_")):
            yield name


CLASSES = {
    base: None
    for cls in THINGS
    if inspect.isclass(cls)
    for base in reversed(cls.__mro__)
    if base.__module__.startswith("hilbertine")
}
METHODS = [(cls, name) for cls in CLASSES for name in methods(cls)]


def parsed(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return docscrape.NumpyDocString(text)


def arguments(function):
    """Parameters as numpydoc names them: *args with their stars, and no self."""
    found = inspect.signature(function).parameters
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return {stars.get(p.kind, "") + p.name: p.default for p in found.values() if p.name not in ("self", "cls")}


def check_sections(doc):
    """Sections with types and words, and sessions nowhere but under Examples."""
    assert "".join(doc["Summary"]).strip()
    assert not [section for section in doc.sections if section != "Examples" and ">>>" in str(doc[section])]
    for section in ("Parameters", "Attributes"):
        for entry in doc[section]:
            assert entry.name
            assert entry.type, entry.name
            assert "".join(entry.desc).strip(), entry.name
    for section in ("Returns", "Yields"):
        for entry in doc[section]:
            assert entry.type
            assert "".join(entry.desc).strip()


def check_parameters(doc, defaults):
    described = {name: entry.type for entry in doc["Parameters"] for name in entry.name.split(", ")}
    assert list(described) == list(defaults)
    for name, default in defaults.items():
        stated = described[name].split("default=")[1:]
        assert stated == ([] if default is inspect.Parameter.empty else [repr(default)]), name


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: f"{thing.__module__}.{thing.__qualname__}")
def test_classes_and_functions(thing):
    assert thing.__doc__
    doc = parsed(inspect.cleandoc(thing.__doc__))
    check_sections(doc)
    check_parameters(doc, arguments(thing))
    if not inspect.isclass(thing) and inspect.signature(thing).return_annotation is not None:
        assert doc["Returns"] or doc["Yields"]


@pytest.mark.parametrize(("cls", "name"), METHODS, ids=lambda part: getattr(part, "__qualname__", part))
def test_methods(cls, name):
    method = getattr(cls, name)
    text = inspect.getdoc(method) if vars(cls)[name].__doc__ else inspect.getdoc(getattr(cls, name))
    assert text
    doc = parsed(text)
    check_sections(doc)
    defaults = arguments(vars(cls)[name])
    if defaults:
        check_parameters(doc, defaults)
        if inspect.signature(method).return_annotation is not None:
            assert doc["Returns"] or doc["Yields"]
