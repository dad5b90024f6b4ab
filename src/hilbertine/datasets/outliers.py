"""Outliers made to order: each maker returns copies (X, Y) that hold them, and the mask of the samples that are.

A `fraction` of the samples is chosen at random, at least one unless it is 0; `indices` names them instead.
"""

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_consistent_length

from ..arrays import Array, count
from ..checks import number, of_kind, positive
from ..doors import door

Contaminated = tuple[Any, Any, Array]


@door
def append_flipped(
    X: Any, Y: Any, fraction: float = 0.1, factor: float = -1.2, indices: Any = None, random_state: Any = None
) -> Contaminated:
    """Copies (x_i, factor y_i) of chosen samples appended to the others: the outliers of the paper.

    Parameters
    ----------
    X : array-like of shape (n, ...)
        Inputs.
    Y : array-like of shape (n, m)
        Outputs.
    fraction : float, default=0.1
        The share of samples that become outliers.
    factor : float, default=-1.2
        What their outputs are multiplied by.
    indices : array-like of int, default=None
        Which samples; None chooses them at random.
    random_state : int or RandomState, default=None
        Seed of the choice.

    Returns
    -------
    tuple (X, Y, outliers)
        Copies with the outliers, and the mask of the samples that are.

    Examples
    --------
    >>> X, Y, outliers = append_flipped([[1.0], [2.0]], [[3.0, 4.0], [5.0, 0.0]], indices=[1])
    >>> Y.tolist(), outliers.tolist()
    ([[3.0, 4.0], [5.0, 0.0], [-6.0, -0.0]], [False, False, True])
    """
    X, Y, rows = np.asarray(X), _numbers(X, Y), _chosen(X, fraction, indices, random_state)
    factor = number(factor, "factor")
    outliers = np.arange(len(Y) + len(rows)) >= len(Y)
    return np.concatenate([X, X[rows]]), np.concatenate([Y, factor * Y[rows]]), outliers


@door
def add_spikes(
    X: Any,
    Y: Any,
    fraction: float = 0.1,
    height: float = 5.0,
    width: float = 0.02,
    indices: Any = None,
    random_state: Any = None,
) -> Contaminated:
    """y_i + a spike, up or down, at a random place of each chosen curve.

    Parameters
    ----------
    X : array-like of shape (n, ...)
        Inputs.
    Y : array-like of shape (n, n_points)
        Curves.
    fraction : float, default=0.1
        The share of samples that become outliers.
    height : float, default=5.0
        Height of the spikes, in standard deviations of Y.
    width : float, default=0.02
        Their width, a fraction of the grid.
    indices : array-like of int, default=None
        Which samples; None chooses them at random.
    random_state : int or RandomState, default=None
        Seed of choice and spikes.

    Returns
    -------
    tuple (X, Y, outliers)
        Copies with the outliers, and the mask of the samples that are.
    """
    Y, rng = _numbers(X, Y), check_random_state(random_state)
    points = Y.shape[1]
    if not 0 < number(width, "width") <= 1:
        raise ValueError(f"width must be a fraction of the grid, > 0 and <= 1; got {width!r}.")
    size = max(1, round(width * points))
    tall = positive(height, "height", finite=True) * Y.std()
    outliers = _mask(X, fraction, indices, rng)
    for i in np.flatnonzero(outliers):
        start = rng.randint(points - size + 1)
        Y[i, start : start + size] += rng.choice([-tall, tall])
    return copy(X), Y, outliers


@door
def replace_shapes(
    X: Any, Y: Any, fraction: float = 0.1, kernel: Any = None, indices: Any = None, random_state: Any = None
) -> Contaminated:
    """The mean of the curves + their standard deviation times draws of a Gaussian process, in place of chosen curves.

    These outliers stay where the curves are and move as they do not.

    Parameters
    ----------
    X : array-like of shape (n, ...)
        Inputs.
    Y : array-like of shape (n, n_points)
        Curves.
    fraction : float, default=0.1
        The share of samples that become outliers.
    kernel : kernel of sklearn.gaussian_process, default=None
        The covariance on the grid 0 .. 1; None is `RBF(0.05)`.
    indices : array-like of int, default=None
        Which samples; None chooses them at random.
    random_state : int or RandomState, default=None
        Seed of choice and draws.

    Returns
    -------
    tuple (X, Y, outliers)
        Copies with the outliers, and the mask of the samples that are.
    """
    Y, rng = _numbers(X, Y), check_random_state(random_state)
    outliers = _mask(X, fraction, indices, rng)
    draws = gaussian_process(np.linspace(0.0, 1.0, Y.shape[1]), int(outliers.sum()), kernel, rng)
    Y[outliers] = Y.mean(axis=0) + Y.std(axis=0) * draws
    return copy(X), Y, outliers


@door
def permute_outputs(
    X: Any, Y: Any, fraction: float = 0.1, indices: Any = None, random_state: Any = None
) -> Contaminated:
    """Chosen samples hand their outputs round, so that each has that of another; outputs of any kind.

    Parameters
    ----------
    X : array-like of shape (n, ...)
        Inputs.
    Y : array-like or list of length n
        Outputs.
    fraction : float, default=0.1
        The share of samples that become outliers.
    indices : array-like of int, default=None
        Which samples; None chooses them at random.
    random_state : int or RandomState, default=None
        Seed of choice and exchange.

    Returns
    -------
    tuple (X, Y, outliers)
        Copies with the outliers, and the mask of the samples that are.
    """
    rng = check_random_state(random_state)
    check_consistent_length(X, Y)
    rows = rng.permutation(_chosen(X, fraction, indices, rng))
    if len(rows) == 1:
        raise ValueError("One sample has nobody to exchange its output with; raise fraction, or give two indices.")
    source = np.arange(count(Y))
    source[rows] = np.roll(rows, 1)
    permuted = _safe_indexing(Y, source)
    # The labels of a data frame are those of its samples, and stay where they are.
    return copy(X), permuted.set_axis(Y.index) if hasattr(Y, "iloc") else permuted, _marked(X, rows)


@door
def flip_labels(X: Any, Y: Any, fraction: float = 0.1, indices: Any = None, random_state: Any = None) -> Contaminated:
    """Every label of the chosen samples changed into the other of its two values, 0/1 or -1/1.

    Parameters
    ----------
    X : array-like of shape (n, ...)
        Inputs.
    Y : array-like of shape (n, n_labels)
        Labels, 0/1 or -1/1.
    fraction : float, default=0.1
        The share of samples that become outliers.
    indices : array-like of int, default=None
        Which samples; None chooses them at random.
    random_state : int or RandomState, default=None
        Seed of the choice.

    Returns
    -------
    tuple (X, Y, outliers)
        Copies with the outliers, and the mask of the samples that are.
    """
    check_consistent_length(X, Y)
    values = np.unique(Y)
    if len(values) != 2:
        raise ValueError(
            f"flip_labels needs labels of two values, and Y has {len(values)}; use permute_outputs for other outputs."
        )
    outliers = _mask(X, fraction, indices, random_state)
    Y = np.array(Y)
    Y[outliers] = np.where(Y[outliers] == values[0], values[1], values[0])
    return copy(X), Y, outliers


@door
def gaussian_process(grid: Array, n: int, kernel: Any = None, random_state: Any = None) -> Array:
    """n draws of a Gaussian process on the grid, one in each row.

    Parameters
    ----------
    grid : array of shape (n_points,)
        The points.
    n : int
        How many draws.
    kernel : kernel of sklearn.gaussian_process, default=None
        The covariance; None is `RBF(0.05)`.
    random_state : int or RandomState, default=None
        Seed of the draws.

    Returns
    -------
    array of shape (n, n_points)
        The curves.
    """
    # Imported when used: it is slow to import.
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, Kernel

    if kernel is not None:
        of_kind(kernel, Kernel, "kernel", "take one of sklearn.gaussian_process.kernels")
    process = GaussianProcessRegressor(RBF(0.05) if kernel is None else kernel)
    draws: Array = process.sample_y(grid[:, None], n, random_state).T if n else np.empty((0, len(grid)))
    return draws


def _numbers(X: Any, Y: Any) -> Array:
    """Y as a new matrix of floats, one row for each sample of X."""
    check_consistent_length(X, Y)
    try:
        Y = np.array(Y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Y must be a matrix of numbers, one row for each curve or vector ({error}).") from error
    if not np.isfinite(Y).all():
        raise ValueError("Y contains NaN or infinity; drop or impute these samples.")
    if Y.ndim != 2:
        raise ValueError(f"Y must be a matrix, one row for each curve or vector; got shape {Y.shape}.")
    return Y


def _mask(X: Any, fraction: float, indices: Any, random_state: Any) -> Array:
    return _marked(X, _chosen(X, fraction, indices, random_state))


def _marked(X: Any, rows: Array) -> Array:
    return np.isin(np.arange(count(X)), rows)


def _chosen(X: Any, fraction: float, indices: Any, random_state: Any) -> Array:
    """The samples that become outliers."""
    n = count(X)
    if indices is None:
        if not 0 <= number(fraction, "fraction") < 1:
            raise ValueError(f"fraction must be >= 0 and < 1, got {fraction!r}; the other samples stay genuine.")
        size = max(1, round(fraction * n)) if fraction else 0
        return np.sort(check_random_state(random_state).choice(n, size, replace=False))
    rows = np.atleast_1d(np.asarray(indices, dtype=None if np.size(indices) else int))
    if rows.dtype.kind not in "iu" or rows.ndim != 1 or len(np.unique(rows)) < len(rows):
        raise ValueError(f"indices must be different whole numbers, one for each outlier; got {indices!r}.")
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        raise ValueError(f"indices must lie in 0 .. {n - 1}, the samples there are; got {indices!r}.")
    return rows
