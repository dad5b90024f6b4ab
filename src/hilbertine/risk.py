"""A loss bound to its rows: targets, what a basis leaves out of them, weights, and which entries were observed."""

from functools import cached_property
from typing import Any, Self

from .arrays import Array, is_array, namespace, row_norms
from .losses import Coefficients, Loss, Square

# Rows within this fraction of the largest row, or of the cap, count as zero, or as saturated.
ROW_TOLERANCE = 1e-8


class Risk:
    """sum_i v_i l(m_i * p_i, m_i * t_i), weights v_i >= 0 and masks m_ij in {0, 1}: what the dual problem sees.

    A weight is a frequency: two stands for the same row twice, zero for no row. An entry that was not observed has
    w_ij = 0, whatever its target.

    Parameters
    ----------
    loss : Loss
        l.
    targets : array of shape (n, m)
        The outputs in coordinates.
    tails : array of shape (n,), default=None
        The norms of what these coordinates leave out of the outputs.
    weights : array of shape (n,), default=None
        v; None is one for all.
    observed : array of shape (n, m), default=None
        True, or 1, for the entries that were observed; None is all.
    """

    def __init__(
        self, loss: Loss, targets: Array, tails: Array | None = None, weights: Array | None = None,
        observed: Array | None = None,
    ):  # fmt: skip
        xp = namespace(targets)
        self.loss = loss
        self.tails: Any = tails
        self.weights: Any = weights
        self._whitened: Whitened | None = None
        mask = None if observed is None else xp.astype(observed, targets.dtype)
        self.mask: Any = mask
        self.targets = targets if mask is None else xp.where(mask > 0.0, targets, xp.zeros_like(targets))

    def with_loss(self, loss: Loss) -> Self:
        """The same rows under another loss."""
        return type(self)(loss, self.targets, self.tails, self.weights, self.mask)

    def with_targets(self, targets: Array, tails: Array | None = None) -> Self:
        """Other outputs, with the same weights and the same entries observed."""
        return type(self)(self.loss, targets, tails, self.weights, self.mask)

    def as_square(self, weights: Array) -> "Risk":
        """The square loss with these weights on the same rows."""
        return Risk(Square(), self.targets, self.tails, weights, self.mask)

    def restricted(self, rows: Array) -> Self:
        """Some of the rows."""
        xp = namespace(self.targets)
        parts = (self.targets, self.tails, self.weights, self.mask)
        return type(self)(self.loss, *(None if part is None else xp.take(part, rows, axis=0) for part in parts))

    @property
    def size(self) -> float:
        """How many rows there are, each as often as its weight says: the n of lam n."""
        return float(namespace(self.weights).sum(self.weights)) if is_array(self.weights) else self.targets.shape[0]

    @property
    def coefficients(self) -> Coefficients | None:
        """(a, b, c) where one formula in them holds for whole rows."""
        return None if self.mask is not None else self.loss.coefficients

    @property
    def plain(self) -> bool:
        """Whether every row counts once, and as a whole."""
        return self.weights is None and self.mask is None

    def value(self, P: Array) -> Array:
        """v_i l(m_i p_i, m_i t_i)."""
        return self._counted(self.loss.value(self._seen(P), self.targets))

    def conjugate(self, W: Array) -> Array:
        """v_i l_i*(-w_i / v_i), infinite for rows without weight and entries not observed that are not zero."""
        values = self._counted(self.loss.conjugate(self._each(self._seen(W)), self.targets))
        return self._only_seen(values, W)

    def prox(self, W: Array, step: float) -> Array:
        """argmin_u  step l_i*(-u) + |u - w_i|^2 / 2, for rows that count once; others are `whitened` first."""
        return self._seen(self.loss.prox(self._seen(W), self.targets, step))

    def supported(self, W: Array) -> Array:
        """W without the rows and entries that have no part in the problem, where rounding may have left something."""
        seen = self._seen(W)
        return seen if self.weights is None else seen * namespace(W).astype(self.weights > 0, W.dtype)[:, None]

    @cached_property
    def flat(self) -> Self:
        """The same rows without the curvature of the loss."""
        return self.with_loss(self.loss.flat())

    @property
    def whitened(self) -> "Risk":
        """The same rows in W / r and r P, r = sqrt(v): there they all have the same curvature."""
        if self.weights is None:
            return self
        if self._whitened is None:
            self._whitened = Whitened(*self._parts())
        return self._whitened

    def extended(self) -> "Risk":
        """The rows with one more coordinate, along what the basis leaves out of each output."""
        assert self.tails is not None
        xp = namespace(self.targets)
        return Risk(self.loss, xp.concat([self.targets, self.tails[:, None]], axis=1), None, self.weights)

    def beyond(self, W: Array) -> Array:
        """What rows of W have along the part of their output that the basis leaves out."""
        return self.loss.beyond(W, self.targets, 0.0 * self.targets[:, 0] if self.tails is None else self.tails)

    def special_rows(self, W: Array, P: Array) -> tuple[Array, Array]:
        """The rows with w_i != 0, and those at the cap.

        W is so only up to the gap. At the optimum W = prox(W - step P), and the step taken once more ends exactly at
        zero, or at the cap, for the rows whose residual is clearly inside or outside.
        """
        xp = namespace(W)
        R = self._seen(self.targets - P)
        length, distance = float(xp.sum(row_norms(W))), float(xp.sum(row_norms(R)))
        if distance > 0:
            step = length / distance or 1.0
            W = self.prox(W - step * P, step)
        lengths = row_norms(W)
        support = lengths > ROW_TOLERANCE * float(xp.max(lengths))
        return xp.nonzero(support)[0], xp.nonzero(self._reach(W) >= 1.0 - ROW_TOLERANCE)[0]

    def residual_norms(self, P: Array) -> Array:
        """|m_i (p_i - t_i)|, and what the basis leaves out with it."""
        squares = row_norms(self._seen(P) - self.targets) ** 2
        return namespace(P).sqrt(squares if self.tails is None else squares + self.tails**2)

    def _reach(self, W: Array) -> Array:
        """How much of its cap each row has."""
        return self.loss.reach(W)

    def _parts(self) -> tuple[Any, ...]:
        return self.loss, self.targets, self.tails, self.weights, self.mask

    def _seen(self, A: Array) -> Array:
        return A if self.mask is None else self.mask * A

    def _counted(self, values: Array) -> Array:
        if self.weights is None:
            return values
        xp = namespace(values)
        return xp.where(self.weights > 0, self.weights * values, xp.zeros_like(values))

    def _each(self, W: Array) -> Array:
        if self.weights is None:
            return W
        xp = namespace(W)
        return W / xp.where(self.weights > 0, self.weights, xp.ones_like(self.weights))[:, None]

    def _only_seen(self, values: Array, W: Array) -> Array:
        if self.plain:
            return values
        xp = namespace(W)
        lost = W if self.mask is None else (1.0 - self.mask) * W
        free = xp.ones_like(values) if self.weights is None else xp.astype(self.weights > 0, values.dtype)
        wrong = row_norms(lost) > 0 if self.mask is not None else xp.zeros_like(values) > 0
        wrong = wrong | ((free == 0) & (row_norms(W) > 0))
        return xp.where(wrong, xp.full_like(values, float("inf")), values)


class Whitened(Risk):
    """v_i l(p_i / r_i, t_i) with r_i = sqrt(v_i), whose conjugate is v_i l*(-w_i / r_i).

    Where phi* = a s^2/2 + b s + [s <= c], these rows have the coefficients (a, r_i b, r_i c): a shift of the Gram
    matrix is one number for all rows, and a row without weight is one whose kernel values and targets are zero.
    """

    def __init__(self, loss: Loss, targets: Array, tails: Any, weights: Array, observed: Any):
        super().__init__(loss, targets, tails, weights, observed)
        xp = namespace(targets)
        self.outputs = self.targets
        self.root = xp.sqrt(weights)[:, None]
        self.safe = xp.where(self.root > 0, self.root, xp.ones_like(self.root))
        self.targets = self.root * self.outputs

    def _parts(self) -> tuple[Any, ...]:
        return self.loss, self.outputs, self.tails, self.weights, self.mask

    @property
    def whitened(self) -> "Risk":
        return self

    def with_loss(self, loss: Loss) -> Self:
        return type(self)(loss, *self._parts()[1:])

    @property
    def coefficients(self) -> Coefficients | None:
        known = super().coefficients
        if known is None:
            return None
        root = self.root[:, 0]
        # Written so that an infinite cap stays one without weight.
        return Coefficients(known.a, known.b * root, known.c * (root if known.c < float("inf") else 1.0))

    def value(self, P: Array) -> Array:
        return self._counted(self.loss.value(self._seen(P / self.safe), self.outputs))

    def conjugate(self, W: Array) -> Array:
        values = self._counted(self.loss.conjugate(self._seen(W / self.safe), self.outputs))
        return self._only_seen(values, W)

    def prox(self, W: Array, step: float) -> Array:
        return self.root * self._seen(self.loss.prox(self._seen(W / self.safe), self.outputs, step))

    def _reach(self, W: Array) -> Array:
        return self.loss.reach(W / self.safe)
