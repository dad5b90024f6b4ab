"""What a parent class has documented is not written again: docstrings are completed from those of the parents."""

import inspect
import re
from typing import Any

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
SHARED = ("Parameters", "Attributes")


class Documented:
    """A class whose subclasses write down what is new in them: the rest of their docstrings is their parents'."""

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        completed(cls)


def completed(cls: type) -> None:
    """Entries of parameters and attributes that a docstring leaves out are those of the parent classes.

    Parameters stand in the order of the signature, attributes in that of the parents, new ones last.

    >>> class Parent:
    ...     '''A parent.
    ...
    ...     Parameters
    ...     ----------
    ...     tol : float
    ...         When to stop.
    ...     '''
    >>> class Child(Parent):
    ...     '''A child.'''
    ...     def __init__(self, tol: float): ...
    >>> completed(Child)
    >>> Child.__doc__.splitlines()[-2:]
    ['tol : float', '    When to stop.']
    """
    if not vars(cls).get("__doc__"):
        return
    own = sections(cls)
    parents = [sections(base) for base in reversed(cls.__mro__[1:]) if vars(base).get("__doc__")]
    found = dict(own)
    for title in SHARED:
        known = {name: entry for each in [*parents, own] for name, entry in entries(each.get(title, "")).items()}
        named = inspect.signature(cls).parameters if title == "Parameters" else known
        found[title] = "\n".join(known[name] for name in named if name in known)
    head, *rest = ("", *SHARED, *(title for title in own if title not in ("", *SHARED)))
    parts = [f"{title}\n{'-' * len(title)}\n{found[title]}" for title in rest if found[title]]
    cls.__doc__ = "\n\n".join([own[head], *parts])


def sections(cls: type) -> dict[str, str]:
    """The parts of a docstring by their headings; the first has none."""
    head, *parts = HEADING.split(inspect.cleandoc(cls.__doc__ or ""))
    return {"": head.strip()} | {title: text.strip("\n") for title, text in zip(parts[::2], parts[1::2], strict=True)}


def entries(section: str) -> dict[str, str]:
    """The items of a section by their names."""
    items = re.split(r"\n(?=\S)", section) if section else []
    return {item.split(" : ")[0]: item.rstrip() for item in items}
