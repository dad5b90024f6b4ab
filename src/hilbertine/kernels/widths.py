"""How the width of a kernel is given: a number, one for each feature, or a multiple of what the points say."""

from typing import Any, Literal, TypeAlias

import numpy as np

from ..arrays import Array

# One number, one for each feature, or a word: "median", "auto", "0.5 median".
Width: TypeAlias = float | Literal["median", "auto"] | str | Array
RULES = ("median", "auto")


def multiple_of_rule(word: str, name: str) -> tuple[float, str]:
    """(c, rule) of the words "c rule"; c = 1 of a rule alone."""
    *factor, last = word.split() or [""]
    try:
        found = float(*factor) if len(factor) == 1 else 1.0
    except ValueError:
        found = 0.0
    if last not in RULES or len(factor) > 1 or not 0.0 < found < np.inf:
        raise ValueError(f"{name} must be a number > 0, 'median' or 'auto', got {word!r}; a multiple is '0.5 median'.")
    return found, last


def one_for_each(gamma: Any, d: int, name: str) -> Array:
    try:
        values = np.asarray(gamma, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (d,) or not np.all((values >= 0) & np.isfinite(values)):
        raise ValueError(
            f"{name} must be one number > 0, or one finite number >= 0 for each of the {d} features; got {gamma!r}."
        )
    return values
