"""Coefficients of curves in functions that are orthonormal in a quadrature, and curves from coefficients."""

from collections.abc import Callable

import numpy as np

from ..arrays import Array, as_floats, namespace, product
from .gaps import least_squares

# Rounding in the values of a basis grows by this factor where it is made orthonormal: 1e-16 becomes 1e-8.
WORST_CONDITION = 1e8
# Coefficients by a quadrature on the points seen are off by at most this part of their size without a word.
MOST_OFF = 0.5


def analysed(V: Array, E: Array) -> Array:
    """sum_t E_tj v_it, (n, functions times components) for curves (n, points, components); functions come first."""
    xp, E = namespace(V), as_floats(E, V)
    # One row for each component of each curve, then functions before components.
    rows = xp.reshape(xp.permute_dims(V, (0, 2, 1)), (-1, V.shape[1]))
    C = xp.reshape(product(rows, E), (V.shape[0], V.shape[2], -1))
    return xp.reshape(xp.permute_dims(C, (0, 2, 1)), (V.shape[0], -1))


def synthesised(C: Array, E: Array, components: int) -> Array:
    """sum_j c_ij e_j at the points of E, (n, points, components)."""
    xp = namespace(C)
    parts = xp.permute_dims(xp.reshape(C, (C.shape[0], -1, components)), (0, 2, 1))
    rows = product(xp.reshape(parts, (-1, E.shape[1])), as_floats(E.T, C))
    return xp.permute_dims(xp.reshape(rows, (C.shape[0], components, -1)), (0, 2, 1))


def squared(V: Array, weights: Array) -> Array:
    """sum_t w_t |v_it|^2."""
    return namespace(V).sum(V * V * as_floats(weights, V)[None, :, None], axis=(1, 2))


def estimated(V: Array, E: Array, weights: Array, by_quadrature: bool) -> tuple[Array, bool]:
    """`analysed` for curves seen at some points, by the quadrature on these or by least squares, and whether they tell
    the coefficients."""
    rows, told = np.moveaxis(V, 1, 0).reshape(E.shape[0], -1), True
    if by_quadrature:
        C, told = E.T @ (weights[:, None] * rows), off_by(E, weights) <= MOST_OFF
    else:
        C, told = least_squares(E, weights, rows)
    return np.moveaxis(C.reshape(E.shape[1], *V.shape[::2]), 1, 0).reshape(V.shape[0], -1), told


def off_by(E: Array, weights: Array) -> float:
    """|E^T diag(w) E - I|: by what part of its size a curve in these functions is off in its coefficients."""
    return float(np.abs(np.linalg.eigvalsh(E.T @ (weights[:, None] * E)) - 1.0).max())


def orthonormalising(functions: Callable[[], Array], weights: Array, family: object) -> list[Array]:
    """The matrices M with E M orthonormal, E^T diag(w) E = I, by Gram and Schmidt; signs are kept.

    So nested families stay nested. Twice: the first time leaves an error that grows with the condition of the family,
    the second none of it.
    """
    E, root = functions(), np.sqrt(weights)[:, None]
    if E.shape[1] > E.shape[0] or np.linalg.cond(root * E) > WORST_CONDITION:
        raise ValueError(
            f"The {E.shape[1]} functions of {family!r} are not independent on the {E.shape[0]} points of the grid, or "
            "only barely; ask for fewer, or give curves with more points."
        )
    mixings: list[Array] = []
    for _ in range(2):
        R = np.linalg.qr(root * E, mode="r")
        mixings.append(np.linalg.inv(R) * np.sign(np.diagonal(R))[None, :])
        E = E @ mixings[-1]
    return mixings
