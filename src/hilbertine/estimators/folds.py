"""One fold of cross-validation: one Gram operator, one path over lam and the losses."""

import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, count, is_array, to_numpy
from ..doors import caller
from ..dual import Dual
from ..function import Expansion
from ..metrics import averaged, squared_norms
from ..solvers import Solution, path
from .base import Regressor
from .grids import Sweep
from .parts import pick
from .posed import Posed

CERTIFICATES = ("gap", "support", "saturated")


class Data(NamedTuple):
    """What a search is given: inputs, outputs, weights, and the steps of a pipeline before the regressor."""

    X: Any
    y: Any
    weights: Array | None = None
    transformer: Any = None

    def given(self) -> dict[str, Any]:
        """What `fit` takes."""
        return {"X": self.X, "y": self.y, "sample_weight": self.weights}

    def split(self, train: Array, test: Array, pairwise: bool) -> tuple["Data", "Data"]:
        """The two parts, the inputs of both transformed by what is fitted to the first."""
        first, second = (self._rows(rows, train if pairwise else None) for rows in (train, test))
        if self.transformer is None:
            return first, second
        fitted = clone(self.transformer).fit(first.X, first.y)
        return first._replace(X=fitted.transform(first.X)), second._replace(X=fitted.transform(second.X))

    def transformed(self) -> Any:
        """All inputs as the regressor sees them."""
        return self.X if self.transformer is None else clone(self.transformer).fit(self.X, self.y).transform(self.X)

    def _rows(self, rows: Array, columns: Array | None) -> "Data":
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(X=pick(self.X, rows, columns), y=pick(self.y, rows), weights=weights)


def sliceable(values: Any) -> Any:
    """What folds can be cut from: sparse matrices by rows, and arrays of what only says how to become one."""
    if issparse(values):
        return values.tocsr()
    known = hasattr(values, "__len__") or is_array(values)
    return values if known or not hasattr(values, "__array__") else np.asarray(values)


class Scores(NamedTuple):
    """What is kept of one fold, for every point j of the grid and every lams[i].

    errors : squared error norms of the samples held out, (samples, points, lams); of a scorer minus its one value
    certificates : gap, support and saturated rows of the fit, (3, points, lams)
    weights : of the samples held out
    """

    errors: Array
    certificates: Array
    weights: Array | None = None


def score_fold(
    model: Regressor, data: Data, train: Array, test: Array, sweep: Sweep, scorer: Any = None,
    told: Callable[[int], Any] | None = None,
) -> Scores:  # fmt: skip
    """The model trained on one part of the data and scored on the other; `told` hears of each fit."""
    fitted, held = data.split(train, test, model.__sklearn_tags__().input_tags.pairwise)
    shape = len(sweep.points), len(sweep.lams)
    errors, certificates = np.empty((1 if scorer else len(test), *shape)), np.empty((len(CERTIFICATES), *shape))
    for shared in sweep.groups:
        models = [clone(model).set_params(**sweep.points[j]) for j in shared]
        problem = models[0]._pose(fitted.X, fitted.y, fitted.weights)
        score = _scored(models, problem, held, scorer)
        losses = [each._make_loss() for each in models]
        for i, j, solution in quietly(path(problem.dual, sweep.lams, losses, models[0]._recipe())):
            assert solution.dual is not None
            errors[:, shared[j], i] = score(j, solution)
            certificates[:, shared[j], i] = certificate(solution.dual, solution)
            if told is not None:
                told(1)
    return Scores(errors, certificates, None if scorer else held.weights)


def quietly(solutions: Iterator[Any]) -> Iterator[Any]:
    """Solutions whose gaps the search speaks of once, rather than each fit by itself."""
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = next(solutions, None)
        if solution is None:
            return
        yield solution


def warn_of_gaps(results: Any, tol: float) -> None:
    """Say once how many points of the grid have a fit whose gap is above the tolerance."""
    gaps = results["max_dual_gap"]
    if not np.all(gaps <= tol):
        warnings.warn(
            f"At {int(np.sum(~(gaps <= tol)))} of {len(gaps)} points of the grid a fit stopped above tol = {tol:.2g}; "
            f"the largest relative duality gap is {np.max(gaps):.2g}, and cv_results_['max_dual_gap'] has all of them. "
            "Raise max_iter, or leave out the smallest lams.",
            ConvergenceWarning,
            stacklevel=caller(),
        )


def _scored(models: list[Regressor], problem: Posed, held: Data, scorer: Any) -> Callable[[int, Solution], Any]:
    """(place of the model, solution) -> the errors of the samples held out."""
    if scorer is not None:
        # What reading the inputs has taught the first of the models, the others know too.
        learned = {name: value for name, value in vars(models[0]).items() if name.endswith("_")}
        for each in models:
            each.__dict__ |= learned

        def by_scorer(j: int, solution: Solution) -> float:
            assert solution.dual is not None
            return -float(scorer(models[j]._publish(problem, solution.dual, solution), held.X, held.y))

        return by_scorer
    cross = problem.kernel.cross(models[0]._check_inputs(held.X, False, problem.dual.targets))

    def by_norm(j: int, solution: Solution) -> Array:
        scale = solution.dual.scale if solution.dual else 1.0
        predicted = Expansion(problem.kernel, solution.W, scale, problem.centre).at(cross)
        return to_numpy(squared_norms(problem.space, predicted, held.y))

    return by_norm


def certificate(dual: Dual, solution: Solution) -> tuple[float, int, int]:
    """The gap of a solution, and the numbers of rows that count."""
    support, saturated = dual.special_rows(solution.W, solution.predictions)
    return solution.gap, count(support), count(saturated)


def tabulate(sweep: Sweep, folds: list[Scores], average: str = "mean") -> dict[str, Any]:
    """The scores of all folds in the form of scikit-learn's cv_results_, lam varying fastest."""
    lams, points = sweep.lams, sweep.points
    errors = np.concatenate([fold.errors for fold in folds]).reshape(-1, len(points) * len(lams))
    weighted = [fold.weights for fold in folds if fold.weights is not None]
    weights = np.concatenate(weighted) if weighted else None
    # Of one sample every average is its error.
    alone = len(errors) == len(folds)
    splits = -errors if alone else np.stack([_of_fold(fold, average) for fold in folds])
    params = [{**point, "lam": lam} for point in points for lam in lams]
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        column = np.empty(len(params), dtype=object)
        column[:] = [point[name] for point in params]
        results[f"param_{name}"] = np.ma.MaskedArray(column, mask=False)
    results |= {f"split{k}_test_score": row for k, row in enumerate(splits)}
    # The mean is over folds, as scikit-learn's. Other averages are over samples: those of a fold of outliers alone
    # would be outliers.
    by_folds = average == "mean" and weights is None
    results["mean_test_score"] = splits.mean(axis=0) if by_folds else -averaged(errors, average, weights)
    results["std_test_score"] = splits.std(axis=0)
    results["rank_test_score"] = rankdata(-results["mean_test_score"], method="min").astype(np.int32)
    gap, support, saturated = np.stack([fold.certificates.reshape(3, -1) for fold in folds], axis=1)
    results["max_dual_gap"] = gap.max(axis=0)
    results["mean_support"], results["mean_saturated"] = support.mean(axis=0), saturated.mean(axis=0)
    return results


def _of_fold(fold: Scores, average: str) -> Array:
    weights = fold.weights if fold.weights is not None and fold.weights.any() else None
    return -averaged(fold.errors, average, weights).reshape(-1)


def by_problem(model: Regressor, grid: dict[str, list[Any]]) -> list[list[int]]:
    """Indices of the points of a grid that share kernel and outputs: those that differ in the loss alone.

    Points are in the order of `itertools.product`, and values are told apart by their place in the grid.
    """
    groups: dict[Any, list[int]] = {}
    alone = [model._of_the_loss(name) for name in grid]
    for j, places in enumerate(product(*(range(len(values)) for values in grid.values()))):
        key = tuple(place for place, of_the_loss in zip(places, alone, strict=True) if not of_the_loss)
        groups.setdefault(key, []).append(j)
    return list(groups.values())
