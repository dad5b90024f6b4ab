"""How far an output is from a prediction: scores, small for outputs that fit, and the sets that they bound."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array
from ..site import Linked
from ..spaces import Space
from .outputs import Outputs, Residuals
from .sets import Ball, Sets


class Held(NamedTuple):
    """Training rows under models that have not seen them: inputs, and what their outputs are away from predictions.

    Parameters
    ----------
    X : array-like or list
        The inputs.
    residuals : Residuals
        Outputs less predictions.
    space : Space
        The fitted space of the outputs.
    """

    X: Any
    residuals: Residuals
    space: Space


class Score(Linked, BaseEstimator):
    """s(y, c) = distances / scale(x): how badly an output fits a prediction, the base class of all scores.

    Must implement `distances` and `sets`; may implement `fit` and say that it is `learned`, and `scale`.
    """

    @property
    def learned(self) -> bool:
        """Whether it needs residuals of training rows under models that have not seen them."""
        return False

    def fit(self, held: Held) -> Self:
        """Learn the shape from residuals.

        Parameters
        ----------
        held : Held
            Training rows under models that have not seen them.

        Returns
        -------
        Self
            The fitted score.
        """
        return self

    @property
    def base(self) -> "Score":
        """The score before it is scaled."""
        return self

    def bind(self, space: Space) -> Self:
        """Refuse outputs that this score does not know, and settle what depends on their space alone.

        Parameters
        ----------
        space : Space
            The fitted space of the outputs.

        Returns
        -------
        Self
            The score.
        """
        return self

    def scale(self, X: Any, size: int) -> Array:
        """By what the distances at each input are divided.

        Parameters
        ----------
        X : array-like or list
            Inputs.
        size : int
            How many.

        Returns
        -------
        array of shape (size,)
            Numbers > 0.
        """
        return np.ones(size)

    def distances(self, outputs: Outputs, C: Array) -> Array:
        """How far each output is from its prediction.

        Parameters
        ----------
        outputs : Outputs
            The outputs.
        C : array of shape (n, m)
            Predictions in coordinates.

        Returns
        -------
        array of shape (n,)
            Numbers >= 0.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement distances(outputs, C).")

    def sets(self, space: Space, C: Array, radii: Array, level: float) -> Sets:
        """What lies within these distances of the predictions.

        Parameters
        ----------
        space : Space
            The fitted space of the outputs.
        C : array of shape (n, m)
            Predictions in coordinates.
        radii : array of shape (n,)
            The distances.
        level : float
            The confidence level.

        Returns
        -------
        Sets
            One set for each prediction.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement sets(space, C, radii, level).")

    def lengths(self, R: Array) -> Array:
        """The distances that differences of coordinates make.

        Parameters
        ----------
        R : array of shape (n, m)
            Differences of points, in coordinates.

        Returns
        -------
        array of shape (n,)
            Their lengths.
        """
        return np.asarray(np.sqrt(np.sum(R**2, axis=1)))

    def pooled(self, others: Sequence["Score"]) -> tuple["Score", list[float]]:
        """One shape for scores of several models, and how far each must be stretched to hold its own sets.

        Parameters
        ----------
        others : sequence of Score
            The fitted scores of one kind.

        Returns
        -------
        tuple of (Score, list of float)
            The shape, and a factor for each of the scores.
        """
        return self, [1.0] * len(others)


class Norm(Score):
    """s(y, c) = |y - c| in the norm of the output space, what its coordinates miss included: balls, in every space."""

    def distances(self, outputs: Outputs, C: Array) -> Array:
        R = outputs.residuals(C)
        return np.asarray(np.sqrt(np.sum(R.coordinates**2, axis=1) + R.tails**2))

    def sets(self, space: Space, C: Array, radii: Array, level: float) -> Ball:
        return Ball(space, level, self, C, radii)
