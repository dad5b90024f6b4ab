"""Metabolites: mass spectra of small molecules, each with the molecules it could come from."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from sklearn.utils import Bunch

from ..containers.spectra import MassSpectrum
from ..doors import door
from .files import VARIABLE, find, folders

# The mass of a proton in Da: [M+H]+ ions are heavier by that than their molecule.
PROTON = 1.007276467
# SHA-256 of the files behind the published table; files that a user has built differ, and are as welcome.
FILES = {
    "spectra.jsonl.gz": "d02ba1bb831b4151a01e09bd53524bfc7042d63e3146257d595eddba8c1b40b3",
    "candidates.json.gz": "e75dc932d231d2253dd5f8af1834932ee82a12d7aa91f6f5a808cb79a855259b",
}
DESCR = """Mass spectra and candidate molecules, from {folder}.

{known} Spectra are merged over collision energies, one [M+H]+ spectrum per molecule. Records carry licences of their
own (`licences`), candidates from HMDB are for non-commercial use.
"""


class Record(NamedTuple):
    """One spectrum and what is known of its molecule; `identity` says which molecules count as the same."""

    spectrum: MassSpectrum
    smiles: str | None
    formula: str | None
    identity: str | None
    group: str | None
    name: str = ""
    licences: Sequence[str] = ()


@door
def load_metabolites(data: str | Path | None = None) -> Bunch:
    """Spectra with candidate lists from `spectra.jsonl.gz` and `candidates.json.gz`, whoever built them.

    The files have no public address: build them from MassBank records and a list of candidates, or read spectra of your
    own with `load_spectra`.

    Format. Each line of `spectra.jsonl.gz` is a JSON object with `smiles`, `formula`, `mass` (of the neutral molecule,
    in Da), `peaks` (a list of [m/z, intensity]), `inchi_main` (the InChI up to its hydrogen layer, without "InChI=1S/":
    what identifies a molecule), `ik1` (the first block of the InChIKey); `name` and `licences` may be left out.
    `candidates.json.gz` is a JSON object: formula -> list of [inchi_main, smiles, source].

    Parameters
    ----------
    data : str or Path, default=None
        The folder of the files, or the one that holds their folder `metabolites`; None is the folder of the environment
        variable HILBERTINE_DATA, then the user's cache.

    Returns
    -------
    data : Bunch
        With one entry per spectrum: `spectra`, each a `kernels.MassSpectrum(precursor, peaks)`, what `kernels.Peaks`
        and `kernels.NeutralLosses` take; `smiles`, `formulas`, `names` and `licences` of its molecule; `groups`, the
        molecule as the first block of its InChIKey, which folds must not share; `truth`, the place of its molecule in
        candidates[formula], -1 where it is not among them. Then `candidates`, formula -> list of SMILES; `published`,
        whether the files are those of the published table; `DESCR`.
    """
    paths = {name: find(f"metabolites/{name}", data) or _missing(name, data) for name in FILES}
    known = all(hashlib.sha256(paths[name].read_bytes()).hexdigest() == FILES[name] for name in FILES)
    records = _read_spectra(paths["spectra.jsonl.gz"])
    identified = _read_candidates(paths["candidates.json.gz"])
    origin = "built from MassBank release 2025.05.1 (commit 13484d4), HMDB 4.0 and a part of PubChem"
    description = DESCR.format(
        folder=paths["spectra.jsonl.gz"].parent,
        known=f"The files {origin}." if known else f"Not the files {origin}: their checksums differ.",
    )
    return assemble(records, identified, published=known, DESCR=description)


def assemble(records: Sequence[Record], identified: Mapping[str, Sequence[tuple[str, str]]], **more: Any) -> Bunch:
    """The Bunch of records and of candidates, formula -> pairs (identity, SMILES)."""
    places = {formula: {identity: i for i, (identity, _) in enumerate(pairs)} for formula, pairs in identified.items()}
    return Bunch(
        spectra=[record.spectrum for record in records],
        smiles=[record.smiles for record in records],
        formulas=[record.formula for record in records],
        names=[record.name for record in records],
        licences=[list(record.licences) for record in records],
        groups=np.array([record.group or "" for record in records]),
        truth=np.array([places.get(record.formula or "", {}).get(record.identity or "", -1) for record in records]),
        candidates={formula: [smiles for _, smiles in pairs] for formula, pairs in identified.items()},
        **more,
    )


def _unpacked(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is no whole gzip file ({type(error).__name__}: {error}); copy or build it again, and pack it with "
            "gzip."
        ) from error


def _read_spectra(path: Path) -> list[Record]:
    records = []
    for number, line in enumerate(_unpacked(path).splitlines(), 1):
        try:
            entry = json.loads(line)
            peaks = np.array(entry["peaks"], dtype=np.float64).reshape(len(entry["peaks"]), 2)
            spectrum = MassSpectrum(float(entry["mass"]) + PROTON, peaks)
            smiles, formula, identity, group = (entry[key] for key in ("smiles", "formula", "inchi_main", "ik1"))
            name, licences = entry.get("name", ""), entry.get("licences", ())
            records.append(Record(spectrum, smiles, formula, identity, group, name, licences))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"Line {number} of {path} is not a spectrum ({type(error).__name__}: {error}); the format is in the "
                "documentation of load_metabolites."
            ) from error
    if not records:
        raise ValueError(f"{path} holds no spectrum.")
    return records


def _read_candidates(path: Path) -> dict[str, list[tuple[str, str]]]:
    content = _unpacked(path)
    try:
        table = json.loads(content)
        return {formula: [(str(each[0]), str(each[1])) for each in entries] for formula, entries in table.items()}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path} is not a table of candidates ({type(error).__name__}: {error}); it must be a JSON object, "
            "formula -> list of [inchi_main, smiles, source]."
        ) from error


def _missing(name: str, data: str | Path | None) -> NoReturn:
    looked = ", ".join(str(folder) for folder in folders(data))
    raise FileNotFoundError(
        f"metabolites/{name} is not in {looked}. These files have no public address: give their folder as `data` or in "
        f"{VARIABLE}, build them as load_metabolites documents, or read spectra of your own with "
        "datasets.load_spectra."
    )
