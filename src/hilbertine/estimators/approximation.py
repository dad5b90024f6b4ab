"""What the approximation of a kernel costs: the gap of a model in the problem of the kernel that it stands for."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, inner, namespace, rows_at, sample_rows, to_numpy
from ..checks import whole
from ..dual import Dual
from ..function import Expansion
from ..kernels.row_blocks import places_of_representatives
from ..memory import rows_of
from ..operator_kernels import OperatorValuedKernel, apply
from ..solvers import Solution
from ..spread import is_spread, sample_of
from .posed import Posed

TINY = 1e-300


def truncation_gap(kernel: OperatorValuedKernel, dual: Dual, W: Array, P: Array) -> float:
    """That of the problem; NaN where its bound does not speak of the whole output space.

    An operator made of the outputs, as `Covariance`, leads out of a basis that leaves something of them out: the model
    is that of its part in the basis, and what the rest could save is not known.
    """
    tails = dual.risk.tails
    if kernel.of_outputs and tails is not None and float(namespace(tails).max(tails)) > 0:
        return float("nan")
    return float(dual.truncation_gap(W, P))


class Estimate(float):
    """A number that may be estimated from some of the rows; `standard_error` is zero where it is exact."""

    standard_error: float

    def __new__(cls, value: float, standard_error: float = 0.0) -> "Estimate":
        """The number with its error.

        Parameters
        ----------
        value : float
            The number.
        standard_error : float, default=0.0
            The standard deviation of the estimate.

        Returns
        -------
        Estimate
            Both.
        """
        found = super().__new__(cls, value)
        found.standard_error = standard_error
        return found

    def __repr__(self) -> str:
        return f"{float(self):.3g}" + (f" +- {self.standard_error:.2g}" if self.standard_error else "")

    def __reduce__(self) -> Any:
        return Estimate, (float(self), self.standard_error)


class Trained(NamedTuple):
    """What a fit had that its certificate in another problem needs."""

    kernel: OperatorValuedKernel
    W: Array
    gap: float
    primal: float
    # Of rows on a cluster, which its kernel does not hold.
    X: Any = None

    @classmethod
    def of(cls, problem: Posed, dual: Dual, solution: Solution) -> "Trained":
        """What it takes from a fit.

        Parameters
        ----------
        problem : Posed
            The problem as it was posed.
        dual : Dual
            The problem that was solved.
        solution : Solution
            Its solution.

        Returns
        -------
        Trained
            What is kept.
        """
        W, X, kernel = solution.W, problem.given[0], problem.kernel.without_features()
        primal = abs(float(dual.primal(W, solution.predictions)))
        return cls(kernel, W, solution.gap, primal, X if is_spread(X) else None)

    def approximation_gap(self, function: Expansion, rows: Any) -> Estimate:
        """gap + <W, (G - G~) W> / (2 lam n) / primal, G~ the operator of the fit and G the exact one."""
        if not self.kernel.approximate:
            return Estimate(self.gap)
        n, exact = int(self.W.shape[0]), self.kernel.exact()
        most = n if rows is None else whole(rows, "rows")
        if self.X is None:
            places = sample_rows(n, most)
            missed = np.concatenate(list(self._missed(exact, function, places)))
        else:
            places, missed = self._missed_by_some(exact, function, most)
        error = missed.std() / max(len(missed) - 1, 1) ** 0.5 * (1.0 - len(places) / n) ** 0.5
        part = n / 2.0 / max(self.primal, TINY)
        return Estimate(self.gap + part * float(missed.mean()), part * float(error))

    def _missed_by_some(self, exact: Any, function: Expansion, most: int) -> tuple[Array, Array]:
        """Rows that the kernel has learned from, and the same for these: sums over blocks are made where they lie."""
        places, rows = places_of_representatives(int(self.W.shape[0]), most)
        lost = exact.at_some(places, self.X, self.W) - apply(self.kernel.among(places), function.coefficients)
        return places, inner(sample_of(self.W, rows), lost) / function.scale

    def _missed(self, exact: OperatorValuedKernel, function: Expansion, places: Array) -> Iterator[Array]:
        """<w_i, (G W - G~ W)_i> / (lam n) for some of the rows, kernel values a block of rows at a time."""
        V, size = exact.condense(self.W), rows_of(int(self.W.shape[0]))
        for part in (places[i : i + size] for i in range(0, len(places), size)):
            lost = apply(exact.among(part), V) - apply(self.kernel.among(part), function.coefficients)
            yield to_numpy(inner(rows_at(self.W, part), lost)) / function.scale


def approximation_gap(model: Any, rows: Any) -> Estimate:
    """That of a fitted model, which has `_trained` until it is saved."""
    trained: Trained | None = vars(model).get("_trained")
    if trained is None:
        raise ValueError(
            f"This {type(model).__name__} was saved and loaded, and the training inputs are not saved with a model; "
            "ask for approximation_gap() before, or fit again."
        )
    return trained.approximation_gap(model.function_, rows)
