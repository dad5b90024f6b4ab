"""The one problem: every model of the paper is this minimisation over one matrix W."""

from functools import cached_property

from .arrays import Array, inner, namespace
from .checks import of_kind, positive
from .doors import Doors
from .losses import Loss
from .losses.units import Units
from .operator_kernels import Gram
from .risk import Risk, counted_in, extraordinary, special_rows, terms, units_of, with_totals
from .risk.certificates import both, relative, second


class Dual(Doors):
    """min_W  sum_i l_i*(-w_i) + <W, G W> / (2 lam n),  with predictions P = G W / (lam n).

    Row i of W is the dual variable of sample i in the coordinates of the output space.

    Parameters
    ----------
    gram : Gram
        G, the operators among the training points.
    risk : Risk
        The loss bound to its rows.
    lam : float
        The strength of the regularisation.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.losses import Square
    >>> from hilbertine.matrices import Dense
    >>> from hilbertine.operator_kernels import Kronecker
    >>> dual = Dual(Kronecker([(Dense(np.eye(2)), None)], 1), Risk(Square(), np.array([[1.0], [2.0]])), lam=0.5)
    >>> W = np.array([[0.5], [1.0]])
    >>> dual.predict(W).ravel(), float(dual.gap(W))
    (array([0.5, 1. ]), 0.0)
    """

    DOORS = ("predict", "objective", "primal", "gaps", "gap", "at", "special_rows", "truncation_gap")

    def __init__(self, gram: Gram, risk: Risk, lam: float):
        self.gram: Gram = of_kind(gram, Gram, "gram", "fit an operator-valued kernel and take kernel.gram()")
        self.risk: Risk = of_kind(risk, Risk, "risk", "bind a loss to its targets, Risk(loss, T)")
        self.lam = positive(lam, "lam")
        self._whitened: dict[str, Gram] = {}

    def at(self, lam: float | None = None, loss: Loss | None = None) -> "Dual":
        """The same rows and the same Gram operator, with its factors, at another lam or under another loss.

        Parameters
        ----------
        lam : float, default=None
            Another strength of the regularisation; None keeps it.
        loss : Loss, default=None
            Another loss; None keeps it.

        Returns
        -------
        Dual
            The new problem.
        """
        risk = self.risk if loss is None else self.risk.with_loss(loss)
        other = Dual(self.gram, risk, self.lam if lam is None else lam)
        other._whitened = self._whitened
        return other

    @property
    def targets(self) -> Array:
        """T."""
        return self.risk.targets

    @property
    def scale(self) -> float:
        """lam n."""
        return self.lam * self.risk.size

    @cached_property
    def curvature(self) -> float:
        """The largest eigenvalue of G / (lam n)."""
        return self.gram.norm() / self.scale

    @property
    def whitened(self) -> "Dual":
        """The same problem in W / sqrt(v), where rows have weights v; else the problem itself."""
        # Not kept: an object that holds itself, and with it all n x n numbers, waits for a sweep of the collector.
        risk = self.risk.whitened
        if risk is self.risk:
            return self
        if "gram" not in self._whitened:
            self._whitened["gram"] = self.gram.weighted(risk.root)
        other = Dual(self._whitened["gram"], risk, self.lam)
        other.units = None
        return other

    @cached_property
    def units(self) -> Units | None:
        """The units to solve in, powers of two, where numbers of the user are very large or very small."""
        if not extraordinary(self.risk, self.lam):
            return None
        return units_of(self.risk, self.gram.mean_diagonal() / self.scale)

    @property
    def in_units(self) -> "Dual":
        """The same problem counted in `units`; the relative gap is the same number there."""
        if self.units is None:
            return self
        lam = self.lam * (self.units.predictions / self.units.duals)
        other = Dual(self.gram, counted_in(self.risk, self.units), lam)
        other.units, other._whitened = None, self._whitened
        return other

    def predict(self, W: Array) -> Array:
        """P = G W / (lam n), the values of the function that W stands for.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array of shape (n, m)
            Predictions on the training inputs.
        """
        return (self.gram @ W) / self.scale

    def objective(self, W: Array, P: Array | None = None) -> Array:
        """The value of (D), to be minimised; its minimum is minus that of `primal`.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.
        P : array of shape (n, m), default=None
            Their predictions, where they are known.

        Returns
        -------
        array of one number
            The dual objective.
        """
        P = self.predict(W) if P is None else P
        xp = namespace(W)
        return xp.sum(self.risk.conjugate(W)) + xp.sum(W * P) / 2.0

    def primal(self, W: Array, P: Array | None = None) -> Array:
        """n times the regularised empirical risk of that function: sum_i l(p_i, t_i) + <W, P> / 2.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.
        P : array of shape (n, m), default=None
            Their predictions, where they are known.

        Returns
        -------
        array of one number
            The primal value.
        """
        P = self.predict(W) if P is None else P
        return with_totals(second, self.risk, W, P)

    def gaps(self, W: Array, P: Array | None = None) -> Array:
        """l(p_i, t_i) + l_i*(-w_i) + <w_i, p_i> >= 0, sample by sample; all zero at the optimum and only there.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.
        P : array of shape (n, m), default=None
            Their predictions, where they are known.

        Returns
        -------
        array of shape (n,)
            What each sample adds to the duality gap.
        """
        P = self.predict(W) if P is None else P
        return terms(self.risk, W, P)[0]

    def gap(self, W: Array, P: Array | None = None) -> Array:
        """The duality gap relative to the primal value: a certificate, whatever W is.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.
        P : array of shape (n, m), default=None
            Their predictions, where they are known.

        Returns
        -------
        array of one number
            The relative duality gap; infinite where there is no certificate.
        """
        return self.certificate(W, self.predict(W) if P is None else P)[0]

    def certificate(self, W: Array, P: Array) -> Array:
        """The relative duality gap and the gap itself, the latter in the units of `in_units`.

        Parameters
        ----------
        W, P : array of shape (n, m)
            Dual variables and their predictions.

        Returns
        -------
        array of shape (2,)
            Both infinite where there is no certificate.
        """
        if (units := self.units) is not None:
            return self.in_units.certificate(W / units.duals, P / units.predictions)
        return with_totals(both, self.risk, W, P, shape=(2,))

    def special_rows(self, W: Array, P: Array) -> tuple[Array, Array]:
        """The rows with w_i != 0, and those with |w_i| at the cap of the loss.

        Parameters
        ----------
        W, P : array of shape (n, m)
            Dual variables and their predictions.

        Returns
        -------
        tuple of two arrays of int
            The places of these rows.
        """
        if (units := self.units) is not None:
            return self.in_units.special_rows(W / units.duals, P / units.predictions)
        risk = self.risk.whitened
        return special_rows(risk, risk.unscaled(W), risk.scaled(P))

    def truncation_gap(self, W: Array, P: Array | None = None) -> Array:
        """The relative gap in the whole output space, an upper bound of it where dual rows leave the basis.

        The loss is taken at ([P, 0], [T, tail]), its conjugate at ([W, beyond], [T, tail]); what lies beyond the basis
        adds at most curvature / 2 times its squared norm to the energy, where no eigenvalue of the operator out there
        is above those in the basis.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.
        P : array of shape (n, m), default=None
            Their predictions, where they are known.

        Returns
        -------
        array of one number
            The relative gap, what the basis leaves out included.
        """
        if self.risk.tails is None:
            return self.gap(W, P)
        P = self.predict(W) if P is None else P
        if (units := self.units) is not None:
            return self.in_units.truncation_gap(W / units.duals, P / units.predictions)
        xp, whole = namespace(W), self.risk.extended()
        beyond = self.risk.beyond(W)[:, None]
        values = whole.value(xp.concat([P, 0.0 * beyond], axis=1))
        conjugates = whole.conjugate(xp.concat([W, beyond], axis=1))
        energies = inner(W, P)
        outside = float(xp.sum(beyond * beyond))
        gap = xp.sum(values + conjugates + energies) + (self.curvature * outside / 2.0 if outside else 0.0)
        return relative(gap, xp.sum(values + energies / 2.0))
