"""A loss entry by entry: what is bad is a cell of the table of outputs, not its row."""

from ..arrays import Array, namespace
from .base import Loss
from .radial import Radial, eye


class Cells(Loss):
    """l(p, y) = sum_j phi(|p_j - y_j|): one bad sensor among many costs its own cell, not the sample.

    For canonical coordinates only, R^p or the points of a grid, where entry j means something: turning the outputs
    changes the loss, so that Assumption 2 does not hold. The dual rows have no largest norm; their entries stay within
    `cell_cap`.

    Parameters
    ----------
    loss : Radial
        The loss phi of one cell, such as `Huber(1.0)`; a length in it is one of entries.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.losses import Huber
    >>> Cells(Huber(kappa=1.0)).value(np.array([[0.5, 3.0]]), np.zeros((1, 2)))
    array([2.625])
    """

    entrywise = True

    def __init__(self, loss: Radial):
        self.loss = loss

    @property
    def part(self) -> Radial:
        """The loss of one cell, checked."""
        if not isinstance(self.loss, Radial):
            raise TypeError(
                f"Cells takes a radial loss phi(|p - y|) for each entry, and {self.loss!r} is none; "
                "pass a loss such as Huber(1.0)."
            )
        return self.loss

    @property
    def cell_cap(self) -> float:
        return self.part.cap

    @property
    def curvature(self) -> float:
        return self.part.curvature

    def flat(self) -> Loss:
        return Cells(self.part.flat())

    def reach(self, W: Array) -> Array:
        # That of the cell which has most of it.
        return namespace(W).max(namespace(W).abs(W), axis=1) / self.cell_cap

    def value(self, P: Array, T: Array) -> Array:
        self.agree(P, T)
        return _row_sums(self.part.value(_cells(P), _cells(T)), P)

    def conjugate(self, W: Array, T: Array) -> Array:
        self.agree(W, T)
        return _row_sums(self.part.conjugate(_cells(W), _cells(T)), W)

    def prox(self, W: Array, T: Array, step: float) -> Array:
        self.agree(W, T, step)
        return namespace(W).reshape(self.part.prox(_cells(W), _cells(T), step), W.shape)

    def derivative(self, W: Array, T: Array, step: float) -> Array:
        rates = namespace(W).reshape(self.part.derivative(_cells(W), _cells(T), step), W.shape)
        return rates[:, :, None] * eye(W)

    def check_trainable(self) -> None:
        self.part.check_trainable()


def _cells(A: Array) -> Array:
    """The entries of A, each a row of one number."""
    return namespace(A).reshape(A, (-1, 1))


def _row_sums(numbers: Array, like: Array) -> Array:
    """Numbers of cells summed over the rows of the matrix that they belong to."""
    xp = namespace(like)
    return xp.sum(xp.reshape(numbers, like.shape), axis=1)
