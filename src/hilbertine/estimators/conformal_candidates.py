"""Sets of objects: the candidates that lie within the radius, nearest first."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import Array
from ..conformal import Calibration, Candidates, Part, Sets
from ..containers.identity import distinct
from ..spaces import RKHS
from ..spaces.decoding import Nearest, pick
from .candidates import read_candidates, scored
from .predictors import Predictor, inner_model

# For each input (candidates, their scores under all models).
Given = list[tuple[Any, Array]]


def offered(predictor: Predictor, X: Any, parts: list[Part], candidates: Any) -> Given | None:
    """The candidates of each input with their scores; None where outputs are no objects."""
    space = predictor.space
    if not isinstance(space, RKHS):
        if candidates is not None:
            raise ValueError(f"Outputs of {space!r} are not chosen among candidates; leave them out.")
        return None
    known = getattr(inner_model(predictor.model), "candidates_", None)
    if candidates is None:
        candidates = pick(space.outputs_, distinct(space.outputs_)) if known is None else known
    given, own = read_candidates(candidates, X, space)
    columns = [list(_distances(part, given, own)) for part in parts]
    return [(each[0][0], np.stack([d for _, d in each], axis=1)) for each in zip(*columns, strict=True)]


def _distances(part: Part, given: Any, own: bool) -> Iterator[tuple[Any, Array]]:
    """(candidates, |h(x) - phi(z)| / scale) for each input: |c|^2 less the score of the nearest."""
    squares = np.sum(part.points**2, axis=1)
    rows = scored(part.space, Nearest(), part.points, given, own)
    for (scores, each), square, scale in zip(rows, squares, part.scale, strict=True):
        yield each, np.sqrt(np.maximum(square - scores, 0.0)) / scale


def chosen(
    within: Sets, parts: list[Part], calibration: Calibration, targets: Array, kinds: Array | None, given: Given
) -> Candidates:
    """Of the candidates of each input those in its set; under several models in the order of their mean score."""
    members, lengths = [], []
    for i, (each, D) in enumerate(given):
        mine = None if kinds is None else np.repeat(kinds[i], len(D))
        inside = np.flatnonzero(calibration.below(D, mine) < targets[i])
        scale = np.mean([part.scale[i] for part in parts])
        order = inside[np.argsort(D[inside].mean(axis=1), kind="stable")]
        members.append(list(pick(each, order)))
        lengths.append(D[order].mean(axis=1) * scale)
    offered = np.array([len(D) for _, D in given], dtype=np.int64)
    return Candidates(within.space, within.level, members, lengths, offered, within)
