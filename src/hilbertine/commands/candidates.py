"""Tables of candidate molecules."""

import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..datasets.molecules import formula, mass, parse
from ..doors import caller
from ..tables import Table, as_table


class Candidate(NamedTuple):
    """A molecule that may be looked for."""

    smiles: str
    formula: str
    mass: float


def read_candidates(path: Path) -> Iterator[Candidate]:
    """The molecules of a table with the columns smiles and, where it is there, formula; each once."""
    table = as_table(path)
    names = {name.casefold(): name for name in table.names}
    smiles = table.words(names.get("smiles", "smiles"))
    given = table.words(names["formula"]) if "formula" in names else np.full(len(smiles), "")
    seen: set[tuple[str, str]] = set()
    bad: list[int] = []
    for i, (each, name) in enumerate(zip(smiles, given, strict=True)):
        molecule = None if name else parse(each)
        if not each or (molecule is None and not name):
            bad.append(i)
        elif (each, name) not in seen:
            seen.add((each, name))
            found = name or formula(molecule)
            yield Candidate(each, found, _mass(table, names.get("formula", ""), i, found))
    _warn_of_bad(table, names["smiles"], bad)


def _mass(table: Table, column: str, i: int, found: str) -> float:
    try:
        # The charge of an ion weighs next to nothing.
        return mass(re.sub(r"[+-]\d*$", "", found))
    except ValueError as error:
        raise table.wrong(column, i, f"is no formula ({error})") from error


def _warn_of_bad(table: Table, column: str, bad: Sequence[int]) -> None:
    if bad:
        more = f", and so are {len(bad) - 1} more" if len(bad) > 1 else ""
        warnings.warn(f"{table.wrong(column, bad[0], 'is no molecule, and is left out')}{more}", stacklevel=caller())
