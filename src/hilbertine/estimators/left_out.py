"""Leave-one-out over a grid: closed forms where they are exact, refits elsewhere."""

from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import Array, count, inner, to_numpy
from ..losses import Loss
from ..solvers import approximate_residuals, path, refit_residuals, ridge_residuals
from .base import Posed, Regressor
from .folds import Row, by_problem, certificate, score_fold

EXACT, APPROXIMATE = "loo", "loo-approximate"


def score_left_out(
    model: Regressor, X: Any, y: Any, lams: list[float], points: list[Any], approximate: bool
) -> list[list[list[Row]]]:
    """table[k][j][i] for left-out sample k, grid point j and lams[i]; scores are minus squared output norms."""
    n = count(X)
    tables: list[list[list[Row]]] = [[[(0.0, 0.0, 0, 0)] * len(lams) for _ in points] for _ in range(n)]
    for shared in by_problem(points):
        models = [clone(model).set_params(**points[j]) for j in shared]
        problem = models[0]._pose(X, y)
        if problem.kernel.learned or problem.space.learned or not problem.gram.separable:
            if approximate:
                raise ValueError(
                    f"cv={APPROXIMATE!r} needs one separable kernel, and nothing learned from the outputs, neither "
                    f"operator nor basis; use cv={EXACT!r}, which refits."
                )
            refitted = _refit_folds(model, X, y, lams, [points[j] for j in shared])
            for k in range(n):
                for position, j in enumerate(shared):
                    tables[k][j] = refitted[k][position]
            continue
        losses = [each._make_loss() for each in models]
        for i, j, errors, solution in _errors(models[0], problem, lams, losses, approximate):
            beside = certificate(losses[j], problem.targets, solution)
            for k in range(n):
                tables[k][shared[j]][i] = (-float(errors[k]), *beside)
    return tables


def _refit_folds(model: Regressor, X: Any, y: Any, lams: list[float], points: list[Any]) -> list[list[list[Row]]]:
    """What is learned from the outputs is learned again without the sample left out."""
    rows = np.arange(count(X))
    return [score_fold(model, X, y, np.delete(rows, k), rows[k : k + 1], lams, points) for k in rows]


def _errors(model: Regressor, problem: Posed, lams: list[float], losses: list[Loss], approximate: bool) -> Any:
    """(index of lam, index of loss, squared leave-one-out error norms, solution of the full problem)."""
    gram, T = problem.gram, problem.targets
    settings = {"solver": model.solver, "tol": model.tol, "max_iter": model.max_iter}
    for i, j, solution in path(gram, T, lams, losses, **settings):
        E: Array
        if losses[j].square:
            E = ridge_residuals(gram, T, lams[i])
        elif approximate:
            E = approximate_residuals(gram, T, lams[i], solution.W, solution.predictions)
        else:
            E = refit_residuals(gram, T, lams[i], losses[j], solution.W, settings)
        yield i, j, to_numpy(inner(E, E) + problem.tails**2), solution
