"""Sets from several models, each with rows that it was not trained on: CV+ and the jackknife+ in any output space."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..memory import rows_of
from ..spaces import L2, Space
from .boxes import Band, Box
from .calibration import Calibration
from .outputs import Outputs, has_values, masses, values
from .scores import Score
from .sets import Sets
from .shapes import Supremum


class Part(NamedTuple):
    """What one of the models says of the new inputs: points in its space, and by what its scores are divided there.

    Parameters
    ----------
    space : Space
        The fitted space of its outputs.
    score : Score
        Its fitted score.
    points : array of shape (n, m)
        Its predictions in coordinates.
    scale : array of shape (n,)
        By what distances from them are divided.
    """

    space: Space
    score: Score
    points: Array
    scale: Array


def distances(parts: Sequence[Part], Y: Any) -> Array:
    """The scores of outputs under each of the models, (n, n_models); a space that is shared reads them once."""
    read: dict[int, Outputs] = {}
    columns = []
    for part in parts:
        outputs = read.setdefault(id(part.space), Outputs(part.space, Y))
        columns.append(part.score.distances(outputs, part.points) / part.scale)
    return np.stack(columns, axis=1)


class Crossed(Sets):
    """{y : the rows i with s(y, c_k(i)) > s_i weigh less than tau}: enough of the models hold y.

    With the norm for a score, y lies in more than alpha (n + 1) - 1 of the balls of radius s_i about c_k(i).
    Membership is by definition; `hull` holds the set, and `size` is that of the hull.

    Parameters
    ----------
    space : Space
        The fitted space of the outputs, that of the model on all rows.
    level : float
        The confidence level.
    centre : array of shape (n, m)
        The predictions of the model on all rows, about which the hull is drawn.
    parts : list of Part
        What each model says.
    calibration : Calibration
        The scores of the rows under the models that have not seen them.
    targets : array of shape (n,)
        tau.
    kinds : array of shape (n,), default=None
        The kinds of the samples.
    """

    EACH = ("targets", "centre", "parts", "kinds")

    def __init__(
        self, space: Space, level: float, centre: Array, parts: Sequence[Part], calibration: Calibration,
        targets: Array, kinds: Array | None = None,
    ):  # fmt: skip
        super().__init__(space, level)
        self.centre = centre
        self.parts = list(parts)
        self.calibration = calibration
        self.targets = targets
        self.kinds = kinds

    def __getitem__(self, rows: Any) -> "Crossed":
        rows = np.atleast_1d(np.arange(len(self))[rows])
        parts = [part._replace(points=part.points[rows], scale=part.scale[rows]) for part in self.parts]
        kinds = None if self.kinds is None else self.kinds[rows]
        return Crossed(self.space, self.level, self.centre[rows], parts, self.calibration, self.targets[rows], kinds)

    @property
    def infinite(self) -> Array:
        # No output is beaten by more than all rows.
        return self.calibration.below(np.full((len(self), len(self.parts)), np.inf), self.kinds) < self.targets

    @property
    def measure(self) -> str:
        return f"{self.hull().measure} of the hull"

    @property
    def size(self) -> Array:
        return self.hull().size

    def contains(self, Y: Any) -> Array:
        self.outputs(Y)
        return self.calibration.below(distances(self.parts, Y), self.kinds) < self.targets

    def hull(self) -> Sets:
        """A ball, ellipsoid, box or band that holds the set.

        Where y is in the set, rows that weigh enough have |y - c_k| <= s_i, and so |y - c| <= s_i + |c_k - c|: the
        bounds of the set are the quantile of these sums. Of a box each side is such a quantile.

        Returns
        -------
        Sets
            One for each input.
        """
        step = rows_of(len(self.calibration.scores) * max(self.centre.shape[1], len(masses(self.space))), 0.2)
        pieces = [_hull(self[start : start + step]) for start in range(0, len(self), step)]
        joined = {name: np.concatenate([getattr(each, name) for each in pieces]) for name in pieces[0].EACH}
        vars(pieces[0]).update(joined)
        return pieces[0]


def _hull(crossed: Crossed) -> Sets:
    if not has_values(crossed.space) and any(part.space is not crossed.space for part in crossed.parts):
        raise ValueError(
            "Models of different folds put these objects into spaces of their own, where no ball holds them all; ask "
            "predict_set for the candidates, or contains for an output."
        )
    base = crossed.parts[0].score.base
    return _box(crossed) if isinstance(base, Supremum) else _ball(crossed)


def _box(crossed: Crossed) -> Box:
    """Each side by itself: y_j >= the lower ends of enough rows, and <= their upper ends."""
    owners, scores = crossed.calibration.owners, crossed.calibration.scores
    middle = np.stack([values(part.space, part.points) for part in crossed.parts], axis=-1)[..., owners]
    half = np.stack([part.scale[:, None] * _supremum(part).modulation_ for part in crossed.parts], axis=-1)
    reach = half[..., owners] * scores
    upper = crossed.calibration.outer(middle + reach, crossed.targets, crossed.kinds)
    lower = -crossed.calibration.outer(reach - middle, crossed.targets, crossed.kinds)
    everything = np.isinf(upper) | np.isinf(lower)
    centre = np.where(everything, values(crossed.space, crossed.centre), (lower + upper) / 2)
    kind = Band if isinstance(crossed.space, L2) else Box
    return kind(crossed.space, crossed.level, centre, np.where(everything, np.inf, np.maximum(upper - centre, 0.0)))


def _supremum(part: Part) -> Supremum:
    base = part.score.base
    assert isinstance(base, Supremum)
    return base


def _ball(crossed: Crossed) -> Sets:
    """About the centre in one shape for all models; the balls of the others are stretched to fit."""
    bases = [part.score.base for part in crossed.parts]
    shape, stretches = bases[0].pooled(bases)
    owners, scores = crossed.calibration.owners, crossed.calibration.scores
    gaps = np.stack([_gaps(crossed, part, shape) for part in crossed.parts], axis=1)[:, owners]
    reach = np.stack([part.scale * by for part, by in zip(crossed.parts, stretches, strict=True)], axis=1)
    radii = crossed.calibration.outer(reach[:, owners] * scores + gaps, crossed.targets, crossed.kinds)
    return shape.sets(crossed.space, crossed.centre, radii, crossed.level)


def _gaps(crossed: Crossed, part: Part, shape: Score) -> Array:
    """|c_k - c|, in the coordinates of one space, or of curves from their values."""
    if part.space is crossed.space or not part.space.learned:
        return shape.lengths(part.points - crossed.centre)
    apart = values(part.space, part.points) - values(crossed.space, crossed.centre)
    return np.asarray(np.sqrt(apart**2 @ masses(crossed.space)))
