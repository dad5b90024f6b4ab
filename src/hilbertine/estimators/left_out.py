"""Leave-one-out over a grid: closed forms where they are exact, refits elsewhere."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import Array, count, inner, to_numpy
from ..dual import Dual
from ..losses import Loss
from ..solvers import Solution, approximate_residuals, choose, path, refit_residuals, ridge_path
from .base import Posed, Regressor
from .folds import CERTIFICATES, Scores, by_problem, certificate, loss_alone, score_fold

EXACT, APPROXIMATE = "loo", "loo-approximate"


def score_left_out(
    model: Regressor, X: Any, y: Any, lams: list[float], points: list[Any], approximate: bool,
    pose: Callable[[], Posed], told: Callable[[int, int], Any],
) -> list[Scores]:  # fmt: skip
    """A fold for each sample, which is left out.

    `pose` gives the problem of the model as it is. `told` hears of samples left out at points of the grid: how many are
    done, and how many there are.
    """
    n = count(X)
    if n < 2:
        raise ValueError(f"Leave-one-out trains on the other samples, and there is only {n}; give at least two.")
    errors = np.empty((n, len(points), len(lams)))
    certificates = np.empty((n, len(CERTIFICATES), len(points), len(lams)))
    done = 0
    for shared in by_problem(points):
        models = [clone(model).set_params(**points[j]) for j in shared]
        problem = pose() if loss_alone(points) else models[0]._pose(X, y)
        if problem.kernel.learned or problem.space.learned or not problem.gram.separable:
            if approximate:
                raise ValueError(
                    f"cv={APPROXIMATE!r} needs one separable kernel, and nothing learned from the outputs, neither "
                    f"operator nor basis; use cv={EXACT!r}, which refits."
                )
            for k, fold in enumerate(_refits(model, X, y, lams, [points[j] for j in shared])):
                errors[k, shared], certificates[k][:, shared] = fold.errors[0], fold.certificates
                done += len(shared) * len(lams)
                told(done, errors.size)
            continue
        losses = [each._make_loss() for each in models]
        for i, j, E, solution in _residuals(models[0], problem, lams, losses, approximate):
            errors[:, shared[j], i] = to_numpy(inner(E, E) + problem.tails**2)
            certificates[:, :, shared[j], i] = certificate(losses[j], problem.targets, solution)
            done += n
            told(done, errors.size)
    return [Scores(errors[k : k + 1], certificates[k]) for k in range(n)]


def _refits(model: Regressor, X: Any, y: Any, lams: list[float], points: list[Any]) -> Iterator[Scores]:
    """What is learned from the outputs, or from the inputs, is learned again without the sample left out."""
    rows = np.arange(count(X))
    return (score_fold(model, X, y, np.delete(rows, k), rows[k : k + 1], lams, points) for k in rows)


def _residuals(
    model: Regressor, problem: Posed, lams: list[float], losses: list[Loss], approximate: bool
) -> Iterator[tuple[int, int, Array, Solution]]:
    """(index of lam, index of loss, leave-one-out residuals, a certified solution of the full problem)."""
    gram, T = problem.gram, problem.targets
    settings = {"solver": model.solver, "tol": model.tol, "max_iter": model.max_iter}
    square = [j for j, loss in enumerate(losses) if loss.square]
    for i, (W, E) in enumerate(ridge_path(gram, T, lams) if square else ()):
        # The solution that the residuals come from: that of n samples at a lam which makes lam n what it is for n - 1.
        dual = Dual(gram, losses[square[0]], T, lams[i] * (1 - 1 / count(T)))
        solution = choose(dual=dual, **settings).solve(dual, W)
        yield from ((i, j, E, solution) for j in square)
    others = [j for j in range(len(losses)) if j not in square]
    for i, position, solution in path(gram, T, lams, [losses[j] for j in others], **settings):
        j = others[position]
        if approximate:
            E = approximate_residuals(gram, T, lams[i], solution.W, solution.predictions)
        else:
            E = refit_residuals(gram, T, lams[i], losses[j], solution.W, settings)
        yield i, j, E, solution
