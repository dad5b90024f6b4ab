"""How a conformal regressor trains: which rows which model sees, what its score learns, and what calibrates."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, LeaveOneOut, check_cv
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, count, sample_rows, to_numpy
from ..checks import generator
from ..conformal import Calibration, Local, Mahalanobis, Norm, Outputs, Score, Supremum
from ..conformal.crossed import distances
from ..operator_kernels.base import domain_of
from ..spaces import RKHS
from .base import Regressor
from .parts import pick
from .predictors import LeftOut, Predictor, held_out, inner_model, space_of, trained
from .regression import HuberRegressor
from .tasks import Heard

SCORES: dict[str, Callable[[], Score]] = {
    "norm": Norm, "ellipsoid": Mahalanobis, "box": Supremum, "band": Supremum, "local": Local,
}  # fmt: skip
# Distances between objects that are the same differ by rounding: scores are raised by this part of the median one.
TIE = 1e-7
# Folds in which a score learns its shape, and the rows that are enough for it.
FOLDS, SHAPED = 5, 10_000


class Training(Heard, BaseEstimator):
    """What `ConformalRegressor` does before anybody asks it for a set."""

    TASKS: ClassVar = ("fit", "fit_conformalize")

    models_: list[Any]

    def _estimator(self) -> Any:
        return HuberRegressor() if self.estimator is None else self.estimator

    def _drawn(self, n: int) -> tuple[Array, Array]:
        """The rows to train on, and those to calibrate on."""
        if n < 2:
            raise ValueError(f"Rows to train on and others to calibrate on are needed, and there is only {n}.")
        order = generator(self.random_state, "random_state").permutation(n)
        rest = min(max(1, round(self.calibration_size * n)), n - 1)
        return np.sort(order[rest:]), np.sort(order[:rest])

    def _train(self, X: Any, y: Any, rows: Array | None, weights: Any) -> Self:
        predictor = trained(self._estimator(), self.space, X, y, rows, weights, self._now)
        predictor.score = self._fitted_score(predictor, X, y, rows, weights)
        self.models_ = [predictor]
        return self._publish(predictor)

    def _publish(self, predictor: Predictor) -> Self:
        self.predictor_, self.estimator_ = predictor, predictor.model
        self.n_features_in_ = getattr(self.estimator_, "n_features_in_", None)
        return self

    def _take_fitted(self, X: Any, y: Any) -> None:
        """An estimator that came fitted is used as it is."""
        try:
            check_is_fitted(self._estimator())
        except NotFittedError as error:
            raise NotFittedError(
                "Nothing is trained yet: call fit first, or fit_conformalize, or give an estimator that is fitted."
            ) from error
        predictor = Predictor(self.estimator, space_of(self.estimator, self.space, y))
        predictor.score = self._score().bind(predictor.space)
        if predictor.score.learned:
            raise ValueError(
                f"{predictor.score!r} learns its shape from rows that trained the estimator; call fit with them, or "
                "use score='norm'."
            )
        self.models_ = [predictor]
        self._publish(predictor)

    def _score(self) -> Score:
        given = vars(self)["score"]
        if isinstance(given, Score):
            found: Score = clone(given)
        elif isinstance(given, str) and given in SCORES:
            found = SCORES[given]()
        else:
            raise ValueError(f"score must be one of {', '.join(SCORES)}, or a conformal.Score; got {given!r}.")
        if isinstance(found, Local) and found.difficulty is None:
            found.difficulty = self._difficulty()
        return found

    def _difficulty(self) -> Any:
        """What learns how hard inputs are that are no vectors: the kernel of the estimator knows them."""
        inner = inner_model(self._estimator())
        kernel = getattr(inner, "kernel", None)
        if not isinstance(inner, Regressor) or kernel is None or domain_of(kernel) == "vectors":
            return None
        if domain_of(kernel) == "gram":
            raise ValueError("score='local' needs inputs, and a precomputed Gram matrix has none; use score='norm'.")
        return HuberRegressor(kernel=kernel)

    def _fitted_score(self, predictor: Predictor, X: Any, y: Any, rows: Array | None, weights: Any) -> Score:
        score = self._score().bind(predictor.space)
        if score.learned:
            rows = np.arange(count(X)) if rows is None else rows
            rows = rows[sample_rows(len(rows), SHAPED, self.random_state)]
            folds = KFold(min(FOLDS, len(rows)), shuffle=True, random_state=self.random_state)
            score.fit(held_out(self._estimator(), self.space, X, y, rows, folds, weights, self._now))
        return score

    def _calibrate(self, scores: Array, owners: Array, X: Any, groups: Any, sample_weight: Any) -> Self:
        if isinstance(self.predictor_.space, RKHS):
            scores = scores + TIE * float(np.median(scores))
        weights = None if self.weights is None else self._densities(X)
        if sample_weight is not None:
            own = checked_weights(sample_weight, len(scores))
            # A new sample weighs as much as the heaviest row.
            weights = own / own.max() * (1.0 if weights is None else weights)
        kinds = None if groups is None else checked_groups(groups, len(scores))
        self.calibration_ = Calibration(scores, owners, weights, kinds)
        return self

    def _cross(self, X: Any, y: Any, groups: Any, weights: Any) -> Self:
        """Every row trains, and calibrates the model that has not seen it."""
        found = None if self.method == "cv+" else self._left_out(X, y, weights)
        if found is None:
            self._publish(trained(self._estimator(), self.space, X, y, None, weights, self._now))
            found = self._by_folds(X, y, weights)
        scores, owners = found
        return self._calibrate(scores, owners, X, groups, weights)

    def _left_out(self, X: Any, y: Any, weights: Any) -> tuple[Array, Array] | None:
        """By the library's leave-one-out, where a model without a row differs from the others in that row alone."""
        model = clone(self._estimator(), safe=False)
        if not isinstance(model, Regressor) or weights is not None or self.space is not None or count(X) < 2:
            return None
        if self._score().learned:
            return None
        problem = model._pose(X, y)
        if problem.kernel.learned or problem.space.learned or problem.dual.risk.mask is not None:
            return None
        with self._now.training("train", model):
            model._as_a_task(lambda: model._train(problem), lambda: {"X": X, "y": y})
        self._publish(Predictor(model, problem.space))
        one = LeftOut(model, problem, self._score().bind(problem.space))
        self.models_ = [one]
        return one.score.distances(Outputs(problem.space, y), one.own_points(X)), np.arange(count(X))

    def _by_folds(self, X: Any, y: Any, weights: Any) -> tuple[Array, Array]:
        scores, owners = np.full(count(X), np.nan), np.zeros(count(X), dtype=np.int64)
        self.models_ = []
        for k, (train, test) in enumerate(self._splits(X)):
            model = trained(self._estimator(), self.space, X, y, train, weights, self._now)
            model.score = self._fitted_score(model, X, y, train, weights)
            self.models_.append(model)
            scores[test] = distances(list(model.parts(pick(X, test))), pick(y, test))[:, 0]
            owners[test] = k
        return scores, owners

    def _splits(self, X: Any) -> Iterator[tuple[Array, Array]]:
        """Folds that hold out each row once."""
        n = count(X)
        cv = self.cv if self.method == "cv+" else LeaveOneOut()
        if isinstance(cv, int | np.integer):
            cv = KFold(int(cv), shuffle=True, random_state=self.random_state)
        try:
            folds = [(np.asarray(train), np.asarray(test)) for train, test in check_cv(cv).split(np.empty((n, 0)))]
        except (TypeError, IndexError) as error:
            raise TypeError(f"cv must be a number of folds, a splitter, or pairs (train, test); got {cv!r}.") from error
        held = np.concatenate([test for _, test in folds])
        if not np.array_equal(np.sort(held), np.arange(n)):
            raise ValueError(f"cv+ needs folds that hold out each of the {n} rows once; {cv!r} does not.")
        yield from folds

    def _densities(self, X: Any) -> Array:
        """The weights of inputs by the function that was given."""
        assert self.weights is not None
        return checked_weights(self.weights(X), count(X), "The function for weights returned")


def checked_groups(given: Any, n: int) -> Array:
    """One label for each sample, words or numbers."""
    try:
        groups = np.asarray(to_numpy(given))
    except (TypeError, ValueError) as error:
        raise TypeError(f"groups must be {n} labels ({error}).") from error
    if groups.shape != (n,) or groups.dtype.kind not in "biufSU" or np.any(groups != groups):
        raise ValueError(f"groups must be {n} labels, words or numbers, one for each sample; got shape {groups.shape}.")
    return groups


def checked_weights(given: Any, n: int, name: str = "sample_weight is") -> Array:
    """Finite numbers >= 0, not all zero."""
    try:
        weights = np.asarray(to_numpy(given), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} not {n} numbers ({error}).") from error
    if weights.shape != (n,) or not np.all(np.isfinite(weights) & (weights >= 0)) or not np.any(weights > 0):
        raise ValueError(f"{name} not {n} finite numbers >= 0, one for each sample and not all zero.")
    return weights
