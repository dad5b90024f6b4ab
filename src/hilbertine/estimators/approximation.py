"""What the approximation of a kernel costs: the gap of a model in the problem of the kernel that it stands for."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, inner, rows_at, sample_rows, to_numpy
from ..checks import whole
from ..function import Expansion
from ..memory import rows_of
from ..operator_kernels import OperatorValuedKernel, apply

TINY = 1e-300


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

    def approximation_gap(self, function: Expansion, rows: Any) -> Estimate:
        """gap + <W, (G - G~) W> / (2 lam n) / primal, G~ the operator of the fit and G the exact one."""
        if not self.kernel.approximate:
            return Estimate(self.gap)
        n, exact = int(self.W.shape[0]), self.kernel.exact()
        places = np.arange(n) if rows is None else sample_rows(n, whole(rows, "rows"))
        missed = np.concatenate(list(self._missed(exact, function, places)))
        error = missed.std() / max(len(missed) - 1, 1) ** 0.5 * (1.0 - len(places) / n) ** 0.5
        part = n / 2.0 / max(self.primal, TINY)
        return Estimate(self.gap + part * float(missed.mean()), part * float(error))

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
