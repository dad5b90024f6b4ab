"""Mass spectra of one's own: MGF, MSP and MassBank files, with a table of candidate molecules."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ..kernels import Spectrum
from .metabolites import PROTON, Record, assemble
from .molecules import formula, identity, molecules, parse, written

Fields = dict[str, str]


def load_spectra(path: str | Path, candidates: str | Path | Mapping[str, Sequence[Any]] | Any = None) -> Bunch:
    """Spectra from a file, or from all files of a folder: MGF (.mgf), MSP (.msp) or MassBank records (.txt).

    Needs rdkit, and for MGF and MSP matchms: pip install 'hilbertine[paper,spectra]'. A spectrum needs its precursor
    m/z; SMILES or InChI, and formula, may be missing where the molecule is to be found.

    `candidates` are what it could be: a CSV file or a data frame with the columns formula and smiles, or a mapping
    formula -> list of SMILES. InChI and molecules of rdkit are as good as SMILES. Only formulas that occur among the
    spectra are kept, and of molecules that differ in stereochemistry only the first.

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
    identified = {name: _identified(given, name) for name, given in _table(candidates).items() if name in wanted}
    return assemble(records, identified, published=False, DESCR=f"Mass spectra from {path}.")


def _read(path: Path) -> Iterator[Record]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{path} must be a .mgf, .msp or MassBank .txt file.")
    spectra = reader(_text(path))
    for number in count(1):
        try:
            yield _record(*next(spectra))
        except StopIteration:
            return
        except (TypeError, ValueError) as error:
            raise ValueError(f"Spectrum {number} of {path}: {error}") from error


def _text(path: str | Path) -> str:
    """The text of a file, without the mark that Excel and Windows put before UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 ({error.reason}, byte {error.start}); save it again with the encoding UTF-8."
        ) from error


def _record(fields: Fields, peaks: Any) -> Record:
    """A record from fields named as matchms names them."""
    if not fields.get("precursor_mz"):
        raise ValueError("it has no precursor m/z; add it, or drop the spectrum.")
    matrix = np.array(peaks, dtype=np.float64).reshape(-1, 2)
    spectrum = Spectrum(float(fields["precursor_mz"]), matrix)
    name, licences = fields.get("compound_name", ""), [fields["license"]] if fields.get("license") else []
    given = fields.get("smiles") or fields.get("inchi", "").strip('"')
    if not given:
        return Record(spectrum, None, fields.get("formula") or None, None, None, name, licences)
    molecule = parse(given)
    if molecule is None:
        kind = "SMILES" if fields.get("smiles") else "InChI"
        raise ValueError(f"its {kind} {given!r} does not parse as a molecule; correct it, or leave it out.")
    smiles, key = written(given, molecule), identity(molecule)
    return Record(spectrum, smiles, fields.get("formula") or formula(molecule), key, key, name, licences)


def _massbank(text: str) -> Iterator[tuple[Fields, list[list[float]]]]:
    """The records of a MassBank file, each ended by //; after PK$PEAK come indented lines m/z, intensity, relative."""
    names = {
        "CH$NAME": "compound_name", "CH$FORMULA": "formula", "CH$SMILES": "smiles", "CH$IUPAC": "inchi",
        "CH$EXACT_MASS": "mass",
        "MS$FOCUSED_ION: PRECURSOR_M/Z": "precursor_mz", "MS$FOCUSED_ION: PRECURSOR_TYPE": "adduct",
        "LICENSE": "license",
    }  # fmt: skip
    for record in text.split("\n//"):
        head, mark, body = record.partition("PK$PEAK:")
        if not mark:
            if record.strip(" \n/"):
                raise ValueError("it is a record without PK$PEAK, so it is no MassBank record.")
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


def _matchms(loader: str, text: str) -> Iterator[tuple[Fields, Any]]:
    try:
        importing = import_module("matchms.importing")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "MGF and MSP files are read by the package 'matchms', which is not installed; "
            "install it with: pip install 'hilbertine[spectra]'"
        ) from error
    with TemporaryDirectory() as folder:
        # Of a file that is not plain UTF-8, matchms would leave out letters or the first spectrum.
        path = Path(folder, "spectra")
        path.write_text(text, encoding="utf-8")
        for spectrum in getattr(importing, loader)(str(path)):
            fields = {name: str(value) for name, value in spectrum.metadata.items() if value is not None}
            yield fields, np.stack([spectrum.peaks.mz, spectrum.peaks.intensities], axis=1)


READERS: dict[str, Callable[[str], Iterator[tuple[Fields, Any]]]] = {
    ".mgf": partial(_matchms, "load_from_mgf"), ".msp": partial(_matchms, "load_from_msp"), ".txt": _massbank,
}  # fmt: skip


def _table(candidates: Any) -> Mapping[str, Sequence[Any]]:
    """Candidates as formula -> molecules."""
    if candidates is None or isinstance(candidates, Mapping):
        return candidates or {}
    if isinstance(candidates, str | Path):
        rows = csv.reader(StringIO(_text(candidates)))
        return _grouped(next(rows, []), rows, str(candidates))
    if hasattr(candidates, "columns"):
        names = list(candidates.columns)
        return _grouped(names, zip(*(candidates[name] for name in names), strict=True), "The data frame of candidates")
    raise TypeError(
        "candidates must be a CSV file, a data frame with the columns formula and smiles, or a mapping formula -> list "
        f"of SMILES; got {type(candidates).__name__}."
    )


def _grouped(names: Sequence[Any], rows: Iterable[Sequence[Any]], origin: str) -> dict[str, list[Any]]:
    """Rows of a table by their formula; the names of columns are the same in small and in capital letters."""
    columns = [str(name).strip().casefold() for name in names]
    if not {"formula", "smiles"} <= set(columns):
        raise ValueError(f"{origin} must have the columns formula and smiles; it has {list(names)}.")
    found: dict[str, list[Any]] = {}
    for row in rows:
        # A short or blank row of a CSV file lacks cells.
        cells = dict(zip(columns, row, strict=False))
        found.setdefault(str(cells.get("formula")).strip(), []).append(cells.get("smiles"))
    return found


def _identified(given: Sequence[Any], name: str) -> list[tuple[str, str]]:
    """Pairs (identity, SMILES) of the candidates of a formula."""
    found: dict[str, str] = {}
    try:
        for each, molecule in zip(given, molecules(given), strict=True):
            found.setdefault(identity(molecule), written(each, molecule))
    except (TypeError, ValueError) as error:
        raise ValueError(f"The candidates of {name}: {error}") from error
    return list(found.items())
