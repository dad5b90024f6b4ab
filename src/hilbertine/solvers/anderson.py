"""Anderson acceleration of a fixed-point iteration s <- s + beta F(s)."""

from collections import deque

from ..arrays import Array, device_of, namespace, product, solve


class Anderson:
    """The next point from the last few: type II, with a regularised least-squares fit of the residuals.

    s+ = s + beta F - (dS + beta dF)^T gamma,  gamma = argmin |F - dF^T gamma|^2 + rho |gamma|^2, where the rows
    of dS and dF are the last differences of points and residuals.
    """

    def __init__(self, beta: float, memory: int = 20, regularisation: float = 1e-10):
        self.beta = beta
        self.regularisation = regularisation
        self.differences: deque[tuple[Array, Array]] = deque(maxlen=memory)
        self.last: tuple[Array, Array] | None = None

    def restart(self) -> None:
        """Forget everything: the map has changed, or the points were no good."""
        self.differences.clear()
        self.last = None

    def advance(self, s: Array, F: Array) -> Array:
        """The next point after s, whose residual is F."""
        xp = namespace(s)
        if self.last is not None:
            dF = F - self.last[1]
            self.differences.append((s - self.last[0] + self.beta * dF, xp.reshape(dF, (-1,))))
        self.last = s, F
        plain = s + self.beta * F
        if not self.differences:
            return plain
        D = xp.stack([dF for _, dF in self.differences])
        A = product(D, xp.permute_dims(D, (1, 0)))
        # Never singular, even where differences vanish at the limit of precision.
        rho = self.regularisation * xp.sum(xp.linalg.diagonal(A)) + 1e-300
        A = A + rho * xp.eye(A.shape[0], dtype=A.dtype, device=device_of(A))
        gamma = solve(A, product(D, xp.reshape(F, (-1, 1))))
        # One direction at a time: stacking them would double the memory.
        for k, (direction, _) in enumerate(self.differences):
            plain = plain - gamma[k, 0] * direction
        return plain
