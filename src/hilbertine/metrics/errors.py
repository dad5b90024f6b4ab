"""How far predictions are from outputs, in the space where the outputs live."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import r2_score
from sklearn.preprocessing import MultiLabelBinarizer

from ..arrays import Array, as_floats, inner, namespace, to_numpy
from ..doors import door
from ..spaces import L2, Space
from ..spread import aligned, is_spread, summed
from .reading import collected, labels, one_weight_each

AVERAGES = ("mean", "median", "trimmed")


@door
def squared_norms(space: Space, C: Array, Y: Any) -> Array:
    """|sum_j c_ij e_j - y_i|^2 = |c_i - t_i|^2 + (|y_i|^2 - |t_i|^2), the second part off the span of the e_j.

    Parameters
    ----------
    space : Space
        The fitted space of the outputs.
    C : array of shape (n, m)
        Predicted points, in its coordinates.
    Y : array-like
        The true outputs; entries that are missing count as no error.

    Returns
    -------
    array of shape (n,)
        One squared error for each sample.
    """
    T = as_floats(space.encode(Y), C)
    if tuple(T.shape) != tuple(C.shape):
        raise ValueError(f"C has shape {tuple(C.shape)}, and the outputs have coordinates of shape {tuple(T.shape)}.")
    xp = namespace(T)
    # What was not observed is no error.
    R = xp.where(xp.isnan(T), xp.zeros_like(T), C - T)
    return inner(R, R) + space.tails(Y, T) ** 2


@door
def mean_squared_norm(space: Space, C: Array, Y: Any, average: str = "mean", sample_weight: Any = None) -> float:
    """The mean over the samples of the squared output norm of the error, or a robust average of them.

    Parameters
    ----------
    space : Space
        The fitted space of the outputs.
    C : array of shape (n, m)
        Predicted points, in its coordinates.
    Y : array-like
        The true outputs.
    average : {"mean", "median", "trimmed"}, default="mean"
        How to average, as in `averaged`.
    sample_weight : array-like of shape (n,), default=None
        How often each sample counts; with it the average is the mean.

    Returns
    -------
    float
        The mean squared error.
    """
    errors = to_numpy(squared_norms(space, C, Y))
    if sample_weight is not None:
        return float(np.average(errors, weights=one_weight_each(sample_weight, len(errors))))
    return float(averaged(errors, average))


@door
def averaged(errors: Array, average: str, weights: Array | None = None) -> Any:
    """Errors along the first axis as one: "mean", or where outliers are among them "median" or "trimmed".

    "trimmed" is the mean of the smallest four fifths.

    Parameters
    ----------
    errors : array of shape (n, ...)
        The errors.
    average : {"mean", "median", "trimmed"}
        Which average.
    weights : array of shape (n,), default=None
        How often each error counts; None is once.

    Returns
    -------
    float or array
        One number for what the first axis held.

    Examples
    --------
    >>> float(averaged(np.array([1.0, 2.0, 3.0, 4.0, 100.0]), "trimmed"))
    2.5
    """
    if average not in AVERAGES:
        raise ValueError(f"average must be one of {', '.join(AVERAGES)}, got {average!r}.")
    if weights is not None:
        return _weighted(errors, average, weights)
    if average == "trimmed":
        errors = np.sort(errors, axis=0)[: max(1, int(np.ceil(0.8 * len(errors))))]
    return np.median(errors, axis=0) if average == "median" else np.mean(errors, axis=0)


@door
def share_of_variance(space: L2, C: Array, Y: Any, sample_weight: Any = None) -> float:
    """1 - sum_i |error_i|^2 / sum_i |y_i - mean|^2 in the norm of the space: R^2 for curves.

    Parameters
    ----------
    space : L2
        Where the curves live.
    C : array of shape (n, m)
        Predictions in coordinates.
    Y : curves
        The true ones.
    sample_weight : array-like of shape (n,), default=None
        How often each curve counts.

    Returns
    -------
    float
        At most one; zero for the mean curve.
    """
    errors = to_numpy(squared_norms(space, C, Y))
    weights = np.ones(len(errors)) if sample_weight is None else np.asarray(to_numpy(sample_weight), dtype=np.float64)
    V = space.sampled(Y)
    deviations = (V - np.average(V, axis=0, weights=weights)) ** 2
    total = float(np.einsum("n,ntd,t->", weights, deviations, space.weights_))
    return float(1.0 - weights @ errors / max(total, 1e-300))


def _weighted(errors: Array, average: str, weights: Array) -> Any:
    """The same where each error counts as often as its weight says."""
    if average == "mean":
        return np.average(errors, axis=0, weights=weights)
    order = np.argsort(errors, axis=0)
    mass = np.cumsum(weights[order], axis=0)
    ordered, share = np.take_along_axis(errors, order, axis=0), mass / mass[-1:]
    if average == "median":
        return np.take_along_axis(ordered, np.argmax(share >= 0.5, axis=0)[None], axis=0)[0]
    kept = np.clip(0.8 - (share - weights[order] / mass[-1:]), 0.0, weights[order] / mass[-1:])
    return np.sum(kept * ordered, axis=0) / np.sum(kept, axis=0)


@door
def r2(T: Array, C: Array, sample_weight: Any = None) -> float:
    """The coefficient of determination, averaged over the outputs; entries that are missing do not count.

    Parameters
    ----------
    T : array of shape (n, p)
        The true outputs, NaN where they are missing.
    C : array of shape (n, p)
        The predicted ones.
    sample_weight : array-like of shape (n,), default=None
        How often each sample counts.

    Returns
    -------
    float
        One for perfect predictions, zero for those of the mean.
    """
    if is_spread(T) or is_spread(C):
        return _r2_in_blocks(T, C, sample_weight)
    truth, predicted = to_numpy(T), to_numpy(C)
    weights = None if sample_weight is None else np.asarray(to_numpy(sample_weight), dtype=np.float64)
    if not np.isnan(truth).any():
        return float(r2_score(truth, predicted, sample_weight=weights))
    each = []
    for t, p in zip(truth.T, predicted.T, strict=True):
        seen = ~np.isnan(t)
        each.append(r2_score(t[seen], p[seen], sample_weight=None if weights is None else weights[seen]))
    return float(np.mean(each))


def _r2_in_blocks(T: Any, C: Any, sample_weight: Any) -> float:
    """The same where rows are on a cluster, from sums over blocks; an output that is constant has one or zero."""
    T = aligned(T, C)
    rows = [T, aligned(C, T), *([] if sample_weight is None else [aligned(sample_weight, T)])]
    mass, sums, left = summed(_sums_for_r2, *rows)
    mean = sums / np.maximum(mass, 1e-300)
    whole = summed(partial(_sums_for_r2, mean=mean), *rows)[2]
    return float(np.mean(np.where(whole > 0, 1.0 - left / np.where(whole > 0, whole, 1.0), left == 0)))


def _sums_for_r2(T: Array, C: Array, weights: Any = 1.0, mean: Any = None) -> tuple[Array, Array, Array]:
    """Weights, outputs, and squared distances of outputs from predictions, or from their mean."""
    seen = ~np.isnan(T) * np.reshape(weights, (-1, 1))
    T = np.nan_to_num(T)
    away = T - (C if mean is None else mean)
    return seen.sum(axis=0), (seen * T).sum(axis=0), (seen * away**2).sum(axis=0)


@door
def hamming(Y: Any, P: Any, threshold: float = 0.5) -> Array:
    """The fraction of wrong labels per sample, predictions clamped to 0/1 at the threshold.

    Labels are the columns of a matrix, or for label sets all that occur in Y or P.

    Parameters
    ----------
    Y, P : array-like of shape (n, n_labels) or list of sets
        The true labels, and the predicted ones or their scores.
    threshold : float, default=0.5
        Scores above it count as 1.

    Returns
    -------
    array of shape (n,)
        One fraction for each sample.

    Examples
    --------
    >>> hamming([[1, 0, 1, 0]], [[0.9, 0.6, 0.2, 0.1]])
    array([0.5])
    >>> hamming([{"a", "b"}, {"c"}], [{"a"}, {"c"}])
    array([0.33333333, 0.        ])
    """
    Y, P = collected(Y, "Y"), collected(P, "P")
    if all(isinstance(labels, set | frozenset | tuple) for labels in (*Y, *P)):
        binarizer = MultiLabelBinarizer().fit([*Y, *P])
        Y, P = binarizer.transform(Y), binarizer.transform(P)
    truth, scores = labels(Y, "Y"), labels(P, "P")
    if truth.shape != scores.shape:
        raise ValueError(f"Y has shape {truth.shape} and P {scores.shape}; give one row of labels for each sample.")
    return np.mean((scores > threshold) != (truth > 0.5), axis=1)


@door
def exact_match(Y: Any, P: Any, threshold: float = 0.5) -> Array:
    """1 for the samples whose labels are all right, predictions clamped as in `hamming`.

    Parameters
    ----------
    Y, P : array-like of shape (n, n_labels) or list of sets
        The true labels, and the predicted ones or their scores.
    threshold : float, default=0.5
        Scores above it count as 1.

    Returns
    -------
    array of shape (n,)
        1 or 0 for each sample.
    """
    return (hamming(Y, P, threshold) == 0).astype(np.float64)
