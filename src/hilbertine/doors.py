"""Errors from the inside are told at the door: what was called, what it was given, and what it takes."""

import dis
import inspect
import re
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, ParamSpec, TypeVar

from sklearn.exceptions import NotFittedError

from .expected import described, mistakes

PACKAGE = str(Path(__file__).parent)
# Where Python and what is installed live: not the files of whoever calls.
LIBRARIES = ("site-packages", "dist-packages", str(Path(inspect.__file__).parent), "<__array_function__", ".pyx")
# What scikit-learn says to callers by intent.
SAID = ("sklearn/utils/", "sklearn/base.py", "sklearn/model_selection/_split.py")
# What stands between a method that is called and its own lines.
AROUND = str(Path("sklearn", "callback"))
RAISE = dis.opmap["RAISE_VARARGS"]
# What every such error says.
TOLD = "cannot work with what it was given"
P = ParamSpec("P")
R = TypeVar("R")
INSIDE = (ArithmeticError, AttributeError, LookupError, MemoryError, NotImplementedError, TypeError, ValueError)


class Doors:
    """A class whose methods named in `DOORS` say what they were given where it is nothing they can work with."""

    DOORS: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        for name in cls.DOORS:
            if inspect.isfunction(method := vars(cls).get(name)) and not hasattr(method, "is_door"):
                setattr(cls, name, door(method))


def door(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose errors from the inside name it, its arguments and what they should be.

    An error that this package raises by intent passes as it is, and so does one of a function of the caller.

    >>> @door
    ... def halved(values):
    ...     return [value / 2 for value in values]
    >>> halved([2, 4])
    [1.0, 2.0]
    """

    @wraps(function)
    def entered(*given: P.args, **named: P.kwargs) -> R:
        try:
            return function(*given, **named)
        except INSIDE as error:
            if not from_the_inside(error):
                raise
            raise told(function, error, given, named) from error

    @wraps(function)
    def walked(*given: P.args, **named: P.kwargs) -> Any:
        # A generator reads its arguments when it is asked for its first value.
        try:
            steps: Any = function(*given, **named)
            yield from steps
        except INSIDE as error:
            if not from_the_inside(error):
                raise
            raise told(function, error, given, named) from error

    chosen: Any = walked if inspect.isgeneratorfunction(function) else entered
    chosen.is_door = True
    told_at_the_door: Callable[P, R] = chosen
    return told_at_the_door


def caller() -> int:
    """The `stacklevel` of a warning that is to name the first line outside this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(PACKAGE) or AROUND in frame.f_code.co_filename
    ):
        frame, level = frame.f_back, level + 1
    return level


def from_the_inside(error: BaseException) -> bool:
    """Whether an error was met by a line of this package, rather than raised by one, or by a line of the caller."""
    trace: TracebackType | None = error.__traceback__
    ours, raised = False, False
    while trace is not None:
        code = trace.tb_frame.f_code
        intended = code.co_code[trace.tb_lasti] == RAISE
        if code.co_filename.startswith(PACKAGE) or not any(part in code.co_filename for part in LIBRARIES):
            ours, raised = code.co_filename.startswith(PACKAGE), intended
        elif any(part in code.co_filename for part in SAID):
            raised = intended
        trace = trace.tb_next
    return ours and not raised


def told(function: Callable[..., Any], error: Exception, given: Any, named: Any) -> Exception:
    """The error in words: which argument is not what the documentation says; else, what all of them are."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*given, **named).arguments
    except TypeError as reason:
        return TypeError(f"{function.__qualname__}: {reason}; it is called as {function.__name__}{signature}.")
    itself = bound.pop("self", None)
    owner = () if itself is None else type(itself).__mro__
    title = f"{owner[0].__name__}.{function.__name__}" if owner else function.__name__
    if (missing := unfitted(error)) is not None:
        told: Exception = NotFittedError(f"{title}: {missing} is not fitted; call its `fit` first.")
        return told
    of_value = isinstance(error, ArithmeticError | LookupError | ValueError)
    kind = MemoryError if isinstance(error, MemoryError) else ValueError if of_value else TypeError
    known = documented(function, owner)
    settings = itself.get_params(deep=False) if hasattr(itself, "get_params") else {}
    if isinstance(error, OverflowError) and "int too large" in str(error):
        return ValueError(f"{title} was given a whole number beyond double precision; make it smaller.")
    if wrong := mistakes(known, bound, itself) + mistakes(parameters(owner), settings):
        return kind(f"{title} was given {'; '.join(wrong)} ({error}).")
    what = "; ".join(
        f"{name} = {described(value)}" + (f", which should be {known[name]}" if name in known else "")
        for name, value in bound.items()
    )
    return kind(f"{title} {TOLD} ({type(error).__name__}: {error}). {what}.")


def unfitted(error: Exception) -> str | None:
    """The class of this package whose fitted attribute an error did not find."""
    if not isinstance(error, AttributeError) or not str(error.name).endswith("_"):
        return None
    found = type(error.obj)
    return found.__name__ if found.__module__.split(".")[0] == __package__ and error.obj is not None else None


def parameters(owner: tuple[type, ...]) -> dict[str, str]:
    """name -> what it should be, of the parameters of a class and of those it derives from."""
    found: dict[str, str] = {}
    for each in reversed(owner):
        if each.__module__.split(".")[0] == __package__:
            found |= kinds((each.__doc__ or "").partition("Attributes\n")[0])
    return found


def documented(function: Callable[..., Any], owner: tuple[type, ...]) -> dict[str, str]:
    """name -> what it should be, from the docstring of a function, or of the method that it stands for."""
    methods = [getattr(base, function.__name__, None) for base in owner]
    text = next((each.__doc__ for each in (function, *methods) if each is not None and each.__doc__), "")
    return kinds(text)


def kinds(text: str) -> dict[str, str]:
    """name -> what it should be, from a docstring."""
    found: dict[str, str] = {}
    for names, kind in re.findall(r"^\s*(\w+(?:, \w+)*) : (.+)$", text, re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), kind)
    return found
