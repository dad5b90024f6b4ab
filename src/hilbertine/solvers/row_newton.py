"""Newton steps on one number per row: outputs of any rank at the price of n unknowns."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..arrays import Array, cholesky_solver, device_of, frobenius, namespace, product, row_norms, shifted
from ..dual import Dual
from .base import Solver, Step

# Where the value has stood still for so many steps, what is left is rounding.
PATIENCE = 5
SMALLEST_STEP = 1 / 64
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
        known = dual.loss.coefficients
        if known is None or known.a == 0 or (known.b > 0) == (known.c < math.inf):
            return f"needs phi*(s) = a s^2/2 with either a term b s or a cap, and {dual.loss!r} is another loss"
        if dual.gram.separable and dual.gram.terms[0][1] is None:
            return None
        return "needs a scalar kernel times the identity, and this kernel has another form"

    def worthwhile(self, dual: Dual) -> bool:
        # A step here costs 5 n^3 + 6 n^2 m operations, one of `Splitting` 4 n^2 m, and that takes some thirty.
        n, m = dual.targets.shape
        return 4 * int(m) >= int(n)

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        rows = Rows(dual)
        point = rows.at(rows.start(W, P))
        stalled = 0
        while stalled < PATIENCE:
            W = rows.feasible(point.W)
            P = dual.predict(W)
            yield Step(W, P, float(dual.gap(W, P)))
            following = rows.step(point, row_norms(dual.targets - P))
            stalled = stalled + 1 if following.value > point.value - 1e-15 * abs(point.value) else 0
            point = following


class Point(NamedTuple):
    """u with its W and the value of the convex function; `inverse` is R -> (I + h G h)^-1 R, h = 1/sqrt(d)."""

    u: Array
    h: Array
    W: Array
    inverse: Callable[[Array], Array]
    value: float


class Rows:
    """The convex function of u: its values, its Newton steps, and the W that u stands for."""

    def __init__(self, dual: Dual):
        loss = dual.loss.coefficients
        assert loss is not None
        (K, _), *_ = dual.gram.terms
        self.a, self.b, self.c = loss
        self.T, self.G = dual.targets, K / dual.scale
        self.xp = namespace(self.T)
        self.own = self.xp.linalg.diagonal(self.G)

    def start(self, W: Array, P: Array) -> Array:
        """The u of a W that is not zero, else that of samples each alone with its own kernel value."""
        warm, lengths = frobenius(W) > 0, row_norms(self.T)
        if self.b > 0:
            return row_norms(W) if warm else self.xp.clip(lengths - self.b, min=0.0) / (self.a + self.own)
        wanted = row_norms(self.T - P) / self.c if warm else lengths / self.c - self.own
        return self.xp.clip(wanted - self.a, min=0.0)

    def at(self, u: Array) -> Point:
        """Everything at u; rows with u = 0 of a tube have h = 0, and with it w = 0."""
        h = self.xp.sqrt(u / (self.a * u + self.b) if self.b > 0 else 1.0 / (self.a + u))
        inverse = cholesky_solver(shifted(h[:, None] * self.G * h[None, :], 1.0))
        W = h[:, None] * inverse(h[:, None] * self.T)
        energy, total = float(self.xp.sum(self.T * W)), float(self.xp.sum(u))
        value = self.b * total - energy if self.b > 0 else self.c**2 * total + energy
        return Point(u, h, W, inverse, value / 2.0)

    def feasible(self, W: Array) -> Array:
        """W with rows cut at the cap."""
        if math.isinf(self.c):
            return W
        return W * (self.c / self.xp.clip(row_norms(W), min=self.c))[:, None]

    def step(self, point: Point, residuals: Array) -> Point:
        """Newton's point where the function falls far enough on the way to it, else the minimiser over d and W in turn.

        The second never rises: for a tube it is an alternating minimisation, for a cap a majorisation of the loss.
        """
        move, slope = self.direction(point, residuals)
        length = 1.0
        while length >= SMALLEST_STEP:
            trial = self.at(self.xp.clip(point.u + length * move, min=0.0))
            enough = 1e-4 * float(self.xp.sum(slope * (trial.u - point.u)))
            if trial.value <= point.value + min(enough, 0.0) + 1e-13 * abs(point.value):
                return trial
            length /= 2.0
        lengths = row_norms(point.W)
        if self.b > 0:
            return self.at(lengths)
        return self.at(self.xp.clip((self.a + point.u) * lengths / self.c - self.a, min=0.0))

    def direction(self, point: Point, residuals: Array) -> tuple[Array, Array]:
        """The move of u and the gradient, k (1 - ratio^2) / 2 with ratio = |w|/u or |w|/c; rows held at zero stay."""
        xp, u, W = self.xp, point.u, point.W
        positive = u > 0
        if self.b > 0:
            W = W * xp.where(positive, 1.0 / xp.where(positive, u, 1.0 + u), 0.0 * u)[:, None]
            ratio, k, unit, free = row_norms(W), self.b, u, positive
        else:
            ratio, k, unit = row_norms(W) / self.c, self.c**2, 1.0 + 0.0 * u
            free = positive | (ratio > 1)
        kept = xp.astype(free, u.dtype)
        Q = self.products(point.h, point.inverse, W * kept[:, None])
        # Moves of a tube are counted in units of u, so that no power of a small u is met.
        H = shifted(-(k**2) * Q, k * u * ratio**2) if self.b > 0 else Q
        H = shifted(H, 1e-13 * xp.linalg.diagonal(H) + (1.0 - kept))
        move = unit * cholesky_solver(H)((kept * k * unit * ratio**2 * (ratio - 1.0))[:, None])[:, 0]
        if not self.b > 0:
            return move, k * (1.0 - ratio**2) / 2.0
        pull = xp.where(positive, ratio, residuals / self.b)
        outside = xp.where(positive, 0.0 * u, xp.clip(residuals - self.b, min=0.0))
        return move + RELEASED * outside / (self.a + self.own), k * (1.0 - pull**2) / 2.0

    def products(self, h: Array, inverse: Callable[[Array], Array], W: Array) -> Array:
        """(G + diag(d))^-1 * W W^T, entry by entry."""
        xp = self.xp
        identity = xp.eye(h.shape[0], dtype=h.dtype, device=device_of(h))
        return product(W, xp.permute_dims(W, (1, 0))) * (h[:, None] * inverse(identity * h[None, :]))
