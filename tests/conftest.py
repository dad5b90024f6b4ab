"""Hypothesis draws the same examples on every run; HYPOTHESIS_PROFILE=explore draws new ones."""

import os
import re

import pytest
from hypothesis import settings

# What an error of this package says of an extra, and the modules that tests of extras import themselves.
NAMED = re.compile(r"pip install 'hilbertine\[")
OPTIONAL = ("matplotlib", "grakel", "pywt", "skfda", "pandas")

settings.register_profile("steady", derandomize=True)
settings.register_profile("explore", max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_collection_modifyitems(items):
    """Names without addresses: processes that share the tests must agree on them."""
    for item in items:
        item._nodeid = re.sub(r" at 0x[0-9a-f]+", "", item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """With HILBERTINE_BARE, as `.ci/floors` runs them, tests that need an extra say which one is not there."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if not os.environ.get("HILBERTINE_BARE") or not (NAMED.search(str(error)) or error.name in OPTIONAL):
            raise
        pytest.skip(f"{error}; HILBERTINE_BARE is set")
