"""Mass spectra of one's own: MGF, MSP and MassBank files, with a table of candidate molecules."""

import csv
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.utils import Bunch

from ..arrays import Array
from ..containers.spectra import FORMATS, Fields, MassSpectrum, read_text
from ..doors import caller, door
from .metabolites import PROTON, Record, assemble
from .molecules import chemistry, formula, identity, mass, molecules, parse, written


class Bad(NamedTuple):
    """A record that could not be read."""

    path: Path
    number: int
    reason: str


@door
def load_spectra(path: str | Path, candidates: str | Path | Mapping[str, Sequence[Any]] | Any = None) -> Bunch:
    """Spectra from a file, or from all files of a folder: MGF (.mgf), MSP (.msp) or MassBank records (.txt).

    Needs rdkit where there are molecules: pip install 'hilbertine[paper]'. SMILES or InChI, and formula, may be missing
    where the molecule is to be found. A spectrum without the m/z of its precursor, as those of electron ionisation
    (EI), has that of the molecular ion: the mass that the record gives, else that of its molecule or formula, else the
    nominal mass. Where the adduct is [M+H]+, and only there, a proton is added.

    Records that cannot be read are left out, with one warning that numbers them and gives the reasons.

    Parameters
    ----------
    path : str or Path
        A file, or a folder of files.
    candidates : str, Path, data frame or mapping, default=None
        What the molecules could be: a CSV file or a data frame with the columns formula and smiles, or a mapping
        formula -> list of SMILES. InChI and molecules of rdkit are as good as SMILES. Only formulas that occur among
        the spectra are kept, and of molecules that differ in stereochemistry only the first.

    Returns
    -------
    data : Bunch
        That of `load_metabolites`.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; give a file or a folder of .mgf, .msp or .txt files.")
    files = sorted(each for each in path.iterdir() if each.suffix.lower() in FORMATS) if path.is_dir() else [path]
    read = [record for file in files for record in _read(file)]
    records = [record for record in read if isinstance(record, Record)]
    bad = [record for record in read if isinstance(record, Bad)]
    if not records:
        raise ValueError(f"{path} holds no spectrum in a .mgf, .msp or .txt file.{_reasons(bad)}")
    if bad:
        warnings.warn(f"{len(bad)} of {len(read)} spectra of {path} are left out.{_reasons(bad)}", stacklevel=caller())
    wanted = {record.formula for record in records}
    identified = {name: _identified(given, name) for name, given in _table(candidates).items() if name in wanted}
    return assemble(records, identified, published=False, DESCR=f"Mass spectra from {path}.")


def _read(path: Path) -> Iterator[Record | Bad]:
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise ValueError(f"{path} must be a .mgf, .msp or MassBank .txt file.")
    for number, lines in enumerate(found.split(read_text(path)), 1):
        try:
            yield _record(*found.parse(lines))
        except ValueError as error:
            yield Bad(path, number, str(error))


def _reasons(bad: Sequence[Bad]) -> str:
    """What is wrong with the records, those of one file and reason together."""
    numbers: dict[tuple[Path, str], list[str]] = {}
    for path, number, reason in bad:
        numbers.setdefault((path, reason), []).append(str(number))
    return "".join(
        f"\nSpectr{'um' if len(which) == 1 else 'a'} {', '.join(which)} of {path}: {reason}"
        for (path, reason), which in numbers.items()
    )


def _record(fields: Fields, peaks: Array) -> Record:
    name, licences = fields.get("name") or fields.get("title", ""), [fields["license"]] if "license" in fields else []
    given = fields.get("smiles") or fields.get("inchi", "").strip('"')
    molecule = parse(given) if given else None
    if given and molecule is None:
        kind = "SMILES" if "smiles" in fields else "InChI"
        raise ValueError(f"its {kind} {given!r} does not parse as a molecule; correct it, or leave it out.")
    spectrum = MassSpectrum(_precursor(fields, molecule), peaks)
    if molecule is None:
        return Record(spectrum, None, fields.get("formula"), None, None, name, licences)
    smiles, key = written(given, molecule), identity(molecule)
    return Record(spectrum, smiles, fields.get("formula") or formula(molecule), key, key, name, licences)


def _precursor(fields: Fields, molecule: Any) -> float:
    """The m/z of the precursor ion, or of the molecular ion where it is not given."""
    if "precursor" in fields:
        return _mass(fields["precursor"], "precursor m/z")
    proton = PROTON if fields.get("adduct") == "[M+H]+" else 0.0
    if "mass" in fields:
        return _mass(fields["mass"], "mass") + proton
    if molecule is not None:
        return float(chemistry("Chem.Descriptors").ExactMolWt(molecule)) + proton
    if "formula" in fields:
        return mass(fields["formula"]) + proton
    if "nominal mass" in fields:
        return _mass(fields["nominal mass"], "mass") + proton
    raise ValueError("it has no precursor m/z, mass, molecule or formula; add one of them, or drop the spectrum.")


def _mass(given: str, what: str) -> float:
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"its {what} {given!r} is not a number > 0; correct it, or leave it out.")
    return value


def _table(candidates: Any) -> Mapping[str, Sequence[Any]]:
    """Candidates as formula -> molecules."""
    if candidates is None or isinstance(candidates, Mapping):
        return candidates or {}
    if isinstance(candidates, str | Path):
        rows = csv.reader(StringIO(read_text(candidates)))
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
