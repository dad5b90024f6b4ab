"""Docstrings of the public API: a formula or a sentence first, then sections that numpydoc reads."""

import ast
import inspect
import warnings

import numpy as np
import pytest

import hilbertine
from hilbertine import (
    assumptions,
    conformal,
    containers,
    datasets,
    kernels,
    losses,
    matrices,
    metrics,
    operator_kernels,
    spaces,
    stability,
)
from hilbertine import solvers as algorithms
from hilbertine.dual import Dual
from hilbertine.function import Expansion
from hilbertine.risk import Risk

docscrape = pytest.importorskip("numpydoc.docscrape")
MODULES = [
    hilbertine, assumptions, conformal, containers, datasets, datasets.outliers, kernels, losses, matrices, metrics,
    operator_kernels, algorithms, spaces, stability,
]  # fmt: skip
REQUIRED = inspect.Parameter.empty


def exported(module):
    """The classes and functions of a module's `__all__`; without one, those that it defines under public names."""
    names = getattr(module, "__all__", None)
    things = vars(module) if names is None else names
    for thing in (getattr(module, name) for name in things if not name.startswith("_")):
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and (
            names is not None or thing.__module__ == module.__name__
        ):
            yield thing


def own_methods(cls):
    """The methods that a class defines under public names, and `__call__`."""
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", member)
        if inspect.isfunction(function) and (name == "__call__" or not name.startswith("_")):
            yield name


PUBLIC = list(dict.fromkeys([*(thing for module in MODULES for thing in exported(module)), Dual, Expansion, Risk]))
# What a public class inherits is public too, whatever the name of the base class.
CLASSES = dict.fromkeys(
    base for cls in PUBLIC if inspect.isclass(cls) for base in cls.__mro__ if base.__module__.startswith("hilbertine")
)
METHODS = [(cls, name) for cls in CLASSES for name in own_methods(cls)]


def name_of(thing):
    return thing if isinstance(thing, str) else f"{thing.__module__}.{thing.__qualname__}"


def parsed(text):
    """The docstring as numpydoc reads it, whose warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return docscrape.NumpyDocString(text)


def parameters(function):
    """The default of every parameter, named as numpydoc does: *args and **settings with their stars."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(function).parameters.values()
    return {stars.get(each.kind, "") + each.name: each.default for each in found if each.name not in ("self", "cls")}


def entries(doc, section):
    """(name, entry) of every item of a section; names that share an entry are apart."""
    return [(name, entry) for entry in doc[section] for name in entry.name.split(", ")]


def check_form(text):
    """Every section that is there: items with a type and words, and doctests nowhere but under Examples."""
    doc = parsed(text)
    assert "".join(doc["Summary"]).strip()
    examples = "\n".join(doc["Examples"])
    assert text.count(">>>") == examples.count(">>>"), "doctests belong under the heading Examples"
    for section in ("Parameters", "Attributes", "Returns", "Yields"):
        for entry in doc[section]:
            assert entry.type, f"{section}: {entry.name} has no type"
            assert "".join(entry.desc).strip(), f"{section}: {entry.name or entry.type} has no words"
    return doc


def check_parameters(doc, defaults):
    described = {name: entry.type for name, entry in entries(doc, "Parameters")}
    assert list(described) == list(defaults)
    for name, default in defaults.items():
        _, given, stated = described[name].partition("default=")
        assert bool(given) == (default is not REQUIRED), name
        assert not given or ast.literal_eval(stated) == default, name


def check_result(doc, function):
    if inspect.signature(function).return_annotation is not None:
        assert doc["Returns"] or doc["Yields"]


@pytest.mark.parametrize("thing", PUBLIC, ids=name_of)
def test_classes_and_functions(thing):
    # A docstring of its own: that of a base class would speak of other parameters.
    doc = check_form(inspect.cleandoc(thing.__doc__ or ""))
    check_parameters(doc, parameters(thing))
    if inspect.isfunction(thing):
        check_result(doc, thing)


def words(cls, name):
    """The docstring of a method, or of what it overrides where it has none."""
    docs = (getattr(vars(base).get(name), "__doc__", None) for base in cls.__mro__)
    return inspect.cleandoc(next(filter(None, docs), ""))


@pytest.mark.parametrize(("cls", "name"), METHODS, ids=name_of)
def test_methods(cls, name):
    method = getattr(cls, name)
    doc = check_form(words(cls, method.__name__))
    # What a base class says must fit the parameters of the method that inherits its words.
    if defaults := parameters(vars(cls)[name] if inspect.isfunction(vars(cls)[name]) else method):
        check_parameters(doc, defaults)
        check_result(doc, method)


X = np.linspace(0.0, 1.0, 6)[:, None]
FITS = {
    hilbertine.KernelAutoencoder: lambda: hilbertine.KernelAutoencoder(1).fit(X),
    hilbertine.FunctionalRegressor: lambda: hilbertine.FunctionalRegressor().fit(X, np.sin(X + np.arange(5))),
    hilbertine.ConformalRegressor: lambda: hilbertine.ConformalRegressor(method="cv+").fit(X, X),
    hilbertine.RegressorCV: lambda: hilbertine.RegressorCV(hilbertine.Ridge(), lams=[0.1], cv=2).fit(X, X),
}
ESTIMATORS = [thing for thing in exported(hilbertine) if inspect.isclass(thing)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_what_a_fit_leaves_is_documented(estimator):
    fitted = vars(FITS.get(estimator, lambda: estimator().fit(X, X))())
    documented = [name for name, _ in entries(parsed(inspect.getdoc(estimator)), "Attributes")]
    assert sorted(documented) == sorted(name for name in fitted if name.endswith("_") and name[0] != "_")


def test_a_docstring_of_another_form_is_found():
    with pytest.raises(AssertionError, match="has no type"):
        check_form("f.\n\nParameters\n----------\na\n    A number.")
    with pytest.raises(AssertionError, match="Examples"):
        check_form("f.\n\n>>> 1 + 1\n2")
    with pytest.raises(AssertionError):
        check_parameters(parsed("f.\n\nParameters\n----------\na : int, default=2\n    A number."), {"a": 1})
    with pytest.raises(AssertionError):
        check_parameters(parsed("f.\n\nParameters\n----------\na : int\n    A number."), {"a": REQUIRED, "b": REQUIRED})
