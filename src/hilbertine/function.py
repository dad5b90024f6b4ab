"""A fitted model is a function: what predicts, and what is kept."""

from typing import Any, Self

from .arrays import Array, blocks, count, is_array, namespace
from .memory import rows_of
from .operator_kernels import OperatorValuedKernel, apply


class Expansion:
    """h(x) = c + sum_i K(x, x_i) w_i / (lam n), in coordinates.

    Where the kernel has features it is compact: B = F^T W, p x m numbers, and no training points.

    Parameters
    ----------
    kernel : OperatorValuedKernel
        A fitted kernel.
    W : array of shape (n, m)
        The dual variables.
    scale : float
        lam n.
    centre : array of shape (m,), default=None
        c, what was taken off the targets.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.kernels import Linear
    >>> from hilbertine.operator_kernels import Separable
    >>> X, W = np.array([[1.0], [2.0]]), np.array([[1.0], [1.0]])
    >>> Expansion(Separable(Linear()).fit(X, W), W, scale=3.0)(np.array([[2.0]]))
    array([[2.]])
    """

    def __init__(self, kernel: OperatorValuedKernel, W: Array, scale: float, centre: Array | None = None):
        self.kernel = kernel
        self.coefficients = kernel.condense(W)
        self.width = count(self.coefficients) if is_array(self.coefficients) else int(W.shape[0])
        self.scale = scale
        self.centre = centre

    def compact(self) -> Self:
        """The same function without the training points, where the kernel can do without."""
        self.kernel = self.kernel.compact()
        return self

    def __call__(self, X: Any) -> Array:
        """h(x_i), a block of points at a time.

        Parameters
        ----------
        X : array-like
            New inputs, as the kernel takes them.

        Returns
        -------
        array of shape (n_new, m)
            The predicted points, in coordinates.
        """
        values = [self.at(self.kernel.cross(part)) for part in blocks(X, rows_of(self.width))]
        return namespace(values[0]).concat(values)

    def at(self, cross: Any) -> Array:
        """h at the points that `kernel.cross` has read.

        Parameters
        ----------
        cross : array or object with @
            What `kernel.cross(X)` returned.

        Returns
        -------
        array of shape (n_new, m)
            The predicted points, in coordinates.
        """
        values = apply(cross, self.coefficients) / self.scale
        return values if self.centre is None else values + self.centre
