"""Rows with weights, written so that they all have the same curvature."""

from typing import Any, Self

from ..arrays import Array, namespace
from ..losses import Coefficients, Loss
from .base import Risk
from .blocks import by_rows
from .rows import counted


class Whitened(Risk):
    """v_i l(p_i / r_i, t_i) with r_i = sqrt(v_i), whose conjugate is v_i l*(-w_i / r_i).

    Where phi* = a s^2/2 + b s + [s <= c], these rows have the coefficients (a, r_i b, r_i c): a shift of the Gram
    matrix is one number for all rows, and a row without weight is one whose kernel values and targets are zero.
    """

    def __init__(self, loss: Loss, targets: Array, tails: Any, weights: Array, observed: Any):
        super().__init__(loss, targets, tails, weights, observed)
        xp = namespace(targets)
        self.outputs = self.targets
        self.root = xp.sqrt(weights)
        self.safe = xp.where(weights > 0, self.root, xp.ones_like(weights))[:, None]
        self.targets = self.scaled(self.outputs)

    def _parts(self) -> tuple[Any, ...]:
        return self.loss, self.outputs, self.tails, self.weights, self.mask

    @property
    def whitened(self) -> "Risk":
        return self

    def with_loss(self, loss: Loss) -> Self:
        return type(self)(loss, *self._parts()[1:])

    def scaled(self, A: Array) -> Array:
        return self.root[:, None] * A

    def unscaled(self, A: Array) -> Array:
        return A / self.safe * (self.root > 0)[:, None]

    @property
    def coefficients(self) -> Coefficients | None:
        known = super().coefficients
        if known is None:
            return None
        # Written so that an infinite cap stays one without weight.
        return Coefficients(known.a, known.b * self.root, known.c * (self.root if known.c < float("inf") else 1.0))

    @by_rows
    def value(self, P: Array) -> Array:
        return counted(self.loss.value(self.seen(P / self.safe), self.outputs), self.weights)

    @by_rows
    def conjugate(self, W: Array) -> Array:
        values = counted(self.loss.conjugate(self.seen(W / self.safe), self.outputs), self.weights)
        return self._only_seen(values, W)

    @by_rows
    def prox(self, W: Array, step: float) -> Array:
        return self.scaled(self.seen(self.loss.prox(self.seen(W / self.safe), self.outputs, step)))

    def derivative(self, W: Array, step: float) -> Array:
        J = self.loss.derivative(self.seen(W / self.safe), self.outputs, step)
        return self._of_seen((self.root > 0)[:, None, None] * J)

    @by_rows
    def reach(self, W: Array) -> Array:
        return self.loss.reach(W / self.safe)
