"""Scores with a shape learned from residuals: ellipsoids, boxes and bands."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.covariance import LedoitWolf

from ..arrays import Array
from ..spaces import L2, Space
from .boxes import Band, Box
from .outputs import Outputs, has_values, masses, values
from .scores import Held, Score
from .sets import Ellipsoid

# Residuals longer than so many medians count as if they were so long where a shape is learned from them.
LONGEST = 3.0
# No output is drawn narrower than this part of its own mean; one that never errs, of the mean one.
NARROWEST = 1e-3


class Mahalanobis(Score):
    """s(y, c)^2 = (y - c)^T S^-1 (y - c), S the covariance of residuals, shrunk: ellipsoids.

    Residuals beyond three medians count as if they were that long, so that bad rows do not shape the set.

    Attributes
    ----------
    whitening_ : array of shape (m, m)
        L^-1, lower triangular, where S = L L^T.
    tail_ : float
        The mean squared norm of what coordinates miss; zero where they miss nothing.
    """

    @property
    def learned(self) -> bool:
        return True

    def bind(self, space: Space) -> Self:
        if not has_values(space) or space.learned:
            raise ValueError(
                f"An ellipsoid needs the same coordinates whatever the training rows are, and those of {space!r} "
                "depend on them; use score='norm'."
            )
        return self

    def fit(self, held: Held) -> Self:
        R, tails, _ = held.residuals
        # In units of their own: coordinates may be volts and pascals.
        units = spread(R)
        R = R / units
        lengths = np.sqrt(np.sum(R**2, axis=1))
        middle = float(np.median(lengths)) or float(lengths.mean()) or 1.0
        S = LedoitWolf(assume_centered=True).fit(shortened(R, lengths, LONGEST * middle)).covariance_
        root = np.linalg.cholesky(S + (1e-12 * np.trace(S) or 1.0) * np.eye(len(S)))
        self.whitening_: Array = np.linalg.inv(root) / units
        self.tail_ = float(np.mean(tails**2))
        return self

    def distances(self, outputs: Outputs, C: Array) -> Array:
        R = outputs.residuals(C)
        beyond = R.tails**2 / self.tail_ if self.tail_ > 0 else R.tails**2
        return np.asarray(np.sqrt(self.lengths(R.coordinates) ** 2 + beyond))

    def lengths(self, R: Array) -> Array:
        return np.asarray(np.sqrt(np.sum((R @ self.whitening_.T) ** 2, axis=1)))

    def pooled(self, others: Sequence[Any]) -> tuple["Mahalanobis", list[float]]:
        # |L^-1 r| <= |L^-1 L_k| |L_k^-1 r|, and the mean of the covariances for L L^T.
        roots = [np.linalg.inv(each.whitening_) for each in others]
        shape = Mahalanobis()
        shape.whitening_ = np.linalg.inv(np.linalg.cholesky(np.mean([L @ L.T for L in roots], axis=0)))
        shape.tail_ = float(np.mean([each.tail_ for each in others]))
        tails = [(each.tail_ / shape.tail_) ** 0.5 if shape.tail_ > 0 else 0.0 for each in others]
        norms = [float(np.linalg.norm(shape.whitening_ @ L, 2)) for L in roots]
        return shape, [max(pair) for pair in zip(norms, tails, strict=True)]

    def sets(self, space: Space, C: Array, radii: Array, level: float) -> Ellipsoid:
        return Ellipsoid(space, level, self, C, radii)


class Supremum(Score):
    """s(y, c) = max_t |y(t) - c(t)| / h(t): boxes for vectors, bands for curves, all outputs or points at once.

    Parameters
    ----------
    modulation : {"spread", "constant"} or array-like, default="spread"
        h: the median absolute residual of each output, or at each point of the grid; one for all; or given.

    Attributes
    ----------
    modulation_ : array of shape (q,)
        h.
    """

    def __init__(self, modulation: Any = "spread"):
        self.modulation = modulation

    @property
    def learned(self) -> bool:
        return isinstance(self.modulation, str) and self.modulation == "spread"

    def bind(self, space: Space) -> Self:
        if not has_values(space):
            raise ValueError(f"Outputs of {space!r} have no values to draw a box or a band at; use score='norm'.")
        if not self.learned:
            self.modulation_ = self._given(len(masses(space)))
        return self

    def fit(self, held: Held) -> Self:
        assert held.residuals.values is not None
        self.modulation_ = spread(held.residuals.values)
        return self

    def _given(self, size: int) -> Array:
        if isinstance(self.modulation, str) and self.modulation == "constant":
            return np.ones(size)
        try:
            h = np.asarray(self.modulation, dtype=np.float64).reshape(-1)
        except (TypeError, ValueError) as error:
            raise ValueError(f"modulation must be 'spread', 'constant' or numbers, got {self.modulation!r}.") from error
        if h.shape != (size,) or not np.all(np.isfinite(h) & (h > 0)):
            raise ValueError(f"modulation must be {size} finite numbers > 0, one for each output or point of the grid.")
        return h

    def distances(self, outputs: Outputs, C: Array) -> Array:
        V = outputs.residuals(C).values
        assert V is not None
        return np.asarray(np.max(np.abs(V) / self.modulation_, axis=1))

    def sets(self, space: Space, C: Array, radii: Array, level: float) -> Box:
        kind = Band if isinstance(space, L2) else Box
        return kind(space, level, values(space, C), radii[:, None] * self.modulation_[None, :])


def shortened(R: Array, lengths: Array, longest: float) -> Array:
    """Rows of R, those longer than `longest` cut to that length."""
    return R * np.minimum(1.0, longest / np.maximum(lengths, 1e-300))[:, None]


def spread(V: Array) -> Array:
    """The median absolute value of each column, on the scale of their mean; none is zero."""
    h = np.maximum(np.median(np.abs(V), axis=0), NARROWEST * np.mean(np.abs(V), axis=0))
    h = np.where(h > 0, h, NARROWEST * h.mean())
    return h / h.mean() if h.mean() > 0 else np.ones_like(h)
