"""Newton steps on one number per row: outputs of any rank at the price of n unknowns."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from ..arrays import Array, frobenius, inner, namespace, outer, product, row_norms, shifted
from ..dual import Dual
from ..factors import cholesky_solver, positive_inverse
from .base import Solver
from .solution import Step

# Where the value has stood still for so many steps, what is left is rounding.
PATIENCE = 5
SMALLEST_STEP = 1 / 64
# How often rows that would pass their bound are put there, and the others solved for again.
ROUNDS = 4
# A row that leaves zero takes this part of the step that it would take alone.
RELEASED = 1e-2


class RowNewton(Solver):
    """W = (G + diag(d))^-1 T with |r_i| = d_i |w_i|: for a radial loss each row is parallel to its residual r_i.

    G stands for G/(lam n). The n numbers d_i minimise a convex function of u >= 0, however many columns T has:

        c = inf:  d = a + b/u,   b sum_i u_i / 2 - <T, W> / 2,     at the optimum u_i = |w_i|;
        b = 0:    d = a + u,     c^2 sum_i u_i / 2 + <T, W> / 2,   u_i the multiplier of |w_i| <= c.

    With Q = (G + diag(d))^-1 * W W^T, entry by entry, its second derivatives are diag(b |w|^2/u^3) - (b/u^2) Q (b/u^2)
    and Q. The equations solved are u/|w| = 1 and c/|w| = 1, nearly linear in u, so that a handful of steps is enough.
    """

    def missing(self, dual: Dual) -> str | None:
        known = dual.risk.coefficients if dual.risk.plain else None
        if known is None or known.a == 0 or (known.b > 0) == (known.c < math.inf):
            return f"needs phi*(s) = a s^2/2 with either a term b s or a cap, and {dual.risk.loss!r} is another loss"
        entries = dual.gram.entries()
        if entries is not None and entries[1] is None:
            return None
        return "needs a scalar kernel times the identity, and this kernel has another form"

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        rows = Rows(dual)
        point = rows.at(rows.start(W, P))
        stalled = 0
        while True:
            P = rows.predictions(point)
            guess = 0.0 if P is None else float(dual.gap(point.W, P))
            # A certificate needs the product: rounding may spoil the equation that gives predictions for free.
            if not guess > self.tolerance:
                del P
                P = dual.predict(point.W)
                guess = float(dual.gap(point.W, P))
            residuals = row_norms(dual.targets - P)
            P = None if guess > self.tolerance else P
            yield Step(point.W, P, guess)
            following = rows.step(point, residuals)
            stalled = stalled + 1 if following.value > point.value - 1e-15 * abs(point.value) else 0
            if stalled == PATIENCE:
                break
            point = following


class Point(NamedTuple):
    """u, h = 1/sqrt(d), the value of the function, |w_i| for W = h (I + h G h)^-1 h T, and W with its rows capped."""

    u: Array
    h: Array
    value: float
    lengths: Array
    W: Array


class Rows:
    """The convex function of u: its values, its Newton steps, and the W that u stands for."""

    def __init__(self, dual: Dual):
        loss, entries = dual.risk.coefficients, dual.gram.entries()
        assert loss is not None
        assert entries is not None
        K = entries[0]
        self.a, self.b, self.c = loss
        self.T, self.K, self.scale = dual.targets, K, dual.scale
        self.xp = namespace(self.T)
        self.own = self.xp.linalg.diagonal(K) / self.scale

    def start(self, W: Array, P: Array) -> Array:
        """The u of a W that is not zero, else that of samples each alone with its own kernel value."""
        warm, lengths = frobenius(W) > 0, row_norms(self.T)
        if self.b > 0:
            return row_norms(W) if warm else self.xp.clip(lengths - self.b, min=0.0) / (self.a + self.own)
        # What a residual has across its row is no part of d: it is the error of a W from another problem.
        wanted = inner(self.T - P, W) / self.c**2 if warm else lengths / self.c - self.own
        return self.xp.clip(wanted - self.a, min=0.0)

    def at(self, u: Array) -> Point:
        """Everything at u; rows with u = 0 of a tube have h = 0, and with it w = 0."""
        h = self.xp.sqrt(u / (self.a * u + self.b) if self.b > 0 else 1.0 / (self.a + u))
        W = cholesky_solver(self.system(h), overwrite=True)(h[:, None] * self.T)
        W *= h[:, None]
        energy, total = float(self.xp.sum(inner(self.T, W))), float(self.xp.sum(u))
        value = self.b * total - energy if self.b > 0 else self.c**2 * total + energy
        lengths = row_norms(W)
        if not math.isinf(self.c):
            W *= (self.c / self.xp.clip(lengths, min=self.c))[:, None]
        return Point(u, h, value / 2.0, lengths, W)

    def system(self, h: Array) -> Array:
        """I + h G h."""
        A = (h / self.scale)[:, None] * self.K
        A *= h[None, :]
        return shifted(A, 1.0, overwrite=True)

    def predictions(self, point: Point) -> Array | None:
        """G W = T - d W where that holds: no row at zero, none cut at a cap."""
        if not math.isinf(self.c) or not bool(self.xp.all(point.u > 0)):
            return None
        P = point.W * (-1.0 / point.h**2)[:, None]
        P += self.T
        return P

    def step(self, point: Point, residuals: Array) -> Point:
        """Newton's point where the function falls far enough on the way to it, else the minimiser over d and W in turn.

        The second never rises: for a tube it is an alternating minimisation, for a cap a majorisation of the loss.
        """
        try:
            (move, slope), length = self.direction(point, residuals), 1.0
        except ValueError:
            # Rounding left the second derivatives indefinite.
            length = 0.0
        while length >= SMALLEST_STEP:
            trial = self.at(self.xp.clip(point.u + length * move, min=0.0))
            enough = 1e-4 * float(self.xp.sum(slope * (trial.u - point.u)))
            if trial.value <= point.value + min(enough, 0.0) + 1e-13 * abs(point.value):
                return trial
            length /= 2.0
        if self.b > 0:
            return self.at(point.lengths)
        return self.at(self.xp.clip((self.a + point.u) * point.lengths / self.c - self.a, min=0.0))

    def direction(self, point: Point, residuals: Array) -> tuple[Array, Array]:
        """The move of u and the gradient, k (1 - ratio^2) / 2 with ratio = |w|/u or |w|/c."""
        xp, u = self.xp, point.u
        positive = u > 0
        if not self.b > 0:
            ratio, k = point.lengths / self.c, self.c**2
            # The rows that were cut are as long as they were again.
            H = self.products(point, xp.clip(ratio, min=1.0))
            return bounded(H, k * ratio**2 * (ratio - 1.0), -u, positive | (ratio > 1)), k * (1.0 - ratio**2) / 2.0
        # In units of u no power of a small u is met.
        units = xp.where(positive, 1.0 / xp.where(positive, u, 1.0 + u), 0.0 * u)
        ratio, k = point.lengths * units, self.b
        H = self.products(point, units)
        H *= -(k**2)
        H = shifted(H, k * u * ratio**2, overwrite=True)
        move = u * bounded(H, k * u * ratio**2 * (ratio - 1.0), -1.0 + 0.0 * u, positive)
        outside = xp.where(positive, 0.0 * u, xp.clip(residuals - self.b, min=0.0))
        pull = xp.where(positive, ratio, residuals / self.b)
        return move + RELEASED * outside / (self.a + self.own), k * (1.0 - pull**2) / 2.0

    def products(self, point: Point, weights: Array) -> Array:
        """(G + diag(d))^-1 * W W^T, entry by entry, with the rows of W weighted."""
        Q = outer((weights * point.h)[:, None] * point.W)
        Q *= positive_inverse(self.system(point.h))
        return Q


def bounded(H: Array, right: Array, lower: Array, free: Array) -> Array:
    """x with H x = right on the free rows and 0 on the others; rows that would pass `lower` are put there in rounds."""
    xp = namespace(H)
    fixed = xp.zeros_like(right)
    for _ in range(ROUNDS):
        kept = xp.astype(free, H.dtype)
        A = kept[:, None] * H
        A *= kept[None, :]
        A = shifted(A, 1e-13 * xp.linalg.diagonal(H) + (1.0 - kept), overwrite=True)
        rest = kept * (right - product(H, fixed[:, None])[:, 0])
        x = fixed + cholesky_solver(A)(rest[:, None])[:, 0]
        del A
        passing = free & (x < lower)
        if not bool(xp.any(passing)):
            break
        fixed, free = xp.where(passing, lower, fixed), free & ~passing
    return x
