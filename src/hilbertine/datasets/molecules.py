"""Molecules from SMILES, by rdkit: fingerprints for the Tanimoto kernels, and properties."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Literal

import numpy as np
from scipy import sparse

from ..arrays import Array
from ..checks import whole

Kind = Literal["morgan", "path"]
# Bonds from an atom to the border of its neighbourhood, and bonds of the longest path.
REACH = {"morgan": 2, "path": 7}
# Name -> module and function of rdkit.Chem.
DESCRIPTORS = {
    "logP": ("Crippen", "MolLogP"),
    "molecular weight": ("Descriptors", "MolWt"),
    "polar surface": ("rdMolDescriptors", "CalcTPSA"),
    "heavy atoms": ("Lipinski", "HeavyAtomCount"),
    "hydrogen donors": ("Lipinski", "NumHDonors"),
    "hydrogen acceptors": ("Lipinski", "NumHAcceptors"),
    "rotatable bonds": ("Lipinski", "NumRotatableBonds"),
    "rings": ("rdMolDescriptors", "CalcNumRings"),
    "aromatic rings": ("rdMolDescriptors", "CalcNumAromaticRings"),
}


def fingerprints(
    smiles: Sequence[str], kind: Kind = "morgan", n_bits: int = 2048, reach: int | None = None, counts: bool = False
) -> sparse.csr_matrix:
    """Which parts each molecule has, hashed to `n_bits` columns: 0/1 or counts, what `kernels.Tanimoto` takes.

    The parts are neighbourhoods of atoms up to `reach` bonds (kind="morgan", 2 unless given) or paths of up to `reach`
    bonds, branches included (kind="path", 7 unless given). A SMILES that does not parse is an error.

    >>> from hilbertine.kernels import Tanimoto
    >>> F = fingerprints(["CCO", "OCC", "CCN"])
    >>> Tanimoto()(F, F[:1]).ravel().round(2)
    array([1.  , 1.  , 0.33])
    """
    if kind not in REACH:
        raise ValueError(f"kind must be 'morgan' or 'path', got {kind!r}.")
    n_bits, reach = whole(n_bits, "n_bits"), whole(REACH[kind] if reach is None else reach, "reach")
    make = chemistry("Chem.rdFingerprintGenerator")
    if kind == "morgan":
        generator = make.GetMorganGenerator(radius=reach, fpSize=n_bits)
    else:
        generator = make.GetRDKitFPGenerator(maxPath=reach, fpSize=n_bits)
    with quiet():
        found = [generator.GetCountFingerprint(molecule).GetNonzeroElements() for molecule in molecules(smiles)]
    ends = np.cumsum([0] + [len(each) for each in found])
    columns = [column for each in found for column in each]
    values = np.array([value if counts else 1 for each in found for value in each.values()], dtype=np.float64)
    matrix = sparse.csr_matrix((values, columns, ends), shape=(len(found), n_bits))
    matrix.sort_indices()
    return matrix


def properties(smiles: Sequence[str]) -> tuple[list[str], Array]:
    """The names of a few properties and their values, one row per molecule.

    >>> names, values = properties(["CCO"])
    >>> dict(zip(names, values[0].round(2).tolist()))["molecular weight"]
    46.07
    """
    functions = [getattr(chemistry(f"Chem.{module}"), function) for module, function in DESCRIPTORS.values()]
    with quiet():
        rows = [[function(molecule) for function in functions] for molecule in molecules(smiles)]
    return list(DESCRIPTORS), np.array(rows, dtype=np.float64).reshape(-1, len(functions))


def molecules(smiles: Sequence[str]) -> list[Any]:
    """rdkit's molecules; a SMILES that does not parse is named with its position."""
    if isinstance(smiles, str):
        raise TypeError(f"{smiles!r} is one SMILES, not a collection of them; put it in a list.")
    found = []
    for i, each in enumerate(smiles):
        molecule = parse(each)
        if molecule is None:
            raise ValueError(f"SMILES {i}, {each!r}, does not parse as a molecule; correct or drop it.")
        found.append(molecule)
    return found


def parse(smiles: str) -> Any:
    """rdkit's molecule, or None where the SMILES does not parse or is empty."""
    if not isinstance(smiles, str) or not smiles.strip():
        return None
    with quiet():
        return chemistry("Chem").MolFromSmiles(smiles)


@contextmanager
def quiet() -> Iterator[None]:
    """rdkit writes its warnings to standard error; not here."""
    with chemistry("rdBase").BlockLogs():
        yield


def chemistry(name: str) -> Any:
    """A module of rdkit, which is imported when used."""
    try:
        return import_module(f"rdkit.{name}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Molecules are read by the package 'rdkit', which is not installed; "
            "install it with: pip install 'hilbertine[paper]'"
        ) from error
