"""Leave-one-out over a grid: closed forms where they are exact, refits elsewhere."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import Array, count, inner, to_numpy
from ..dual import Dual
from ..losses import Loss
from ..solvers import Recipe, Solution, approximate_residuals, path, refit_residuals, ridge_path
from .base import Regressor
from .folds import CERTIFICATES, Data, Scores, certificate, quietly, score_fold
from .grids import Sweep
from .posed import Posed

EXACT, APPROXIMATE = "loo", "loo-approximate"


def score_left_out(
    model: Regressor, data: Data, sweep: Sweep, approximate: bool, pose: Callable[[], Posed],
    told: Callable[[int], Any],
) -> list[Scores]:  # fmt: skip
    """A fold for each sample, which is left out.

    `pose` gives the problem of the model as it is; points of one of the `groups` share a problem. `told` hears of
    each sample left out at a point of the grid.
    """
    (lams, points, groups), n = sweep, count(data.X)
    if n < 2:
        raise ValueError(f"Leave-one-out trains on the other samples, and there is only {n}; give at least two.")
    errors = np.empty((n, len(points), len(lams)))
    certificates = np.empty((n, len(CERTIFICATES), len(points), len(lams)))
    for shared in groups:
        models = [clone(model).set_params(**points[j]) for j in shared]
        problem = pose() if len(groups) == 1 else models[0]._pose(data.transformed(), data.y, data.weights)
        if problem.kernel.learned or problem.space.learned or not problem.dual.gram.solvable:
            if approximate:
                raise ValueError(
                    f"cv={APPROXIMATE!r} needs one separable kernel, and nothing learned from the outputs, neither "
                    f"operator nor basis, nor a mean of features (Centred); use cv={EXACT!r}, which refits."
                )
            for k, fold in enumerate(_refits(model, data, lams, [points[j] for j in shared])):
                errors[k, shared], certificates[k][:, shared] = fold.errors[0], fold.certificates
                told(len(shared) * len(lams))
            continue
        losses = [each._make_loss() for each in models]
        residuals = _residuals(problem.dual, lams, losses, models[0]._recipe(), approximate)
        for i, j, E, solution in quietly(residuals):
            dual = solution.dual or problem.dual.at(lams[i], losses[j])
            errors[:, shared[j], i] = to_numpy(inner(E, E) + dual.risk.tails**2)
            certificates[:, :, shared[j], i] = certificate(dual, solution)
            told(n)
    weights = [None if data.weights is None else data.weights[k : k + 1] for k in range(n)]
    return [Scores(errors[k : k + 1], certificates[k], weights[k]) for k in range(n)]


def _refits(model: Regressor, data: Data, lams: list[float], points: list[Any]) -> Iterator[Scores]:
    """What is learned from the outputs, or from the inputs, is learned again without the sample left out."""
    rows, sweep = np.arange(count(data.X)), Sweep(lams, points, [list(range(len(points)))])
    return (score_fold(model, data, np.delete(rows, k), rows[k : k + 1], sweep) for k in rows)


def _residuals(
    full: Dual, lams: list[float], losses: list[Loss], recipe: Recipe, approximate: bool
) -> Iterator[tuple[int, int, Array, Solution]]:
    """(index of lam, index of loss, leave-one-out residuals, a certified solution of the full problem)."""
    square = [j for j, loss in enumerate(losses) if loss.square]
    n = int(full.targets.shape[0])
    for i, (W, E) in enumerate(ridge_path(full, lams) if square else ()):
        # The solution that the residuals come from: that of n samples at a lam which makes lam n what it is for n - 1.
        solution = recipe.solve(full.at(lams[i] * (1 - 1 / n), losses[square[0]]), W)
        yield from ((i, j, E, solution) for j in square)
    others = [j for j in range(len(losses)) if j not in square]
    for i, position, solution in path(full, lams, [losses[j] for j in others], recipe):
        dual = solution.dual or full.at(lams[i], losses[others[position]])
        if approximate:
            E = approximate_residuals(dual, solution.W, solution.predictions)
        else:
            E = refit_residuals(dual, solution.W, recipe)
        yield i, others[position], E, solution
