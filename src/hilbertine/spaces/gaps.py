"""Curves that were seen in part: which are allowed, and what least squares can tell of them."""

import warnings
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, namespace, to_numpy
from ..containers.curves import Curves
from ..doors import caller

MISSING = (None, "least-squares", "quadrature")
# Noise at the points seen of a curve grows by at most one over this in its coefficients.
LEAST_SINGULAR = 0.1
# A warning names so many curves.
MOST_NAMED = 20


def allowed(curves: Curves, missing: str | None) -> Curves:
    """Curves without infinities, and without NaN unless `missing` says what to do with it."""
    V = curves.values
    xp = namespace(V)
    if bool(xp.any(xp.isinf(V))):
        raise ValueError("The curves contain infinities; drop or impute these values.")
    if not bool(xp.any(xp.isnan(V))):
        return curves
    if missing is None:
        raise ValueError(
            "The curves contain NaN; say what to do with missing values: missing='least-squares' or 'quadrature'."
        )
    # Curves with gaps are taken apart on the host.
    return curves._replace(values=to_numpy(V))


def least_squares(E: Array, weights: Array, rows: Array) -> tuple[Array, bool]:
    """argmin_C sum_t w_t |rows_t - E_t C|^2, and whether the points tell all of C.

    Where they do not, the directions in which noise would grow by more than 1 / LEAST_SINGULAR are left at zero.

    >>> E = np.array([[1.0, 1.0], [1.0, 1.0]])
    >>> least_squares(E, np.ones(2), np.array([[2.0], [2.0]]))[0].round(12)
    array([[1.],
           [1.]])
    """
    root = np.sqrt(weights)[:, None]
    C, _, _, singular = np.linalg.lstsq(root * E, root * rows, rcond=None)
    if E.shape[0] >= E.shape[1] and singular[-1] >= LEAST_SINGULAR:
        return C, True
    largest = max(singular[0], LEAST_SINGULAR)
    return np.linalg.lstsq(root * E, root * rows, rcond=LEAST_SINGULAR / largest)[0], False


def warn_untold(untold: Sequence[int], n: int, functions: int, missing: str | None) -> None:
    """One warning for all curves whose points do not tell their coefficients."""
    named = ", ".join(map(str, untold[:MOST_NAMED])) + (", .." if len(untold) > MOST_NAMED else "")
    if missing == "quadrature":
        why = (
            "at which the functions of the basis are far from orthonormal, so that integrals over these points leave "
            f"their coefficients, tails and residuals off by half or more: {named}. Use missing='least-squares', ask "
            "for fewer functions, or drop these curves."
        )
    else:
        why = (
            f"that do not tell all of their {functions} coefficients, and are taken to be zero in the directions that "
            f"were not seen: {named}. Ask for fewer functions, or drop these curves."
        )
    warnings.warn(f"{len(untold)} of {n} curves were seen at points {why}", stacklevel=caller())
