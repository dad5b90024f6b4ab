"""What documentation says of arguments, compared with what was given: asked once a call has failed."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import is_array, is_foreign

# Braces, brackets and quotes hold together; what is between them falls apart at commas and at `or`.
PIECES = re.compile(r"(?:\([^)]*\)|\{[^}]*\}|\"[^\"]*\"|[^({\",])+")
SHAPE = re.compile(r"(array|array-like)(?: of (int|bool|float|numbers))?(?: of shape \((.+)\))?$")
LITERAL = re.compile(r"\"([^\"]*)\"$|(None|\d+(?:\.\d+)?)$")
KINDS: dict[str, Callable[[Any], bool]] = {
    "float": lambda value: isinstance(value, Real) and not is_nan(value),
    "int": lambda value: isinstance(value, Integral) or (isinstance(value, Real) and value == round_of(value)),
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool | np.bool_),
    **dict.fromkeys(("callable", "kernel", "Kernel"), lambda value: callable(value) and not isinstance(value, type)),
    "dict": lambda value: isinstance(value, Mapping),
    "Path": lambda value: isinstance(value, str | Path),
    "path-like": lambda value: isinstance(value, str | Path),
    "sequence": lambda value: hasattr(value, "__getitem__") and len(shape_of(value)) > 0 and not is_sparse(value),
    "estimator": lambda value: hasattr(value, "predict") and not isinstance(value, type),
    "splitter": lambda value: hasattr(value, "split") and not isinstance(value, str | bytes),
    "list": lambda value: hasattr(value, "__iter__") and getattr(value, "shape", None) != (),
    "RandomState": lambda value: isinstance(value, np.random.RandomState),
}
# What a size of the object is called whose method was called.
OWNER = "the problem"
# A word that begins with a capital names a class.
CLASS = re.compile(r"[A-Z]\w+$")


def mistakes(known: Mapping[str, str], given: Mapping[str, Any], owner: Any = None) -> list[str]:
    """What is wrong with arguments, in words: name -> what it should be, name -> what it is, whose method is called."""
    found = [
        f"{name} = {described(value)}{spoiled(value)}, which should be {known[name]}"
        for name, value in given.items()
        if name in known and not fits(value, known[name])
    ]
    sized = {OWNER: owner} if len(getattr(owner, "shape", ())) == 2 or hasattr(owner, "targets") else {}
    return found or list(unlike(known, sized | dict(given)))


def fits(value: Any, kind: str) -> bool:
    """Whether a value is of a documented kind, as far as its words can tell."""
    kind, _, default = kind.partition(", default=")
    if value is None and default == "None":
        return True
    pieces = [piece.strip() for part in PIECES.findall(kind) for piece in re.split(r"\bor\b", part) if piece.strip()]
    answers = [one(value, piece) for piece in pieces]
    return None in answers or any(answers)


def one(value: Any, kind: str) -> bool | None:
    """Whether a value is of a kind that has no alternatives; None where its words are not understood."""
    if kind in KINDS:
        return KINDS[kind](value)
    if literal := LITERAL.match(kind):
        return isinstance(value, str | float | int | None) and str(value) == (literal[1] or literal[2])
    if kind.startswith("{"):
        return any(one(value, each.strip()) for each in kind[1:-1].split(","))
    if kind.startswith("sequence of "):
        inner = kind.removeprefix("sequence of ")
        return KINDS["sequence"](value) and all(one(each, inner) is not False for each in value)
    if shape := SHAPE.match(kind):
        return len(shape_of(value)) in dimensions(shape[3]) and numeric(value, shape[1])
    return any(base.__name__ == kind for base in type(value).__mro__) if CLASS.match(kind) else None


def numeric(value: Any, kind: str) -> bool:
    """Whether it is an array of finite real numbers, or for "array-like" what becomes one."""
    if is_foreign(value):
        return True
    if kind == "array" and not is_array(value):
        return False
    try:
        found = np.asarray(value)
        return found.dtype.kind in "fiubO" and bool(np.isfinite(found.astype(np.float64)).all())
    except (TypeError, ValueError, OverflowError):
        return False


def dimensions(shape: str | None) -> range:
    """How many dimensions a documented shape allows."""
    if shape is None:
        # One number is no collection.
        return range(1, 65)
    names = symbols(shape)
    return range(len(names) - 1, 65) if "..." in names else range(len(names), len(names) + 1)


def symbols(shape: str) -> list[str]:
    return [name for each in shape.split(",") if (name := each.strip())]


def unlike(known: Mapping[str, str], given: Mapping[str, Any]) -> Iterator[str]:
    """Sizes of one symbol that differ between arguments."""
    sizes: dict[str, list[tuple[int, str]]] = {}
    for name, value in given.items():
        # A problem says by its targets how many samples and coordinates there are.
        targets = getattr(value, "targets", value if name == OWNER else None)
        kind = "array of shape (n, m)" if targets is not None else known.get(name, "").partition(", default=")[0]
        found = SHAPE.match(kind)
        if found and found[3] and "..." not in found[3] and value is not None:
            for symbol, size in zip(symbols(found[3]), shape_of(value if targets is None else targets), strict=False):
                sizes.setdefault(symbol, []).append((size, name))
    for symbol, seen in sizes.items():
        for (size, name), (other, second) in pairwise(seen):
            if size != other and symbol.isidentifier():
                yield f"{symbol} = {size} in {name} and {symbol} = {other} in {second}, which should be one number"


def shape_of(value: Any) -> tuple[int, ...]:
    if hasattr(value, "shape"):
        return tuple(value.shape)
    return (len(value),) if hasattr(value, "__len__") else ()


def is_sparse(value: Any) -> bool:
    return hasattr(value, "tocsr")


def is_nan(value: Any) -> bool:
    try:
        return math.isnan(value)
    except OverflowError:
        return True


def round_of(value: Any) -> Any:
    return round(value) if math.isfinite(value) else None


def spoiled(value: Any) -> str:
    """A word on entries of an array that are no numbers."""
    if getattr(getattr(value, "dtype", None), "kind", "") == "f" and not numeric(value, "array-like"):
        return " with NaN or infinity"
    return ""


def described(value: Any) -> str:
    """What an argument is: its type, its shape where it has one, its value where that is short."""
    if hasattr(value, "shape"):
        return f"{type(value).__name__} of shape {tuple(value.shape)}"
    words = repr(value) if isinstance(value, str | bytes | int | float | complex | type) else ""
    return words if 0 < len(words) <= 40 else type(value).__name__
