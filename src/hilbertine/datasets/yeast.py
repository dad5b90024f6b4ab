"""YEAST: 2417 genes, 103 features of unit norm, 14 functional classes (Elisseeff and Weston, 2001)."""

import gzip
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
from sklearn.utils import Bunch

from ..doors import door

N_FEATURES = 103
# The file lists the official test set first.
N_TEST = 917


@door
def load_yeast(subset: Literal["train", "test", "all"] = "train") -> Bunch:
    """The YEAST multi-label data with its official split: 1500 genes to train, 917 to test.

    Read from the installed `river` package, which carries the file.

    Parameters
    ----------
    subset : {"train", "test", "all"}, default="train"
        Which genes.

    Returns
    -------
    Bunch
        `data` (n, 103), `target` (n, 14) as floats 0/1, and the names of features and labels.
    """
    rows = {"test": slice(0, N_TEST), "train": slice(N_TEST, None), "all": slice(None)}
    if subset not in rows:
        raise ValueError(f"subset must be 'train', 'test' or 'all', got {subset!r}.")
    with gzip.open(_path(), "rt") as file:
        names = file.readline().strip().split(",")
        table = [line.strip().split(",") for line in file]
    data = np.array([row[:N_FEATURES] for row in table], dtype=np.float64)
    target = np.array(
        [[value.lower() in ("1", "true") for value in row[N_FEATURES:]] for row in table], dtype=np.float64
    )
    return Bunch(
        data=data[rows[subset]],
        target=target[rows[subset]],
        feature_names=names[:N_FEATURES],
        target_names=names[N_FEATURES:],
    )


def _path() -> Path:
    # The package is located, not imported: its import takes seconds and only its file is needed.
    package = find_spec("river")
    if package is None or package.origin is None:
        raise ModuleNotFoundError(
            "The YEAST data come with the package 'river', which is not installed; "
            "install it with: pip install 'hilbertine[paper]'"
        )
    return Path(package.origin).parent / "datasets" / "yeast.csv.gz"
