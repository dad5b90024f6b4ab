"""A slice of the map of failures: no problem ends without a certificate for want of a solver."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import failures

KINDS = {**failures.MAP, **failures.OTHERS}


@pytest.mark.parametrize("lam", [1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kernel_is_solved_down_to_small_lam(kind, lam):
    place = list(KINDS).index(kind)
    names = list(failures.LOSSES)
    cells = [failures.Cell(kind, names[(place + k) % len(names)], lam, 2) for k in (0, 3)]
    records = [failures.solved(cell) for cell in cells]
    assert [record["why"] for record in records] == ["", ""]


@pytest.mark.parametrize("cell", [("anchored", "norm", 1e-9, 3), ("anchored", "epsilon-svr", 1e-9, 8)])
def test_newton_steps_that_began_at_a_bad_place_begin_again(cell):
    record = failures.solved(failures.Cell(*cell))
    assert record["why"] == ""
    assert record["steps"] < 2000
