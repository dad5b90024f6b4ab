"""What a search answers once it is done, and whose errors count while it goes on."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array
from ..doors import Doors
from ..metrics import mean_squared_norm
from ..site import Linked
from .base import Regressor
from .suspects import Suspects
from .tasks import Heard


class Searched(Heard, Doors, Linked, BaseEstimator):
    """Predictions and scores of the best estimator of a search."""

    DOORS: ClassVar = (
        "fit",
        "predict",
        "embed",
        "suspects",
        "score",
    )

    def predict(self, X: Any, **settings: Any) -> Any:
        """Predictions of the best estimator.

        Parameters
        ----------
        X : array-like
            Inputs.
        **settings : dict
            What its `predict` takes beside them: `grid` for curves.

        Returns
        -------
        array or list
            The predicted outputs, one for each input.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X, **settings)

    def embed(self, X: Any) -> Array:
        """Coordinates predicted by the best estimator.

        Parameters
        ----------
        X : array-like
            Inputs.

        Returns
        -------
        array of shape (n_new, m)
            Points of the output space in coordinates.
        """
        check_is_fitted(self)
        best = self.best_estimator_
        return best.embed(X) if isinstance(best, Regressor) else best[-1].embed(best[:-1].transform(X))

    def suspects(self, contamination: float | None = None) -> Suspects:
        """The training samples that the best estimator believes least.

        Parameters
        ----------
        contamination : float, default=None
            The share of samples to flag, where it is known; else those far beyond what clean samples do.

        Returns
        -------
        Suspects
            `samples`, `ratios` and `flagged`, worst first; `print` it.
        """
        check_is_fitted(self)
        best = self.best_estimator_
        found: Suspects = (best if isinstance(best, Regressor) else best[-1]).suspects(contamination)
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score that was optimised, of the best estimator on new data.

        Parameters
        ----------
        X : array-like
            Inputs.
        y : array-like
            The true outputs.
        sample_weight : array-like of shape (n,), default=None
            How often each sample counts.

        Returns
        -------
        float
            The score; the more the better.
        """
        check_is_fitted(self)
        if self.scoring is None:
            space = getattr(self.best_estimator_, "space_", None) or self.best_estimator_[-1].space_
            return -mean_squared_norm(space, self.embed(X), y, self.average_, sample_weight)
        return float(check_scoring(self.best_estimator_, self.scoring)(self.best_estimator_, X, y))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        theirs = get_tags(Regressor() if self.estimator is None else self.estimator)
        tags.input_tags.pairwise, tags.input_tags.sparse = theirs.input_tags.pairwise, theirs.input_tags.sparse
        tags.array_api_support = theirs.array_api_support
        tags.target_tags.multi_output = True
        return tags


def trusted_rows(trusted: Any, n: int) -> Array:
    """The indices of the samples whose errors count."""
    rows = np.arange(n) if trusted is None else np.atleast_1d(trusted)
    # A sample named twice counts once, whatever the folds.
    rows = rows if rows.dtype == bool else np.unique(rows)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu" or not np.all((rows >= 0) & (rows < n)):
        raise ValueError(f"trusted must be a mask of the {n} samples, or some of their indices from 0 to {n - 1}.")
    return rows
