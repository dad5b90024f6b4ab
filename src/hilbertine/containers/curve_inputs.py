"""Inputs that are curves: read once at `fit`, and again, on the same grid, when there are new ones."""

from typing import Any

import numpy as np

from ..arrays import Array, is_foreign
from .curves import Curves, as_pairs, is_fda, on_grid, overlapping, read_curves
from .times import check_clock, read_grid


class CurveInputs:
    """Curves as rows of a matrix on one grid: all components at the first point, at the second, ..

    Inputs that are no curves pass unchanged.

    Parameters
    ----------
    input_grid : array-like of numbers or dates, default=None
        The points of the curves, which says that the inputs are curves. None takes them from inputs that have points
        (scikit-fda's containers, pairs).
    missing : str, default=None
        Whether curves with gaps are interpolated: None is an error, whatever else allows it.

    Attributes
    ----------
    grid_ : array of shape (n_points,) or None
        The points of the curves of `fit`, None where nothing says what they are.
    origin_ : datetime64 or None
        The date from which points count days; None where they are numbers.

    Examples
    --------
    >>> inputs = CurveInputs()
    >>> inputs.fit_read([([0.0, 1.0], [2.0, 3.0]), ([0.0, 0.5, 1.0], [0.0, 5.0, 6.0])])
    array([[2. , 2.5, 3. ],
           [0. , 5. , 6. ]])
    >>> inputs.read([([0.0, 1.0], [1.0, 3.0])])
    array([[1., 2., 3.]])
    """

    def __init__(self, input_grid: Any = None, missing: str | None = None):
        self.input_grid = input_grid
        self.missing = missing

    def fit_read(self, X: Any, *, vectors: bool = True, gridded: bool = False) -> Any:
        """The inputs of `fit`, whose grid is kept.

        Parameters
        ----------
        X : array, data frame, container of scikit-fda, list of tuples (times, values), or anything else
            The inputs.
        vectors : bool, default=True
            Whether the kernel takes rows of numbers; other kernels get the objects.
        gridded : bool, default=False
            Whether the kernel wants to know the grid: then a data frame is one of curves.

        Returns
        -------
        rows : array, data frame, or X itself
            One row for each curve.
        """
        self.grid_: Array | None = None
        self.origin_: Any = None
        if self.input_grid is not None:
            self.grid_, self.origin_ = read_grid(self.input_grid)
        if not self._are_curves(X, vectors, gridded):
            return X
        curves = read_curves(X, "The input curves", self.grid_, self.origin_)
        if self.grid_ is None:
            self.grid_, self.origin_ = curves.grid, curves.origin
        return self._rows(X, curves, gridded)

    def read(self, X: Any, *, vectors: bool = True, gridded: bool = False) -> Any:
        """New inputs, on the grid of `fit_read`.

        Parameters
        ----------
        X : array-like
            Inputs of the form that `fit_read` took.
        vectors : bool, default=True
            As for `fit_read`.
        gridded : bool, default=False
            As for `fit_read`.

        Returns
        -------
        rows : array, data frame, or X itself
            One row for each curve.
        """
        if not self._are_curves(X, vectors, gridded):
            return X
        if self.grid_ is None and _with_points(X):
            raise ValueError(
                "The inputs have points of their own, and the model was fitted on a matrix, which says nothing of its "
                "points; give a matrix here, or fit with inputs that have points: an FDataGrid, pairs, or input_grid=."
            )
        return self._rows(X, read_curves(X, "The input curves", self.grid_, self.origin_), gridded)

    def _are_curves(self, X: Any, vectors: bool, gridded: bool) -> bool:
        # Kernels on objects get the objects, and a matrix without gaps is what the others want.
        if is_foreign(X) or not vectors:
            return False
        asked = self.grid_ is not None or (gridded and hasattr(X, "iloc"))
        return asked or _with_points(X) or _is_cube(X) or _has_nan(X)

    def _rows(self, X: Any, curves: Curves, gridded: bool) -> Any:
        """The values on `grid_`, in a frame where they came in one."""
        check_clock(curves.origin, self.origin_, "The input curves")
        known = _is_cube(X) or curves.grid is not None or self.grid_ is not None
        if np.isnan(curves.values).any() and (self.missing is None or not known):
            raise ValueError(
                "The inputs contain NaN. Curves are interpolated, if missing='least-squares' allows it and input_grid= "
                "or their container says at which points; drop or impute what are no curves."
            )
        rows = self._on_grid(curves, gridded)
        same = hasattr(X, "iloc") and rows.shape == X.shape
        return type(X)(rows, index=X.index, columns=X.columns) if same else rows

    def _on_grid(self, curves: Curves, gridded: bool) -> Array:
        n, points, components = curves.values.shape
        grid = self.grid_
        if grid is not None and curves.grid is None and grid.size != points:
            raise ValueError(f"The input curves have {points} points, their grid has {grid.size}.")
        if components > 1 and gridded:
            raise ValueError(
                f"The kernel has a grid, for curves with one component, and the inputs have {components}; transform "
                "the components before `fit`, or give one of them."
            )
        return on_grid(curves if grid is None else overlapping(curves, grid), grid).reshape(n, -1)


def _with_points(X: Any) -> bool:
    return is_fda(X) or as_pairs(X) is not None


def _is_cube(X: Any) -> bool:
    return getattr(X, "ndim", 2) == 3


def _has_nan(X: Any) -> bool:
    try:
        values = np.asarray(X)
        return values.dtype.kind not in "cmM" and bool(np.isnan(values.astype(np.float64, copy=False)).any())
    except (TypeError, ValueError):
        return False
