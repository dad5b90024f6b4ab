"""A model as a JSON text and arrays; what has no place in them is refused by name."""

import math
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import PurePath
from types import MethodType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array, is_foreign, to_numpy
from .registry import SPARSE, made_from, name_of_class, name_of_function

# Observers of a fit, which are no part of the model, and what a pickle is told.
LEFT_OUT = {"_skl_callbacks", "_sklearn_version"}


class Encoder:
    """Objects in a list, each once, with numbers for references; arrays in a list of their own, each once."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays: list[Array] = []
        self._places: dict[int, int] = {}
        self._buffers: dict[Any, int] = {}
        # What has an id must stay alive while ids are compared.
        self._alive: list[Any] = []

    def encode(self, value: Any, path: str) -> Any:
        """The JSON that stands for a value; `path` is what an error calls it."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if is_foreign(value):
            return self.array(to_numpy(value))
        coder = CODERS.get(type(value))
        if coder is not None:
            return coder(self, value, path)
        if isinstance(value, np.generic):
            return {"scalar": self.array(np.asarray(value))["array"]}
        if isinstance(value, np.dtype) and not value.hasobject:
            return {"dtype": value.str}
        if isinstance(value, PurePath):
            return str(value)
        if isinstance(value, date):
            return self.encode(np.datetime64(value), path)
        if type(value).__module__.startswith("pandas") and hasattr(value, "to_numpy") and value.ndim == 1:
            return self.encode(value.to_numpy(), path)
        if type(value).__module__ == "rdkit.Chem.rdchem" and type(value).__name__ == "Mol":
            return {"molecule": self.array(np.frombuffer(value.ToBinary(), dtype=np.uint8))["array"]}
        return self._named(value, path)

    def items(self, values: Any, path: str) -> list[Any]:
        """A sequence, one by one."""
        return [self.encode(value, f"{path}[{i}]") for i, value in enumerate(values)]

    def pairs(self, values: Mapping[Any, Any], path: str) -> list[Any]:
        """A dictionary, whose keys may be anything that is kept."""
        return [[self.encode(key, path), self.encode(value, f"{path}[{key!r}]")] for key, value in values.items()]

    def array(self, values: Array) -> dict[str, int]:
        """A reference to an array; the same numbers of memory are written once."""
        key = (values.__array_interface__["data"][0], values.shape, values.strides, values.dtype.str)
        if key not in self._buffers or values.size == 0:
            self._buffers[key] = len(self.arrays)
            self._alive.append(values)
            # The order of the axes stays: products round by it.
            contiguous = values.flags.c_contiguous or values.flags.f_contiguous
            self.arrays.append(values if contiguous else values.copy(order="K"))
        return {"array": self._buffers[key]}

    def _named(self, value: Any, path: str) -> Any:
        """An object or a function of the registry."""
        function, cls = name_of_function(value), name_of_class(type(value))
        if function is not None:
            return {"function": function}
        if isinstance(value, type) and made_from(value) is not None and name_of_class(value):
            return {"class": name_of_class(value)}
        if isinstance(value, partial) and not value.args and name_of_function(value.func):
            return {"partial": [name_of_function(value.func), self.pairs(value.keywords, path)]}
        if isinstance(value, MethodType) and value.__name__ == "__call__" and name_of_class(type(value.__self__)):
            return {"call": self._object(value.__self__, path)["object"]}
        if cls is None:
            raise refusal(value, path)
        if isinstance(value, tuple):
            return {"record": [cls, self.items(value, path)]}
        again = made_from(type(value))
        if again is not None:
            return {"made": [cls, {name: self.encode(getattr(value, name), f"{path}.{name}") for name in again}]}
        return self._object(value, path)

    def _object(self, value: Any, path: str) -> dict[str, int]:
        if id(value) not in self._places:
            self._places[id(value)] = len(self.objects)
            self._alive.append(value)
            node: dict[str, Any] = {"class": name_of_class(type(value)), "state": {}}
            self.objects.append(node)
            # What a class leaves out of pickles it leaves out of files.
            state = {name: part for name, part in (value.__getstate__() or {}).items() if name not in LEFT_OUT}
            node["state"] = {name: self.encode(part, f"{path}.{name}") for name, part in state.items()}
        return {"object": self._places[id(value)]}


def refusal(value: Any, path: str) -> TypeError:
    """The error for what a file cannot keep."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, type) or (callable(value) and not hasattr(value, "get_params")):
        what = f"{path} is {value!r}: code, and a file of hilbertine keeps none"
        remedy = "give an object or a function of hilbertine in its place, or None"
    elif hasattr(value, "best_estimator_"):
        what, remedy = f"{path} is a {kind}, which a file does not keep", "save its best_estimator_"
    elif isinstance(value, BaseEstimator):
        what = f"{path} is a {kind}, a class that files do not know"
        remedy = "use one of hilbertine's or of scikit-learn's scalers in its place, or keep the parts apart"
    else:
        what, remedy = f"{path} is a {kind}, which a file does not keep", "give plain numbers, words, lists or arrays"
    return TypeError(f"{what}; nothing was written. Please {remedy}.")


def _array(coder: Encoder, value: Array, path: str) -> Any:
    if value.dtype.kind in "biufcUSMm":
        return coder.array(value)
    if value.dtype.kind != "O":
        raise refusal(value, path)
    return {"objects": [list(value.shape), coder.items(value.ravel().tolist(), path)]}


def _masked(coder: Encoder, value: Any, path: str) -> Any:
    return {"masked": [_array(coder, np.asarray(part), path) for part in (value.data, np.ma.getmaskarray(value))]}


def _sparse(coder: Encoder, value: Any, path: str) -> Any:
    parts = [coder.array(part)["array"] for part in (value.data, value.indices, value.indptr)]
    return {"sparse": [type(value).__name__, [int(size) for size in value.shape], parts]}


def _members(coder: Encoder, value: Any, path: str) -> Any:
    # In an order that does not change from run to run.
    return {type(value).__name__: coder.items(sorted(value, key=repr), path)}


CODERS: dict[type, Callable[[Encoder, Any, str], Any]] = {
    np.ndarray: _array,
    np.ma.MaskedArray: _masked,
    list: lambda coder, value, path: coder.items(value, path),
    tuple: lambda coder, value, path: {"tuple": coder.items(value, path)},
    dict: lambda coder, value, path: {"dict": coder.pairs(value, path)},
    range: lambda coder, value, path: {"range": [value.start, value.stop, value.step]},
    set: _members,
    frozenset: _members,
    **dict.fromkeys(SPARSE.values(), _sparse),
}
