"""The model that a JSON text and arrays stand for: objects of known classes, filled with what the text says."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array
from .registry import SPARSE, class_of, functions, made_from
from .shapes import check_parts

FLOATS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}

# What constructors of scikit-learn leave beside their parameters.
LEFT_BEHIND = {"KNeighborsRegressor": {"radius"}}


class BadFileError(ValueError):
    """A file that holds no model, or not all of one."""


class Decoder:
    """Objects are made empty first, so that they may refer to each other, and filled in the order of the file."""

    def __init__(self, nodes: list[Any], arrays: list[Array]):
        self.nodes = nodes
        self.arrays = arrays
        self.objects: list[Any] = [_empty(node) for node in nodes]

    def model(self, root: Any) -> Any:
        """Everything, from the object that the file is about."""
        # The last first: parts stand behind what they are parts of.
        for node, found in reversed(list(zip(self.nodes, self.objects, strict=True))):
            state = {name: self.decode(value) for name, value in node["state"].items()}
            check_names(type(found), state)
            vars(found).update(state)
        for found in self.objects:
            check_parts(found)
        return self.decode(root)

    def decode(self, value: Any) -> Any:
        """The value that a piece of JSON stands for."""
        if isinstance(value, list):
            return self.items(value)
        if not isinstance(value, dict):
            return value
        if len(value) != 1 or next(iter(value)) not in READERS:
            raise BadFileError(f"it holds {str(value)[:60]!r}, which stands for nothing")
        (kind, content), *_ = value.items()
        return READERS[kind](self, content)

    def items(self, values: list[Any]) -> list[Any]:
        """One by one."""
        return [self.decode(value) for value in values]

    def pairs(self, values: list[Any]) -> dict[Any, Any]:
        """A dictionary."""
        return {self.decode(key): self.decode(value) for key, value in values}

    def object_array(self, shape: list[int], values: list[Any]) -> Array:
        """An array of objects."""
        found = np.empty(len(values), dtype=object)
        found[:] = [None] * len(values)
        for i, value in enumerate(self.items(values)):
            found[i] = value
        return found.reshape(shape)

    def sparse(self, name: str, shape: list[int], parts: list[int]) -> Any:
        """A sparse matrix, whose indices SciPy checks."""
        matrix = SPARSE[name](tuple(self.arrays[k] for k in parts), shape=tuple(shape))
        matrix.check_format(full_check=True)
        return matrix

    def record(self, name: str, values: list[Any]) -> Any:
        """A tuple with names."""
        cls = _known(name)
        if not issubclass(cls, tuple):
            raise BadFileError(f"{name} is no record")
        return cls(*self.items(values))

    def made(self, name: str, values: dict[str, Any]) -> Any:
        """An object made again by its constructor."""
        return _maker(name)(**{key: self.decode(value) for key, value in values.items()})


def _maker(name: Any) -> type:
    cls = _known(name)
    if made_from(cls) is None:
        raise BadFileError(f"{name} is not made again")
    return cls


def _known(name: Any) -> type:
    cls = class_of(name)
    if cls is None:
        raise BadFileError(f"it names {str(name)[:60]!r}, which is no class that models are made of")
    return cls


def _empty(node: Any) -> Any:
    cls = _known(node["class"])
    if issubclass(cls, tuple) or made_from(cls) is not None:
        raise BadFileError(f"{node['class']} is no object that is filled")
    return cls.__new__(cls)


def molecule(content: bytes) -> Any:
    """A molecule of rdkit."""
    try:
        from rdkit import Chem
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "The model holds molecules of rdkit, which is not installed; install it with: pip install "
            "'hilbertine[paper]'"
        ) from error
    found: Any = Chem
    return found.Mol(content)


# Parameters that files of the same format may be older than, and what stood for them.
YOUNGER: dict[str, dict[str, Any]] = {
    "Nystroem": {"target": None},
    "Regressor": {"checkpoint": None},
    "RegressorCV": {"checkpoint": None},
}


def check_names(cls: Any, state: dict[str, Any]) -> None:
    """All parameters of the constructor, and beside them what fits leave, nothing that would hide a method."""
    for parent in cls.__mro__:
        for name, value in YOUNGER.get(parent.__name__, {}).items():
            state.setdefault(name, value)
    known = set(cls._get_param_names()) if issubclass(cls, BaseEstimator) else None
    _none_of(cls, "has methods called", {name for name in state if callable(getattr(cls, name, None))})
    if known is not None:
        _none_of(cls, "lacks", known - set(state))
        known |= LEFT_BEHIND.get(cls.__name__, set())
        _none_of(cls, "knows nothing of", {name for name in set(state) - known if "_" not in (name[0], name[-1])})


def _none_of(cls: type, what: str, names: set[str]) -> None:
    if names:
        raise BadFileError(f"{cls.__name__} {what} {', '.join(sorted(names))}")


READERS: dict[str, Callable[[Decoder, Any], Any]] = {
    "array": lambda own, content: own.arrays[content],
    "scalar": lambda own, content: own.arrays[content][()],
    "dtype": lambda own, content: np.dtype(content),
    "objects": lambda own, content: own.object_array(*content),
    "masked": lambda own, content: np.ma.MaskedArray(*own.items(content)),
    "sparse": lambda own, content: own.sparse(*content),
    "molecule": lambda own, content: molecule(own.arrays[content].tobytes()),
    "float": lambda own, content: FLOATS[content],
    "tuple": lambda own, content: tuple(own.items(content)),
    "range": lambda own, content: range(*content),
    "set": lambda own, content: set(own.items(content)),
    "frozenset": lambda own, content: frozenset(own.items(content)),
    "dict": lambda own, content: own.pairs(content),
    "object": lambda own, content: own.objects[content],
    "call": lambda own, content: own.objects[content].__call__,
    "record": lambda own, content: own.record(*content),
    "class": lambda own, content: _maker(content),
    "made": lambda own, content: own.made(*content),
    "function": lambda own, content: functions()[content],
    "partial": lambda own, content: partial(functions()[content[0]], **own.pairs(content[1])),
}
