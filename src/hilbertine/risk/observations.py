"""The rows of a problem: targets, what a basis leaves out of them, weights, and which entries were observed."""

from typing import Any

from ..arrays import Array, is_array, namespace, row_norms
from .blocks import by_rows


class Observations:
    """Outputs in coordinates, how often each row counts, and which of its entries were seen.

    Parameters
    ----------
    targets : array of shape (n, m)
        The outputs in coordinates.
    tails : array of shape (n,), default=None
        The norms of what these coordinates leave out of the outputs.
    weights : array of shape (n,), default=None
        How often each row counts; None is one for all.
    observed : array of shape (n, m), default=None
        True, or 1, for the entries that were observed; None is all.
    """

    def __init__(self, targets: Array, tails: Array | None, weights: Array | None, observed: Array | None):
        xp = namespace(targets)
        self.tails: Any = tails
        self.weights: Any = weights
        mask = None if observed is None else xp.astype(observed, targets.dtype)
        self.mask: Any = mask
        self.targets = targets if mask is None else xp.where(mask > 0.0, targets, xp.zeros_like(targets))

    @property
    def size(self) -> float:
        """How many rows there are, each as often as its weight says: the n of lam n."""
        return float(namespace(self.weights).sum(self.weights)) if is_array(self.weights) else self.targets.shape[0]

    @property
    def plain(self) -> bool:
        """Whether every row counts once, and as a whole."""
        return self.weights is None and self.mask is None

    def seen(self, A: Array) -> Array:
        """A with zeros where no entry was observed.

        Parameters
        ----------
        A : array of shape (n, m)
            Residuals, predictions or dual variables.

        Returns
        -------
        array of shape (n, m)
            The same, masked.
        """
        return A if self.mask is None else self.mask * A

    @by_rows
    def supported(self, W: Array) -> Array:
        """W without the rows and entries that have no part in the problem, where rounding may have left something.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array of shape (n, m)
            The same, with these set to zero.
        """
        seen = self.seen(W)
        return seen if self.weights is None else seen * namespace(W).astype(self.weights > 0, W.dtype)[:, None]

    def residuals(self, P: Array) -> Array:
        """m_i (t_i - p_i).

        Parameters
        ----------
        P : array of shape (n, m)
            Predictions.

        Returns
        -------
        array of shape (n, m)
            The residuals, zero where nothing was observed.
        """
        return self.seen(self.targets - P)

    @by_rows
    def residual_norms(self, P: Array) -> Array:
        """|m_i (p_i - t_i)|, and what the basis leaves out with it.

        Parameters
        ----------
        P : array of shape (n, m)
            Predictions.

        Returns
        -------
        array of shape (n,)
            The norms.
        """
        squares = row_norms(self.residuals(P)) ** 2
        return namespace(P).sqrt(squares if self.tails is None else squares + self.tails**2)

    def _only_seen(self, values: Array, W: Array) -> Array:
        if self.plain:
            return values
        xp = namespace(W)
        return xp.where(row_norms(W - self.supported(W)) > 0, xp.full_like(values, float("inf")), values)
