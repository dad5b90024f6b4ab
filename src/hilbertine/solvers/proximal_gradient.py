"""Algorithm 1 of the paper with the right threshold, accelerated and restarted."""

from collections.abc import Iterator

from ..arrays import Array, namespace
from ..dual import Dual
from .base import Solver
from .solution import Step


class ProximalGradient(Solver):
    """W <- prox_{step l*}(V - step G V / (lam n)), V extrapolated by Nesterov's rule, restarted when it overshoots.

    Works for every loss and every Gram operator: the reference. The step is 1 / lambda_max(G / (lam n)). The
    paper prints the threshold epsilon where the proximal map needs step * epsilon; the prox of the loss has it.
    """

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        xp = namespace(W)
        curvature = dual.curvature
        # A zero Gram operator leaves only the losses: any step is right.
        step = 1.0 / curvature if curvature > 0 else 1.0
        V, Q = W, P
        momentum = xp.sum(W * 0.0) + 1.0
        while True:
            new = dual.risk.prox(V - step * Q, step)
            new_P = dual.predict(new)
            # Kept on the device: where the last move opposes the step just made, the momentum is dropped.
            overshoot = xp.sum((V - new) * (new - W)) > 0
            momentum = xp.where(overshoot, xp.ones_like(momentum), momentum)
            following = (1.0 + xp.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
            weight = xp.where(overshoot, xp.zeros_like(momentum), (momentum - 1.0) / following)
            # G is linear: the predictions of the extrapolated point need no product of their own.
            V, Q = new + weight * (new - W), new_P + weight * (new_P - P)
            W, P, momentum = new, new_P, following
            yield Step(W, P)
