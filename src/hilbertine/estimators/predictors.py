"""Fitted models as points of the output space: those of this library, searches and pipelines of them, and any other."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from ..arrays import Array, blocks, count, to_numpy
from ..conformal import Held, Outputs, Part, Residuals, Score
from ..function import Expansion
from ..memory import check_room, rows_of
from ..solvers import left_out_models
from ..spaces import Euclidean, Space
from ..spaces.centre import centres_left_out
from .base import Regressor
from .parts import component, pick
from .posed import Posed
from .tasks import SILENT, Task


def inner_model(model: Any) -> Any:
    """What a search found, and the last step of a pipeline."""
    best = getattr(model, "best_estimator_", model)
    steps = getattr(best, "steps", None)
    return inner_model(best if steps is None else steps[-1][1]) if best is not model or steps is not None else model


class Predictor:
    """X -> points of the output space, and the score that goes with them.

    Parameters
    ----------
    model : estimator
        A fitted regressor.
    space : Space
        The fitted space of its outputs.
    columns : array of int, default=None
        Of a Gram matrix the columns that it was trained on; None is all.
    """

    def __init__(self, model: Any, space: Space, columns: Array | None = None):
        self.model = model
        self.space = space
        self.columns = columns
        self.score: Score | None = None

    def inputs(self, X: Any) -> Any:
        """Inputs as the model takes them."""
        return X if self.columns is None else np.asarray(X)[:, self.columns]

    def points(self, X: Any) -> Array:
        """The predictions in coordinates."""
        X = self.inputs(X)
        if not isinstance(inner_model(self.model), Regressor):
            return to_numpy(self.space.encode(self.model.predict(X)))
        best = getattr(self.model, "best_estimator_", self.model)
        steps = getattr(best, "steps", None)
        return to_numpy(best.embed(X) if steps is None else best[-1].embed(best[:-1].transform(X)))

    def parts(self, X: Any) -> Iterator[Part]:
        """What the model says of new inputs."""
        assert self.score is not None
        yield Part(self.space, self.score, self.points(X), self.score.scale(self.inputs(X), count(X)))


class LeftOut:
    """The models of a regressor without each of its samples, all in one space and with one kernel.

    Parameters
    ----------
    model : Regressor
        The regressor, fitted to all samples.
    problem : Posed
        Its problem.
    score : Score
        How outputs and predictions are compared; it has nothing to learn.
    """

    def __init__(self, model: Regressor, problem: Posed, score: Score):
        dual, centre = problem.dual.at(loss=model.loss_), problem.centre
        n, m = dual.targets.shape
        check_room(float(n) * n * m, f"The {n} models without each sample", "use method='cv+' with cv=10")
        whole = dual.targets if centre is None else dual.targets + centre[None, :]
        centres = centres_left_out(whole, model.centre) if centre is not None else None
        shifts = None if centres is None or centre is None else centres - centre[None, :]
        found = left_out_models(dual, model.dual_coef_, model._recipe(), shifts)
        self.model, self.space, self.score = model, problem.space, score
        self.functions = [
            Expansion(problem.kernel, V, scale, None if centres is None else centres[i, :])
            for i, (V, scale) in enumerate(found)
        ]

    def parts(self, X: Any) -> Iterator[Part]:
        """What each of the models says of new inputs; kernel values are computed once."""
        ones = np.ones(count(X))
        return (Part(self.space, self.score, C, ones) for C in self._points(X))

    def own_points(self, X: Any) -> Array:
        """What the model without sample i says of it, for the inputs that they were trained on."""
        checked = self.model._check_inputs(X, False, self.model.dual_coef_)
        pairs = zip(self.functions, blocks(checked, 1), strict=True)
        return np.concatenate([to_numpy(function.at(function.kernel.cross(x))) for function, x in pairs])

    def _points(self, X: Any) -> Iterator[Array]:
        first = self.functions[0]
        checked = self.model._check_inputs(X, False, self.model.dual_coef_)
        crosses = [first.kernel.cross(block) for block in blocks(checked, rows_of(first.width))]
        for function in self.functions:
            yield np.concatenate([to_numpy(function.at(cross)) for cross in crosses])


def trained(
    estimator: Any, space: Any, X: Any, y: Any, rows: Array | None = None, weights: Any = None, task: Task = SILENT
) -> Predictor:
    """A copy of the estimator, trained on some of the rows, as a part of a task."""
    model = clone(estimator, safe=False)
    pairwise = get_tags(model).input_tags.pairwise
    if rows is not None:
        X, y = pick(X, rows, rows if pairwise else None), pick(y, rows)
        weights = None if weights is None else np.asarray(weights)[rows]
    with task.training("train", model):
        model.fit(X, y, **({} if weights is None else {"sample_weight": weights}))
    return Predictor(model, space_of(model, space, y), rows if pairwise else None)


def space_of(model: Any, space: Any, y: Any) -> Space:
    """Where the outputs of a fitted model live: what it knows itself, or what it was given, fitted to these outputs."""
    known = getattr(inner_model(model), "space_", None)
    if isinstance(known, Space):
        if space is not None:
            raise ValueError(f"{inner_model(model)!r} has a space of its own; leave out that of ConformalRegressor.")
        return known
    given: Space = Euclidean() if space is None else component(space, Space, "space", "hilbertine.spaces")
    return given.fit(y)


def held_out(
    estimator: Any, space: Any, X: Any, y: Any, rows: Array, folds: Any, weights: Any = None, task: Task = SILENT
) -> Held:
    """Some of the rows under models that were trained on the others of them, fold by fold."""
    order, found, last = [], [], None
    for train, test in folds.split(rows):
        last = trained(estimator, space, X, y, rows[train], weights, task)
        outputs = Outputs(last.space, pick(y, rows[test]))
        found.append(outputs.residuals(last.points(pick(X, rows[test]))))
        order.append(rows[test])
    assert last is not None
    shown = None if found[0].values is None else np.concatenate([each.values for each in found])
    C = [each.coordinates for each in found]
    # Spaces of objects have coordinates of their own in each fold: what they share is lengths.
    if len({part.shape[1] for part in C}) > 1:
        C = [np.sqrt(np.sum(part**2, axis=1, keepdims=True)) for part in C]
    residuals = Residuals(np.concatenate(C), np.concatenate([each.tails for each in found]), shown)
    return Held(pick(X, np.concatenate(order)), residuals, last.space)
