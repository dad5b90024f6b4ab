"""Choosing lam and the parameters of the loss by cross-validation, on shared Gram matrices and warm starts."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from os import PathLike
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, check_cv

from ..arrays import count, is_foreign
from ..checks import positive
from .base import Regressor
from .fold_jobs import score_folds
from .folds import Data, Scores, by_problem, sliceable, tabulate, warn_of_gaps
from .grids import (
    FEW_FOLDS,
    FEW_LAMS,
    FEW_SAMPLES,
    FEW_TOL,
    Sweep,
    check_grid,
    families,
    lams_for,
    lengths,
    warn_of_edges,
)
from .inputs import check_pairs, check_weights
from .left_out import APPROXIMATE, EXACT, score_left_out
from .parts import store, unchanged_on_failure
from .posed import Posed
from .progress import counted
from .regression import HuberRegressor
from .searched import Searched, trusted_rows


class RegressorCV(Searched, RegressorMixin, BaseEstimator):
    """argmin over lam and the grid of the mean held-out score, then one fit on all the data.

    Without arguments it chooses kernel, width and lam for a `HuberRegressor`, whose kappa looks after itself.

    Parameters
    ----------
    estimator : Regressor or Pipeline, default=None
        A regressor of any kind, or a pipeline that ends in one: its other steps are fitted once on each fold. None is
        `HuberRegressor()`.
    lams : sequence of float, default=None
        Values of lam; None spans seven decades below the mean of the kernel's diagonal.
    grid : dict, default=None
        {"kappa": [...]}, any parameters as for GridSearchCV. None varies `epsilon` and `kappa` where the estimator or
        its loss has them as numbers (then as `loss__epsilon` and `loss__kappa`), on the scale of the median norm of the
        centred outputs; and where the estimator's kernel is None, the kernel: Gaussian and Matern ones of several
        widths, on NumPy arrays also with a linear part, compared on some hundred samples.
    cv : int, splitter, "loo" or "loo-approximate", default=5
        Number of folds; a splitter of scikit-learn; "loo", leave-one-out, in closed form for the square loss and by
        warm-started refits for the others; or "loo-approximate", in closed form for all, the weights w_i / r_i frozen.
        Both take the centre, and what kernels learn from points, such as gamma="median", from all of them, unless the
        operator or the basis is learned from the outputs, or the kernel is `Centred`: then "loo" learns everything
        again without the sample left out.
    scoring : str or callable, default=None
        A scikit-learn scorer; None is minus the squared error in the norm of the output space, averaged.
    average : {"auto", "mean", "median", "trimmed"}, default="auto"
        "mean" is over folds as scikit-learn's. Where held-out samples may be outliers themselves "median" or "trimmed"
        (the smallest four fifths) are over the squared errors of the samples of all folds. "auto" is "trimmed" where
        the loss bounds what a sample does, else "mean".
    trusted : array-like, default=None
        Indices or a mask of the samples whose errors count, where some are known to be genuine; None is all.
    n_jobs : int, default=None
        Folds computed at once, by joblib, or on the cluster of a Dask client where there is one; leave-one-out by name
        is one computation.
    callback : callable, default=None
        Called with (folds done, folds) after each fold; with leave-one-out by name a fold is one sample at one point of
        the grid.
    verbose : int, default=0
        1 shows progress on stderr: fits done, and seconds left.
    checkpoint : str or path-like, default=None
        A folder for finished folds: a search that was killed computes the others alone. Several processes may use it,
        and other settings or data have other files in it.

    Attributes
    ----------
    cv_results_ : dict
        As GridSearchCV's, and `max_dual_gap`, the worst certificate over the folds, `mean_support` and
        `mean_saturated`, the numbers of training rows with a coefficient and with one at its bound; `mean_test_score`
        is the score by which the best is chosen, whatever `average` is.
    best_params_ : dict
        The chosen values.
    best_score_ : float
        Their score.
    best_index_ : int
        Their place in `cv_results_`.
    best_estimator_ : Regressor or Pipeline
        Fitted to all data.
    average_ : str
        The average that was used.
    n_splits_ : int
        The number of folds.
    n_features_in_ : int or None
        The number of features of the inputs, where they are vectors.

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
        estimator: Any = None,
        lams: Sequence[float] | None = None,
        grid: Mapping[str, Sequence[Any]] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        average: str = "auto",
        trusted: Any = None,
        n_jobs: int | None = None,
        callback: Callable[[int, int], Any] | None = None,
        verbose: int = 0,
        checkpoint: str | PathLike[str] | None = None,
    ):
        store(self, locals())

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Score every point of the grid on every fold, then fit the best on everything.

        Parameters
        ----------
        X : array-like
            The inputs.
        y : array-like
            The outputs.
        groups : array-like of shape (n,), default=None
            For splitters that keep groups together.
        sample_weight : array-like of shape (n,), default=None
            How often each sample counts, in fits and in scores.

        Returns
        -------
        Self
            The fitted search.
        """
        with unchanged_on_failure(self):
            return self._fit(X, y, groups, sample_weight)

    def _fit(self, X: Any, y: Any, groups: Any, sample_weight: Any) -> Self:
        transformer, model = self._taken_apart()
        X, y = sliceable(X), sliceable(y)
        check_pairs(self, X, y)
        check_weights(sample_weight, np.empty((count(X), 1)))
        data = Data(X, y, None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64), transformer)
        given = {} if self.grid is None else {self._own(name): list(values) for name, values in self.grid.items()}
        found = {} if self.grid is not None else self._kernel_for(model, data)
        model.set_params(**found)
        # The problem without lam and loss, posed at most once.
        pose = cache(lambda: model._pose(data.transformed(), y, data.weights))
        lams = lams_for(pose().dual) if self.lams is None else [positive(lam, "lams") for lam in self.lams]
        grid = lengths(model, pose().dual.targets) if self.grid is None else given
        check_grid(lams, grid, self.scoring)
        points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        sweep = Sweep(lams, points, by_problem(model, grid))
        self.average_ = self._average(model)
        folds = self._folds(model, data, groups, sweep, pose)
        self.cv_results_, self.n_splits_ = tabulate(sweep, folds, self.average_), len(folds)
        best = self.cv_results_["rank_test_score"]
        self.best_index_ = int(np.argmin(best))
        chosen = self.cv_results_["params"][self.best_index_]
        self.best_params_ = {self._outer(name): value for name, value in {**found, **chosen}.items()}
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        warn_of_gaps(self.cv_results_, max(model.tol, getattr(model.solver, "tol", None) or 0.0))
        warn_of_edges(lams, grid, chosen)
        return self._refit(model.set_params(**chosen), data, pose if len(sweep.groups) == 1 else None)

    def _refit(self, model: Regressor, data: Data, pose: Callable[[], Posed] | None) -> Self:
        """The best on everything, put back into its pipeline."""
        if data.transformer is not None:
            steps = clone(self.estimator)
            steps.set_params(**{steps.steps[-1][0]: model})
            name = steps.steps[-1][0]
            weights = {} if data.weights is None else {f"{name}__sample_weight": data.weights}
            with self._now.training("refit", steps):
                self.best_estimator_: Any = steps.fit(data.X, data.y, **weights)
        else:
            with self._now.training("refit", model):
                self.best_estimator_ = (
                    model._as_a_task(lambda: model._train(pose()), data.given) if pose else model.fit(**data.given())
                )
        self.n_features_in_ = getattr(self.best_estimator_, "n_features_in_", None)
        return self

    def _taken_apart(self) -> tuple[Any, Regressor]:
        """(the steps before the regressor or None, a copy of the regressor)."""
        if self.estimator is None:
            return None, HuberRegressor()
        steps = getattr(self.estimator, "steps", None)
        last = self.estimator if steps is None else steps[-1][1]
        if not isinstance(last, Regressor):
            raise TypeError(
                f"{self.estimator!r} is neither a hilbertine Regressor nor a pipeline that ends in one; use "
                "GridSearchCV for other estimators."
            )
        return None if steps is None or len(steps) == 1 else self.estimator[:-1], clone(last)

    def _own(self, name: str) -> str:
        """The name of a parameter of the regressor, given as one of the pipeline."""
        return name.removeprefix(self._prefix())

    def _outer(self, name: str) -> str:
        return self._prefix() + name

    def _prefix(self) -> str:
        steps = getattr(self.estimator, "steps", None)
        return f"{steps[-1][0]}__" if steps else ""

    def _average(self, model: Regressor) -> str:
        if self.scoring is not None and self.average not in ("auto", "mean"):
            raise ValueError("average is for the squared errors of scoring=None; a scorer averages by itself.")
        if self.average != "auto":
            return str(self.average)
        loss = model._make_loss()
        loss = loss.at_scale(1.0) if loss.automatic else loss
        return "trimmed" if self.scoring is None and min(loss.cap, loss.cell_cap) < np.inf else "mean"

    def _kernel_for(self, model: Regressor, data: Data) -> dict[str, Any]:
        """The best of the kernels that are tried where none is given, by a coarse search on some of the samples."""
        automatic = model.kernel is None and getattr(model._default_kernel(), "gamma", None) == "auto"
        if not automatic or getattr(data.X, "ndim", 2) != 2 or issparse(data.X):
            return {}
        n = count(data.X)
        if n < 4 * FEW_FOLDS:
            return {}
        rows = np.random.default_rng(0).permutation(n)[:FEW_SAMPLES]
        few, _ = Data(data.transformed(), data.y, data.weights).split(rows, rows[:1], False)
        search = RegressorCV(
            clone(model).set_params(tol=max(model.tol, FEW_TOL)),
            np.logspace(-6, -1, FEW_LAMS).tolist(),
            {"kernel": families(sloped=not is_foreign(data.X))},
            cv=KFold(FEW_FOLDS),
            average=self.average,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.fit(few.X, few.y, sample_weight=few.weights)
        return {"kernel": search.best_params_["kernel"]}

    def _folds(
        self, model: Regressor, data: Data, groups: Any, sweep: Sweep, pose: Callable[[], Posed]
    ) -> list[Scores]:
        trusted = trusted_rows(self.trusted, count(data.X))
        if isinstance(self.cv, str):
            if self.cv not in (EXACT, APPROXIMATE):
                raise ValueError(f"cv must be a number, a splitter, {EXACT!r} or {APPROXIMATE!r}; got {self.cv!r}.")
            if self.scoring is not None:
                raise ValueError(f"cv={self.cv!r} scores residuals; for another scorer use sklearn's LeaveOneOut().")
            with counted(self, count(data.X) * sweep.size, self.callback) as tick:
                left_out = score_left_out(model, data, sweep, self.cv == APPROXIMATE, pose, tick)
            return [left_out[k] for k in trusted]
        # Splitters need the number of samples, and objects may be no array.
        y = None if is_foreign(data.y) else data.y
        folds = list(check_cv(self.cv, classifier=False).split(np.empty(count(data.X)), y, groups))
        kept = [(train, test[np.isin(test, trusted)]) for train, test in folds]
        if not all(len(test) for _, test in kept):
            raise ValueError("A fold holds none of the trusted samples; use fewer folds, or cv='loo'.")
        scorer = None if self.scoring is None else check_scoring(model, self.scoring)
        return score_folds(self, model, data, kept, sweep, scorer)
