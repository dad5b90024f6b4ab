"""`hilbertine identify`: which molecules the spectra of a run may come from, learned from a library of spectra."""

import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold
from sklearn.utils import Bunch

from ..datasets import fingerprints, load_spectra
from ..datasets.molecules import identity, parse
from ..doors import caller
from ..estimators import RegressorCV, StructuredPredictor
from ..kernels import Features, GaussianTanimoto, Kernel, NeutralLosses, Normalised, Peaks
from ..tables import TableError
from .candidates import Candidate, read_candidates

# What an ion weighs more than its molecule, in Da.
ADDUCTS = {"[M+H]+": 1.007276, "[M+Na]+": 22.989218, "[M+NH4]+": 18.033826, "[M-H]-": -1.007276, "[M]+": -0.000549}
LAMS = np.logspace(-6, -1, 6).tolist()
FOLDS = 5
# Of coordinates of molecules, beyond which little is left.
COMPONENTS = 800
HEAD = ["spectrum", "name", "precursor", "candidates", "rank", "smiles", "formula", "score"]


class Found(NamedTuple):
    """What was found: the table, how many spectra had candidates, and how often the method is right."""

    rows: list[list[Any]]
    spectra: int
    answered: int
    trial: str


def identify(
    run: Path, train: Path, candidates: Path, ppm: float, adduct: str, top: int, width: float, verbose: int
) -> Found:
    """Learn from the library, then rank the candidates of each spectrum of the run."""
    if adduct not in ADDUCTS:
        raise TableError(f"--adduct must be one of {', '.join(ADDUCTS)}; got {adduct!r}.")
    known, unknown = _library(train), load_spectra(run)
    listed = sorted(read_candidates(candidates), key=lambda each: each.mass)
    model, trial = _learn(known, listed, width, verbose)
    lists = [_matching(unknown, i, listed, ppm, ADDUCTS[adduct]) for i in range(len(unknown.spectra))]
    asked = [i for i, each in enumerate(lists) if each]
    words = [[candidate.smiles for candidate in lists[i]] for i in asked]
    ranked = model.rank([unknown.spectra[i] for i in asked], words, top) if asked else []
    rows = [HEAD, *_rows(unknown, asked, lists, ranked)]
    return Found(rows, len(lists), len(asked), trial)


def _library(path: Path) -> Bunch:
    data = load_spectra(path)
    kept = [i for i, smiles in enumerate(data.smiles) if smiles]
    if len(kept) < 2 * FOLDS:
        raise TableError(
            f"{path} has {len(kept)} spectra with a SMILES or an InChI; at least {2 * FOLDS} are needed to learn from."
        )
    if len(kept) < len(data.smiles):
        without = len(data.smiles) - len(kept)
        warnings.warn(f"{without} spectra of {path} name no molecule and are left out.", stacklevel=caller())
    return Bunch(**{name: [data[name][i] for i in kept] for name in ("spectra", "smiles", "formulas", "groups")})


def _between(width: float) -> Kernel:
    """The mean of the cosines of peaks and of neutral losses, fourth roots of intensities."""
    kernel: Kernel = 0.5 * (Normalised(Peaks(width, 0.25)) + Normalised(NeutralLosses(width, 0.25)))
    return kernel


def _learn(known: Bunch, listed: Sequence[Candidate], width: float, verbose: int) -> tuple[StructuredPredictor, str]:
    """The model, with lam chosen on molecules that were left out, and how well it does on some of these."""
    molecules = Features(described, GaussianTanimoto(0.72))
    components = min(COMPONENTS, len(known.smiles))
    plain = StructuredPredictor(kernel=_between(width), output_kernel=molecules, n_components=components)
    folds = list(GroupKFold(FOLDS, shuffle=True, random_state=0).split(known.smiles, groups=known.groups))
    search = RegressorCV(plain, LAMS, {}, cv=folds, verbose=verbose)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(known.spectra, known.smiles)
        return search.best_estimator_, _trial(search, known, listed, *folds[0])


def described(smiles: Sequence[str]) -> Any:
    """Molecules as fingerprints."""
    return fingerprints(smiles, n_bits=4096)


def _trial(search: RegressorCV, known: Bunch, listed: Sequence[Candidate], train: Any, test: Any) -> str:
    """In words how often the right molecule was first, and among ten, for a fifth of the molecules of the library."""
    by_formula: dict[str, list[str]] = {}
    for candidate in listed:
        by_formula.setdefault(candidate.formula, []).append(candidate.smiles)
    keys = {smiles: _key(smiles) for name in {known.formulas[i] for i in test} for smiles in by_formula.get(name, [])}
    pairs = {i: by_formula.get(known.formulas[i], []) for i in test}
    truth = {i: [s for s in pairs[i] if keys[s] == known.groups[i]] for i in test}
    asked = [int(i) for i in test if truth[i] and len(pairs[i]) > 1]
    if not asked:
        return "No molecule of the library has several candidates of its formula: how often this is right is not known"
    model = clone(search.best_estimator_, safe=False).fit(
        [known.spectra[i] for i in train], [known.smiles[i] for i in train]
    )
    places = model.positions([known.spectra[i] for i in asked], [truth[i][0] for i in asked], [pairs[i] for i in asked])
    return (
        f"Tried on {len(asked)} spectra of the library whose molecules it had not seen, among {_typical(pairs, asked)} "
        f"candidates of their formula: the right one was first in {np.mean(places == 1):.0%}, among the first ten in "
        f"{np.mean(places <= 10):.0%}"
    )


def _key(smiles: str) -> str:
    molecule = parse(smiles)
    return identity(molecule) if molecule is not None else ""


def _typical(pairs: dict[int, list[str]], asked: Sequence[int]) -> int:
    return int(np.median([len(pairs[i]) for i in asked]))


def _matching(data: Bunch, i: int, listed: Sequence[Candidate], ppm: float, shift: float) -> list[Candidate]:
    """Candidates of the formula of a spectrum, or where it has none of its mass."""
    if data.formulas[i]:
        found = [candidate for candidate in listed if candidate.formula == data.formulas[i]]
    else:
        neutral = data.spectra[i].precursor - shift
        masses = [candidate.mass for candidate in listed]
        reach = ppm * 1e-6 * data.spectra[i].precursor
        first, last = np.searchsorted(masses, [neutral - reach, neutral + reach])
        found = list(listed[first:last])
    return [candidate for candidate in found if _is_molecule(candidate.smiles)]


@cache
def _is_molecule(smiles: str) -> bool:
    return parse(smiles) is not None


def _rows(data: Bunch, asked: Sequence[int], lists: Any, ranked: Any) -> Iterator[list[Any]]:
    """A row for each candidate kept; one without for spectra that have none."""
    answers = dict(zip(asked, ranked, strict=True))
    for i, spectrum in enumerate(data.spectra):
        head = [i + 1, data.names[i], round(float(spectrum.precursor), 5), len(lists[i])]
        formulas = {candidate.smiles: candidate.formula for candidate in lists[i]}
        for place, (smiles, score) in enumerate(answers.get(i, []), 1):
            yield [*head, place, smiles, formulas[smiles], float(f"{score:.4g}")]
        if i not in answers:
            yield [*head, "", "", "", ""]
