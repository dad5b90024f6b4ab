"""What a notebook links to is a page of the reference; every public name has one."""

import importlib.util
import inspect
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import hilbertine
from hilbertine import kernels
from hilbertine.site import SITE

DOCS = Path(__file__).parent.parent / "docs"


def helper(name):
    """A module beside the site's configuration."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = helper("api_pages")
NAMES = [(module, name) for module in PAGES.MODULES for name in PAGES.public(module)]


def test_names_of_the_package_have_pages():
    assert {("hilbertine", name) for name in ("HuberRegressor", "save")} <= set(NAMES)
    assert {("hilbertine.losses", name) for name in hilbertine.losses.__all__} <= set(NAMES)
    assert ("hilbertine.stability", "generalisation_bound") in NAMES


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_what_can_be_shown_in_a_notebook_links_to_its_page(module, name):
    cls = getattr(importlib.import_module(module), name)
    if not (inspect.isclass(cls) and issubclass(cls, BaseEstimator)):
        return
    # Links depend on the class alone.
    assert cls.__new__(cls)._get_doc_link() == f"{SITE}/api/{module}.{name}.html"


def test_the_representation_of_an_estimator_holds_the_link():
    assert f"{SITE}/api/hilbertine.HuberRegressor.html" in hilbertine.HuberRegressor()._repr_html_()


def test_a_class_of_the_user_has_no_page_here():
    class Mine(kernels.Gaussian):
        pass

    assert Mine()._get_doc_link() == ""


def test_every_example_has_its_place_in_the_gallery():
    order = helper("gallery_order").ORDER
    assert sorted(order) == sorted(path.stem for path in (DOCS.parent / "examples").glob("*.py"))


@pytest.mark.parametrize(
    ("line", "safe"),
    [
        ("phi*(s) = |y|^2 of kappa_, and a_i", r"phi\*(s) = \|y\|^2 of kappa\_, and a_i"),
        ("`|y|` is ``kappa_*`` and dual_coef_", r"`|y|` is ``kappa_*`` and dual_coef\_"),
    ],
)
def test_formulas_of_docstrings_are_no_markup(line, safe):
    assert helper("docstrings_as_rst").escaped(line) == safe
