"""Callbacks of scikit-learn 1.9 and later: a fit is a task, its solves, steps and refits are tasks below it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any, ClassVar, Self

from ..checks import function
from ..dual import Dual
from ..solvers import Progress, Solution
from ..solvers.listening import guess
from .posed import Posed

# Before 1.9 there are none, and estimators have no `set_callbacks`.
SKLEARN: Any = import_module("sklearn.callback") if find_spec("sklearn.callback") else None
Support: Any = SKLEARN.CallbackSupportMixin if SKLEARN else object
# What scikit-learn and this module leave in an estimator while it is being fitted.
WHILE_FITTING = ("_callback_fit_ctx", "_skl_callbacks_to_teardown", "_task")


class Heard(Support):
    """A class whose methods named in `TASKS` are tasks that the callbacks of `set_callbacks` hear of."""

    TASKS: ClassVar[tuple[str, ...]] = ("fit",)

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        for name in set(cls.TASKS) & set(vars(cls)) if SKLEARN else ():
            setattr(cls, name, as_a_task(vars(cls)[name]))

    def _as_a_task(self, work: Callable[[], Self], given: Callable[[], dict[str, Any]] = dict) -> Self:
        """What `work` returns, the estimator itself once it is fitted; callbacks hear of it, with what was given."""
        return _told(self, work, given) if "_skl_callbacks" in vars(self) and "_task" not in vars(self) else work()

    def __getstate__(self) -> Any:
        # A callback may copy, pickle and save what it is shown.
        return {name: value for name, value in super().__getstate__().items() if name not in WHILE_FITTING}

    @property
    def _now(self) -> "Task":
        """The task that goes on: a silent one outside `fit`."""
        task: Task = vars(self).get("_task") or Task(self)
        return task


def as_a_task(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that fits, as a task; one that calls such a method is one task with it."""
    known = signature(method)

    @wraps(method)
    def task(self: Heard, *given: Any, **named: Any) -> Any:
        def arguments() -> dict[str, Any]:
            return known.bind(self, *given, **named).arguments

        return self._as_a_task(lambda: method(self, *given, **named), arguments)

    return task


def _managed(model: Any, work: Callable[[], Any], given: Callable[[], dict[str, Any]]) -> Any:
    model._task = Task(model, model._init_callback_context(max_subtasks=None), given)
    try:
        model._task.begin()
        result = work()
        model._task.end(dict)
        return result
    finally:
        del model._task


_told = SKLEARN.with_callbacks(_managed) if SKLEARN else _managed


class Task:
    """A task of a fit, or without a context one that nobody hears of.

    Parameters
    ----------
    model : estimator
        Whose fit it is.
    context : sklearn.callback.CallbackContext, default=None
        Where it stands among the others.
    given : callable, default=dict
        Makes the arguments of the fit by name.
    """

    def __init__(self, model: Any, context: Any = None, given: Callable[[], dict[str, Any]] = dict):
        self.model, self.context, self.given = model, context, given

    @property
    def heard(self) -> bool:
        """Whether anybody is to be told."""
        return self.context is not None

    @contextmanager
    def below(self, name: str, most: int | None = 0) -> Iterator["Task"]:
        """A part of this task, of at most so many parts itself."""
        task = self._part(name, most)
        task.begin()
        yield task
        task.end()

    @contextmanager
    def training(self, name: str, other: Any) -> Iterator[None]:
        """A part of this task that is the fit of another estimator, which hears through callbacks of this one."""
        task = self._part(name)
        if task.context is None:
            yield
            return
        with task.context.propagate_callback_context(other):
            task.begin()
            yield
            task.end()

    def step(self, reached: Callable[[], dict[str, Any]] | None = None) -> bool:
        """A part that is over at once; True where a callback wants no more of them."""
        task = self._part("step")
        task.begin()
        return task.end(reached)

    def steps(self, callback: Any, problem: Posed, dual: Dual) -> Any:
        """The callback of a solver whose steps are parts of this task."""
        return Steps(self, function(callback, "callback"), problem, dual) if self.heard else callback

    def hearing(self, callback: Any) -> Callable[[Any], bool]:
        """A callback that tells this one, and of each call as a step; True where one of them asks to stop."""

        function(callback, "callback")

        def told(what: Any) -> bool:
            asked = callback is not None and callback(what) is True
            return self.step() or asked

        return told

    def begin(self) -> None:
        """Say that it begins."""
        if self.context is not None:
            self.context.call_on_fit_task_begin(estimator=self.model, **self._data())

    def end(self, reached: Callable[[], dict[str, Any]] | None = None) -> bool:
        """Say that it ends, with the attributes of the estimator by now; True where a callback asks to stop."""
        if self.context is None:
            return False
        return bool(
            self.context.call_on_fit_task_end(estimator=self.model, reconstruction_attributes=reached, **self._data())
        )

    def _part(self, name: str, most: int | None = 0) -> "Task":
        known = self.context
        context = None if known is None else known.subcontext(task_name=name, max_subtasks=most)
        return Task(self.model, context, self.given)

    def _data(self) -> dict[str, Any]:
        def weights() -> dict[str, Any] | None:
            found = self.given().get("sample_weight")
            return None if found is None else {"sample_weight": found}

        return {"X": lambda: self.given().get("X"), "y": lambda: self.given().get("y"), "metadata": weights}


SILENT = Task(None)


class Steps:
    """The callback of a solver that tells those of scikit-learn too: each certificate and each guess is a task.

    Parameters
    ----------
    task : Task
        What the steps are part of.
    callback : callable or None
        The callback of the estimator.
    problem : Posed
        What the estimator publishes beside the solution.
    dual : Dual
        The problem that is solved.
    """

    def __init__(self, task: Task, callback: Any, problem: Posed, dual: Dual):
        self.task, self.callback, self.problem, self.dual = task, callback, problem, dual

    def __call__(self, progress: Progress) -> Any:
        """A certificate, for the callback of the estimator."""
        return None if self.callback is None else self.callback(progress)

    def estimate(self, progress: Progress) -> bool:
        """A guess between certificates."""
        return guess(self.callback, progress) | self.task.step()

    def reached(self, dual: Dual, solution: Solution) -> bool:
        """A certificate, for the callbacks of scikit-learn."""
        return self.task.step(lambda: self.attributes(dual, solution))

    def attributes(self, dual: Dual, solution: Solution) -> dict[str, Any]:
        """Those of the estimator, had the fit ended at a solution of its problem, whitened or in other units or not."""
        if dual is not self.dual:
            W = dual.risk.scaled(solution.W) * (1.0 if self.dual.units is None else self.dual.units.duals)
            solution = replace(solution, W=W, predictions=self.dual.predict(W))
        attributes: dict[str, Any] = vars(copy(self.task.model)._publish(self.problem, self.dual, solution))
        return attributes
