"""Which of several models errs least, over tables, kinds of bad data and random splits."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

# Two models are told apart by so many standard errors of their difference.
SURE = 2.0


@dataclass
class Measured:
    """errors and scores [table, bad, model, split], seconds [table, model]; the rest is what the page says of them."""

    tables: dict[str, tuple[Any, int, int, int]]
    real: list[str]
    models: list[str]
    ours: list[str]
    bad: list[str]
    errors: Any
    scores: Any
    # Shares of the fits of each model.
    warned: Any
    failed: Any
    seconds: Any
    shift: float
    test: float
    most: int

    @property
    def peers(self) -> list[str]:
        return [name for name in self.models if name not in self.ours]

    def of(self, model: str) -> Any:
        """Its errors [table, bad, split]."""
        return self.errors[:, :, self.models.index(model)]


def standard_error(values: Any, test: float) -> Any:
    """Of a mean over random splits, whose training sets overlap: the variance counts 1/r + test/train times, not 1/r.

    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003).
    """
    return np.std(values, axis=-1, ddof=1) * np.sqrt(1 / values.shape[-1] + test / (1 - test))


def lead(one: Any, other: Any, test: float) -> Any:
    """1 where the first error is smaller by more than SURE standard errors of the difference, -1 where larger, or 0."""
    difference = other - one
    mean = difference.mean(axis=-1)
    return np.where(np.abs(mean) > SURE * standard_error(difference, test), np.sign(mean), 0).astype(int)


def ranks(m: Measured) -> Any:
    """The mean over tables of the rank of each model's mean error, [model, bad]; 1 is best."""
    return rankdata(m.errors.mean(axis=-1), axis=2).mean(axis=0).T


def first(m: Measured) -> Any:
    """On how many tables no model is surely better, [model, bad]."""
    beaten = [[(lead(m.of(other), m.of(name), m.test) > 0) for other in m.models] for name in m.models]
    return (~np.any(beaten, axis=1)).sum(axis=1)
