"""The code of docs/structures.md runs as it stands and says the truth."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "structures.md"


def test_the_code_of_the_page_on_structures():
    pytest.importorskip("rdkit")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        exec(block, names)
    model, words = names["model"], names["words"]
    shown = [float(number) for number in re.findall(r"\| (\.\d+)(?= )", PAGE.read_text(encoding="utf-8"))]
    kinds = ("whole, no candidates", "whole, lexicon", "digit by digit", "digit by digit, lexicon")
    assert shown == [round(names["read"][kind], 2) for kind in kinds]
    assert model.dual_gap_ <= 1e-6
    assert set(model.predict(names["X"])) <= set(words)
    assert [len(best) for best in model.rank([[4, 2.1]], ["cord", "dark", "care"], k=2)] == [2]
    assert names["identify"].dual_gap_ <= 1e-6
    best = names["identify"].rank(names["unknown"], names["lists"], k=3)[0]
    assert {smiles for smiles, _ in best} <= set(names["lists"][0])
    chance = np.mean([min(3 / len(each), 1) for each in names["lists"]])
    assert np.mean(names["places"] <= 3) > 2 * chance
