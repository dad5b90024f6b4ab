"""What estimators have in common that is no mathematics: storing, copying, and losing nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sklearn.base import clone


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


def component(given: Any, kind: type, name: str, home: str) -> Any:
    """A copy of a component, which must be an object of its kind."""
    if not isinstance(given, kind):
        raise TypeError(f"{given!r} is not a {name}; pass an object of {home}.")
    return clone(given)
