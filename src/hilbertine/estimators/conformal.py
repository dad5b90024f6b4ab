"""How sure is it: sets of outputs around the predictions of any regressor, with a guarantee."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..arrays import count
from ..checks import number
from ..conformal.calibration import BAD
from ..conformal.crossed import distances
from ..spaces import Space
from .conformal_answers import Answers
from .conformal_training import Training, checked_groups, checked_weights
from .parts import ParameterAndMethod, pick, read, store, unchanged_on_failure

METHODS = ("split", "cv+", "jackknife+")


class ConformalRegressor(Training, Answers, RegressorMixin, BaseEstimator):
    """{y : s(y, h(x)) <= the ceil(level (n + 1))-th smallest of n held-out scores}: sets that hold the truth so often.

    Parameters
    ----------
    estimator : regressor, default=None
        Whose predictions the sets are about: any regressor of this library, a search or a pipeline of them, or one of
        scikit-learn with as many outputs as it likes. None is `HuberRegressor()`.
    confidence_level : float or sequence of float, default=0.9
        The share of new outputs that the sets are to hold; several levels make as many sets.
    method : {"split", "cv+", "jackknife+"}, default="split"
        "split" calibrates on rows that the estimator was not trained on. "cv+" trains on all rows but one fold, for
        each fold, "jackknife+" on all rows but one, for each row, by the library's leave-one-out where it can: every
        row trains and calibrates, and what is guaranteed is 1 - 2 (1 - level).
    cv : int, splitter or iterable of (train, test), default=5
        The folds of "cv+"; each row must be held out once.
    score : {"norm", "ellipsoid", "box", "band", "local"} or conformal.Score, default="norm"
        How far an output is from a prediction: balls in the norm of the output space, ellipsoids from the covariance of
        residuals, boxes of vectors and bands of curves that hold as a whole, balls as wide as the input is difficult.
        What a shape has to learn it learns in five folds of the training rows, of at most 10,000 of them.
    space : Space, default=None
        Where the outputs of an estimator that is not of this library live; None is `spaces.Euclidean()`.
    calibration_size : float, default=0.3
        The share of the rows on which `fit_conformalize` calibrates with "split".
    contamination : float, default=0.0
        The share of calibration rows that may be bad.
    bad_rows : {"large", "any"}, default="large"
        Which rows may be bad: those with the largest scores, outliers, which then do not widen the sets; or any rows,
        against which the sets are made wider.
    weights : callable, default=None
        A function of inputs, how much likelier each is among new samples than among calibration rows.
    random_state : int, default=0
        For what is drawn: rows to calibrate on, folds.

    Attributes
    ----------
    estimator_ : regressor
        The estimator that predicts, trained on all rows or, with "split", on those for training.
    predictor_ : Predictor
        The same as points of the output space.
    models_ : list
        What the sets are made of: one model with its score, or several.
    calibration_ : conformal.Calibration
        The scores of the calibration rows; after `conformalize`.
    n_features_in_ : int or None
        The number of features, where inputs are vectors.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (300, 1))
    >>> Y = np.hstack([np.sin(X), np.cos(X)]) + 0.1 * rng.standard_normal((300, 2))
    >>> model = ConformalRegressor(confidence_level=0.9).fit_conformalize(X[:200], Y[:200])
    >>> sets = model.predict_set(X[200:])
    >>> type(sets).__name__, len(sets), sets.level
    ('Ball', 100, 0.9)
    >>> bool(0.8 < model.contains(X[200:], Y[200:]).mean() < 1.0)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        confidence_level: float | Sequence[float] = 0.9,
        method: str = "split",
        cv: Any = 5,
        score: Any = "norm",
        space: Space | None = None,
        calibration_size: float = 0.3,
        contamination: float = 0.0,
        bad_rows: str = "large",
        weights: Callable[[Any], Any] | None = None,
        random_state: int = 0,
    ):
        store(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train; "cv+" and "jackknife+" calibrate on the same rows, "split" waits for `conformalize` with others.

        Parameters
        ----------
        X : array-like or list
            The inputs.
        y : array-like or list
            The outputs.
        sample_weight : array-like of shape (n,), default=None
            How much each sample counts, as the estimator takes it.

        Returns
        -------
        Self
            The fitted estimator.
        """
        with unchanged_on_failure(self):
            self._check()
            self._forget()
            X, y = read(X), read(y)
            sample_weight = None if sample_weight is None else checked_weights(sample_weight, count(X))
            if self.method == "split":
                return self._train(X, y, None, sample_weight)
            return self._cross(X, y, None, sample_weight)

    def conformalize(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Calibrate a trained model, or an `estimator` that was given fitted, on rows that it has not seen.

        Parameters
        ----------
        X : array-like or list
            The inputs.
        y : array-like or list
            The outputs.
        groups : array-like of shape (n,), default=None
            Kinds of samples: sets then hold the share of outputs within each kind.
        sample_weight : array-like of shape (n,), default=None
            How much each row is like the samples to come, chosen without a look at the outputs.

        Returns
        -------
        Self
            The calibrated estimator.
        """
        with unchanged_on_failure(self):
            self._check()
            if self.method != "split":
                raise ValueError(f"method={self.method!r} calibrates in fit, on the rows it trains on; leave this out.")
            if not hasattr(self, "predictor_"):
                self._take_fitted(X, y)
            check_consistent_length(X, y, groups, sample_weight)
            scores = distances(list(self.models_[0].parts(X)), y)[:, 0]
            owners = np.zeros(len(scores), dtype=np.int64)
            return self._calibrate(scores, owners, X, groups, sample_weight)

    def fit_conformalize(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Train and calibrate: with "split" on rows drawn at random for each, else all rows do both.

        Parameters
        ----------
        X : array-like or list
            The inputs.
        y : array-like or list
            The outputs.
        groups : array-like of shape (n,), default=None
            Kinds of samples: sets then hold the share of outputs within each kind.
        sample_weight : array-like of shape (n,), default=None
            How much each sample counts, in training and in calibration.

        Returns
        -------
        Self
            The calibrated estimator.
        """
        with unchanged_on_failure(self):
            self._check()
            check_consistent_length(X, y, groups, sample_weight)
            self._forget()
            X, y = read(X), read(y)
            groups = None if groups is None else checked_groups(groups, count(X))
            sample_weight = None if sample_weight is None else checked_weights(sample_weight, count(X))
            if self.method != "split":
                return self._cross(X, y, groups, sample_weight)
            train, rest = self._drawn(count(X))
            self._train(X, y, train, sample_weight)
            parts = (None if part is None else np.asarray(part)[rest] for part in (groups, sample_weight))
            return self.conformalize(pick(X, rest), pick(y, rest), *parts)

    @ParameterAndMethod
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of the estimator; `get_params` has the parameter of that name.

        Parameters
        ----------
        X : array-like or list
            Inputs.
        y : array-like or list
            The true outputs.
        sample_weight : array-like of shape (n,), default=None
            How often each sample counts.

        Returns
        -------
        float
            The more the better.
        """
        check_is_fitted(self, "predictor_")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.predictor_.model.score(self.predictor_.inputs(X), y, **weights))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to give those of the parts as well, such as estimator__lam.

        Returns
        -------
        dict
            Names and values.
        """
        score = vars(self)["score"]
        inner = score.get_params() if deep and hasattr(score, "get_params") else {}
        params: dict[str, Any] = super().get_params(deep)
        return params | {"score": score} | {f"score__{name}": part for name, part in inner.items()}

    def _check(self) -> None:
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}.")
        if not isinstance(self.bad_rows, str) or self.bad_rows not in BAD:
            raise ValueError(f"bad_rows must be one of {', '.join(BAD)}, got {self.bad_rows!r}.")
        if not 0 <= number(self.contamination, "contamination") < 0.5:
            raise ValueError(
                f"contamination is the share of bad rows, less than a half, or they are the rule; got "
                f"{self.contamination!r}."
            )
        if not 0 < number(self.calibration_size, "calibration_size") < 1:
            raise ValueError(f"calibration_size is a share of the rows, in (0, 1); got {self.calibration_size!r}.")
        if not isinstance(self.random_state, int | np.integer) or not 0 <= self.random_state < 2**32:
            raise ValueError(f"random_state must be a whole number from 0 up to 2^32, got {self.random_state!r}.")
        if self.estimator is not None and not all(hasattr(self.estimator, verb) for verb in ("fit", "predict")):
            raise TypeError(f"{self.estimator!r} is no regressor: give an estimator with fit and predict.")
        if self.weights is not None and not callable(self.weights):
            raise TypeError("weights is a function of inputs; numbers for calibration rows go to sample_weight.")
        self._levels(None)

    def _forget(self) -> None:
        for name in ("predictor_", "models_", "calibration_"):
            self.__dict__.pop(name, None)
