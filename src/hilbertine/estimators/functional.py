"""Function-to-function regression: outputs are curves, the operator is an integral operator."""

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from ..containers.curve_inputs import CurveInputs
from ..containers.curves import as_pairs, is_fda
from ..kernels import Gaussian
from ..losses import Loss
from ..operator_kernels import OperatorValuedKernel, Spectrum, as_operator_kernel
from ..plotting import plot_outliers, plot_prediction
from ..solvers import Progress
from ..spaces import L2, Basis, Euclidean, Space
from .base import Regressor
from .parts import store


class FunctionalRegressor(Regressor):
    """K(x, z) = k(x, z) T, T e_j = lambda_j e_j: curves predicted by their coefficients in a basis (e_j) of L2.

    Outputs that are numbers, one for each input, are predicted as such: regression of a scalar on a function.

    Parameters
    ----------
    kernel : kernel or callable, default=None
        How alike two inputs are, which are curves as rows of a matrix (or scikit-fda's containers), or vectors; None is
        `kernels.Gaussian("median")`. An operator-valued kernel is taken as it is, without `spectrum`. Parts of the
        kernel that have a `grid`, such as `Derivative`, get that of the input curves where it is known and they have
        none.
    basis : Basis, default=None
        A basis of `hilbertine.spaces`, `Fourier(9)` for instance; None keeps the curves whole, point by point.
    spectrum : array-like, callable or float, default=None
        The eigenvalues lambda_j: a sequence, a function of j = 1, 2, .., or a number p for the law j^-p. None takes
        those of the basis where it has some (`Eigenfunctions`), else all are one.
    grid : array-like of numbers or dates, default=None
        The points of the output curves, as for `spaces.L2`; dates count days since the first of them.
    quadrature : str or array-like, default="trapezoid"
        The rule of integration, as for `spaces.L2`.
    missing : {"least-squares", "quadrature"} or None, default=None
        What to do with curves that have NaN, as for `spaces.L2`; with it, what is missing of inputs that are known to
        be curves is interpolated.
    input_grid : array-like of numbers or dates, default=None
        The points of the input curves, which says that the inputs are curves. None takes them from inputs that have
        points (scikit-fda's containers, pairs).

    Attributes
    ----------
    inputs_ : CurveInputs
        How inputs are read, with their grid and origin.
    input_grid_ : array or None
        The points of the input curves, as numbers.

    Examples
    --------
    >>> t = np.linspace(0, 1, 50)
    >>> x = np.linspace(0, 1, 20)[:, None]
    >>> curves = np.sin(2 * np.pi * (t + x))
    >>> curves[[3, 11]] *= -1.2
    >>> from hilbertine import losses, spaces
    >>> model = FunctionalRegressor(losses.Huber(0.3), basis=spaces.Fourier(5), lam=1e-4).fit(x, curves)
    >>> found = model.suspects()
    >>> sorted(found.samples[found.flagged].tolist())
    [3, 11]
    >>> model.predict([[0.3]], grid=[0.0, 0.25]).shape
    (1, 2)
    """

    LOSS_PARAMETERS: ClassVar[tuple[str, ...]] = ("loss",)

    def __init__(
        self,
        loss: Loss | None = None,
        kernel: Any = None,
        basis: Basis | None = None,
        spectrum: Any = None,
        grid: Any = None,
        lam: float = 1e-3,
        centre: str | None = "median",
        quadrature: Any = "trapezoid",
        missing: str | None = None,
        input_grid: Any = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        callback: Callable[[Progress], Any] | None = None,
        verbose: int = 0,
        checkpoint: str | PathLike[str] | None = None,
    ):
        store(self, locals())

    def predict(self, X: Any, grid: Any = None) -> Any:
        """The predicted curves, one for each input; in the units of y.

        Parameters
        ----------
        X : array-like, or curves as `fit` took them
            New inputs.
        grid : array-like of numbers or dates, default=None
            Where to take the curves, within their interval; None is the grid of the training outputs.

        Returns
        -------
        array of shape (n_new, n_points), or a container as that of y
            The curves; numbers where the outputs are numbers.
        """
        points = self.embed(X)
        if grid is None:
            return self.space_.decode(points)
        if not isinstance(self.space_, L2):
            raise ValueError("This model predicts numbers, which have no grid.")
        return self.space_.decode(points, grid=grid)

    def plot_prediction(self, X: Any, y: Any = None, which: Any = (0, 1, 2), ax: Any = None) -> Any:
        """Some predicted curves, beside the true ones where they are given.

        Parameters
        ----------
        X : array-like, or curves as `fit` took them
            New inputs.
        y : array-like, default=None
            The true curves.
        which : sequence of int, default=(0, 1, 2)
            Which of them to draw.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib axes
            What was drawn on.
        """
        return plot_prediction(self, X, y, which, ax)

    def plot_outliers(self, ax: Any = None) -> Any:
        """The training curves as the model sees them, the suspects in colour, the worst by name.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib axes
            What was drawn on.
        """
        return plot_outliers(self, ax)

    def _make_space(self, y: Any) -> Space:
        if _numbers(y):
            return Euclidean()
        return L2(self.grid, self.basis, self.quadrature, self.missing)

    def _default_kernel(self) -> Any:
        # The points of a curve have one unit.
        return Gaussian()

    def _make_kernel(self, space: Space) -> OperatorValuedKernel:
        kernel = super()._make_kernel(space)
        kernel.set_params(**{name: self.input_grid_ for name, given in _grids(kernel).items() if given is None})
        if isinstance(self.kernel, OperatorValuedKernel):
            if self.spectrum is not None:
                raise ValueError("An operator-valued kernel brings its own operator; give spectrum with a scalar one.")
        elif isinstance(space, L2):
            # The base class made a scalar kernel times the identity of the one given.
            kernel.set_params(
                operator=self.spectrum if isinstance(self.spectrum, Spectrum) else Spectrum(self.spectrum)
            )
        return kernel

    def _check_inputs(self, X: Any, reset: bool, like: Array | None = None) -> Any:
        """Curves as rows of a matrix on the grid of `fit`, whatever they came as."""
        kernel = as_operator_kernel(self.kernel)
        wants = {"vectors": kernel.domain == "vectors", "gridded": bool(_grids(kernel))}
        if reset:
            self.inputs_ = CurveInputs(self.input_grid, self.missing)
            X = self.inputs_.fit_read(X, **wants)
            self.input_grid_ = self.inputs_.grid_
        else:
            X = self.inputs_.read(X, **wants)
        return super()._check_inputs(X, reset, like)


def _grids(kernel: OperatorValuedKernel) -> dict[str, Any]:
    """The parameters called grid of a kernel and of its parts."""
    return {name: value for name, value in kernel.get_params().items() if name.split("__")[-1] == "grid"}


def _numbers(y: Any) -> bool:
    """Whether the outputs are numbers rather than curves: a vector, or one column."""
    if is_fda(y) or as_pairs(y) is not None:
        return False
    try:
        shape = tuple(y.shape) if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:
        return False
    return len(shape) == 1 or shape[1:] == (1,)
