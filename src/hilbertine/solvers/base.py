"""A solver is a generator of steps; the one loop here does stopping, history, progress and warnings."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, frobenius
from ..checks import function, nonnegative, whole
from ..docstrings import Documented
from ..doors import Doors, caller
from ..dual import Dual
from ..losses.units import Units
from ..site import Linked
from ..spread import evaluated, numbers, products
from .kept import Keeping
from .listening import guess, tell
from .rounding import rounding
from .solution import Progress, Solution, Step

# Steps in which the certificate does not fall by a tenth, before it is asked whether rounding is all that is left.
STALLED = 2500


class Solver(Doors, Documented, Linked, BaseEstimator):
    """Minimises (D) until the relative duality gap of the W it returns is at most `tol`.

    Must implement `iterates`. May implement `missing`, the reason why a problem is not for this solver. Which solver
    "auto" takes, and which one goes on where another ends, is data in `solvers/choice.py`.

    Parameters
    ----------
    tol : float, default=None
        The relative duality gap at which to stop; None takes the estimator's, or 1e-6.
    max_iter : int, default=None
        At most so many steps; None takes the estimator's, or 10000.
    check_every : int, default=10
        Steps between two certificates, for solvers that do not say when one is due.
    callback : callable, default=None
        Called with a `Progress` at each certificate; None takes the estimator's. Its method `estimate`, where it has
        one, is called with what steps between certificates guess, and `reached` with (dual, solution) at each
        certificate. True from one of them ends the steps.
    """

    DOORS: ClassVar = ("solve",)
    begun: Array | None = None  # B to begin with, where a fit before has left it and the kernel has features.

    def __init__(
        self,
        tol: float | None = None,
        max_iter: int | None = None,
        check_every: int = 10,
        callback: Callable[[Progress], Any] | None = None,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.check_every = check_every
        self.callback = callback

    @property
    def tolerance(self) -> float:
        """`tol`, or its default."""
        return 1e-6 if self.tol is None else nonnegative(self.tol, "tol")

    def iterates(self, dual: Dual, W: Array, P: Array) -> Iterator[Step]:
        """The algorithm, and only the algorithm, from W on, whose predictions are P.

        Parameters
        ----------
        dual : Dual
            The problem.
        W, P : array of shape (n, m)
            Where to start, and its predictions.

        Yields
        ------
        Step
            One iterate after another, without end.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement iterates(dual, W, P).")

    def missing(self, dual: Dual) -> str | None:
        """What the problem lacks for this solver, or None.

        Parameters
        ----------
        dual : Dual
            The problem.

        Returns
        -------
        str or None
            Words that follow the name of the solver in a message.
        """
        return None

    @property
    def title(self) -> str:
        """What messages call it."""
        return type(self).__name__

    def solve(self, dual: Dual, W: Array | None = None, P: Array | None = None) -> Solution:
        """Run the iterates to a certified gap, from W and its predictions P if they are known.

        A start that is good enough is returned as it is. Warns with numbers where `max_iter` ends before the gap.

        Parameters
        ----------
        dual : Dual
            The problem.
        W : array of shape (n, m), default=None
            Where to start; None is zero.
        P : array of shape (n, m), default=None
            Its predictions, where they are known.

        Returns
        -------
        Solution
            The best certified iterate.
        """
        function(self.callback, "callback")
        if dual.units is not None:
            return self._solve_in_units(dual, dual.units, W, P)
        if dual.whitened is not dual:
            return self._solve_whitened(dual, W)
        if reason := self.missing(dual):
            raise ValueError(f"{self.title} {reason}; use solver='auto'.")
        tol = self.tolerance
        max_iter = 10_000 if self.max_iter is None else whole(self.max_iter, "max_iter")
        check_every = whole(self.check_every, "check_every")
        keeping = Keeping(self.callback, dual)
        self.begun, (W, P) = keeping.coefficients, keeping.start(W, P)
        history, ended = list[Progress](), False

        def certified(step: Step, count: int) -> Solution:
            gap, excess, predictions = self._certify(dual, step)
            history.append(Progress(count, gap, tol))
            found = Solution(step.W, predictions, gap, excess, count, gap <= tol, history)
            nonlocal ended
            ended = tell(self.callback, dual, found) or ended
            return found

        best, promising, count, fallen = certified(Step(W, P), 0), Step(W, None, math.inf), 0, 0
        steps = iter(()) if best.converged or ended else self.iterates(dual, W, best.predictions)
        if not best.converged:
            # The start is hardly ever the best one in the end.
            best.predictions = None
        for count, step in enumerate(steps, 1):
            if step.guess is None:
                due = count == 1 or count % check_every == 0
            else:
                # A guess saves certificates, but some stay, so that progress can be followed; NaN is looked at.
                due = count % (10 * check_every) == 0 or not step.guess > tol
                promising = step if step.guess < (promising.guess or math.inf) else promising
            if due or count >= max_iter:
                new = certified(step, count)
                fallen = count if new.excess < 0.9 * best.excess else fallen
                best = best.better(new)
            elif step.guess is not None and step.guess < math.inf:
                ended = guess(self.callback, Progress(count, step.guess, tol))
            stalled = due and count - fallen >= STALLED and 10.0 * self._noise(dual, best, step) > best.gap
            if keeping(step, best.converged or ended or stalled or count >= max_iter):
                break
        if not best.converged and (promising.guess or math.inf) < best.gap:
            best = best.better(certified(promising, count))
        return self._concluded(dual, best, count, step if count else Step(best.W), ended)

    def _concluded(self, dual: Dual, best: Solution, count: int, last: Step, asked: bool) -> Solution:
        """The best one with its predictions, and a warning unless it was asked to end there."""
        best.n_iter = count
        if best.predictions is None:
            best.predictions = dual.predict(best.W)
        if not best.converged and not asked:
            self._warn(best, self._noise(dual, best, last))
        return best

    @staticmethod
    def _noise(dual: Dual, best: Solution, last: Step) -> float:
        """The relative gap that rounding may leave of the best W."""
        # Where lam is tiny the best W may be zero, and it is the last one that shows what cancels.
        P = dual.predict(best.W) if best.predictions is None else best.predictions
        primal = abs(float(dual.primal(best.W, P)))
        return rounding(dual, best.W, primal) or rounding(dual, last.W, primal)

    def _solve_whitened(self, dual: Dual, W: Array | None) -> Solution:
        """Rows with weights, where they all have one curvature: the gap is the same number there."""
        rows = dual.risk.whitened
        solution = self.solve(dual.whitened, None if W is None else rows.unscaled(W))
        solution.W = rows.scaled(solution.W)
        solution.predictions = dual.predict(solution.W)
        return solution

    def _solve_in_units(self, dual: Dual, units: Units, *start: Array | None) -> Solution:
        """Numbers far from one, counted in units of their own: the gap is the same number there."""
        sizes = units.duals, units.predictions
        given = (None if part is None else part / size for part, size in zip(start, sizes, strict=True))
        solution = self.solve(dual.in_units, *given)
        solution.W, solution.predictions = solution.W * units.duals, solution.predictions * units.predictions
        return solution

    def _warn(self, best: Solution, noise: float) -> None:
        why = "raise max_iter or lam, or accept the gap by raising tol."
        if 10.0 * noise > best.gap:
            why = (
                f"rounding alone may leave {noise:.2g}, because predictions are not known to more digits: centre the "
                "outputs, raise lam, or accept the gap by raising tol."
            )
        warnings.warn(
            f"{self.title} stopped after {best.n_iter} iterations at a relative duality gap of {best.gap:.2g}, above "
            f"tol = {self.tolerance:.2g}. The returned model is the best one certified; {why}",
            ConvergenceWarning,
            stacklevel=caller(),
        )

    @staticmethod
    def _certify(dual: Dual, step: Step) -> tuple[float, float, Array]:
        P = dual.predict(step.W) if step.predictions is None else step.predictions
        W, P = evaluated(step.W, P)
        (energy,) = products((W, P))
        # Rounding may leave the energy of a W in the null space of G a hair below zero.
        if energy < 0 and energy < -1e-10 * frobenius(W) ** 2 * dual.gram.trace() / dual.scale:
            raise ValueError(
                f"The kernel is not positive semi-definite: <W, G W> is negative ({energy:.3g}). "
                "Check the kernel function, or clip the negative eigenvalues of its Gram matrix."
            )
        certificate = dual.certificate(W, P)
        gap, excess = numbers(certificate[0], certificate[1])
        if math.isnan(gap):
            raise ValueError(
                "The duality gap is NaN: kernel values or targets are not finite, or so large that they overflow. "
                "Check the kernel, or standardise inputs and outputs."
            )
        return gap, excess, P
