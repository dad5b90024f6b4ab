"""Function-to-function regression: outputs are curves, the operator is an integral operator."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import is_foreign
from ..losses import Loss
from ..operator_kernels import OperatorValuedKernel, Separable, Spectrum, as_operator_kernel
from ..solvers import Progress
from ..spaces import L2, Basis, Euclidean, Space
from ..spaces.curves import is_fda, on_grid, read_curves
from .base import Regressor


class FunctionalRegressor(Regressor):
    """K(x, z) = k(x, z) T, T e_j = lambda_j e_j: curves predicted by their coefficients in a basis (e_j) of L2.

    Parameters
    ----------
    loss, lam, solver, tol, max_iter, warm_start, callback : as for `Regressor`
    kernel : a kernel between inputs, which are curves as rows of a matrix (or scikit-fda's containers), or vectors;
        None is Gaussian. An operator-valued kernel is taken as it is, without `spectrum`
    basis : a basis of `hilbertine.spaces`, `Fourier(9)` for instance; None keeps the curves whole, point by point
    spectrum : the eigenvalues lambda_j: a sequence, a function of j = 1, 2, .., or a number p for the law j^-p; None
        takes those of the basis where it has some (`Eigenfunctions`), else all are one
    grid, quadrature, missing : as for `spaces.L2`, for the outputs; with `missing`, what is missing of input curves is
        interpolated

    Outputs that are numbers, one for each input, are predicted as such: regression of a scalar on a function.
    `truncation_gap_` certifies what the basis leaves out, `saturated_` names the curves that a robust loss distrusts.

    >>> t = np.linspace(0, 1, 50)
    >>> x = np.linspace(0, 1, 20)[:, None]
    >>> curves = np.sin(2 * np.pi * (t + x))
    >>> curves[[3, 11]] *= -1.2
    >>> from hilbertine import losses, spaces
    >>> model = FunctionalRegressor(losses.Huber(0.3), basis=spaces.Fourier(5), lam=1e-4).fit(x, curves)
    >>> model.saturated_
    array([ 3, 11])
    >>> model.predict([[0.3]], grid=[0.0, 0.25]).shape
    (1, 2)
    """

    def __init__(
        self,
        loss: Loss | None = None,
        kernel: Any = None,
        basis: Basis | None = None,
        spectrum: Any = None,
        grid: Any = None,
        lam: float = 1e-3,
        quadrature: Any = "trapezoid",
        missing: str | None = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        callback: Callable[[Progress], Any] | None = None,
    ):
        super().__init__(
            loss=loss, kernel=kernel, lam=lam, solver=solver, tol=tol, max_iter=max_iter, warm_start=warm_start,
            callback=callback,
        )  # fmt: skip
        self.basis = basis
        self.spectrum = spectrum
        self.grid = grid
        self.quadrature = quadrature
        self.missing = missing

    def predict(self, X: Any, grid: Any = None) -> Any:
        """The predicted curves, on the grid of the training outputs or on another within its interval."""
        points = self.embed(X)
        if grid is None:
            return self.space_.decode(points)
        if not isinstance(self.space_, L2):
            raise ValueError("This model predicts numbers, which have no grid.")
        return self.space_.decode(points, grid=grid)

    def plot_prediction(self, X: Any, y: Any = None, which: Any = (0, 1, 2), ax: Any = None) -> Any:
        """Some predicted curves, beside the true ones where they are given; returns the axes."""
        from .functional_plots import plot_prediction

        return plot_prediction(self, X, y, which, ax)

    def plot_outliers(self, ax: Any = None) -> Any:
        """The training curves as the model sees them, the distrusted ones in colour; returns the axes."""
        from .functional_plots import plot_outliers

        return plot_outliers(self, ax)

    def _make_space(self, y: Any) -> Space:
        if _numbers(y):
            return Euclidean()
        return L2(self.grid, self.basis, self.quadrature, self.missing)

    def _make_kernel(self, space: Space | None = None) -> OperatorValuedKernel:
        kernel = super()._make_kernel()
        if callable(getattr(self.kernel, "gram", None)):
            if self.spectrum is not None:
                raise ValueError("An operator-valued kernel brings its own operator; give spectrum with a scalar one.")
            return kernel
        if not isinstance(space, L2):
            return kernel
        spectrum = getattr(space.basis_, "eigenvalues_", None) if self.spectrum is None else self.spectrum
        if spectrum is None:
            return kernel
        spectrum = spectrum if isinstance(spectrum, Spectrum) else Spectrum(spectrum)
        # The components of vector-valued curves share the eigenvalue of their function.
        values = np.repeat(spectrum.first(space.functions_.shape[1]), space.components_)
        scalar = kernel.scalar if isinstance(kernel, Separable) else self.kernel
        return as_operator_kernel(Separable(scalar, Spectrum(values)))

    def _read_inputs(self, X: Any, reset: bool) -> Any:
        """Curves as rows of a matrix, on the grid of `fit`; the components of vector-valued ones in turn."""
        if reset:
            self.input_grid_ = None
        with_points = is_fda(X) or (isinstance(X, list) and len(X) > 0 and isinstance(X[0], tuple))
        # Kernels on objects get the objects, and a matrix without gaps is what the others want.
        if is_foreign(X) or self._make_kernel().domain != "vectors":
            return X
        if not (with_points or getattr(X, "ndim", 2) == 3 or _has_nan(X)):
            return X
        curves = read_curves(X, "The input curves")
        if self.missing is None and np.isnan(curves.values).any():
            raise ValueError(
                "The input curves contain NaN; with missing='least-squares' they are interpolated, else drop them."
            )
        if reset:
            self.input_grid_ = curves.grid
        elif with_points and self.input_grid_ is None:
            raise ValueError(
                "The inputs have points of their own, and the model was fitted on a matrix, which says nothing of its "
                "points; give a matrix here, or fit with inputs that have points: an FDataGrid, or pairs."
            )
        rows = on_grid(curves, self.input_grid_)
        return rows.reshape(rows.shape[0], -1)


def _numbers(y: Any) -> bool:
    """Whether the outputs are numbers rather than curves: a vector, or one column."""
    if is_fda(y):
        return False
    try:
        shape = tuple(y.shape) if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:
        return False
    return len(shape) == 1 or shape[1:] == (1,)


def _has_nan(X: Any) -> bool:
    try:
        values = np.asarray(X)
        return values.dtype.kind != "c" and bool(np.isnan(values.astype(np.float64, copy=False)).any())
    except (TypeError, ValueError):
        return False
