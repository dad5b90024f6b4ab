"""What estimators have in common that is no mathematics: storing, copying, and losing nothing."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MethodType
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..arrays import Array, device_of, is_array, is_foreign, namespace


@contextmanager
def unchanged_on_failure(estimator: Any) -> Iterator[None]:
    """Whatever ends the block early, Ctrl-C included, leaves the estimator as it was before."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def store(estimator: Any, given: Mapping[str, Any]) -> None:
    """What `__init__` does: keep its arguments, `locals()`, under their own names."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


class ParameterAndMethod:
    """One name for two things: a parameter, for the constructor, `get_params` and `set_params`, and a method to call.

    scikit-learn has a method `score`, which an attribute of that name would hide.
    """

    def __init__(self, method: Callable[..., Any]):
        self.method = method

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self.method, instance)

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value


def read(data: Any) -> Any:
    """What can be counted and sliced: sparse matrices by their rows, and what makes an array of itself as one."""
    if hasattr(data, "tocsr"):
        return data.tocsr()
    known = hasattr(data, "__len__") or is_array(data)
    return data if known or not hasattr(data, "__array__") else np.asarray(data)


def component(given: Any, kind: type, name: str, home: str) -> Any:
    """A copy of a component, which must be an object of its kind."""
    if not isinstance(given, kind):
        raise TypeError(f"{given!r} is not a {name}; pass an object of {home}.")
    return clone(given)


def pick(data: Any, rows: Array, columns: Array | None = None) -> Any:
    """Some rows of whatever holds inputs or outputs, and of a Gram matrix the same columns."""
    if is_foreign(data):
        xp = namespace(data)
        part = xp.take(data, xp.asarray(rows, device=device_of(data)), axis=0)
        return part if columns is None else xp.take(part, xp.asarray(columns, device=device_of(data)), axis=1)
    part = _safe_indexing(data, rows)
    return part if columns is None else np.asarray(part)[:, columns]
