"""Proximal point with semismooth Newton steps: few and exact, for one output or few samples."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Array, as_floats, product, row_norms, shifted, to_numpy
from ..dual import Dual
from ..factors import cholesky_solver
from ..losses import Coefficients
from .base import Solver, Step

NEWTON_STEPS = 60
# Numbers in W up to which a Newton system over several outputs is affordable.
MOST = 2000


class ProximalPoint(Solver):
    """W <- argmin_V (D)(V) + sigma/2 |V - W|^2, with sigma -> 0, each minimised by Newton steps on its own dual.

    The Newton system is over the rows that can move alone: with one output those neither zero nor on the cap, with
    several those not zero, because rows on the cap turn. Where they are few, a step costs less than a Gram product.
    Singular kernels, tiny lam and losses without curvature do not slow it: that is what it is for. NumPy does the
    work, whatever the arrays.

    Parameters
    ----------
    tol : float, default=None
        The relative duality gap at which to stop; None takes the estimator's, or 1e-6.
    max_iter : int, default=None
        At most so many steps; None takes the estimator's, or 10000.
    check_every : int, default=10
        Steps between two certificates.
    callback : callable, default=None
        Called with a `Progress` at each certificate; None takes the estimator's.
    """

    def missing(self, dual: Dual) -> str | None:
        if dual.risk.coefficients is None:
            return f"needs whole rows and a loss with coefficients (a, b, c), and {dual.risk.loss!r} gives none here"
        n, m = dual.targets.shape
        if m > 1 and n * m > MOST:
            return f"needs one output, or at most {MOST} numbers in W"
        return None if dual.gram.entries() is not None else "needs one separable term whose matrix is at hand"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        loss, known = dual.risk.coefficients, dual.gram.entries()
        assert loss is not None
        assert known is not None
        K, S = known
        a, b, c = (part if isinstance(part, float) else to_numpy(part) for part in loss)
        loss = Coefficients(a, b, c)
        T, W, P = (to_numpy(part) for part in (dual.targets, W, P))
        G = Operator(to_numpy(K) / dual.scale, np.eye(T.shape[1]) if S is None else to_numpy(S))
        # Of the size of the diagonal the first subproblems are easy; they become exact as sigma falls.
        sigma = G.mean_diagonal + loss.a or 1.0
        floor = 1e-16 * sigma
        lowest = math.inf, W, P
        while True:
            W = _proximal_step(Subproblem(G, T, W, loss, sigma), P)
            P = G @ W
            new, predictions = (as_floats(part, dual.targets) for part in (W, P))
            yield Step(new, predictions, float(dual.gap(new, predictions)))
            value = float(dual.objective(new, predictions))
            if value > lowest[0] + 1e-12 * abs(lowest[0]):
                # Exact steps never rise. A row is a residual over sigma: so small a sigma shows rounding.
                floor = sigma = 10.0 * sigma
                _, W, P = lowest
            else:
                lowest = value, W, P
                sigma = max(0.2 * sigma, floor)


class Operator(NamedTuple):
    """W -> K W S."""

    K: Array
    S: Array

    def __matmul__(self, W: Array) -> Array:
        return product(self.K, product(W, self.S))

    @property
    def mean_diagonal(self) -> float:
        return float(np.mean(np.diag(self.K)) * np.mean(np.diag(self.S)))


class Subproblem(NamedTuple):
    """theta(Q) = <Q, G Q>/2 + e(W - G Q/sigma), e(V) = max_X sigma <V, X> - sigma |X|^2/2 - sum_i l_i*(-x_i)."""

    G: Operator
    T: Array
    W: Array
    loss: Coefficients
    sigma: float

    def maximiser(self, GQ: Array) -> tuple[Array, Array, Array]:
        """The X of e at V = W - G Q/sigma, and its derivative: across the direction of a row, and along it."""
        a, b, c = self.loss
        Z = self.sigma * self.W - GQ + self.T
        lengths = row_norms(Z)
        wanted = (lengths - b) / (self.sigma + a)
        across = np.clip(wanted, 0.0, c) / np.where(lengths > 0, lengths, 1.0)
        along = np.where((wanted > 0) & (wanted < c), 1.0 / (self.sigma + a), 0.0)
        return Z * across[:, None], across, along

    def value(self, Q: Array, GQ: Array) -> float:
        a, b, _ = self.loss
        X = self.maximiser(GQ)[0]
        s = row_norms(X)
        linear = np.sum((self.sigma * self.W - GQ + self.T) * X)
        return float(np.sum(Q * GQ) / 2 + linear - np.sum((self.sigma + a) * s * s / 2 + b * s))

    def direction(self, residual: Array, X: Array, across: Array, along: Array) -> Array:
        """D with D + J G D = residual, J the derivative of X: a system over the rows where J is not zero."""
        m = residual.shape[1]
        moving = np.flatnonzero((along > 0) | ((across > 0) & (m > 1)))
        if not len(moving):
            return residual
        lengths = row_norms(X)[moving]
        units = X[moving] / np.where(lengths > 0, lengths, 1.0)[:, None]
        # The square root of J, row by row, makes the system symmetric: I + J^1/2 G J^1/2.
        roots = np.sqrt(along[moving])[:, None, None] * units[:, :, None] * units[:, None, :]
        if m > 1:
            outside = np.eye(m) - units[:, :, None] * units[:, None, :]
            roots = roots + np.sqrt(across[moving])[:, None, None] * outside
        rest = residual.copy()
        rest[moving] = 0.0
        pushed = (self.G @ rest)[moving]
        right = residual[moving] - _apply(roots, _apply(roots, pushed))
        K = self.G.K[np.ix_(moving, moving)]
        image = _apply(roots, product(K, product(right, self.G.S)))
        solved = cholesky_solver(shifted(_between(roots, K, self.G.S), 1.0, overwrite=True))(image.reshape(-1, 1))
        rest[:] = residual
        rest[moving] = right - _apply(roots, solved.reshape(len(moving), m))
        return rest


def _between(roots: Array, K: Array, S: Array) -> Array:
    """J^1/2 (K W S) J^1/2 as a matrix."""
    n, m, _ = roots.shape
    if m == 1:
        scales = roots[:, 0, 0] * math.sqrt(S[0, 0])
        return K * scales[:, None] * scales
    return np.einsum("iab,bc,ij,jcd->iajd", roots, S, K, roots, optimize=True).reshape(n * m, n * m)


def _apply(blocks: Array, rows: Array) -> Array:
    return np.matmul(blocks, rows[:, :, None])[:, :, 0]


def _proximal_step(problem: Subproblem, P: Array) -> Array:
    """The new W: Newton on theta from Q = W, whose predictions P are known, with an Armijo search."""
    Q, GQ = problem.W, P
    for _ in range(NEWTON_STEPS):
        X, across, along = problem.maximiser(GQ)
        residual = X - Q
        if np.linalg.norm(residual) <= 1e-10 * np.linalg.norm(X):
            break
        D = problem.direction(residual, X, across, along)
        GD = problem.G @ D
        slope, value, step = -float(np.sum(residual * GD)), problem.value(Q, GQ), 1.0
        while step > 1e-8 and problem.value(Q + step * D, GQ + step * GD) > value + 1e-4 * step * slope:
            step /= 2
        if step <= 1e-8:
            break
        Q, GQ = Q + step * D, GQ + step * GD
    return problem.maximiser(GQ)[0]
