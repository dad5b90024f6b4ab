"""Mass spectra of one's own: MGF, MSP and MassBank files, with a table of candidate molecules."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ..kernels import Spectrum
from .metabolites import PROTON, Record, assemble
from .molecules import chemistry, parse, quiet

Fields = dict[str, str]


def load_spectra(path: str | Path, candidates: str | Path | Mapping[str, Sequence[str]] | None = None) -> Bunch:
    """Spectra from a file, or from all files of a folder: MGF (.mgf), MSP (.msp) or MassBank records (.txt).

    Needs rdkit, and for MGF and MSP matchms: pip install 'hilbertine[paper,spectra]'. A spectrum needs its precursor
    m/z; SMILES and formula may be missing where the molecule is to be found.

    `candidates` are what it could be: a CSV file with the columns formula and smiles, or a mapping formula -> SMILES.
    Only formulas that occur among the spectra are kept, and of molecules that differ in stereochemistry only the first.

    Returns the Bunch of `load_metabolites`.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; give a file or a folder of .mgf, .msp or .txt files.")
    files = sorted(each for each in path.iterdir() if each.suffix.lower() in READERS) if path.is_dir() else [path]
    records = [record for file in files for record in _read(file)]
    if not records:
        raise ValueError(f"{path} holds no spectrum in a .mgf, .msp or .txt file.")
    wanted = {record.formula for record in records}
    table = _table(candidates)
    identified = {formula: _identified(smiles, formula) for formula, smiles in table.items() if formula in wanted}
    return assemble(records, identified, published=False, DESCR=f"Mass spectra from {path}.")


def _read(path: Path) -> Iterator[Record]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{path} must be a .mgf, .msp or MassBank .txt file.")
    for number, (fields, peaks) in enumerate(reader(path), 1):
        try:
            yield _record(fields, peaks)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Spectrum {number} of {path}: {error}") from error


def _record(fields: Fields, peaks: Any) -> Record:
    """A record from fields named as matchms names them."""
    if not fields.get("precursor_mz"):
        raise ValueError("it has no precursor m/z; add it, or drop the spectrum.")
    matrix = np.array(peaks, dtype=np.float64).reshape(-1, 2)
    smiles = fields.get("smiles") or None
    molecule = None if smiles is None else parse(smiles)
    if smiles is not None and molecule is None:
        raise ValueError(f"its SMILES {smiles!r} does not parse as a molecule; correct it, or leave it out.")
    formula = fields.get("formula") or (None if molecule is None else _formula(molecule))
    key = None if molecule is None else identity(molecule)
    spectrum = Spectrum(float(fields["precursor_mz"]), matrix)
    licences = [fields["license"]] if fields.get("license") else []
    return Record(spectrum, smiles, formula, key, key, fields.get("compound_name", ""), licences)


def identity(molecule: Any) -> str:
    """The first block of the InChIKey: the same for molecules that differ in stereochemistry only."""
    with quiet():
        return str(chemistry("Chem").MolToInchiKey(molecule)).split("-")[0]


def _formula(molecule: Any) -> str:
    return str(chemistry("Chem.rdMolDescriptors").CalcMolFormula(molecule))


def _massbank(path: Path) -> Iterator[tuple[Fields, list[list[float]]]]:
    """The records of a MassBank file, each ended by //; after PK$PEAK come indented lines m/z, intensity, relative."""
    names = {
        "CH$NAME": "compound_name", "CH$FORMULA": "formula", "CH$SMILES": "smiles", "CH$EXACT_MASS": "mass",
        "MS$FOCUSED_ION: PRECURSOR_M/Z": "precursor_mz", "MS$FOCUSED_ION: PRECURSOR_TYPE": "adduct",
        "LICENSE": "license",
    }  # fmt: skip
    for text in path.read_text(encoding="utf-8").split("\n//"):
        head, mark, body = text.partition("PK$PEAK:")
        if not mark:
            if text.strip(" \n/"):
                raise ValueError(f"{path} has a record without PK$PEAK, so it is no MassBank record.")
            continue
        fields: Fields = {}
        for line in head.splitlines():
            for tag, name in names.items():
                rest = line.removeprefix(tag).strip(": ").strip()
                if line.startswith(tag) and rest != "N/A":
                    # The first name is the usual one.
                    fields.setdefault(name, rest)
        if "precursor_mz" not in fields and "mass" in fields and fields.get("adduct") == "[M+H]+":
            fields["precursor_mz"] = str(float(fields["mass"]) + PROTON)
        # The first line after the tag names the columns.
        rows = [line.split() for line in body.splitlines()[1:] if line.startswith(" ")]
        yield fields, [[float(row[0]), float(row[1])] for row in rows]


def _matchms(path: Path) -> Iterator[tuple[Fields, Any]]:
    try:
        from matchms.importing import load_from_mgf, load_from_msp
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "MGF and MSP files are read by the package 'matchms', which is not installed; "
            "install it with: pip install 'hilbertine[spectra]'"
        ) from error
    load = load_from_mgf if path.suffix.lower() == ".mgf" else load_from_msp
    for spectrum in load(str(path)):
        fields = {name: str(value) for name, value in spectrum.metadata.items() if value is not None}
        yield fields, np.stack([spectrum.peaks.mz, spectrum.peaks.intensities], axis=1)


READERS = {".mgf": _matchms, ".msp": _matchms, ".txt": _massbank}


def _table(candidates: Any) -> Mapping[str, Sequence[str]]:
    """Candidates as formula -> SMILES."""
    if candidates is None or isinstance(candidates, Mapping):
        return candidates or {}
    found: dict[str, list[str]] = {}
    with open(candidates, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if not {"formula", "smiles"} <= set(rows.fieldnames or ()):
            raise ValueError(f"{candidates} must have the columns formula and smiles; it has {rows.fieldnames}.")
        for row in rows:
            found.setdefault(row["formula"], []).append(row["smiles"])
    return found


def _identified(smiles: Sequence[str], formula: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for i, each in enumerate(smiles):
        molecule = parse(each)
        if molecule is None:
            raise ValueError(f"Candidate {i} of {formula}, {each!r}, does not parse as a molecule; correct or drop it.")
        found.setdefault(identity(molecule), each)
    return list(found.items())
