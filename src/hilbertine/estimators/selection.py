"""Choosing lam and the parameters of the loss by cross-validation, on shared Gram matrices and warm starts."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
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
from .base import Posed, Regressor, store, unchanged_on_failure
from .folds import Scores, by_problem, score_fold, tabulate
from .left_out import APPROXIMATE, EXACT, score_left_out

N_LAMS = 12
# Parameters on which the norm of the outputs depends.
NORMS = ("output_kernel", "space__kernel", "quadrature", "space__quadrature")
N_VALUES = 6
# Parameters of the estimator, or of its loss, that the default grid varies: fractions of the largest output norm.
SPANS = {"epsilon": (1e-3, 0.5), "kappa": (1e-3, 1.0)}
NAMES = [prefix + name for prefix in ("", "loss__") for name in SPANS]


class RegressorCV(RegressorMixin, BaseEstimator):
    """argmin over lam and the grid of the mean held-out score, then one fit on all the data.

    Parameters
    ----------
    estimator : Regressor
        A model of any kind, `HuberRegressor()` for instance.
    lams : sequence of float, default=None
        Values of lam; None spans seven decades below the mean of the kernel's diagonal.
    grid : dict of sequences, default=None
        {"kappa": [...]}, any parameters as for GridSearchCV; None varies `epsilon` and `kappa` where the estimator or
        its loss has them (then as `loss__epsilon` and `loss__kappa`), on the scale of the largest output norm.
    cv : int, splitter, "loo" or "loo-approximate", default=5
        Number of folds, a scikit-learn splitter, "loo" (leave-one-out: in closed form for the square loss, by
        warm-started refits for the others) or "loo-approximate" (closed form for all, the weights w_i / r_i frozen).
        Both take what kernels learn from points, such as gamma="median", from all of them, unless the operator or the
        basis is learned from the outputs: then "loo" learns everything again without the sample left out.
    scoring : str or callable, default=None
        A scikit-learn scorer; None is minus the mean squared error in the norm of the output space.
    average : {"mean", "median", "trimmed"}, default="mean"
        "mean" is over folds as scikit-learn's; where held-out samples may be outliers themselves, "median" and
        "trimmed" (the smallest four fifths) are over the squared errors of the samples of all folds.
    trusted : array-like of int or bool, default=None
        Indices or a mask of the samples whose errors count, where some are known to be genuine; None is all.
    n_jobs : int, default=None
        Folds computed at once, by joblib; leave-one-out by name is one computation.
    callback : callable, default=None
        Called with (folds done, folds) after each fold; with leave-one-out by name a fold is one sample at one point of
        the grid.

    Attributes
    ----------
    cv_results_ : dict of arrays
        As GridSearchCV's, and `max_dual_gap`, the worst certificate over the folds, `mean_support` and
        `mean_saturated`, the numbers of training rows with a coefficient and with one at its bound; `mean_test_score`
        is the score by which the best is chosen, whatever `average` is.
    best_params_, best_score_, best_index_ : dict, float and int
        The best point of the grid, its score, and its place in `cv_results_`.
    best_estimator_ : Regressor
        The model with these parameters, fitted to all data.
    n_splits_ : int
        The number of folds.
    n_features_in_ : int or None
        The number of features of the inputs, where they have some.

    Examples
    --------
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
        store(self, locals())

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Score every point of the grid on every fold, then fit the best on everything.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            The inputs.
        y : array-like, or what the space takes
            The outputs.
        groups : array-like of shape (n,), default=None
            Groups of samples, for splitters that keep them together.

        Returns
        -------
        Self
            The fitted search.
        """
        with unchanged_on_failure(self):
            return self._fit(X, y, groups)

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        if not isinstance(self.estimator, Regressor):
            raise TypeError(f"{self.estimator!r} is not a hilbertine Regressor; use GridSearchCV for other estimators.")
        if self.scoring is not None and self.average != "mean":
            raise ValueError("average is for the squared errors of scoring=None; a scorer averages by itself.")
        model = clone(self.estimator)
        # The problem without lam and loss, posed at most once.
        pose = cache(partial(model._pose, X, y))
        lams, grid = self._grids(model, pose)
        points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        shared = by_problem(model, grid)
        folds = self._folds(model, X, y, groups, lams, points, shared, pose)
        self.cv_results_ = tabulate(lams, points, folds, self.average)
        self.n_splits_ = len(folds)
        self.best_index_ = int(np.argmin(self.cv_results_["rank_test_score"]))
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        model.set_params(**self.best_params_)
        self.best_estimator_ = model._train(pose()) if len(shared) == 1 else model.fit(X, y)
        self.n_features_in_ = getattr(self.best_estimator_, "n_features_in_", None)
        return self

    def _folds(
        self, model: Regressor, X: Any, y: Any, groups: Any, lams: list[float], points: list[Any],
        shared: list[list[int]], pose: Callable[[], Posed],
    ) -> list[Scores]:  # fmt: skip
        trusted = _trusted_rows(self.trusted, count(X))
        told = self.callback or (lambda done, total: None)
        if isinstance(self.cv, str):
            if self.cv not in (EXACT, APPROXIMATE):
                raise ValueError(f"cv must be a number, a splitter, {EXACT!r} or {APPROXIMATE!r}; got {self.cv!r}.")
            if self.scoring is not None:
                raise ValueError(f"cv={self.cv!r} scores residuals; for another scorer use sklearn's LeaveOneOut().")
            left_out = score_left_out(model, X, y, lams, points, shared, self.cv == APPROXIMATE, pose, told)
            return [left_out[k] for k in trusted]
        # Splitters need the number of samples, and objects may be no array.
        folds = list(
            check_cv(self.cv, classifier=False).split(np.empty(count(X)), None if is_foreign(y) else y, groups)
        )
        kept = [(train, test[np.isin(test, trusted)]) for train, test in folds]
        if not all(len(test) for _, test in kept):
            raise ValueError("A fold holds none of the trusted samples; use fewer folds, or cv='loo'.")
        scorer = None if self.scoring is None else check_scoring(model, self.scoring)
        work = (delayed(score_fold)(model, X, y, train, test, lams, points, shared, scorer) for train, test in kept)
        scored: list[Scores] = []
        for fold in Parallel(n_jobs=self.n_jobs, return_as="generator")(work):
            scored.append(fold)
            told(len(scored), len(folds))
        return scored

    def _grids(self, model: Regressor, pose: Callable[[], Posed]) -> tuple[list[float], dict[str, list[Any]]]:
        grid = None if self.grid is None else {name: list(values) for name, values in self.grid.items()}
        lams = None if self.lams is None else [positive(lam, "lams") for lam in self.lams]
        if grid is None:
            known = model.get_params()
            spans = {name: SPANS[name.removeprefix("loss__")] for name in NAMES if name in known}
            largest = (epsilon_max(pose().dual.targets) or 1.0) if spans else 1.0
            grid = {
                name: [float(value) for value in largest * np.geomspace(*span, N_VALUES)]
                for name, span in spans.items()
            }
        if lams is None:
            diagonal = pose().dual.gram.mean_diagonal() or 1.0
            lams = [float(lam) for lam in diagonal * np.logspace(-7, 0, N_LAMS)]
        if not lams or not all(grid.values()):
            raise ValueError("RegressorCV has an empty grid; give at least one value for lam and each parameter.")
        if "lam" in grid:
            raise ValueError("Give the values of lam as `lams`, not in the grid: they share one path.")
        norms = [name for name in grid if name.startswith(NORMS)]
        if norms and self.scoring is None:
            raise ValueError(
                f"{norms[0]} changes the norm of the output space, and errors in two norms cannot be compared; give "
                "scoring, metrics.top_k(1) for instance."
            )
        return lams, grid

    def predict(self, X: Any, **settings: Any) -> Any:
        """The predicted outputs of the best estimator, one row for each input; in the units of y.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            New inputs.
        **settings : settings of its predict
            Such as `grid` for curves.

        Returns
        -------
        array, or what the space decodes to
            Outputs of the kind that `fit` took.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X, **settings)

    def embed(self, X: Any) -> Array:
        """Coordinates predicted by the best estimator.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            New inputs.

        Returns
        -------
        array of shape (n_new, m)
            One row for each input.
        """
        check_is_fitted(self)
        return self.best_estimator_.embed(X)

    def score(self, X: Any, y: Any) -> float:
        """The score that was optimised, of the best estimator on new data.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            Inputs.
        y : array-like, or what the space takes
            The true outputs.

        Returns
        -------
        float
            The more the better.
        """
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
