"""Proximal point with semismooth Newton steps: few and exact, for one output or few samples."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Array, as_floats, namespace, product, shifted, to_numpy
from ..dual import Dual
from ..factors import cholesky_solver
from ..risk import Risk
from ..spread import is_spread
from .base import Solver
from .solution import Step

NEWTON_STEPS = 60
# Numbers in W up to which a Newton system over several outputs is affordable.
MOST = 2000
# A Newton step ends where the derivative along it is at most this part of what it was, or after so many trials.
FLAT = 0.5
TRIALS = 30
NOISE = 1e-10
# Relative residuals from which on a Newton step that does not halve them shows rounding.
CLOSE = 1e-9


class ProximalPoint(Solver):
    """W <- argmin_V (D)(V) + sigma/2 |V - W|^2, with sigma -> 0, each minimised by Newton steps on its own dual.

    The Newton system is over what can move: with one output the rows neither zero nor on the cap, with several what the
    derivative of the proximal map leaves of each row. Where that is little, a step costs less than a Gram product.
    Singular kernels, tiny lam and losses without curvature do not slow it: that is what it is for, whatever the loss
    and the Gram operator. NumPy does the work, whatever the arrays.
    """

    def missing(self, dual: Dual) -> str | None:
        n, m = dual.targets.shape
        if is_spread(dual.targets):
            return "works at the client, and these rows are on a cluster"
        if n * m <= MOST:
            return None
        if m > 1:
            return f"needs one output, or at most {MOST} numbers in W"
        return None if dual.gram.entries() is not None else "needs one separable term whose matrix is at hand"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        G = Operator(numbers(dual), tuple(W.shape))
        # Of the size of the diagonal the first subproblems are easy; they become exact as sigma falls.
        sigma = G.mean_diagonal + dual.risk.loss.curvature or 1.0
        floor = 1e-16 * sigma
        lowest = math.inf, W, P
        while True:
            W = proximal_step(Subproblem(G, dual.risk, W, sigma), P)
            P = G @ W
            yield Step(W, P, float(dual.gap(W, P)))
            value = float(dual.objective(W, P))
            if value > lowest[0] + 1e-12 * abs(lowest[0]):
                # Exact steps never rise. A row is a residual over sigma: so small a sigma shows rounding.
                floor = sigma = 10.0 * sigma
                _, W, P = lowest
            else:
                lowest = value, W, P
                sigma = max(0.2 * sigma, floor)


def numbers(dual: Dual) -> Array:
    """G / (lam n) as a matrix of NumPy."""
    known = dual.gram.entries() if dual.targets.shape[1] == 1 else None
    if known is None:
        return to_numpy(dual.gram.matrix) / dual.scale
    K, S = known
    return to_numpy(K) * ((1.0 if S is None else float(S[0, 0])) / dual.scale)


class Operator(NamedTuple):
    """W -> G W for an nm x nm matrix G of NumPy, in the arrays that W comes in."""

    G: Array
    shape: tuple[int, ...]

    def __matmul__(self, W: Array) -> Array:
        return as_floats(product(self.G, to_numpy(W).reshape(-1, 1)).reshape(self.shape), W)

    @property
    def mean_diagonal(self) -> float:
        return float(np.mean(np.diag(self.G)))

    def between(self, places: Array, roots: Array) -> Array:
        """R^T G R, R the blocks `roots` (k, m, m) at the rows in `places`."""
        n, m = self.shape
        if m == 1:
            return self.G[np.ix_(places, places)] * roots[:, 0, 0][:, None] * roots[:, 0, 0]
        G, turned = self.G.reshape(n, m, n, m)[places][:, :, places], roots.transpose(0, 2, 1)
        half = np.matmul(turned, G.reshape(len(places), m, -1)).reshape(len(places) * m, -1)
        return np.matmul(turned, half.T.reshape(len(places), m, -1)).reshape(half.shape)


class Subproblem(NamedTuple):
    """theta(Q) = <Q, G Q>/2 + e(W - G Q/sigma), e(V) = max_X sigma <V, X> - sigma |X|^2/2 - sum_i l_i*(-x_i).

    Its gradient is G (Q - X): at the minimum Q = X, the next W.
    """

    G: Operator
    risk: Risk
    W: Array
    sigma: float

    def maximiser(self, GQ: Array) -> Array:
        """The X of e at V = W - G Q/sigma, a proximal step."""
        return self.risk.prox(self.W - GQ / self.sigma, 1.0 / self.sigma)

    def direction(self, residual: Array, GQ: Array) -> Array:
        """D with D + J G D = residual, J = R R^T the derivative of X: D = residual - R (I + R^T G R)^-1 R^T G residual.

        Only what J leaves of the rows enters the system.
        """
        J = to_numpy(self.risk.derivative(self.W - GQ / self.sigma, 1.0 / self.sigma)) / self.sigma
        places = np.flatnonzero(np.abs(J).max(axis=(1, 2)) > 0)
        if not len(places):
            return residual
        roots = square_roots(J[places])
        kept = np.flatnonzero(np.abs(roots).max(axis=1).reshape(-1) > 0)
        A = self.G.between(places, roots)
        A = A if len(kept) == len(A) else A[np.ix_(kept, kept)]
        solve = cholesky_solver(shifted(A, 1.0, overwrite=True))
        pushed, inside = to_numpy(self.G @ residual)[places], np.zeros(roots.shape[:2])
        inside.flat[kept] = solve(applied(roots.transpose(0, 2, 1), pushed).reshape(-1, 1)[kept])[:, 0]
        moved = np.zeros(self.G.shape)
        moved[places] = applied(roots, inside)
        return residual - as_floats(moved, residual)


def applied(blocks: Array, rows: Array) -> Array:
    """b_i r_i, block by block."""
    return np.matmul(blocks, rows[:, :, None])[:, :, 0]


def square_roots(J: Array) -> Array:
    """R with J = R R^T, block by block; columns that rounding alone would fill are zero."""
    if J.shape[1] == 1:
        return np.sqrt(J)
    values, vectors = np.linalg.eigh(J)
    values = np.where(values > 1e-12 * values[:, -1:], values, 0.0)
    return vectors * np.sqrt(values)[:, None, :]


def proximal_step(problem: Subproblem, P: Array) -> Array:
    """The new W: Newton on theta from Q = W, whose predictions P are known."""
    Q, GQ = problem.W, P
    xp = namespace(Q)
    X = problem.maximiser(GQ)
    before = math.inf
    for _ in range(NEWTON_STEPS):
        residual = X - Q
        # Down to rounding, because G multiplies what is left.
        left = float(xp.max(xp.abs(residual))) / max(float(xp.max(xp.abs(X))), 1e-300)
        if left <= CLOSE and (left == 0 or left > before / 2.0):
            break
        before = left
        D = problem.direction(residual, GQ)
        GD = problem.G @ D
        # What of the residual G does not see leaves rounding in place of a derivative.
        terms = residual * GD
        fall = max(float(xp.sum(terms)), NOISE * float(xp.sum(xp.abs(terms))))
        step = bottom(lambda t: float(xp.sum((Q + t * D - problem.maximiser(GQ + t * GD)) * GD)), fall)  # noqa: B023
        Q, GQ = Q + step * D, GQ + step * GD
        X = problem.maximiser(GQ)
    return X


def bottom(rate: Callable[[float], float], fall: float) -> float:
    """Where on (0, 1] a convex function with the derivative `rate`, -fall at 0, falls no more, roughly; 1 if it does.

    Derivatives lose no digits to the difference of two values.
    """
    if (above := rate(1.0)) <= FLAT * fall:
        return 1.0
    lower, below, upper = 0.0, -fall, 1.0
    for trial in range(TRIALS):
        # Regula falsi, by turns with bisection: the derivative jumps and bends. From zero on no mean leads away.
        secant = lower + (upper - lower) * below / (below - above)
        step = (secant, 0.1 * upper if lower == 0 else (lower + upper) / 2.0)[trial % 2]
        there = rate(step)
        if abs(there) <= FLAT * fall:
            return step
        if there < 0:
            lower, below = step, there
        else:
            upper, above = step, there
    return lower or upper
