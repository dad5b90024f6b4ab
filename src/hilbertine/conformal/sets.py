"""Sets of outputs, one for each input: what is said beside a prediction."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln

from ..arrays import Array
from ..spaces import Euclidean, Space
from .outputs import Outputs


class Sets:
    """One set of outputs for each input; an index, a slice or a mask picks some of them.

    Parameters
    ----------
    space : Space
        The fitted space of the outputs.
    level : float
        The confidence level.
    """

    # What has an entry for each set.
    EACH: ClassVar[tuple[str, ...]] = ()

    def __init__(self, space: Space, level: float):
        self.space = space
        self.level = level

    @property
    def measure(self) -> str:
        """What `size` is, in words."""
        raise NotImplementedError(f"{type(self).__name__} must say what its size is.")

    @property
    def size(self) -> Array:
        """How large each set is, by `measure`."""
        raise NotImplementedError(f"{type(self).__name__} must have a size.")

    @property
    def infinite(self) -> Array:
        """Where the set holds everything."""
        raise NotImplementedError(f"{type(self).__name__} must say which sets hold everything.")

    def contains(self, Y: Any) -> Array:
        """Whether each set holds the output of its own input.

        Parameters
        ----------
        Y : array-like or list of length n
            One output for each set.

        Returns
        -------
        array of bool of shape (n,)
            Yes or no.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement contains(Y).")

    def outputs(self, Y: Any) -> Outputs:
        """Outputs to compare with, one for each set.

        Parameters
        ----------
        Y : array-like or list of length n
            The outputs.

        Returns
        -------
        Outputs
            As the space sees them.
        """
        found = Outputs(self.space, Y)
        if len(found.coordinates) != len(self):
            raise ValueError(f"There are {len(self)} sets and {len(found.coordinates)} outputs; give one for each set.")
        return found

    def __len__(self) -> int:
        return len(getattr(self, self.EACH[0]))

    def __getitem__(self, rows: Any) -> Self:
        rows = np.atleast_1d(np.arange(len(self))[rows])
        picked = type(self).__new__(type(self))
        vars(picked).update(vars(self) | {name: _picked(getattr(self, name), rows) for name in self.EACH})
        return picked

    def __str__(self) -> str:
        words = f"{type(self).__name__}: {len(self)} sets at level {self.level:g}"
        if len(self) == 0:
            return words
        everything = int(self.infinite.sum())
        size = float(np.median(self.size))
        # Of thousands of outputs volumes are no numbers of double precision.
        words += f", median {self.measure} {size:.4g}" if everything or 0.0 < size < np.inf else ""
        return words + (f"; {everything} hold everything" if everything else "")

    __repr__ = __str__


def _picked(values: Any, rows: Array) -> Any:
    return [values[i] for i in rows] if isinstance(values, list) else values if values is None else values[rows]


class Ball(Sets):
    """{y : |y - c_i| <= radius_i} in the norm of the output space.

    Parameters
    ----------
    space : Space
        The fitted space of the outputs.
    level : float
        The confidence level.
    score : Score
        How outputs and centres are compared.
    points : array of shape (n, m)
        The centres c_i in coordinates.
    radii : array of shape (n,)
        The radii; infinite for the set of everything.
    """

    EACH = ("radii", "points")

    def __init__(self, space: Space, level: float, score: Any, points: Array, radii: Array):
        super().__init__(space, level)
        self.score = score
        self.points = points
        self.radii = radii

    @property
    def centres(self) -> Any:
        """The centres, as outputs."""
        return self.space.decode(self.points)

    @property
    def infinite(self) -> Array:
        return np.isinf(self.radii)

    @property
    def measure(self) -> str:
        return "volume" if isinstance(self.space, Euclidean) else "radius"

    @property
    def volume(self) -> Array:
        """In R^p the volumes; without meaning where points are functions or objects."""
        with np.errstate(over="ignore", divide="ignore"):
            return np.asarray(np.exp(self._log_volume()))

    @property
    def size(self) -> Array:
        return self.volume if isinstance(self.space, Euclidean) else self.radii

    def contains(self, Y: Any) -> Array:
        return np.asarray(self.score.distances(self.outputs(Y), self.points) <= self.radii)

    def _log_volume(self) -> Array:
        p = self.points.shape[1]
        return np.asarray(p / 2 * np.log(np.pi) - gammaln(p / 2 + 1) + p * np.log(self.radii))


class Ellipsoid(Ball):
    """{y : (y - c_i)^T S^-1 (y - c_i) <= radius_i^2}: a ball where directions differ in spread.

    Parameters
    ----------
    space : Space
        The fitted space of the outputs.
    level : float
        The confidence level.
    score : Mahalanobis
        The fitted score, which holds S.
    points : array of shape (n, m)
        The centres c_i in coordinates.
    radii : array of shape (n,)
        The radii; infinite for the set of everything.
    """

    def _log_volume(self) -> Array:
        return super()._log_volume() - float(np.sum(np.log(np.diagonal(self.score.whitening_))))
