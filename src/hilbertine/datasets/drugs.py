"""Drugs: molecules that the National Cancer Institute of the United States screened."""

from importlib.util import find_spec
from pathlib import Path

from sklearn.utils import Bunch

from ..checks import whole
from ..doors import door
from .molecules import Kind, fingerprints, identity, molecules, parse, properties

# Below this a molecule has hardly any parts to be compared by.
HEAVY_ATOMS = 6

DESCR = """The first molecules of the NCI open database, as carried by the package 'rdkit' (Data/NCI/first_5K.smi).

A public stand-in for the 2303 NCI-Cancer molecules of the paper, whose Gram matrix has not been published. Molecules
with fewer than 6 heavy atoms, or that do not parse, are left out; `names` are their numbers in the database (NSC).
"""


@door
def load_drugs(n: int = 2303, kind: Kind = "path") -> Bunch:
    """The first `n` drug-like molecules of the NCI list, at most 4930, read from the installed `rdkit` package.

    The list holds some molecules twice, 31 of the first 2303, under other numbers. They are kept, so that the order and
    the count are those of the list; `duplicates` says which they are, and folds should not share them.

    Parameters
    ----------
    n : int, default=2303
        How many molecules.
    kind : {"path", "morgan"}, default="path"
        The fingerprints, as `fingerprints` knows them.

    Returns
    -------
    data : Bunch
        `data`, sparse fingerprints for `kernels.Tanimoto`; `smiles` and `names`; `target`, a matrix of properties such
        as logP and molecular weight with their `target_names`; `duplicates`, pairs of places (first, later) that hold
        the same molecule, up to stereochemistry.

    Examples
    --------
    >>> drugs = load_drugs(3)
    >>> drugs.smiles[0], drugs.data.shape, drugs.target_names[:2]
    ('CC1=CC(=O)C=CC1=O', (3, 2048), ['logP', 'molecular weight'])
    """
    smiles, names = listed(n)
    target_names, target = properties(smiles)
    return Bunch(
        data=fingerprints(smiles, kind), smiles=smiles, names=names, target=target, target_names=target_names,
        duplicates=_duplicates(smiles), DESCR=DESCR,
    )  # fmt: skip


def _duplicates(smiles: list[str]) -> list[tuple[int, int]]:
    """(first, later) for every molecule that has been before."""
    keys = [identity(molecule) for molecule in molecules(smiles)]
    first = {key: i for i, key in reversed(list(enumerate(keys)))}
    return [(first[key], i) for i, key in enumerate(keys) if first[key] < i]


def listed(n: int) -> tuple[list[str], list[str]]:
    """SMILES and names of the first `n` molecules of the list that are large enough."""
    n, smiles, names = whole(n, "n"), [], []
    for line in _path().read_text(encoding="utf-8").splitlines():
        given, name = line.split("\t")
        molecule = parse(given)
        if molecule is not None and molecule.GetNumHeavyAtoms() >= HEAVY_ATOMS:
            smiles.append(given)
            names.append(name)
        if len(smiles) == n:
            return smiles, names
    raise ValueError(f"The list holds {len(smiles)} such molecules; n = {n} is more.")


def _path() -> Path:
    package = find_spec("rdkit")
    path = None if package is None or package.origin is None else Path(package.origin).parent / "Data/NCI/first_5K.smi"
    if path is None or not path.is_file():
        raise ModuleNotFoundError(
            "The drugs come with the wheels of 'rdkit' on PyPI, which is not installed or carries no Data/NCI folder; "
            "install it with: pip install 'hilbertine[paper]'"
        )
    return path
