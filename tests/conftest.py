"""Hypothesis draws the same examples on every run; HYPOTHESIS_PROFILE=explore draws new ones."""

import os
import re

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
settings.register_profile("explore", max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_collection_modifyitems(items):
    """Names without addresses: processes that share the tests must agree on them."""
    for item in items:
        item._nodeid = re.sub(r" at 0x[0-9a-f]+", "", item.nodeid)
