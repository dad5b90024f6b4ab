"""Candidates as users give them: one collection for all samples, one for each, or a function of the inputs."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from ..arrays import Array, as_sequence, blocks, count, is_array, namespace, to_numpy
from ..containers.identity import identities
from ..memory import rows_of
from ..spaces import RKHS
from ..spaces.decoding import Decoder, check_candidates, pick

# Scores within this part of the largest are equal but for rounding.
TIE = 1e-12
# Candidates of several samples that are compared with the training outputs at once.
POOL = 2000


def read_candidates(given: Any, X: Any, space: RKHS) -> tuple[Any, bool]:
    """What there is to choose from, and whether it is a collection for each sample."""
    if isinstance(given, Mapping):
        raise TypeError("Candidates are a collection, or a function of the inputs, lambda X: [table[x] for x in X].")
    computed = callable(given)
    given = as_sequence(given(X) if computed else given)
    # Where outputs are lists, or lists of numbers stand for vectors, collections of them are one level deeper.
    outputs = space.outputs_
    listed = per_sample(outputs) or (space.kernel_.domain == "vectors" and outputs.shape[1] > 1)
    if not per_sample(given) or (listed and isinstance(given[0], list) and not _listed(given[0])):
        if computed:
            raise ValueError("A function for candidates must return a list of lists, one for each input.")
        return given, False
    check_consistent_length(X, given)
    return given, True


def per_sample(candidates: Any) -> bool:
    """Whether these are collections of candidates, one for each sample."""
    return (
        isinstance(candidates, list)
        and len(candidates) > 0
        and all(isinstance(each, list) or (hasattr(each, "ndim") and each.ndim == 2) for each in candidates)
    )


def _listed(candidates: Any) -> bool:
    """Whether these outputs are lists, or vectors."""
    return all(isinstance(each, list) or getattr(each, "ndim", 0) > 0 for each in candidates)


def numbered(outputs: Any) -> tuple[dict[Any, int], Array]:
    """A number for each distinct output, and the numbers of these outputs."""
    names: dict[Any, int] = {}
    codes = [names.setdefault(key, len(names)) for key in identities(outputs)]
    return names, np.array(codes, dtype=np.int64)


def place(scores: Array, codes: Array, true: int) -> float:
    """The place of the true output among the distinct ones with these numbers, from 1; infinite where it is missing."""
    mine = codes == true
    bar = scores[mine].max(initial=-np.inf) - TIE * np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    rivals = np.unique(codes[~mine & (scores >= bar)]).size
    return 1.0 + rivals if mine.any() else np.inf


def warn_of_unreachable(space: RKHS, truths: list[Any], given: Any, each_its_own: bool) -> None:
    """Say how many true outputs no answer can equal, because they are no candidates."""
    known = [set(identities(space.read(each))) for each in (given if each_its_own else [given])]
    missing = sum(true not in known[i if each_its_own else 0] for i, true in enumerate(truths))
    if missing:
        warnings.warn(
            f"{missing} of {len(truths)} true outputs are not among the candidates, and count as wrong whatever the "
            "model; give candidates that hold them, or score by a distance: metrics.rkhs_distance.",
            UserWarning,
            stacklevel=3,
        )


def scored(space: RKHS, decoder: Decoder, C: Array, given: Any, each_its_own: bool) -> Iterator[tuple[Any, Any]]:
    """(scores, candidates) for each predicted point, a block of points at a time."""
    if each_its_own:
        for each in given:
            check_candidates(each)
        for rows in runs(given, POOL if decoder.apart and poolable(given) else 1):
            pool, places = pooled(space, [given[i] for i in rows])
            S = to_numpy(decoder.scores(space, C[rows.start : rows.stop, :], pool))
            yield from ((S[i - rows.start][at], given[i]) for i, at in zip(rows, places, strict=True))
        return
    check_candidates(given)
    score = decoder.scorer(space, given)
    for part in blocks(C, rows_of(count(given), 0.5)):
        for row in to_numpy(score(part)):
            yield row, given


def runs(given: Any, size: int) -> Iterator[range]:
    """The places of collections that follow one another, of about so many candidates together."""
    start, total = 0, 0
    for i, each in enumerate(given):
        total += count(each)
        if total >= size or i == len(given) - 1:
            yield range(start, i + 1)
            start, total = i + 1, 0


def poolable(given: Any) -> bool:
    """Whether these collections can be joined: all are lists, or all are arrays."""
    return all(isinstance(each, list) for each in given) or all(is_array(each) for each in given)


def pooled(space: RKHS, given: list[Any]) -> tuple[Any, list[Any]]:
    """The distinct ones of these candidates, read once, and the places of each collection among them."""
    if len(given) == 1:
        return given[0], [slice(None)]
    joined = namespace(given[0]).concat(given) if is_array(given[0]) else [one for each in given for one in each]
    _, codes = numbered(space.read(joined))
    first = np.unique(codes, return_index=True)[1]
    return pick(joined, first), np.split(codes, np.cumsum([count(each) for each in given])[:-1])
