"""Scorers for `cross_val_score`, `GridSearchCV` and `RegressorCV`: the more the better."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..checks import whole
from ..doors import door
from .errors import exact_match, hamming, mean_squared_norm


@door
def neg_squared_norm(estimator: Any, X: Any, y: Any) -> float:
    """A scorer: minus the mean squared error in the norm of the output space.

    Parameters
    ----------
    estimator : Regressor
        A fitted estimator.
    X : array-like
        Inputs.
    y : array-like
        The true outputs.

    Returns
    -------
    float
        At most zero; the more the better.
    """
    found = _having(_found(estimator), "embed")
    return -mean_squared_norm(found.space_, found.embed(X), y)


@door
def neg_hamming(estimator: Any, X: Any, y: Any) -> float:
    """A scorer for `cross_val_score` and the like: minus the mean Hamming error of what is predicted.

    Parameters
    ----------
    estimator : estimator
        A fitted model that predicts labels.
    X : array-like
        Inputs.
    y : array-like of shape (n, n_labels) or list of sets
        The true labels.

    Returns
    -------
    float
        At most zero; the more the better.
    """
    return -float(np.mean(hamming(y, _having(estimator, "predict").predict(X))))


@door
def exact_matches(estimator: Any, X: Any, y: Any) -> float:
    """A scorer: how often all labels are right.

    Parameters
    ----------
    estimator : estimator
        A fitted model that predicts labels.
    X : array-like
        Inputs.
    y : array-like of shape (n, n_labels) or list of sets
        The true labels.

    Returns
    -------
    float
        Between zero and one; the more the better.
    """
    return float(np.mean(exact_match(y, _having(estimator, "predict").predict(X))))


def top_k(k: int, candidates: Any = None) -> Callable[[Any, Any, Any], float]:
    """A scorer: how often the truth is among the k best candidates, by default those that the estimator has.

    Parameters
    ----------
    k : int
        How many candidates may be tried.
    candidates : list, default=None
        What to choose from, as for `StructuredPredictor.predict`.

    Returns
    -------
    callable
        (estimator, X, y) -> the fraction of samples.
    """
    return partial(_top_k, k=whole(k, "k"), candidates=candidates)


@door
def _top_k(estimator: Any, X: Any, y: Any, k: int, candidates: Any) -> float:
    return float(np.mean(_having(_found(estimator), "positions").positions(X, y, candidates) <= k))


def mean_reciprocal_rank(candidates: Any = None) -> Callable[[Any, Any, Any], float]:
    """A scorer: the mean of one over the place of the truth among the candidates, 0 where it is not among them.

    Parameters
    ----------
    candidates : list, default=None
        What to choose from, as for `StructuredPredictor.predict`.

    Returns
    -------
    callable
        (estimator, X, y) -> the mean.
    """
    return partial(_mean_reciprocal_rank, candidates=candidates)


@door
def _mean_reciprocal_rank(estimator: Any, X: Any, y: Any, candidates: Any) -> float:
    return float(np.mean(1.0 / _having(_found(estimator), "positions").positions(X, y, candidates)))


@door
def rkhs_distance(estimator: Any, X: Any, y: Any) -> float:
    """A scorer: minus the mean squared distance between h(x) and phi(y).

    Parameters
    ----------
    estimator : estimator
        A fitted model, or a search that found one.
    X : array-like
        Inputs.
    y : array-like
        The true outputs.

    Returns
    -------
    float
        At most zero; the more the better.
    """
    found = _having(_found(estimator), "embed")
    return -mean_squared_norm(found.space_, found.embed(X), y)


def _found(estimator: Any) -> Any:
    """A search scores as the estimator that it has found."""
    return getattr(estimator, "best_estimator_", estimator)


def _having(estimator: Any, method: str) -> Any:
    """The estimator, which has the method that the scorer asks."""
    if not callable(getattr(estimator, method, None)) or isinstance(estimator, type):
        raise TypeError(
            f"This scorer asks a fitted estimator for `{method}`, and {type(estimator).__name__} has none; give one "
            f"of hilbertine that has{', a StructuredPredictor' if method == 'positions' else ''}."
        )
    return estimator
