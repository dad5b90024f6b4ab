"""Synthetic spectra: what small molecules would leave if they broke at their bonds and at nothing else."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ..arrays import Array
from ..checks import generator, whole
from ..containers.spectra import MassSpectrum
from ..doors import door
from .drugs import listed
from .metabolites import PROTON, Record, assemble
from .molecules import chemistry, formula, identity, molecules

# The length of the list of molecules.
MOST = 4930
# Each list of candidates holds the molecules of one formula, and those nearest in mass up to one of these numbers.
SIZES = (6, 24)
# Beyond so many bonds, pairs of them are not broken.
MOST_BONDS = 12

DESCR = """Synthetic spectra of molecules of the NCI list, which the package 'rdkit' carries.

Every bond outside rings is broken alone and with every other; the masses of the pieces, protonated, are the peaks. One
peak in five is missing, and intensities are random. No instrument has measured these spectra: they are to try a method
with, and say nothing about real ones.
"""


@door
def make_spectra(n: int = 600, seed: int = 0) -> Bunch:
    """Synthetic spectra of molecules with lists of candidates, in the form that `load_metabolites` returns.

    Parameters
    ----------
    n : int, default=600
        How many molecules.
    seed : int, default=0
        Seed of the spectra.

    Returns
    -------
    Bunch
        As `load_metabolites` returns it.

    Examples
    --------
    >>> made = make_spectra(20)
    >>> len(made.spectra), made.smiles[0], made.candidates[made.formulas[0]][made.truth[0]]
    (20, 'CC1=CC(=O)C=CC1=O', 'CC1=CC(=O)C=CC1=O')
    """
    n, rng = whole(n, "n"), generator(seed, "seed")
    # Salts and repetitions are fewer than a third of the list.
    smiles, _ = listed(min(3 * n // 2 + 20, MOST))
    kept = list(_different(smiles).items())[:n]
    if len(kept) < n:
        raise ValueError(f"The list holds {len(kept)} different molecules of one piece; n = {n} is more.")
    records = [
        Record(_spectrum(molecule, rng), smiles, formula(molecule), key, key) for key, (smiles, molecule) in kept
    ]
    return assemble(records, _candidates(records), published=False, DESCR=DESCR)


def _different(smiles: list[str]) -> dict[str, tuple[str, Any]]:
    """Molecules of one piece (salts are left out) by what they are, the first SMILES of each."""
    single = [each for each in smiles if "." not in each]
    found: dict[str, tuple[str, Any]] = {}
    for each, molecule in zip(single, molecules(single), strict=True):
        found.setdefault(identity(molecule), (each, molecule))
    return found


def _spectrum(molecule: Any, rng: np.random.Generator) -> MassSpectrum:
    Chem = chemistry("Chem")
    hydrogen = Chem.GetPeriodicTable().GetMostCommonIsotopeMass(1)
    masses = np.array(
        [
            Chem.GetPeriodicTable().GetMostCommonIsotopeMass(atom.GetAtomicNum()) + hydrogen * atom.GetTotalNumHs()
            for atom in molecule.GetAtoms()
        ]
    )
    bonds = [bond.GetIdx() for bond in molecule.GetBonds() if not bond.IsInRing()]
    breaks = [(bond,) for bond in bonds] + (list(combinations(bonds, 2)) if len(bonds) <= MOST_BONDS else [])
    peaks = {round(float(masses.sum()), 4): 1.0}
    for broken in breaks:
        pieces = Chem.GetMolFrags(Chem.FragmentOnBonds(molecule, broken, addDummies=False))
        for mass in {round(float(masses[list(piece)].sum()), 4) for piece in pieces}:
            peaks[mass] = max(peaks.get(mass, 0.0), 0.3 ** (len(broken) - 1))
    table = np.array(sorted(peaks.items()))
    table[:, 1] *= rng.uniform(0.2, 1.0, len(table))
    seen = rng.random(len(table)) < 0.8
    # The precursor, the heaviest peak, is always seen.
    seen[-1] = True
    return MassSpectrum(float(masses.sum()) + PROTON, table[seen] + [PROTON, 0.0])


def _candidates(records: list[Record]) -> dict[str, list[tuple[str, str]]]:
    """For each formula its molecules, then the nearest in mass: every other list is a short one."""
    precursors: Array = np.array([record.spectrum.precursor for record in records])
    found = {}
    for k, name in enumerate(sorted({str(record.formula) for record in records})):
        same = np.array([record.formula == name for record in records])
        distance = np.where(same, -1.0, np.abs(precursors - precursors[same][0]))
        nearest = np.argsort(distance, kind="stable")[: max(int(same.sum()), SIZES[k % 2])]
        found[name] = [(str(records[i].identity), str(records[i].smiles)) for i in nearest]
    return found
