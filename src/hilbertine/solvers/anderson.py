"""Anderson acceleration of a fixed-point iteration s <- s + beta F(s)."""

from ..arrays import Array, device_of, frobenius, namespace, product, solve

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
        self.size = size
        self.regularisation = regularisation
        self.moves: Array | None = None
        self.restart()

    def restart(self) -> None:
        """Forget everything: the map has changed, or the points were no good."""
        self.count = 0
        self.last: tuple[Array, Array] | None = None

    def advance(self, s: Array, F: Array) -> Array:
        """The next point after s, whose residual is F."""
        plain = s + self.beta * F
        if self.last is not None:
            s_last, F_last = self.last
            correction = self._correction(s - s_last, F - F_last, F)
            # Along directions in which F hardly changes the fit is degenerate, and would jump to infinity.
            farthest = FARTHEST * self.beta * frobenius(F)
            plain = plain - correction * min(1.0, farthest / max(frobenius(correction), 1e-300))
        self.last = s, F
        return plain

    def _correction(self, ds: Array, dF: Array, F: Array) -> Array:
        """(dS + beta dF)^T gamma; the rows and their inner products are kept, so that each is computed once."""
        xp = namespace(F)
        if self.moves is None:
            kind = {"dtype": F.dtype, "device": device_of(F)}
            self.moves, self.changes = (xp.zeros((self.memory, self.size), **kind) for _ in range(2))
            self.products = xp.zeros((self.memory, self.memory), **kind)
        slot = self.count % self.memory
        self.count += 1
        known = min(self.count, self.memory)
        # Written by index, the only place that is: rows made anew would copy 16 n m numbers a step.
        self.moves[slot, :] = xp.reshape(ds + self.beta * dF, (-1,))
        self.changes[slot, :] = xp.reshape(dF, (-1,))
        both = xp.stack([self.changes[slot, :], xp.reshape(F, (-1,))])
        fit = product(self.changes[:known, :], xp.permute_dims(both, (1, 0)))
        self.products[slot, :known] = fit[:, 0]
        self.products[:known, slot] = fit[:, 0]
        A = self.products[:known, :known]
        # Never singular, even where differences vanish at the limit of precision.
        rho = self.regularisation * xp.sum(xp.linalg.diagonal(A)) + 1e-300
        A = A + rho * xp.eye(known, dtype=A.dtype, device=device_of(A))
        gamma = solve(A, fit[:, 1:])
        return xp.reshape(product(xp.permute_dims(gamma, (1, 0)), self.moves[:known, :]), F.shape)
