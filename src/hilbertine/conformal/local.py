"""Scores in units of how hard an input is: sets that are wide where they must be."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..arrays import Array, to_numpy
from ..checks import whole
from ..spaces import Space
from .outputs import Outputs, Residuals
from .scores import Held, Norm, Score
from .sets import Sets

# An input is at most so many times harder or easier than the median one.
FURTHEST = 20.0


class Local(Score):
    """s(y, c) = s_0(y, c) / sigma(x): any score in units of what it typically is near the input.

    log sigma is learned from the scores of training rows under models that have not seen them.

    Parameters
    ----------
    score : Score, default=None
        s_0; None is `Norm()`.
    difficulty : regressor, default=None
        What learns log sigma from inputs: any regressor of scikit-learn or of this library. None is the mean over the
        nearest training inputs, where inputs are vectors; for other inputs `ConformalRegressor` takes a
        `HuberRegressor` with the kernel of its estimator.
    neighbours : int, default=20
        How many of the nearest.

    Attributes
    ----------
    score_ : Score
        The fitted s_0.
    difficulty_ : regressor
        The fitted model of log sigma.
    centre_ : float
        The median of log sigma on the training rows.
    """

    def __init__(self, score: Score | None = None, difficulty: Any = None, neighbours: int = 20):
        self.score = score
        self.difficulty = difficulty
        self.neighbours = neighbours

    @property
    def learned(self) -> bool:
        return True

    @property
    def base(self) -> Score:
        return self.score_

    def bind(self, space: Space) -> Self:
        self.score_ = self._inner().bind(space)
        return self

    def fit(self, held: Held) -> Self:
        if self.score_.learned:
            self.score_.fit(held)
        distances = self.score_.distances(Known(held), np.zeros(()))
        floor = float(np.median(distances)) / FURTHEST or 1.0
        logs = np.log(np.maximum(distances, floor))
        self.difficulty_ = self._model(held.X, len(logs)).fit(held.X, logs)
        self.centre_ = float(np.median(logs))
        return self

    def scale(self, X: Any, size: int) -> Array:
        logs = np.asarray(to_numpy(self.difficulty_.predict(X)), dtype=np.float64).reshape(size)
        return np.exp(np.clip(logs - self.centre_, -np.log(FURTHEST), np.log(FURTHEST)))

    def distances(self, outputs: Outputs, C: Array) -> Array:
        return self.score_.distances(outputs, C)

    def sets(self, space: Space, C: Array, radii: Array, level: float) -> Sets:
        return self.score_.sets(space, C, radii, level)

    def _inner(self) -> Score:
        inner = Norm() if self.score is None else self.score
        if not isinstance(inner, Score) or isinstance(inner, Local):
            raise TypeError(f"Local.score must be a score such as Norm(), not local itself; got {inner!r}.")
        copy: Score = clone(inner)
        return copy

    def _model(self, X: Any, n: int) -> Any:
        if self.difficulty is not None:
            return clone(self.difficulty, safe=False)
        neighbours = min(whole(self.neighbours, "Local.neighbours"), n)
        return make_pipeline(
            StandardScaler(with_mean=not hasattr(X, "tocsr")), KNeighborsRegressor(neighbours, algorithm="brute")
        )


class Known(Outputs):
    """Outputs whose residuals are known already."""

    def __init__(self, held: Held):
        super().__init__(held.space, None)
        self.held = held

    def residuals(self, C: Array) -> Residuals:
        return self.held.residuals
