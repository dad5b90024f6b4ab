"""What is taken off the outputs before they are learned, and put back after."""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ..arrays import Array, as_floats, namespace, row_norms, rows_at, sample_rows, to_numpy
from ..spread import is_spread, sample_of

RULES = ("median", "mean", None)
MOST_STEPS = 200
# From the median of all rows to that of all but one.
FEW_STEPS = 12
# Rows that the median is taken of, at most.
ROWS = 50_000
# Relative to the spread of the outputs, a step of the median that is no longer one.
TOLERANCE = 1e-12


def centre_of(T: Array, rule: Any, weights: Array | None = None, mask: Array | None = None) -> Array | None:
    """c, (m,), for rows of coordinates: their spatial median or mean, each as often as its weight; None for no centre.

    Of a row only the entries seen count, those where the mask is one. The median of very many is that of some.
    """
    if rule not in RULES:
        raise ValueError(f"centre must be 'median', 'mean' or None, got {rule!r}.")
    if rule is None:
        return None
    if rule == "median" and (T.shape[0] > ROWS or is_spread(T)):
        rows = sample_rows(int(T.shape[0]), ROWS)
        take = sample_of if is_spread(T) else rows_at
        T, weights, mask = (None if part is None else take(part, rows) for part in (T, weights, mask))
    xp = namespace(T)
    V = xp.ones_like(T) if mask is None else mask
    V = V if weights is None else weights[:, None] * V
    mean = _mean(T, V)
    mean = to_numpy(mean) if is_spread(mean) else mean
    return mean if rule == "mean" else _spatial_median(T, V, mean)


def _mean(T: Array, V: Array) -> Array:
    xp = namespace(T)
    mass = xp.sum(V, axis=0)
    return xp.sum(V * T, axis=0) / xp.where(mass > 0, mass, xp.ones_like(mass))


def _spatial_median(T: Array, V: Array, start: Array) -> Array:
    """argmin_c sum_i v_i |t_i - c| by Weiszfeld's steps, c <- mean with weights v_i / |t_i - c|.

    Rows within rounding of c would take it over: their distances are kept above a part of the typical one, and the
    first steps, from the mean, are taken with distances kept above more.
    """
    xp, c = namespace(T), start
    seen = xp.astype(V > 0, T.dtype)
    for step in range(MOST_STEPS):
        lengths = row_norms(seen * (T - c[None, :]))
        typical = float(xp.mean(lengths))
        if typical == 0:
            return c
        inverse = 1.0 / xp.clip(lengths, min=max(1e-9, 0.5**step) * typical)
        following = _mean(T, V * inverse[:, None])
        moved, c = float(xp.max(xp.abs(following - c))), following
        if step > 30 and moved <= TOLERANCE * typical:
            break
    return c


def centres_left_out(T: Array, rule: Any) -> Array | None:
    """`centre_of` all rows but one, (n, m), for each of the rows left out; None for no centre."""
    if rule is None:
        return None
    V = to_numpy(T)
    means = (V.sum(axis=0) - V) / max(len(V) - 1, 1)
    if rule == "mean":
        return as_floats(means, T)
    found = _near(V, to_numpy(centre_of(V, rule)))
    return as_floats(_medians(V, means) if found is None else found, T)


def _near(V: Array, centre: Array) -> Array | None:
    """Medians without each row from that of all, by steps with its Hessian, which is theirs but for one row.

    None where a row is at the centre, or the steps do not settle: there |t - c| has no second derivative.
    """
    R = V - centre
    lengths = np.sqrt(np.sum(R * R, axis=1))
    if V.shape[1] == 1 or lengths.min() < 1e-2 * lengths.mean():
        return None
    U = R / lengths[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        hessian = np.sum(1.0 / lengths) * np.eye(V.shape[1]) - (U / lengths[:, None]).T @ U
    if not np.all(np.isfinite(hessian)):
        return None
    C, tolerance = np.tile(centre, (len(V), 1)), TOLERANCE * float(lengths.mean())
    for _ in range(FEW_STEPS):
        inverse = 1.0 / np.maximum(cdist(C, V), 1e-300)
        np.fill_diagonal(inverse, 0.0)
        steps = np.linalg.lstsq(hessian, (inverse @ V - inverse.sum(axis=1)[:, None] * C).T, rcond=None)[0].T
        C = C + steps
        if np.abs(steps).max() <= tolerance:
            return C
    return None


def _medians(V: Array, C: Array) -> Array:
    """The steps of `_spatial_median`, for all of the rows left out at once."""
    n = len(V)
    others = 1.0 - np.eye(n)
    for step in range(MOST_STEPS):
        lengths = cdist(C, V) * others
        typical = lengths.sum(axis=1, keepdims=True) / max(n - 1, 1)
        inverse = others / np.maximum(lengths, np.maximum(max(1e-9, 0.5**step) * typical, 1e-300))
        following = (inverse @ V) / np.maximum(inverse.sum(axis=1, keepdims=True), 1e-300)
        moved, C = np.abs(following - C).max(axis=1, keepdims=True), following
        if step > 30 and np.all(moved <= TOLERANCE * typical):
            break
    return C
