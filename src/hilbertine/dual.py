"""The one problem: every model of the paper is this minimisation over one matrix W."""

from functools import cached_property

from .arrays import Array, inner, namespace
from .losses import Loss
from .operator_kernels import Gram

TINY = 1e-300


class Dual:
    """min_W  sum_i l_i*(-w_i) + <W, G W> / (2 lam n),  with predictions P = G W / (lam n).

    Row i of W is the dual variable of sample i in the coordinates of the output space; `targets` are the
    coordinates of the outputs. `tails` are the norms that a truncated basis misses.

    >>> import numpy as np
    >>> from hilbertine.losses import Square
    >>> from hilbertine.operator_kernels import Gram
    >>> dual = Dual(Gram(((np.eye(2), None),)), Square(), np.array([[1.0], [2.0]]), lam=0.5)
    >>> W = np.array([[0.5], [1.0]])
    >>> dual.predict(W).ravel(), float(dual.gap(W))
    (array([0.5, 1. ]), 0.0)
    """

    def __init__(self, gram: Gram, loss: Loss, targets: Array, lam: float, tails: Array | None = None):
        self.gram = gram
        self.loss = loss
        self.targets = targets
        self.lam = lam
        self.tails = tails

    @property
    def scale(self) -> float:
        """lam n."""
        return self.lam * int(self.targets.shape[0])

    @cached_property
    def curvature(self) -> float:
        """The largest eigenvalue of G / (lam n)."""
        return self.gram.norm(tuple(self.targets.shape)) / self.scale

    def predict(self, W: Array) -> Array:
        """P = G W / (lam n), the values of the function that W stands for."""
        return (self.gram @ W) / self.scale

    def objective(self, W: Array, P: Array | None = None) -> Array:
        """The value of (D), to be minimised; its minimum is minus that of `primal`."""
        P = self.predict(W) if P is None else P
        xp = namespace(W)
        return xp.sum(self.loss.conjugate(W, self.targets)) + xp.sum(W * P) / 2.0

    def primal(self, W: Array, P: Array | None = None) -> Array:
        """n times the regularised empirical risk of that function: sum_i l(p_i, t_i) + <W, P> / 2."""
        P = self.predict(W) if P is None else P
        return namespace(W).sum(self._terms(W, P)[1])

    def gaps(self, W: Array, P: Array | None = None) -> Array:
        """l(p_i, t_i) + l_i*(-w_i) + <w_i, p_i> >= 0, sample by sample; all zero at the optimum and only there."""
        P = self.predict(W) if P is None else P
        return self._terms(W, P)[0]

    def gap(self, W: Array, P: Array | None = None) -> Array:
        """The duality gap relative to the primal value: a certificate, whatever W is."""
        P = self.predict(W) if P is None else P
        gaps, primals = self._terms(W, P)
        return self._relative(namespace(W).sum(gaps), namespace(W).sum(primals))

    @staticmethod
    def _relative(gap: Array, primal: Array) -> Array:
        """Where the loss overflows, or the conjugate is infinite, there is no certificate: infinity, not NaN."""
        xp = namespace(gap)
        infinite = xp.isinf(gap) | xp.isinf(primal)
        scale = xp.where(infinite, xp.ones_like(primal), xp.clip(xp.abs(primal), min=TINY))
        return xp.where(infinite, xp.full_like(gap, float("inf")), gap / scale)

    def _terms(self, W: Array, P: Array) -> tuple[Array, Array]:
        """Sample by sample, the duality gap and the primal value."""
        values, energies = self.loss.value(P, self.targets), inner(W, P)
        return values + self.loss.conjugate(W, self.targets) + energies, values + energies / 2.0

    def truncation_gap(self, W: Array, P: Array | None = None) -> Array:
        """The relative gap in the whole output space, an upper bound of it where dual rows leave the basis.

        The loss is taken at ([P, 0], [T, tail]), its conjugate at ([W, beyond], [T, tail]); what lies beyond the basis
        adds at most curvature / 2 times its squared norm to the energy.
        """
        if self.tails is None:
            return self.gap(W, P)
        P = self.predict(W) if P is None else P
        xp = namespace(W)
        tail, beyond = self.tails[:, None], self.loss.beyond(W, self.targets, self.tails)[:, None]
        targets = xp.concat([self.targets, tail], axis=1)
        values = self.loss.value(xp.concat([P, xp.zeros_like(tail)], axis=1), targets)
        conjugates = self.loss.conjugate(xp.concat([W, beyond], axis=1), targets)
        energies = inner(W, P)
        outside = float(xp.sum(beyond * beyond))
        gap = xp.sum(values + conjugates + energies) + (self.curvature * outside / 2.0 if outside else 0.0)
        return self._relative(gap, xp.sum(values + energies / 2.0))
