"""The benchmark of coverage on few seeds: every kind of output and every method is near its level."""

import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rdkit", reason="molecules need rdkit")
FOUND = runpy.run_path(str(Path(__file__).parent.parent / "benchmarks" / "coverage.py"))
CASES = [(kind, method, "norm") for kind in FOUND["SHAPES"] for method in FOUND["METHODS"]]
CASES += [("vectors", "split", "box"), ("curves", "split", "band")]
SEEDS = 30


@pytest.fixture(scope="module")
def problems():
    return FOUND["problems"]()


@pytest.mark.parametrize(("kind", "method", "score"), CASES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sets_hold_what_they_promise(problems, kind, method, score):
    means = FOUND["shares"](*problems[kind], method, score, SEEDS).mean(axis=0)
    levels = np.asarray(FOUND["LEVELS"])
    # What a seed adds varies with its 20 test rows and with its 99 calibration rows.
    errors = np.sqrt(levels * (1 - levels) * (1 / 20 + 1 / 99) / SEEDS)
    assert np.all(np.abs(means - levels) <= 3 * errors + 0.01), means
    # The sets of the level above would not pass.
    assert not np.all(np.abs(means[1:] - levels[:-1]) <= 3 * errors[:-1] + 0.01)
