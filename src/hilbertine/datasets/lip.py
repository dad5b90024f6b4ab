"""Lip: the acceleration of the lower lip from the activity of its muscle (Ramsay and Silverman, 2002)."""

from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from ..doors import door
from .files import fetch

SOURCE = "https://raw.githubusercontent.com/plaforgue/dual_exp/44b545484bc26c1bb53624c3859839e96f774550/Data"
# SHA-256 of each file.
FILES = {
    "EMGmatlag.csv": "d4433aea01ed9044b93808df7ebf685840a63c7c007b62aa7071c0126146d4fe",
    "lipmatlag.csv": "c16eb2f6687f571a43dd776c170b05ec267c68db4e8c55aa7a278ba2b66b2b54",
    "tfine.csv": "3489f163ed207308653ab408fa231205a3dd34d0e4806e69f67c4c7c82c86278",
}
DESCRIPTION = """Lip: 32 records of a subject saying "say bob again".

data: electromyogram (EMG) of the muscle that depresses the lower lip, 32 curves at 641 times.
target: acceleration of the lower lip in the same records.
grid: the times, 0 to 0.64 seconds, rescaled to [0, 1].
The curves are as published, not centred; the EMG is shifted by the lag between muscle and lip.

J. O. Ramsay and B. W. Silverman, Applied Functional Data Analysis: Methods and Case Studies, Springer, 2002.
"""


@door
def load_lip(data: str | Path | None = None) -> Bunch:
    """Muscle activity (EMG) and acceleration of the lower lip: 32 pairs of curves on a grid of 641 times.

    Parameters
    ----------
    data : str or Path, default=None
        The folder to look in first, itself or its folder `lip`; None is that of HILBERTINE_DATA. Then comes the user's
        cache, into which the three files are downloaded where they are nowhere.

    Returns
    -------
    Bunch
        `data` (32, 641), `target` (32, 641), `grid` (641,) in [0, 1] and `DESCR`.
    """
    X, Y, times = (
        np.loadtxt(fetch(f"lip/{name}", f"{SOURCE}/{name}", sha256, data), delimiter=",").T
        for name, sha256 in FILES.items()
    )
    return Bunch(data=X, target=Y, grid=times / times[-1], DESCR=DESCRIPTION)
