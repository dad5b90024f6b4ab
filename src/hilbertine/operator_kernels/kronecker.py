"""Sums of separable terms: one matrix for the inputs and one for the outputs in each."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from ..arrays import Array, device_of, eigh, namespace, product, shifted
from ..factors import cholesky_solver
from ..lanczos import extreme_eigenvalues
from ..matrices import Dense, Held, Positive, Tall
from ..matrices.base import Solve
from ..matrices.held import together
from .gram import MARGIN, SMALL, Gram

# Up to so many shifts a Cholesky factor and its inverse for each cost less than one eigendecomposition for all.
FEW_SHIFTS = 6


class Kronecker(Gram):
    """W -> sum_t K_t W S_t, each K_t a matrix that solves; S_t is None for the identity.

    Terms with the same S_t are added where their matrices can be. With one term left it solves by the factor of K, or
    in the eigenvectors of K and S; with two, the second of few columns, by Woodbury's identity on the first.

    Parameters
    ----------
    terms : sequence of (Positive, array or None)
        The pairs (K_t, S_t).
    m : int
        The number of columns of the matrices it acts on.
    needed : float, default=0.0
        What a fit with it was told to take of the memory.
    """

    def __init__(self, terms: Sequence[tuple[Positive, Array | None]], m: int, needed: float = 0.0):
        self.terms = gathered(terms)
        self.needed = needed
        K = self.terms[0][0]
        super().__init__(K.like, (K.size, m))

    @classmethod
    def dense(cls, K: Array, m: int, S: Array | None = None) -> "Kronecker":
        """W -> K W S from the numbers of K.

        Parameters
        ----------
        K : array of shape (n, n)
            Values of a scalar kernel.
        m : int
            The number of coordinates of the outputs.
        S : array of shape (m, m), default=None
            The output operator; None is the identity.

        Returns
        -------
        Kronecker
            The operator.
        """
        return cls([(Dense(K), S)], m)

    def __matmul__(self, W: Array) -> Array:
        # The small product first: n m^2 operations before n^2 m.
        parts = [K @ (W if S is None else product(W, S)) for K, S in self.terms]
        return sum(parts[1:], parts[0])

    def many(self, stack: Array) -> Array:
        # Side by side, so that each matrix is read once.
        xp, (n, k, m) = namespace(stack), map(int, stack.shape)
        rows = xp.reshape(stack, (n * k, m))
        parts = [K @ xp.reshape(rows if S is None else product(rows, S), (n, k * m)) for K, S in self.terms]
        return xp.reshape(sum(parts[1:], parts[0]), (n, k, m))

    def diagonal(self) -> Array:
        xp = namespace(self.like)
        one = xp.ones(self.shape[1], dtype=self.like.dtype, device=device_of(self.like))
        parts = [K.diagonal()[:, None] * (one if S is None else xp.linalg.diagonal(S))[None, :] for K, S in self.terms]
        return sum(parts[1:], parts[0])

    def mean_diagonal(self) -> float:
        xp, m = namespace(self.like), self.shape[1]
        traces = ((K.trace(), float(m) if S is None else float(xp.sum(xp.linalg.diagonal(S)))) for K, S in self.terms)
        return sum(k * s for k, s in traces) / (self.shape[0] * m)

    def weighted(self, root: Any) -> "Kronecker":
        return Kronecker([(K.weighted(root), S) for K, S in self.terms], self.shape[1])

    def restricted(self, rows: Array) -> "Kronecker":
        return Kronecker([(K.restricted(rows), S) for K, S in self.terms], self.shape[1])

    def times(self, k: Array) -> Gram:
        values = [(K.entries(), S) for K, S in self.terms]
        if any(K is None for K, _ in values):
            return super().times(k)
        return Kronecker([(Dense(k * K), S) for K, S in values], self.shape[1])

    def plus(self, other: Gram) -> Gram:
        if not isinstance(other, Kronecker):
            return super().plus(other)
        return Kronecker([*self.terms, *other.terms], self.shape[1], self.needed + other.needed)

    def entries(self) -> tuple[Array, Array | None] | None:
        K, S = self.terms[0]
        values = K.entries() if len(self.terms) == 1 else None
        return None if values is None else (values, S)

    def tall(self) -> Tall | None:
        found = self.by_features()
        return None if found is None or found[1] is not None else found[0]

    def by_features(self) -> tuple[Tall, Array | None] | None:
        K, S = self.terms[0]
        F: Tall | None = K.tall() if len(self.terms) == 1 else None
        return None if F is None else (F, S)

    def approximation(self) -> "Kronecker | None":
        near = [(K.approximation(), K, S) for K, S in self.terms]
        if all(L is None for L, _, _ in near):
            return None
        return Kronecker([(K if L is None else L, S) for L, K, S in near], self.shape[1])

    def held(self) -> Held:
        found = together([K.held() for K, _ in self.terms], (self.shape[0], self.shape[0]))
        return found._replace(needed=int(self.needed))

    def norm(self) -> float:
        if len(self.terms) > 1:
            return super().norm()
        K, S = self.terms[0]
        return MARGIN * max(K.largest() * (1.0 if S is None else extreme_eigenvalues(S)[1]), 0.0)

    def operator_norm(self) -> float:
        if len(self.terms) > 1:
            return super().operator_norm()
        K, S = self.terms[0]
        return float(namespace(self.like).max(K.diagonal())) * (1.0 if S is None else float(eigh(S)[0][-1]))

    @property
    def solvable(self) -> bool:
        return len(self.terms) == 1 or super().solvable or self._narrow() is not None

    def _solver(self, theta: float) -> Solve | None:
        if len(self.terms) == 1:
            K, S = self.terms[0]
            return K.solver(theta) if S is None else self._in_eigenvectors(theta)
        narrow = self._narrow()
        return super()._solver(theta) if narrow is None else woodbury(*narrow, theta)

    def _in_eigenvectors(self, theta: float) -> Solve | None:
        """In the eigenvectors of S the columns come apart."""
        K, S = self.terms[0]
        s, V = positive_eigh(S)
        solve, Vt = K.column_solver(s, theta), namespace(V).permute_dims(V, (1, 0))
        if solve is None:
            return None
        return lambda R, start=None: product(solve(product(R, V)), Vt)

    @cached_property
    def eigenbases(self) -> tuple[tuple[Array, Array], tuple[Array, Array]] | None:
        """((k, U), (s, V)) in which the one term is diagonal: U^T (K W S) V = k s * (U^T W V)."""
        K, S = self.terms[0]
        if K.eigenpairs is None:
            return None
        xp, m = namespace(self.like), self.shape[1]
        if S is None:
            one = xp.ones(m, dtype=self.like.dtype, device=device_of(self.like))
            return K.eigenpairs, (one, xp.eye(m, dtype=self.like.dtype, device=device_of(self.like)))
        return K.eigenpairs, positive_eigh(S)

    def _narrow(self) -> tuple["Kronecker", Array, Array | None] | None:
        """(the first term, F, S) where there are two and the second is F F^T W S with few columns in all."""
        if len(self.terms) != 2:
            return None
        m = self.shape[1]
        for first, (K, S) in (self.terms, self.terms[::-1]):
            if K.width is not None and K.width * m <= min(SMALL, self.shape[0]):
                return Kronecker([first], m), K.features(), S
        return None

    def left_out(self, T: Array, thetas: Sequence[float]) -> Iterator[tuple[Array, Array]] | None:
        if len(self.terms) > 1:
            return None
        K, S = self.terms[0]
        if S is None and len(thetas) <= FEW_SHIFTS:
            found = [pair for pair in (K.inverse(theta, T) for theta in thetas) if pair is not None]
            return iter([(C, C / diagonal[:, None]) for C, diagonal in found]) if found else None
        return None if self.eigenbases is None else self._left_out_in_eigenvectors(T, thetas)

    def _left_out_in_eigenvectors(self, T: Array, thetas: Sequence[float]) -> Iterator[tuple[Array, Array]]:
        """Both in the eigenvectors of S, where [A^-1]_ii has a value for each of them, and turned back."""
        assert self.eigenbases is not None
        (k, U), (s, V) = self.eigenbases
        xp = namespace(T)
        Q, Vt, squares = product(T, V), xp.permute_dims(V, (1, 0)), U * U
        C0 = product(xp.permute_dims(U, (1, 0)), Q)
        rest = Q - product(U, C0)
        outside = xp.clip(1.0 - xp.sum(squares, axis=1), min=0.0)[:, None]
        if U.shape[0] == U.shape[1]:
            rest, outside = 0.0 * rest, 0.0 * outside
        for theta in thetas:
            shrink = 1.0 / (k[:, None] * s[None, :] + theta)
            C = product(U, shrink * C0) + rest / theta
            yield product(C, Vt), product(C / (product(squares, shrink) + outside / theta), Vt)


def positive_eigh(S: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of a positive semi-definite matrix: none is left a hair below zero."""
    s, V = eigh(S)
    return namespace(s).clip(s, min=0.0), V


def gathered(terms: Sequence[tuple[Positive, Array | None]]) -> list[tuple[Positive, Array | None]]:
    """The terms, those with one and the same S added where their matrices can be."""
    found: list[tuple[Positive, Array | None]] = []
    for K, S in terms:
        for place, (L, other) in enumerate(found):
            total = L.plus(K) if S is other else None
            if total is not None:
                found[place] = total, S
                break
        else:
            found.append((K, S))
    return found


def woodbury(first: Kronecker, F: Array, S: Array | None, theta: float) -> Solve | None:
    """(A + B B^T)^-1 = A^-1 - Z (I + B^T Z)^-1 Z^T, Z = A^-1 B, A = first + theta I, B = F (x) S^(1/2)."""
    solve = first.solver(theta)
    if solve is None:
        return None
    xp, (n, m) = namespace(F), first.shape
    if S is None:
        half = xp.eye(m, dtype=F.dtype, device=device_of(F))
    else:
        s, V = positive_eigh(S)
        half = V * xp.sqrt(s)[None, :]
    columns = [F[:, k][:, None] * half[:, j][None, :] for k in range(int(F.shape[1])) for j in range(m)]
    B = xp.stack([xp.reshape(column, (n * m,)) for column in columns])
    Z = xp.stack([xp.reshape(solve(column), (n * m,)) for column in columns])
    small = cholesky_solver(shifted(product(B, xp.permute_dims(Z, (1, 0))), 1.0))

    def both(R: Array, start: Any = None) -> Array:
        c = small(product(Z, xp.reshape(R, (n * m, 1))))
        return solve(R) - xp.reshape(product(xp.permute_dims(Z, (1, 0)), c), (n, m))

    return both
