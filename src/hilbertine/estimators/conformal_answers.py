"""What a conformal regressor answers: predictions, sets around them, and how often these hold the truth."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..arrays import Array, count
from ..conformal import Crossed, Part, Reliability, Sets
from ..conformal.calibration import check_level
from ..conformal.crossed import distances
from ..conformal.reliability import reliability
from ..doors import caller
from ..plotting import plot_band, plot_coverage
from ..site import Linked
from .conformal_candidates import chosen, offered
from .conformal_training import checked_groups

LEVELS = (*np.linspace(0.05, 0.95, 19).round(2).tolist(), 0.99)


class Answers(Linked, BaseEstimator):
    """Everything that is asked of a `ConformalRegressor` after it is trained."""

    def predict(self, X: Any, **settings: Any) -> Any:
        """The predictions of the estimator, without sets.

        Parameters
        ----------
        X : array-like or list
            New inputs.
        **settings : dict
            What its `predict` takes beside them: `grid` for curves, `candidates` for objects.

        Returns
        -------
        array or list
            The predicted outputs, one for each input.
        """
        check_is_fitted(self, "predictor_")
        return self.predictor_.model.predict(self.predictor_.inputs(X), **settings)

    def embed(self, X: Any) -> Array:
        """The predicted points of the output space, in its coordinates.

        Parameters
        ----------
        X : array-like or list
            New inputs.

        Returns
        -------
        array of shape (n_new, m)
            One row for each input.
        """
        check_is_fitted(self, "predictor_")
        return self.predictor_.points(X)

    def predict_set(self, X: Any, confidence_level: Any = None, groups: Any = None, candidates: Any = None) -> Any:
        """A set of outputs for each input, which holds the true one as often as its level says.

        Parameters
        ----------
        X : array-like or list
            New inputs.
        confidence_level : float or sequence of float, default=None
            The level, or several; None is that of the estimator.
        groups : array-like of shape (n_new,), default=None
            The kinds of the samples, where calibration rows had kinds.
        candidates : list, list of lists or callable, default=None
            For objects, what the sets are made of, as for `StructuredPredictor`; None is what the estimator has.

        Returns
        -------
        conformal.Sets, or list of them
            A list where there are several levels.
        """
        kinds, parts = self._kinds(groups, X), self._parts(X)
        given = offered(self.predictor_, X, parts, candidates)
        found = [self._sets(level, parts, X, kinds, given) for level in self._levels(confidence_level)]
        return found if self._several(confidence_level) else found[0]

    def contains(self, X: Any, y: Any, confidence_level: Any = None, groups: Any = None) -> Array:
        """Whether the set of each input holds its output; of objects, whether the output is within the radius.

        Parameters
        ----------
        X : array-like or list
            Inputs.
        y : array-like or list
            One output for each.
        confidence_level : float or sequence of float, default=None
            The level, or several; None is that of the estimator.
        groups : array-like of shape (n,), default=None
            The kinds of the samples, where calibration rows had kinds.

        Returns
        -------
        array of bool of shape (n,), or (n, n_levels)
            Yes or no; a column for each of several levels.
        """
        check_consistent_length(X, y)
        kinds, parts = self._kinds(groups, X), self._parts(X)
        below = self.calibration_.below(distances(parts, y), kinds)
        held = [below < self._targets(level, X, kinds) for level in self._levels(confidence_level)]
        return np.stack(held, axis=1) if self._several(confidence_level) else held[0]

    def coverage_curve(self, X: Any, y: Any, levels: Sequence[float] | None = None, groups: Any = None) -> Reliability:
        """The share of test outputs that the sets hold, level by level, and where it is to be expected; `print` it.

        Parameters
        ----------
        X : array-like or list
            Test inputs.
        y : array-like or list
            Their outputs.
        levels : sequence of float, default=None
            The confidence levels; None is .05, .1, .. to .95, and .99.
        groups : array-like of shape (n,), default=None
            The kinds of the samples, where calibration rows had kinds.

        Returns
        -------
        conformal.Reliability
            Levels, shares, and the range of the shares where all rows can be exchanged.
        """
        levels = list(LEVELS if levels is None else levels)
        held, n = self.contains(X, y, levels, groups), len(self.calibration_.scores)
        rows = n - np.floor(self.contamination * n)
        return reliability(levels, held, np.ceil(np.asarray(levels) * (rows + 1) * (1 - 1e-9)), int(rows))

    def plot_coverage(
        self, X: Any, y: Any, levels: Sequence[float] | None = None, groups: Any = None, ax: Any = None
    ) -> Any:
        """What was promised against what was found on test rows, with the range where it is to be expected.

        Parameters
        ----------
        X : array-like or list
            Test inputs.
        y : array-like or list
            Their outputs.
        levels : sequence of float, default=None
            The confidence levels; None is .05, .1, .. to .95, and .99.
        groups : array-like of shape (n,), default=None
            The kinds of the samples, where calibration rows had kinds.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib axes
            What was drawn on.
        """
        return plot_coverage(self.coverage_curve(X, y, levels, groups), ax)

    def plot_band(self, X: Any, y: Any = None, which: Sequence[int] = (0,), ax: Any = None) -> Any:
        """Predicted curves in their bands, and the true ones where they are given.

        Parameters
        ----------
        X : array-like or list
            New inputs.
        y : curves, default=None
            The true curves.
        which : sequence of int, default=(0,)
            Which of them to draw.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib axes
            What was drawn on.
        """
        sets = self.predict_set(X)
        sets = sets[-1] if isinstance(sets, list) else sets
        return plot_band(sets.hull() if isinstance(sets, Crossed) else sets, y, which, ax)

    def _levels(self, given: Any) -> list[float]:
        levels = self.confidence_level if given is None else given
        several = np.ravel(levels).tolist() if self._several(given) else [levels]
        if not several:
            raise ValueError("confidence_level is an empty list; give one level or several, such as [0.5, 0.9].")
        return [check_level(level) for level in several]

    def _several(self, given: Any) -> bool:
        levels = self.confidence_level if given is None else given
        return bool(np.ndim(levels))

    def _parts(self, X: Any) -> list[Part]:
        """What all models say of new inputs."""
        check_is_fitted(self, "predictor_")
        if not hasattr(self, "calibration_"):
            raise NotFittedError(
                "This model is trained but not calibrated: call conformalize(X, y) with rows that it has not seen, or "
                "fit_conformalize, which draws some."
            )
        return [part for model in self.models_ for part in model.parts(X)]

    def _kinds(self, groups: Any, X: Any) -> Array | None:
        known = getattr(getattr(self, "calibration_", None), "kinds", None)
        if (known is None) != (groups is None):
            raise ValueError(
                "Calibration rows had no groups, and neither may new samples."
                if known is None
                else "Calibration rows had groups; give those of the new samples, groups=."
            )
        if groups is None:
            return None
        return checked_groups(groups, count(X))

    def _targets(self, level: float, X: Any, kinds: Array | None) -> Array:
        ones = None if self.weights is None else self._densities(X)
        return self.calibration_.targets(level, count(X), kinds, ones, self.contamination, self.bad_rows)

    def _sets(self, level: float, parts: list[Part], X: Any, kinds: Array | None, given: Any) -> Sets:
        targets = self._targets(level, X, kinds)
        if len(parts) == 1:
            radii = self.calibration_.radii(targets, kinds) * parts[0].scale
            found = parts[0].score.sets(parts[0].space, parts[0].points, radii, level)
        else:
            centre = self.predictor_.points(X)
            found = Crossed(self.predictor_.space, level, centre, parts, self.calibration_, targets, kinds)
        self._say_infinite(found, kinds)
        return found if given is None else chosen(found, parts, self.calibration_, targets, kinds, given)

    def _say_infinite(self, sets: Sets, kinds: Array | None) -> None:
        everything = np.flatnonzero(sets.infinite)
        if len(everything) == 0:
            return
        few = f"{len(self.calibration_.scores)} calibration rows{' in all groups' if kinds is not None else ''}"
        warnings.warn(
            f"{len(everything)} of {len(sets)} sets hold everything: {few} are too few for a level of {sets.level:g}, "
            f"which takes {int(np.ceil(round(sets.level / (1 - sets.level), 9)))} that weigh the same. Give more rows, "
            "or ask for less.",
            UserWarning,
            stacklevel=caller(),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        theirs = get_tags(self._estimator())
        tags.input_tags.pairwise, tags.input_tags.sparse = theirs.input_tags.pairwise, theirs.input_tags.sparse
        tags.array_api_support = theirs.array_api_support
        tags.target_tags.multi_output = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "predictor_")
