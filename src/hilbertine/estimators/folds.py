"""One fold of cross-validation: one Gram operator, one path over lam and the losses."""

from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..arrays import Array, count, device_of, is_foreign, namespace
from ..dual import Dual
from ..losses import Loss
from ..metrics import averaged, mean_squared_norm
from ..solvers import Solution, path
from .base import Regressor, special_rows
from .inputs import check_inputs

# What is kept of one point of the grid on one fold.
Row = tuple[float, float, int, int]
COLUMNS = ("score", "gap", "support", "saturated")


def score_fold(
    model: Regressor, X: Any, y: Any, train: Array, test: Array, lams: list[float], points: list[Any],
    scorer: Any = None, average: str = "mean",
) -> list[list[Row]]:  # fmt: skip
    """table[j][i] for grid point j and lams[i], trained on one part of the data and scored on the other."""
    pairwise = model.__sklearn_tags__().input_tags.pairwise
    X_train, X_test = (_pick(X, rows, train if pairwise else None) for rows in (train, test))
    y_train, y_test = _pick(y, train), _pick(y, test)
    table: list[list[Row]] = [[(0.0, 0.0, 0, 0)] * len(lams) for _ in points]
    for shared in by_problem(points):
        models = [clone(model).set_params(**points[j]) for j in shared]
        problem = models[0]._pose(X_train, y_train)
        reference = range(len(train)) if problem.X is None else problem.X
        checked = check_inputs(models[0], X_test, problem.kernel.domain, reset=False, like=problem.targets)
        cross = None if scorer else problem.kernel.gram(checked, reference, problem.targets)
        losses = [each._make_loss() for each in models]
        settings = {name: getattr(models[0], name) for name in ("solver", "tol", "max_iter")}
        for i, j, solution in path(problem.gram, problem.targets, lams, losses, **settings):
            dual = Dual(problem.gram, losses[j], problem.targets, lams[i], problem.tails)
            if cross is None:
                vars(models[j]).update({name: value for name, value in vars(models[0]).items() if name.endswith("_")})
                score = float(scorer(models[j]._publish(problem, dual, solution), X_test, y_test))
            else:
                score = -mean_squared_norm(problem.space, (cross @ solution.W) / dual.scale, y_test, average)
            table[shared[j]][i] = (score, *certificate(losses[j], problem.targets, solution))
    return table


def certificate(loss: Loss, T: Array, solution: Solution) -> tuple[float, int, int]:
    """The gap of a solution, and the numbers of rows that count."""
    support, saturated = special_rows(loss, T, solution)
    return solution.gap, count(support), count(saturated)


def tabulate(
    lams: list[float], points: list[Any], tables: list[list[list[Row]]], average: str = "mean"
) -> dict[str, Any]:
    """The scores of all folds in the form of scikit-learn's cv_results_, lam varying fastest."""
    values = np.asarray(tables, dtype=np.float64)
    columns = {name: values[..., k].reshape(len(tables), -1) for k, name in enumerate(COLUMNS)}
    scores = columns["score"]
    params = [{**point, "lam": lam} for point in points for lam in lams]
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        column = np.empty(len(params), dtype=object)
        column[:] = [point[name] for point in params]
        results[f"param_{name}"] = np.ma.MaskedArray(column, mask=False)
    results |= {f"split{k}_test_score": row for k, row in enumerate(scores)}
    results["mean_test_score"] = -averaged(-scores, average)
    results["std_test_score"] = scores.std(axis=0)
    results["rank_test_score"] = rankdata(-results["mean_test_score"], method="min").astype(np.int32)
    results["max_dual_gap"] = columns["gap"].max(axis=0)
    results["mean_support"] = columns["support"].mean(axis=0)
    results["mean_saturated"] = columns["saturated"].mean(axis=0)
    return results


def by_problem(points: list[Any]) -> list[list[int]]:
    """Indices of the points that share kernel and outputs: those that differ in the loss alone."""
    groups: dict[Any, list[int]] = {}
    for j, point in enumerate(points):
        # Values of one parameter come from one list, so identity tells them apart, arrays and objects included.
        others = {name: id(value) for name, value in point.items() if not _of_the_loss(name)}
        groups.setdefault(tuple(others.items()), []).append(j)
    return list(groups.values())


def _of_the_loss(name: str) -> bool:
    return name in ("epsilon", "kappa", "loss") or name.startswith("loss__")


def _pick(data: Any, rows: Array, columns: Array | None = None) -> Any:
    if is_foreign(data):
        xp = namespace(data)
        part = xp.take(data, xp.asarray(rows, device=device_of(data)), axis=0)
        return part if columns is None else xp.take(part, xp.asarray(columns, device=device_of(data)), axis=1)
    part = _safe_indexing(data, rows)
    return part if columns is None else np.asarray(part)[:, columns]
