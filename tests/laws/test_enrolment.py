"""Every public class is under the laws."""

import pytest

from examples import NEEDS_ARGUMENTS, public_components


@pytest.mark.parametrize("cls", public_components(), ids=lambda cls: cls.__name__)
def test_every_class_is_enrolled(cls):
    assert cls in NEEDS_ARGUMENTS or cls() is not None
