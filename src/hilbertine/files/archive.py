"""One file: model.json and arrays/0.npy, arrays/1.npy, .. in a zip that any tool opens."""

import io
import json
import os
import platform
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.exceptions import InconsistentVersionWarning

from ..arrays import Array
from ..doors import caller
from ..memory import check_room
from ..version import __version__
from ..writing import replacing
from .decode import BadFileError, Decoder
from .encode import Encoder

# Raised when a file of this version could not be read by the version before.
FORMAT = 1
TEXT = "model.json"
# The same model is the same file, on any day.
EPOCH = (1980, 1, 1, 0, 0, 0)
# What reading a damaged file ends in, wherever the damage is.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, KeyError, IndexError,
    TypeError, AttributeError, OSError,
)  # fmt: skip


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to one file, which `load` reads on any machine: a zip of a JSON text and arrays, without pickle.

    Parameters that are code (a function, an object of a class of your own) are refused by name before anything is
    written, and a file that was there stays until the new one is complete. Kept are all estimators of hilbertine,
    fitted or not, and pipelines of scikit-learn's scalers, PCA and the like that end in one. Arrays of other libraries
    become NumPy's, dates NumPy's, sequences of pandas arrays. A model whose kernel has features keeps no training
    inputs.

    Parameters
    ----------
    model : estimator or Pipeline
        The model.
    path : str or path-like
        Where to write, by custom NAME.hil.

    Examples
    --------
    >>> import tempfile
    >>> from hilbertine import Ridge
    >>> model = Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/squares.hil")
    ...     again = load(f"{folder}/squares.hil")
    >>> bool(again.predict([[1.5]]) == model.predict([[1.5]]))
    True
    """
    encoder = Encoder()
    if not hasattr(model, "get_params"):
        raise TypeError(f"{model!r} is no model; give an estimator of hilbertine, or a pipeline that ends in one.")
    root = encoder.encode(model, "model")
    text = {
        "format": FORMAT,
        "hilbertine": __version__,
        "made with": {
            "python": platform.python_version(),
            **{package.__name__: package.__version__ for package in (np, scipy, sklearn)},
        },
        "model": root,
        "objects": encoder.objects,
    }
    with replacing(Path(path)) as file, zipfile.ZipFile(file, "w") as archive:
        _write(archive, TEXT, json.dumps(text, allow_nan=False, separators=(",", ":")).encode(), zipfile.ZIP_DEFLATED)
        for k, values in enumerate(encoder.arrays):
            _write_array(archive, _name(k), values)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote; nothing in the file is run.

    Classes come from a fixed list, arrays are read without pickle, and parts that do not fit together, a file that is
    damaged, of another kind or of a newer version are refused.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator or Pipeline
        The model, with the predictions it had when it was saved.
    """
    # A file that is not there, or may not be read, is said as it is; from here on errors are of what it holds.
    with open(path, "rb") as file:
        return _load(file, path)


def _load(file: Any, path: Any) -> Any:
    try:
        with zipfile.ZipFile(file) as archive:
            text = _text(archive)
            _check_version(text)
            arrays = list(_arrays(archive))
        _warn_of_versions(text)
        return Decoder(text["objects"], arrays).model(text["model"])
    except NewerFileError as error:
        raise NewerFileError(f"{path} {error}") from error
    except DAMAGE as error:
        raise BadFileError(
            f"{path} is no model that can be read: {error or type(error).__name__}. It is damaged, was altered, or is "
            "of another kind; save the model again."
        ) from error


class NewerFileError(BadFileError):
    """A file that this version cannot know."""


def _name(k: int) -> str:
    return f"arrays/{k}.npy"


def _write(archive: zipfile.ZipFile, name: str, content: bytes, compression: int) -> None:
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = compression
    archive.writestr(info, content)


def _write_array(archive: zipfile.ZipFile, name: str, values: Array) -> None:
    # Numbers do not shrink.
    with archive.open(zipfile.ZipInfo(name, EPOCH), "w", force_zip64=True) as file:
        np.lib.format.write_array(file, values, allow_pickle=False)


def _text(archive: zipfile.ZipFile) -> dict[str, Any]:
    if TEXT not in archive.namelist():
        raise BadFileError("it lacks model.json")
    size = sum(info.file_size for info in archive.infolist())
    check_room(size / 8.0, f"The model of {size} bytes", "read it where there is more memory")
    text = json.loads(archive.read(TEXT))
    if (
        not isinstance(text, dict)
        or not isinstance(text.get("format"), int)
        or not isinstance(text.get("objects"), list)
    ):
        raise BadFileError("model.json says neither its format nor its objects")
    return dict(text)


def _check_version(text: dict[str, Any]) -> None:
    if text["format"] > FORMAT:
        raise NewerFileError(
            f"was written by hilbertine {text.get('hilbertine')} in format {text['format']}; this is {__version__}, "
            f"which reads formats up to {FORMAT}: pip install --upgrade hilbertine"
        )


def _arrays(archive: zipfile.ZipFile) -> Iterator[Array]:
    """The arrays in the order of their numbers; the zip's checksums are compared as they are read."""
    names = set(archive.namelist()) - {TEXT}
    if names != {_name(k) for k in range(len(names))}:
        raise BadFileError("its arrays are not numbered from 0")
    for k in range(len(names)):
        yield np.lib.format.read_array(io.BytesIO(archive.read(_name(k))), allow_pickle=False)


def _warn_of_versions(text: dict[str, Any]) -> None:
    """scikit-learn's own parts may change with its version."""
    made = text.get("made with", {}).get("sklearn")
    for node in text["objects"]:
        if str(node["class"]).startswith("sklearn.") and made != sklearn.__version__:
            name = str(node["class"]).rpartition(".")[2]
            warnings.warn(
                InconsistentVersionWarning(
                    estimator_name=name, current_sklearn_version=sklearn.__version__, original_sklearn_version=str(made)
                ),
                stacklevel=caller(),
            )
            return
