"""Proximal point with semismooth Newton steps: few and exact, for one output."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..arrays import Array, as_floats, to_numpy
from ..dual import Dual
from ..losses import Coefficients
from .base import Solver, Step

NEWTON_STEPS = 60


class ProximalPoint(Solver):
    """w <- argmin_v (D)(v) + sigma/2 |v - w|^2, with sigma -> 0, each minimised by Newton steps on its own dual.

    For one output the Newton system is (G_FF + sigma/d I) on the free rows F alone, those neither zero nor on the cap;
    where they are few, a step costs less than a Gram product. Singular kernels, tiny lam and losses without curvature
    do not slow it: that is what it is for. NumPy does the work, whatever the arrays.
    """

    def missing(self, dual: Dual) -> str | None:
        if dual.loss.coefficients is None:
            return f"needs a loss with coefficients (a, b, c), and {dual.loss!r} has none"
        if dual.targets.shape[1] != 1:
            return "needs one output"
        return None if dual.gram.separable else "needs one separable term, and this kernel is a sum"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        loss = dual.loss.coefficients
        assert loss is not None
        K, S = dual.gram.terms[0]
        G = to_numpy(K) * ((1.0 if S is None else float(S[0, 0])) / dual.scale)
        t, w, p = (to_numpy(column)[:, 0] for column in (dual.targets, W, P))
        # Of the size of the diagonal the first subproblems are easy; they become exact as sigma falls.
        sigma = float(np.mean(np.diag(G))) + loss.a or 1.0
        while True:
            w = _proximal_step(Subproblem(G, t, w, loss, sigma), p)
            p = G @ w
            # A row is a residual over sigma: below this the rounding of the residuals would show in the rows.
            sigma = max(0.2 * sigma, 1e-8 * float(np.max(np.abs(t)) / max(np.max(np.abs(w)), 1e-300)))
            new, predictions = (as_floats(v[:, None], dual.targets) for v in (w, p))
            yield Step(new, predictions, float(dual.gap(new, predictions)))


class Subproblem(NamedTuple):
    """theta(q) = <q, G q>/2 + e(w - G q/sigma), e(v) = max_x sigma <v, x> - sigma |x|^2/2 - sum_i l_i*(-x_i)."""

    G: Array
    t: Array
    w: Array
    loss: Coefficients
    sigma: float

    def maximiser(self, Gq: Array) -> tuple[Array, Array]:
        """The x of e at v = w - G q/sigma, and which of its rows are free to move."""
        a, b, c = self.loss
        z = self.sigma * self.w - Gq + self.t
        lengths = (np.abs(z) - b) / (self.sigma + a)
        return np.sign(z) * np.clip(lengths, 0.0, c), (lengths > 0) & (lengths < c)

    def value(self, q: Array, Gq: Array) -> float:
        a, b, _ = self.loss
        x, _ = self.maximiser(Gq)
        linear = (self.sigma * self.w - Gq + self.t) * x
        return float(q @ Gq / 2 + np.sum(linear - (self.sigma + a) * x * x / 2 - b * np.abs(x)))


def _proximal_step(problem: Subproblem, p: Array) -> Array:
    """The new w: Newton on theta from q = w, whose predictions p are known, with an Armijo search."""
    G, _, q, loss, sigma = problem
    Gq = p
    for _ in range(NEWTON_STEPS):
        x, free = problem.maximiser(Gq)
        residual = x - q
        if np.linalg.norm(residual) <= 1e-10 * np.linalg.norm(x):
            break
        direction = residual.copy()
        if free.any():
            F, rest = np.flatnonzero(free), np.flatnonzero(~free)
            A = G[np.ix_(F, F)]
            A[np.diag_indices(len(F))] += sigma + loss.a
            right = (sigma + loss.a) * residual[F] - G[np.ix_(F, rest)] @ residual[rest]
            direction[F] = scipy.linalg.solve(A, right, assume_a="pos", check_finite=False)
        Gd = G @ direction
        slope, value, step = float((q - x) @ Gd), problem.value(q, Gq), 1.0
        while step > 1e-8 and problem.value(q + step * direction, Gq + step * Gd) > value + 1e-4 * step * slope:
            step /= 2
        if step <= 1e-8:
            break
        q, Gq = q + step * direction, Gq + step * Gd
    return problem.maximiser(Gq)[0]
