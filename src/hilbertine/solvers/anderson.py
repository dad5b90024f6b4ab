"""Anderson acceleration of a fixed-point iteration s <- s + beta F(s)."""

import numpy as np

from ..arrays import Array, combination, frobenius, solve
from ..spread import evaluated, products

# Remembered steps, and how many where two arrays for each would not fit a processor's cache.
MEMORY = 20
MEMORY_OF_LARGE = 8
LARGE = 100_000
# An accelerated step is at most this many plain ones.
FARTHEST = 1e3


def remembered(size: int) -> int:
    """How many steps are remembered of points of so many numbers."""
    return MEMORY if size < LARGE else MEMORY_OF_LARGE


class Anderson:
    """The next point from the last few: type II, with a regularised least-squares fit of the residuals.

    s+ = s + beta F - (dS + beta dF)^T gamma,  gamma = argmin |F - dF^T gamma|^2 + rho |gamma|^2, where the rows
    of dS and dF are the last differences of points and residuals.
    """

    def __init__(self, beta: float, size: int, regularisation: float = 1e-10):
        self.beta = beta
        self.memory = remembered(size)
        self.regularisation = regularisation
        self.products = np.zeros((self.memory, self.memory))
        self.restart()

    def restart(self) -> None:
        """Forget everything: the map has changed, or the points were no good."""
        self.count = 0
        self.last: tuple[Array, Array] | None = None
        self.moves: list[Array] = []
        self.changes: list[Array] = []
        self.lengths: list[float] = []

    def advance(self, s: Array, F: Array) -> Array:
        """The next point after s, whose residual is F."""
        plain = s + self.beta * F
        if self.last is not None:
            s_last, F_last = self.last
            plain = plain - self._correction(s - s_last, F - F_last, F)
        self.last = s, F
        return evaluated(plain)[0]

    def _correction(self, ds: Array, dF: Array, F: Array) -> Array:
        """(dS + beta dF)^T gamma; the rows and their inner products are kept, so that each is computed once."""
        slot = self.count % self.memory
        self.count += 1
        known = min(self.count, self.memory)
        # In place of the oldest, or after the last.
        move, dF = evaluated(ds + self.beta * dF, dF)
        self.moves[slot : slot + 1], self.changes[slot : slot + 1] = [move], [dF]
        pairs = [(change, other) for other in (dF, F) for change in self.changes]
        *fit, square, length = products(*pairs, (move, move), (F, F))
        self.lengths[slot : slot + 1] = [square**0.5]
        self.products[slot, :known] = self.products[:known, slot] = fit[:known]
        A = self.products[:known, :known]
        # Never singular, even where differences vanish at the limit of precision.
        rho = self.regularisation * float(np.trace(A)) + 1e-300
        gamma = solve(A + rho * np.eye(known), np.asarray(fit[known:]))
        correction = combination(gamma.tolist(), self.moves)
        # Along directions in which F hardly changes the fit is degenerate, and would jump to infinity.
        farthest = FARTHEST * self.beta * length**0.5
        if np.abs(gamma) @ self.lengths <= farthest:
            return correction
        return correction * min(1.0, farthest / max(frobenius(correction), 1e-300))
