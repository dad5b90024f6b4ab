"""Where data files lie: a folder that is given, else that of HILBERTINE_DATA, else the user's cache."""

import hashlib
import os
from pathlib import Path

VARIABLE = "HILBERTINE_DATA"


class WrongFileError(ValueError):
    """A file under a known name with another SHA-256."""


def cache() -> Path:
    """The folder of the user's cache, where downloads are kept; it need not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hilbertine"


def folders(data: str | Path | None = None) -> list[Path]:
    """The folders that are looked in, in this order; a folder given as an argument is the only one."""
    if data is not None:
        return [Path(data)]
    given = os.environ.get(VARIABLE)
    return [Path(given), cache()] if given else [cache()]


def find(name: str, data: str | Path | None = None) -> Path | None:
    """The file `name`, such as "lip/tfine.csv", in the first folder that holds it, or None.

    A folder may also be the file's own: both `DATA/lip/tfine.csv` and `DATA/tfine.csv` are found.
    """
    for folder in folders(data):
        for path in (folder / name, folder / Path(name).name):
            if path.is_file():
                return path
    return None


def fetch(name: str, address: str, sha256: str, data: str | Path | None = None) -> Path:
    """The file `name` from the folders above, else from the cache, else downloaded into it; its SHA-256 is checked."""
    tried = list(dict.fromkeys([*folders(data), cache()]))
    path = find(name, data) or find(name, cache()) or _download(name, address, sha256, tried)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != sha256:
        raise WrongFileError(
            f"{path} is not the file that is known as {name}: its SHA-256 is {digest}, not {sha256}. Remove it, and it "
            f"is downloaded again from {address}."
        )
    return path


def _download(name: str, address: str, sha256: str, tried: list[Path]) -> Path:
    target = cache() / name
    try:
        import pooch

        pooch.retrieve(address, known_hash=sha256, fname=target.name, path=target.parent)
    except (ImportError, OSError) as error:
        remedy = "pip install 'hilbertine[paper]'" if isinstance(error, ImportError) else "connect to the internet"
        raise FileNotFoundError(
            f"{name} is not in {' nor in '.join(map(str, tried))}, and could not be downloaded from {address} "
            f"({type(error).__name__}). Either {remedy}, or name the folder that holds it, by `data` or by {VARIABLE}."
        ) from error
    except ValueError as error:
        raise WrongFileError(
            f"What {address} gives is not the file that is known as {name}: its SHA-256 differs. Check the connection, "
            f"or name the folder that holds the file, by `data` or by {VARIABLE}."
        ) from error
    return target
