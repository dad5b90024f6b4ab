"""Conjugate gradients for many right-hand sides at once, preconditioned, from a warm start."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..arrays import Array, frobenius, namespace, orthonormal, product, solve
from .blocks import transposed

Map = Callable[[Array], Array]


class Solved(NamedTuple):
    """A solution, what is left of the right-hand side, and what it took.

    Parameters
    ----------
    solution : array of shape (n, m)
        X.
    residual : array of shape (n, m)
        R - A X, as the recursion has it.
    steps : int
        Products with A.
    converged : bool
        Whether the residual is as small as was asked.
    """

    solution: Array
    residual: Array
    steps: int
    converged: bool


class Shared:
    """All columns under one map: each step minimises over the directions of all of them."""

    @staticmethod
    def dots(P: Array, Q: Array) -> Array:
        """P^T Q."""
        return product(transposed(P), Q)

    @staticmethod
    def over(G: Array, H: Array) -> Array:
        """G^-1 H."""
        return solve((G + transposed(G)) / 2.0, H)

    @staticmethod
    def times(P: Array, c: Array) -> Array:
        """P c."""
        return product(P, c)

    @staticmethod
    def basis(Z: Array) -> Array:
        """The span of the columns; where some depend on others, an orthonormal basis stays one."""
        return orthonormal(Z)


class Separate:
    """One step length for each column (axis 0), or for the matrix as one vector (None)."""

    def __init__(self, axis: int | None):
        self.axis = axis

    def dots(self, P: Array, Q: Array) -> Array:
        """<p, q>."""
        return namespace(P).sum(P * Q, axis=self.axis, keepdims=True)

    def over(self, G: Array, H: Array) -> Array:
        """h / g, zero where a column has arrived."""
        arrived = G <= 0
        return namespace(G).where(arrived, 0.0 * H, H / namespace(G).where(arrived, 1.0 + 0.0 * G, G))

    def times(self, P: Array, c: Array) -> Array:
        """c p."""
        return P * c

    def basis(self, Z: Array) -> Array:
        """As they are."""
        return Z


SHARED, BY_COLUMN, AS_ONE = Shared(), Separate(0), Separate(None)


def conjugate_gradients(
    apply: Map,
    R: Array,
    precondition: Map | None = None,
    start: Array | None = None,
    residual: Array | None = None,
    atol: float | None = None,
    most: int = 1000,
    form: Any = SHARED,
) -> Solved:
    """A^-1 R for a symmetric positive definite map of n x m matrices, until |R - A X| <= atol.

    With M, close to A^-1, each step is P <- basis(M E - P (P^T A P)^-1 (A P)^T M E) for the residual E: written with
    A P alone it survives directions that depend on each other, and a preconditioner that rounds.

    Parameters
    ----------
    apply : callable
        V -> A V.
    R : array of shape (n, m)
        Right-hand sides.
    precondition : callable, default=None
        E -> M E; None is the identity.
    start : array of shape (n, m), default=None
        Where to begin; None is zero.
    residual : array of shape (n, m), default=None
        R - A start where it is known, which saves a product.
    atol : float, default=None
        The norm of the residual at which to stop; None is 1e-6 of that of R.
    most : int, default=1000
        At most so many steps.
    form : SHARED, BY_COLUMN or AS_ONE, default=SHARED
        SHARED where A acts on each column in the same way, BY_COLUMN where on each in its own, AS_ONE for any A.

    Returns
    -------
    Solved
        The solution and what it took.
    """
    X = namespace(R).zeros_like(R) if start is None else start
    E = residual if residual is not None else R if start is None else R - apply(start)
    atol = 1e-6 * frobenius(R) if atol is None else atol
    last: tuple[Array, Array, Array] | None = None
    for steps in range(most):
        # Written so that NaN goes on to where it is seen.
        if frobenius(E) <= atol:
            return Solved(X, E, steps, True)
        Z = E if precondition is None else precondition(E)
        if last is not None:
            P, Q, G = last
            Z = Z - form.times(P, form.over(G, form.dots(Q, Z)))
        P = form.basis(Z)
        Q = apply(P)
        last = P, Q, form.dots(P, Q)
        move = form.over(last[2], form.dots(P, E))
        X, E = X + form.times(P, move), E - form.times(Q, move)
    return Solved(X, E, most, frobenius(E) <= atol)
