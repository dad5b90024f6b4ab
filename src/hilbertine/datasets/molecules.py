"""Molecules by rdkit: fingerprints for the Tanimoto kernels, properties, and which of them are the same."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Literal

import numpy as np
from scipy import sparse

from ..arrays import Array, as_sequence
from ..checks import whole
from ..doors import door
from ..kernels.fingerprint_forms import from_rdkit

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


@door
def fingerprints(
    smiles: Sequence[Any], kind: Kind = "morgan", n_bits: int = 2048, reach: int | None = None, counts: bool = False
) -> sparse.csr_matrix:
    """Which parts each molecule has, hashed to columns: 0/1 or counts, what `kernels.Tanimoto` takes.

    Parameters
    ----------
    smiles : list of str or of rdkit molecules
        SMILES, InChI ("InChI=...") or molecules of rdkit; one that does not parse is an error.
    kind : {"morgan", "path"}, default="morgan"
        The parts: neighbourhoods of atoms, or paths, branches included.
    n_bits : int, default=2048
        The number of columns.
    reach : int, default=None
        How many bonds a part spans at most; None is 2 for neighbourhoods and 7 for paths.
    counts : bool, default=False
        Whether to count parts, rather than say which there are.

    Returns
    -------
    sparse matrix of shape (n, n_bits)
        The fingerprints.

    Examples
    --------
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
        found = [generator.GetCountFingerprint(molecule) for molecule in molecules(smiles)]
    matrix = from_rdkit(found) if found else sparse.csr_matrix((0, n_bits))
    matrix.sort_indices()
    return matrix if counts else matrix.sign()


@door
def properties(smiles: Sequence[Any]) -> tuple[list[str], Array]:
    """A few properties of molecules, such as logP and molecular weight.

    Parameters
    ----------
    smiles : list of str or of rdkit molecules
        The molecules, given as to `fingerprints`.

    Returns
    -------
    tuple of (list of str, array of shape (n, n_properties))
        The names and the values.

    Examples
    --------
    >>> names, values = properties(["CCO"])
    >>> dict(zip(names, values[0].round(2).tolist()))["molecular weight"]
    46.07
    """
    functions = [getattr(chemistry(f"Chem.{module}"), function) for module, function in DESCRIPTORS.values()]
    with quiet():
        rows = [[function(molecule) for function in functions] for molecule in molecules(smiles)]
    return list(DESCRIPTORS), np.array(rows, dtype=np.float64).reshape(-1, len(functions))


def molecules(smiles: Sequence[Any]) -> list[Any]:
    """rdkit's molecules; one that does not parse is named with its position."""
    if isinstance(smiles, str | chemistry("Chem").Mol):
        raise TypeError(f"{smiles!r} is one molecule, not a collection of them; put it in a list.")
    found = []
    for i, each in enumerate(as_sequence(smiles)):
        molecule = parse(each)
        if molecule is None:
            raise ValueError(f"SMILES {i}, {each!r}, does not parse as a molecule; correct or drop it.")
        found.append(molecule)
    return found


def parse(given: Any) -> Any:
    """rdkit's molecule from a SMILES, an InChI or a molecule; None where it is empty or does not parse.

    Hydrogens that a molecule holds as atoms become implicit, as they are in one from SMILES: the same molecule has the
    same fingerprint, whichever way it came.
    """
    Chem = chemistry("Chem")
    with quiet():
        if isinstance(given, str):
            molecule = (Chem.MolFromInchi if given.startswith("InChI=") else Chem.MolFromSmiles)(given)
        else:
            molecule = _implicit(given) if isinstance(given, Chem.Mol) else None
    return molecule if molecule is not None and molecule.GetNumAtoms() > 0 else None


def _implicit(molecule: Any) -> Any:
    try:
        return chemistry("Chem").RemoveHs(molecule)
    except ValueError:
        # An atom with too many bonds, or rings that cannot be aromatic.
        return None


def identity(molecule: Any) -> str:
    """The first block of the InChIKey: the same for molecules that differ in stereochemistry only.

    A molecule with an open place, such as *CC, has no InChI; its SMILES without stereochemistry takes that place.
    """
    Chem = chemistry("Chem")
    with quiet():
        return str(Chem.MolToInchiKey(molecule)).split("-")[0] or str(Chem.MolToSmiles(molecule, isomericSmiles=False))


def formula(molecule: Any) -> str:
    """Its formula, carbon and hydrogen first, the others by the alphabet."""
    return str(chemistry("Chem.rdMolDescriptors").CalcMolFormula(molecule))


def mass(formula: str) -> float:
    """The mass in Da of a molecule with this formula, each element as its most common isotope.

    >>> round(mass("C2H6O"), 4)
    46.0419
    """
    table = chemistry("Chem").GetPeriodicTable()
    parts = re.findall(r"([A-Z][a-z]?)(\d*)", formula)
    if not parts or "".join(symbol + number for symbol, number in parts) != formula:
        raise ValueError(f"its formula {formula!r} is not made of elements and numbers; correct it, or leave it out.")
    try:
        with quiet():
            return float(sum(table.GetMostCommonIsotopeMass(symbol) * int(number or 1) for symbol, number in parts))
    except RuntimeError as error:
        raise ValueError(f"its formula {formula!r} has an element that does not exist; correct it.") from error


def written(given: Any, molecule: Any) -> str:
    """The SMILES of a molecule: the one that was given, where it was."""
    smiles = isinstance(given, str) and not given.startswith("InChI=")
    return str(given if smiles else chemistry("Chem").MolToSmiles(molecule))


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
