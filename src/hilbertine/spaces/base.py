"""What an output space is: coordinates in an orthonormal family, and the way back."""

from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

from ..arrays import Array, as_floats, inner, namespace
from ..doors import Doors
from ..site import Linked


class Space(Doors, Linked, BaseEstimator):
    """t_ij = <y_i, e_j> for an orthonormal family (e_j): an isometry on the span of the outputs.

    Must implement `fit`, `encode`, `decode` and `norms`; may implement `fit_measure`, where that is cheaper, and
    `tails` where outputs may be known in part. On the outputs it was fitted to, and as long as no component is dropped,
    inner products are kept: <t_i, t_j> = <y_i, y_j>.
    """

    DOORS: ClassVar = (
        "fit",
        "fit_measure",
        "encode",
        "decode",
        "norms",
        "tails",
        "inner",
    )

    @property
    def learned(self) -> bool:
        """Whether the span of the family depends on which outputs it was fitted to, beyond holding them all."""
        return True

    def fit(self, Y: Any) -> Self:
        """Choose the orthonormal family from the training outputs.

        Parameters
        ----------
        Y : array-like or list
            The training outputs.

        Returns
        -------
        Self
            The fitted space.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement fit(Y).")

    def fit_measure(self, Y: Any) -> tuple[Array, Array]:
        """`fit`, `encode` and `tails` in one: Y is read once.

        Parameters
        ----------
        Y : array-like or list
            The training outputs.

        Returns
        -------
        tuple of arrays of shape (n, m) and (n,)
            Their coordinates, and the norms of what these miss.
        """
        T = self.fit(Y).encode(Y)
        return T, self.tails(Y, T)

    def encode(self, Y: Any) -> Array:
        """The coordinates <y_i, e_j>, one row per output.

        Parameters
        ----------
        Y : array-like or list
            Outputs.

        Returns
        -------
        array of shape (n, m)
            The coordinates.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement encode(Y).")

    def decode(self, C: Array, candidates: Any = None) -> Any:
        """The output nearest to sum_j c_ij e_j.

        Parameters
        ----------
        C : array of shape (n, m)
            Points, in coordinates.
        candidates : list, default=None
            What to choose from, in spaces of objects.

        Returns
        -------
        array or list of length n
            Outputs.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement decode(C).")

    def norms(self, Y: Any) -> Array:
        """|y_i|; what the coordinates miss of it is the truncation tail.

        Parameters
        ----------
        Y : array-like or list
            Outputs.

        Returns
        -------
        array of shape (n,)
            The norms.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement norms(Y).")

    def tails(self, Y: Any, T: Array) -> Array:
        """sqrt(|y_i|^2 - |t_i|^2), what the coordinates T miss of the outputs; zero where it is only rounding.

        Parameters
        ----------
        Y : array-like or list
            Outputs.
        T : array of shape (n, m)
            Their coordinates.

        Returns
        -------
        array of shape (n,)
            The norms of what is missed.
        """
        return missed(as_floats(self.norms(Y), T) ** 2, T)


def missed(squares: Array, T: Array) -> Array:
    """sqrt(squares_i - |t_i|^2), zero where it is only rounding."""
    xp, rest = namespace(T), squares - inner(T, T)
    return xp.sqrt(xp.where(rest > 1e-13 * squares, rest, xp.zeros_like(rest)))
