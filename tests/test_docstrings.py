"""Docstrings of public classes and functions: a formula first, then their parameters in numpydoc's form."""

import inspect
import warnings

import pytest

from hilbertine import assumptions, losses

docscrape = pytest.importorskip("numpydoc.docscrape")
PUBLIC = [getattr(losses, name) for name in losses.__all__]
PUBLIC += [assumptions.check_admissible, assumptions.invariance_defects, assumptions.check_invariance]


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda thing: thing.__name__)
def test_every_parameter_is_documented(thing):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doc = docscrape.NumpyDocString(inspect.getdoc(thing))
    signature = inspect.signature(thing).parameters
    assert "".join(doc["Summary"])
    assert [parameter.name for parameter in doc["Parameters"]] == list(signature)
    for parameter in doc["Parameters"]:
        assert parameter.type
        assert "".join(parameter.desc).strip()
        default = signature[parameter.name].default
        stated = parameter.type.split("default=")[1:]
        assert stated == ([] if default is inspect.Parameter.empty else [repr(default)])
