"""Choosing lam and the parameters of the loss by cross-validation, on shared Gram matrices and warm starts."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, count, is_foreign
from ..checks import positive
from ..metrics import mean_squared_norm
from ..solvers import epsilon_max
from .base import Regressor, unchanged_on_failure
from .folds import score_fold, tabulate
from .left_out import APPROXIMATE, EXACT, score_left_out

N_LAMS = 12
N_VALUES = 6


class RegressorCV(RegressorMixin, BaseEstimator):
    """argmin over lam and the grid of the mean held-out score, then one fit on all the data.

    Parameters
    ----------
    estimator : a Regressor of any kind, `HuberRegressor()` for instance
    lams : values of lam; None spans seven decades below the mean of the kernel's diagonal
    grid : {"kappa": [...]}, any parameters as for GridSearchCV; None varies `epsilon` or `kappa` where the
        estimator has one, on the scale of the largest output norm
    cv : number of folds, a scikit-learn splitter, "loo" (leave-one-out: in closed form for the square loss, by
        warm-started refits for the others) or "loo-approximate" (closed form for all, the weights w_i / r_i frozen);
        both take what kernels learn from points, such as gamma="median", from all of them
    scoring : a scikit-learn scorer; None is minus the mean squared error in the norm of the output space
    average : "mean", or where held-out samples may be outliers themselves "median" or "trimmed" (the smallest four
        fifths): how the squared errors of a fold, or of all samples left out, become a score
    trusted : indices or a mask of the samples whose errors count, where some are known to be genuine; None is all
    n_jobs : folds computed at once, by joblib
    callback : called with (folds done, folds) after each fold

    Attributes
    ----------
    cv_results_ : as GridSearchCV's, and `max_dual_gap`, the worst certificate over the folds, `mean_support` and
        `mean_saturated`, the numbers of training rows with a coefficient and with one at its bound
    best_params_, best_score_, best_index_, best_estimator_

    >>> import numpy as np
    >>> from hilbertine import HuberRegressor, kernels
    >>> X = np.linspace(0, 1, 40)[:, None]
    >>> model = HuberRegressor(kernel=kernels.Gaussian(10.0))
    >>> search = RegressorCV(model, lams=[1e-4, 1e-1], grid={"kappa": [0.1, 1.0]}).fit(X, np.sin(6 * X[:, 0]))
    >>> search.best_params_["lam"]
    0.0001
    """

    def __init__(
        self,
        estimator: Regressor,
        lams: Sequence[float] | None = None,
        grid: Mapping[str, Sequence[Any]] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        average: str = "mean",
        trusted: Any = None,
        n_jobs: int | None = None,
        callback: Callable[[int, int], Any] | None = None,
    ):
        self.estimator = estimator
        self.lams = lams
        self.grid = grid
        self.cv = cv
        self.scoring = scoring
        self.average = average
        self.trusted = trusted
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Score every point of the grid on every fold, then fit the best on everything."""
        with unchanged_on_failure(self):
            return self._fit(X, y, groups)

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        if not isinstance(self.estimator, Regressor):
            raise TypeError(f"{self.estimator!r} is not a hilbertine Regressor; use GridSearchCV for other estimators.")
        if self.scoring is not None and self.average != "mean":
            raise ValueError("average is for the squared errors of scoring=None; a scorer averages by itself.")
        model = clone(self.estimator)
        lams, grid = self._grids(model, X, y)
        points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        tables = self._tables(model, X, y, groups, lams, points)
        self.cv_results_ = tabulate(lams, points, tables, self.average if isinstance(self.cv, str) else "mean")
        self.n_splits_ = len(tables)
        self.best_index_ = int(np.argmin(self.cv_results_["rank_test_score"]))
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_estimator_ = model.set_params(**self.best_params_).fit(X, y)
        self.n_features_in_ = getattr(self.best_estimator_, "n_features_in_", None)
        return self

    def _tables(self, model: Regressor, X: Any, y: Any, groups: Any, lams: list[float], points: list[Any]) -> list[Any]:
        trusted = _trusted_rows(self.trusted, count(X))
        if isinstance(self.cv, str):
            if self.cv not in (EXACT, APPROXIMATE):
                raise ValueError(f"cv must be a number, a splitter, {EXACT!r} or {APPROXIMATE!r}; got {self.cv!r}.")
            if self.scoring is not None:
                raise ValueError(f"cv={self.cv!r} scores residuals; for another scorer use sklearn's LeaveOneOut().")
            tables = score_left_out(model, X, y, lams, points, self.cv == APPROXIMATE)
            return [tables[k] for k in trusted]
        # Splitters need the number of samples, and objects may be no array.
        folds = list(
            check_cv(self.cv, classifier=False).split(np.empty(count(X)), None if is_foreign(y) else y, groups)
        )
        kept = [(train, test[np.isin(test, trusted)]) for train, test in folds]
        if not all(len(test) for _, test in kept):
            raise ValueError("A fold holds none of the trusted samples; use fewer folds, or cv='loo'.")
        scorer = None if self.scoring is None else check_scoring(model, self.scoring)
        settings = (lams, points, scorer, self.average)
        work = (delayed(score_fold)(model, X, y, train, test, *settings) for train, test in kept)
        tables = []
        for table in Parallel(n_jobs=self.n_jobs, return_as="generator")(work):
            tables.append(table)
            if self.callback is not None:
                self.callback(len(tables), len(folds))
        return tables

    def _grids(self, model: Regressor, X: Any, y: Any) -> tuple[list[float], dict[str, list[Any]]]:
        grid = None if self.grid is None else {name: list(values) for name, values in self.grid.items()}
        lams = None if self.lams is None else [positive(lam, "lams") for lam in self.lams]
        if grid is None or lams is None:
            problem = clone(model)._pose(X, y)
            if grid is None:
                largest = epsilon_max(problem.targets) or 1.0
                spans = {"epsilon": (1e-3, 0.5), "kappa": (1e-3, 1.0)}
                grid = {
                    name: [float(value) for value in largest * np.geomspace(*spans[name], N_VALUES)]
                    for name in spans
                    if name in model.get_params(deep=False)
                }
            if lams is None:
                diagonal = problem.gram.mean_diagonal(tuple(problem.targets.shape)) or 1.0
                lams = [float(lam) for lam in diagonal * np.logspace(-7, 0, N_LAMS)]
        if not lams or not all(grid.values()):
            raise ValueError("RegressorCV has an empty grid; give at least one value for lam and each parameter.")
        if "lam" in grid:
            raise ValueError("Give the values of lam as `lams`, not in the grid: they share one path.")
        return lams, grid

    def predict(self, X: Any, **settings: Any) -> Any:
        """Predictions of the best estimator, which takes the settings: `grid` for curves."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X, **settings)

    def embed(self, X: Any) -> Array:
        """Coordinates predicted by the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.embed(X)

    def score(self, X: Any, y: Any) -> float:
        """The score that was optimised, of the best estimator on new data."""
        check_is_fitted(self)
        if self.scoring is None:
            return -mean_squared_norm(self.best_estimator_.space_, self.embed(X), y, self.average)
        return float(check_scoring(self.best_estimator_, self.scoring)(self.best_estimator_, X, y))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.estimator.__sklearn_tags__().input_tags.pairwise
        tags.target_tags.multi_output = True
        return tags


def _trusted_rows(trusted: Any, n: int) -> Array:
    """The indices of the samples whose errors count."""
    rows = np.arange(n) if trusted is None else np.atleast_1d(trusted)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu" or not np.all((rows >= 0) & (rows < n)):
        raise ValueError(f"trusted must be a mask of the {n} samples, or some of their indices from 0 to {n - 1}.")
    return rows
