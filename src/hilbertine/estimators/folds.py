"""One fold of cross-validation: one Gram operator, one path over lam and the losses."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..arrays import Array, count, device_of, is_foreign, namespace, to_numpy
from ..dual import Dual
from ..function import Expansion
from ..metrics import averaged, squared_norms
from ..solvers import Solution, path
from .base import Regressor

CERTIFICATES = ("gap", "support", "saturated")


class Scores(NamedTuple):
    """What is kept of one fold, for every point j of the grid and every lams[i].

    errors : squared error norms of the samples held out, (samples, points, lams); of a scorer minus its one value
    certificates : gap, support and saturated rows of the fit, (3, points, lams)
    """

    errors: Array
    certificates: Array


def score_fold(
    model: Regressor, X: Any, y: Any, train: Array, test: Array, lams: list[float], points: list[Any],
    groups: list[list[int]], scorer: Any = None,
) -> Scores:  # fmt: skip
    """The model trained on one part of the data and scored on the other; points of a group share a problem."""
    pairwise = model.__sklearn_tags__().input_tags.pairwise
    X_train, X_test = (_pick(X, rows, train if pairwise else None) for rows in (train, test))
    y_train, y_test = _pick(y, train), _pick(y, test)
    shape = len(points), len(lams)
    scores = Scores(np.empty((1 if scorer else len(test), *shape)), np.empty((len(CERTIFICATES), *shape)))
    for shared in groups:
        models = [clone(model).set_params(**points[j]) for j in shared]
        problem = models[0]._pose(X_train, y_train)
        cross = None if scorer else problem.kernel.cross(models[0]._check_inputs(X_test, False, problem.dual.targets))
        losses = [each._make_loss() for each in models]
        for i, j, solution in path(problem.dual, lams, losses, models[0]._recipe(path=True)):
            dual = solution.dual or problem.dual.at(lams[i], losses[j])
            if cross is None:
                vars(models[j]).update({name: value for name, value in vars(models[0]).items() if name.endswith("_")})
                errors = -float(scorer(models[j]._publish(problem, dual, solution), X_test, y_test))
            else:
                predicted = Expansion(problem.kernel, solution.W, dual.scale, problem.centre).at(cross)
                errors = to_numpy(squared_norms(problem.space, predicted, y_test))
            scores.errors[:, shared[j], i] = errors
            scores.certificates[:, shared[j], i] = certificate(dual, solution)
    return scores


def certificate(dual: Dual, solution: Solution) -> tuple[float, int, int]:
    """The gap of a solution, and the numbers of rows that count."""
    support, saturated = dual.special_rows(solution.W, solution.predictions)
    return solution.gap, count(support), count(saturated)


def tabulate(lams: list[float], points: list[Any], folds: list[Scores], average: str = "mean") -> dict[str, Any]:
    """The scores of all folds in the form of scikit-learn's cv_results_, lam varying fastest."""
    errors = np.concatenate([fold.errors for fold in folds]).reshape(-1, len(points) * len(lams))
    # Of one sample every average is its error.
    alone = len(errors) == len(folds)
    splits = -errors if alone else np.stack([-averaged(fold.errors, average).reshape(-1) for fold in folds])
    params = [{**point, "lam": lam} for point in points for lam in lams]
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        column = np.empty(len(params), dtype=object)
        column[:] = [point[name] for point in params]
        results[f"param_{name}"] = np.ma.MaskedArray(column, mask=False)
    results |= {f"split{k}_test_score": row for k, row in enumerate(splits)}
    # The mean is over folds, as scikit-learn's. Other averages are over samples: those of a fold of outliers alone
    # would be outliers.
    results["mean_test_score"] = splits.mean(axis=0) if average == "mean" else -averaged(errors, average)
    results["std_test_score"] = splits.std(axis=0)
    results["rank_test_score"] = rankdata(-results["mean_test_score"], method="min").astype(np.int32)
    gap, support, saturated = np.stack([fold.certificates.reshape(3, -1) for fold in folds], axis=1)
    results["max_dual_gap"] = gap.max(axis=0)
    results["mean_support"], results["mean_saturated"] = support.mean(axis=0), saturated.mean(axis=0)
    return results


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


def _pick(data: Any, rows: Array, columns: Array | None = None) -> Any:
    if is_foreign(data):
        xp = namespace(data)
        part = xp.take(data, xp.asarray(rows, device=device_of(data)), axis=0)
        return part if columns is None else xp.take(part, xp.asarray(columns, device=device_of(data)), axis=1)
    part = _safe_indexing(data, rows)
    return part if columns is None else np.asarray(part)[:, columns]
