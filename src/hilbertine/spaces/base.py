"""What an output space is: coordinates in an orthonormal family, and the way back."""

from typing import Any, Self

from sklearn.base import BaseEstimator

from ..arrays import Array, as_floats, inner, namespace


class Space(BaseEstimator):
    """t_ij = <y_i, e_j> for an orthonormal family (e_j): an isometry on the span of the outputs.

    Must implement `fit`, `encode`, `decode` and `norms`; may implement `fit_measure`, where that is cheaper, and
    `tails` where outputs may be known in part. On the outputs it was fitted to, and as long as no component is dropped,
    inner products are kept: <t_i, t_j> = <y_i, y_j>.
    """

    @property
    def learned(self) -> bool:
        """Whether the span of the family depends on which outputs it was fitted to, beyond holding them all."""
        return True

    def fit(self, Y: Any) -> Self:
        """Choose the orthonormal family from the training outputs."""
        raise NotImplementedError(f"{type(self).__name__} must implement fit(Y).")

    def fit_measure(self, Y: Any) -> tuple[Array, Array]:
        """`fit`, then the coordinates of the training outputs and the norms of what these miss: Y is read once."""
        T = self.fit(Y).encode(Y)
        return T, self.tails(Y, T)

    def encode(self, Y: Any) -> Array:
        """The coordinates <y_i, e_j>, one row per output."""
        raise NotImplementedError(f"{type(self).__name__} must implement encode(Y).")

    def decode(self, C: Array, candidates: Any = None) -> Any:
        """The output nearest to sum_j c_ij e_j."""
        raise NotImplementedError(f"{type(self).__name__} must implement decode(C).")

    def norms(self, Y: Any) -> Array:
        """|y_i|; what the coordinates miss of it is the truncation tail."""
        raise NotImplementedError(f"{type(self).__name__} must implement norms(Y).")

    def tails(self, Y: Any, T: Array) -> Array:
        """sqrt(|y_i|^2 - |t_i|^2), what the coordinates T miss of the outputs; zero where it is only rounding."""
        return missed(as_floats(self.norms(Y), T) ** 2, T)


def missed(squares: Array, T: Array) -> Array:
    """sqrt(squares_i - |t_i|^2), zero where it is only rounding."""
    xp, rest = namespace(T), squares - inner(T, T)
    return xp.sqrt(xp.where(rest > 1e-13 * squares, rest, xp.zeros_like(rest)))
