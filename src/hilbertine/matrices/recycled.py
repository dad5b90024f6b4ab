"""What earlier solutions with one matrix say about the next one."""

from ..arrays import Array, frobenius, namespace, product, shifted
from ..factors import cholesky_solver
from .blocks import transposed

# Columns that are remembered, each with its image.
COLUMNS = 64
# Images smaller than this part of the right-hand side have lost too many digits to stand for K D.
WORTHWHILE = 1e-7


class Recycled:
    """Corrections D of earlier solutions with their images K D: a start that needs no product.

    For the shift theta it is the best combination V c in the norm of A = K + theta I, c = (V^T A V)^-1 V^T R. Right
    hand sides that follow each other lie nearly in the span of those before them, and any theta may follow any other.
    """

    def __init__(self) -> None:
        self.found: list[tuple[Array, Array]] = []

    def start(self, R: Array, theta: float) -> tuple[Array, Array]:
        """(V c, R - A V c).

        Parameters
        ----------
        R : array of shape (n, m)
            Right-hand sides.
        theta : float
            The shift.

        Returns
        -------
        tuple of two arrays of shape (n, m)
            Where to begin, and what is left there.
        """
        if not self.found:
            return namespace(R).zeros_like(R), R
        V, AV = (namespace(R).concat([pair[k] for pair in self.found], axis=1) for k in (0, 1))
        AV = AV + theta * V
        G = product(transposed(V), AV)
        diagonal = namespace(G).linalg.diagonal(G)
        scale = 1.0 / namespace(G).sqrt(namespace(G).clip(diagonal, min=1e-300))
        # Directions are scaled to one, and what depends on others is left to the small shift.
        G = scale[:, None] * ((G + transposed(G)) / 2.0) * scale[None, :]
        c = cholesky_solver(shifted(G, 1e-11))(scale[:, None] * product(transposed(V), R))
        c = scale[:, None] * c
        return product(V, c), R - product(AV, c)

    def learn(self, D: Array, AD: Array, R: Array, theta: float) -> None:
        """One more correction, unless its image is little more than what rounding leaves of R; the oldest ones go.

        Parameters
        ----------
        D, AD : array of shape (n, m)
            The correction and K D + theta D.
        R : array of shape (n, m)
            The right-hand sides it comes from.
        theta : float
            The shift.
        """
        m = int(D.shape[1])
        if m <= COLUMNS and frobenius(AD) > WORTHWHILE * frobenius(R):
            self.found = [*self.found, (D, AD - theta * D)][-(COLUMNS // m) :]
