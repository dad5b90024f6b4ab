"""A loss bound to its rows: targets, what a basis leaves out of them, weights, and which entries were observed."""

from functools import cached_property
from typing import Any, Self

from ..arrays import Array, namespace
from ..checks import of_kind
from ..doors import Doors
from ..losses import Coefficients, Loss
from ..spread import is_spread, sample_of
from .blocks import by_rows
from .observations import Observations
from .rows import counted, each


class Risk(Observations, Doors):
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

    DOORS = ("__init__", "value", "conjugate", "prox", "derivative")
    # r, by which rows of the operator are multiplied before and after, where these are the rows of a whitened problem.
    root: Any = 1.0

    def __init__(
        self, loss: Loss, targets: Array, tails: Array | None = None, weights: Array | None = None,
        observed: Array | None = None,
    ):  # fmt: skip
        super().__init__(targets, tails, weights, observed)
        self.loss: Loss = of_kind(loss, Loss, "loss", "pass an object of hilbertine.losses")

    def with_loss(self, loss: Loss) -> Self:
        """The same rows under another loss.

        Parameters
        ----------
        loss : Loss
            The loss.

        Returns
        -------
        Risk
            The new problem.
        """
        return type(self)(loss, self.targets, self.tails, self.weights, self.mask)

    def with_targets(self, targets: Array, tails: Array | None = None) -> Self:
        """Other outputs, with the same weights and the same entries observed.

        Parameters
        ----------
        targets : array of shape (n, m)
            The outputs in coordinates.
        tails : array of shape (n,), default=None
            What these leave out.

        Returns
        -------
        Risk
            The new problem.
        """
        return type(self)(self.loss, targets, tails, self.weights, self.mask)

    def restricted(self, rows: Array) -> Self:
        """Some of the rows.

        Parameters
        ----------
        rows : array of int
            The places of these rows.

        Returns
        -------
        Risk
            The smaller problem.
        """
        xp, (loss, *parts) = namespace(self.targets), self._parts()
        take = sample_of if is_spread(self.targets) else lambda part, rows: xp.take(part, rows, axis=0)
        return type(self)(loss, *(None if part is None else take(part, rows) for part in parts))

    @property
    def coefficients(self) -> Coefficients | None:
        """(a, b, c) where one formula in them holds for whole rows."""
        return None if self.mask is not None else self.loss.coefficients

    @by_rows
    def value(self, P: Array) -> Array:
        """v_i l(m_i p_i, m_i t_i).

        Parameters
        ----------
        P : array of shape (n, m)
            Predictions.

        Returns
        -------
        array of shape (n,)
            The loss of each row.
        """
        return counted(self.loss.value(self.seen(P), self.targets), self.weights)

    @by_rows
    def conjugate(self, W: Array) -> Array:
        """v_i l_i*(-w_i / v_i), infinite for rows without weight and entries not observed that are not zero.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array of shape (n,)
            The conjugate of each row.
        """
        values = counted(self.loss.conjugate(each(self.seen(W), self.weights), self.targets), self.weights)
        return self._only_seen(values, W)

    @by_rows
    def prox(self, W: Array, step: float) -> Array:
        """argmin_u  step l_i*(-u) + |u - w_i|^2 / 2, for rows that count once; others are `whitened` first.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.
        step : float
            The step, > 0.

        Returns
        -------
        array of shape (n, m)
            The minimisers.
        """
        return self.seen(self.loss.prox(self.seen(W), self.targets, step))

    def derivative(self, W: Array, step: float) -> Array:
        """The derivative of `prox` in W.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.
        step : float
            The step, > 0.

        Returns
        -------
        array of shape (n, m, m)
            One matrix for each row.
        """
        return self._of_seen(self.loss.derivative(self.seen(W), self.targets, step))

    def _of_seen(self, J: Array) -> Array:
        return J if self.mask is None else self.mask[:, :, None] * J * self.mask[:, None, :]

    @by_rows
    def pulled(self, P: Array) -> Array:
        """-dl_i(p_i), the dual rows that go with predictions: the limit of proximal steps from -step P.

        Parameters
        ----------
        P : array of shape (n, m)
            Predictions.

        Returns
        -------
        array of shape (n, m)
            Dual variables.
        """
        step = 1e12 / self.loss.curvature if self.loss.curvature else 1e6
        return self.prox(-step * P, step)

    @cached_property
    def flat(self) -> Self:
        """The same rows without the curvature of the loss."""
        return self.with_loss(self.loss.flat())

    @property
    def whitened(self) -> "Risk":
        """The same rows in W / r and r P, r = sqrt(v): there they all have the same curvature."""
        return self if self.weights is None else self._whitened

    @cached_property
    def _whitened(self) -> "Risk":
        from .whitened import Whitened

        return Whitened(*self._parts())

    def scaled(self, A: Array) -> Array:
        """r A: what dual rows were before they were whitened, and what becomes of predictions.

        Parameters
        ----------
        A : array of shape (n, m)
            Dual variables of the whitened problem, or predictions of the other.

        Returns
        -------
        array of shape (n, m)
            The rows multiplied.
        """
        return A

    def unscaled(self, A: Array) -> Array:
        """A / r, zero for rows without weight.

        Parameters
        ----------
        A : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array of shape (n, m)
            Those of the whitened problem.
        """
        return A

    def extended(self) -> "Risk":
        """The rows with one more coordinate, along what the basis leaves out of each output."""
        assert self.tails is not None
        xp = namespace(self.targets)
        return Risk(self.loss, xp.concat([self.targets, self.tails[:, None]], axis=1), None, self.weights)

    def beyond(self, W: Array) -> Array:
        """What rows of W have along the part of their output that the basis leaves out.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array of shape (n,)
            One number for each row.
        """
        return self.loss.beyond(W, self.targets, 0.0 * self.targets[:, 0] if self.tails is None else self.tails)

    @by_rows
    def reach(self, W: Array) -> Array:
        """How much of its cap each row has: one where the loss holds it back.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array of shape (n,)
            From zero to one.
        """
        return self.loss.reach(W)

    def _parts(self) -> tuple[Any, ...]:
        return self.loss, self.targets, self.tails, self.weights, self.mask
