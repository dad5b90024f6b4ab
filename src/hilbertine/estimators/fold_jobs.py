"""The folds of a search: some at once, in processes or on a cluster, and each kept as soon as it is finished."""

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import delayed

from ..arrays import Array
from ..store import Store, digest
from ..version import __version__
from ..waiting import at_once, on_cluster
from .checkpoint import FREE, hash_of_data, hash_of_setting
from .folds import Data, Scores, score_fold
from .grids import Sweep
from .progress import counted

Fold = tuple[Array, Array]


def score_folds(search: Any, model: Any, data: Data, folds: list[Fold], sweep: Sweep, scorer: Any) -> list[Scores]:
    """The scores of every fold, in order; the search is told of each."""
    scored: list[Scores] = []
    with on_cluster(search.n_jobs), counted(search, len(folds) * sweep.size) as tick:
        alone = effective_n_jobs(search.n_jobs) == 1
        # What was finished before, or elsewhere, is told of as a whole.
        told = tick if alone and search.checkpoint is None else None
        for fold in _finished(search, model, data, folds, sweep, scorer, told):
            scored.append(fold)
            if told is None:
                tick(sweep.size)
            if search.callback is not None:
                search.callback(len(scored), len(folds))
    return scored


def _finished(search: Any, model: Any, data: Data, folds: list[Fold], sweep: Sweep, *told: Any) -> Iterator[Scores]:
    if search.checkpoint is None:
        yield from at_once((delayed(score_fold)(model, data, *fold, sweep, *told) for fold in folds), search.n_jobs)
        return
    store = Store(Path(search.checkpoint), _run_of(model, data, sweep, told[0]))
    tasks = {digest(*fold): delayed(_packed_fold)(model, data, *fold, sweep, *told) for fold in folds}
    for _, packed in store.filled(tasks, search.n_jobs):
        yield unpacked(packed)


def _run_of(model: Any, data: Data, sweep: Sweep, scorer: Any) -> str:
    """A name for everything but the fold that its scores depend on."""
    loose = model.get_params(deep=False)
    settings = {name: hash_of_setting(name, value) for name, value in loose.items() if name not in FREE}
    settings |= {name: hash_of_setting(name, loose[name]) for name in ("solver", "tol", "max_iter")}
    # Points of a grid hold kernels and losses.
    points = [{name: hash_of_setting(name, value) for name, value in point.items()} for point in sweep.points]
    what = [__version__, type(model).__name__, settings, sweep.lams, points, joblib.hash(data.transformer)]
    given = [hash_of_data(part) for part in (data.X, data.y, data.weights)]
    return digest(repr(what), repr(given), hash_of_setting("scoring", scorer))


def _packed_fold(*given: Any) -> str:
    return packed(score_fold(*given))


def packed(scores: Scores) -> str:
    """Scores as text."""
    file = io.BytesIO()
    np.savez(file, **{name: part for name, part in scores._asdict().items() if part is not None})
    return base64.b64encode(file.getvalue()).decode()


def unpacked(text: str) -> Scores:
    """Scores from text."""
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as file:
        return Scores(**{name: file[name] for name in file.files})
