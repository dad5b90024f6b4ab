"""Mass spectra, and the files that hold them: MGF, MSP and MassBank records."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Array

Fields = dict[str, str]
Lines = list[str]

# What the formats and their dialects call a field, in small letters without spaces and underscores.
NAMES = {
    "name": "name", "compoundname": "name", "ch$name": "name", "title": "title", "license": "license",
    "precursormz": "precursor", "precursorm/z": "precursor", "precursormass": "precursor", "precursor": "precursor",
    "pepmass": "precursor", "precursortype": "adduct", "adduct": "adduct",
    "formula": "formula", "ch$formula": "formula", "smiles": "smiles", "ch$smiles": "smiles",
    "inchi": "inchi", "stdinchi": "inchi", "ch$iupac": "inchi",
    "exactmass": "mass", "totalexactmass": "mass", "mass": "mass", "parentmass": "mass", "ch$exactmass": "mass",
    "mw": "nominal mass", "nominalmass": "nominal mass",
    "numpeaks": "peaks", "pk$numpeak": "peaks",
}  # fmt: skip
UNKNOWN = {"", "N/A", "n/a", "NA", "NaN", "nan", "None", "none", "null"}
BEGIN, END = "BEGIN IONS", "END IONS"
# In the comments of MSP files: "key=value" or key="value".
COMMENT = re.compile(r'"([^"=]+)=([^"]*)"|(\w+)="([^"]*)"')


class MassSpectrum(NamedTuple):
    """A mass spectrum: the m/z of the precursor ion, and the peaks as rows (m/z, intensity).

    Parameters
    ----------
    precursor : float
        The m/z of the precursor ion.
    peaks : array-like of shape (n_peaks, 2)
        Rows (m/z, intensity).

    Attributes
    ----------
    precursor : float
        The m/z of the precursor ion.
    peaks : array of shape (n_peaks, 2)
        Rows (m/z, intensity).
    """

    precursor: float
    peaks: Array


class Format(NamedTuple):
    """How to take a file apart: its text into the lines of each record, and a record into fields and peaks."""

    split: Callable[[str], Iterator[Lines]]
    parse: Callable[[Lines], tuple[Fields, Array]]


def read_text(path: str | Path) -> str:
    """The text of a file, without the mark that Excel and Windows put before UTF-8."""
    content = Path(path).read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path} is not UTF-8 (line {line}, {error.reason}); save it again with the encoding UTF-8."
        ) from error


def _fields(pairs: Iterable[Sequence[str]]) -> Fields:
    """The known fields by one name each; of several values the first counts, which of names is the usual one."""
    found: Fields = {}
    for key, value in pairs:
        name = NAMES.get(re.sub(r"[\s_]", "", key).casefold())
        if name is not None and value.strip() not in UNKNOWN:
            found.setdefault(name, value.strip())
    return found


def _peaks(pairs: Iterable[Sequence[str]]) -> Array:
    """Rows (m/z, intensity) from words that ought to be numbers."""
    try:
        peaks = np.array([(float(mass), float(intensity)) for mass, intensity in pairs]).reshape(-1, 2)
    except ValueError as error:
        raise ValueError(f"its peaks are not pairs of numbers, m/z and intensity ({error}).") from error
    if not (np.all(np.isfinite(peaks)) and np.all(peaks >= 0)):
        raise ValueError("its peaks must be finite and >= 0, m/z and intensity.")
    return peaks


def _counted(fields: Fields, peaks: Array) -> tuple[Fields, Array]:
    """A record whose peaks are as many as it says."""
    if fields.get("peaks", str(len(peaks))) != str(len(peaks)):
        raise ValueError(f"it says that it has {fields['peaks']} peaks, and has {len(peaks)}.")
    return fields, peaks


def _mgf_records(text: str) -> Iterator[Lines]:
    """What lies between BEGIN IONS and END IONS, these included; one of the two may be missing."""
    record: Lines = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.upper() == BEGIN:
            yield from _marked(record)
            record = []
        record.append(line)
        if line.upper() == END:
            yield record
            record = []
    yield from _marked(record)


def _marked(record: Lines) -> Iterator[Lines]:
    """A record that began; lines between the records belong to none."""
    if record and record[0].upper() == BEGIN:
        yield record


def _mgf(lines: Lines) -> tuple[Fields, Array]:
    if lines[0].upper() != BEGIN or lines[-1].upper() != END:
        raise ValueError(f"it lacks its line {END if lines[0].upper() == BEGIN else BEGIN}.")
    body = [line for line in lines[1:-1] if line[0] not in "#;!/"]
    fields = _fields(line.split("=", 1) for line in body if "=" in line)
    if "precursor" in fields:
        # The intensity of the precursor may follow.
        fields["precursor"] = fields["precursor"].split()[0]
    return fields, _peaks(line.split()[:2] for line in body if "=" not in line)


def _msp_records(text: str) -> Iterator[Lines]:
    """A record begins with its name, and with any field that follows peaks."""
    record: Lines = []
    ended = named = False
    for line in filter(None, map(str.strip, text.splitlines())):
        key = _msp_key(line)
        if record and key is not None and (ended or (named and key == "name")):
            yield record
            record, ended, named = [], False, False
        record.append(line)
        named = named or key == "name"
        ended = ended or key in (None, "numpeaks")
    if record:
        yield record


def _msp_key(line: str) -> str | None:
    """The name of a field, None on lines of peaks, which may be written 29:500."""
    key, colon, _ = line.partition(":")
    return re.sub(r"[\s_]", "", key).casefold() if colon and line[0].isalpha() else None


def _msp(lines: Lines) -> tuple[Fields, Array]:
    keys = [_msp_key(line) for line in lines]
    fields = _fields(pair for line, key in zip(lines, keys, strict=True) if key for pair in _msp_pairs(line, key))
    if "peaks" not in fields:
        raise ValueError("it lacks its line 'Num Peaks', after which the peaks come.")
    # What stands in quotation marks behind a peak says where it comes from.
    rows = [re.sub(r'"[^"]*"', " ", line) for line, key in zip(lines, keys, strict=True) if key is None]
    words = [word for row in rows for word in re.findall(r"[^\s,;:()\[\]]+", row)]
    # An odd word meets an empty one, which is no number.
    return _counted(fields, _peaks(zip(words[::2], [*words[1::2], ""], strict=False)))


def _msp_pairs(line: str, key: str) -> Iterator[Sequence[str]]:
    value = line.partition(":")[2]
    yield key, value
    if key in ("comment", "comments"):
        for first, left, second, right in COMMENT.findall(value):
            yield first or second, left or right


def _massbank_records(text: str) -> Iterator[Lines]:
    """Each record is ended by a line //."""
    for record in re.split(r"(?m)^//", text):
        if record.strip(" \n/"):
            yield record.splitlines()


def _massbank(lines: Lines) -> tuple[Fields, Array]:
    """After PK$PEAK, which names the columns, come indented lines m/z, intensity, relative intensity."""
    mark = next((i for i, line in enumerate(lines) if line.startswith("PK$PEAK:")), None)
    if mark is None:
        raise ValueError("it is a record without PK$PEAK, so it is no MassBank record.")
    # MS$FOCUSED_ION has fields of its own, with a space behind their names.
    plain = [re.sub(r"^MS\$FOCUSED_ION: (\S+) ", r"\1:", line) for line in lines[:mark]]
    fields = _fields(line.split(":", 1) for line in plain if ":" in line)
    return _counted(fields, _peaks(line.split()[:2] for line in lines[mark + 1 :] if line.startswith(" ")))


FORMATS = {
    ".mgf": Format(_mgf_records, _mgf),
    ".msp": Format(_msp_records, _msp),
    ".txt": Format(_massbank_records, _massbank),
}
