"""The model of a table: how its columns are read, what is predicted, and in which units."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array
from ..conformal import Crossed
from .columns import Columns
from .table import Table, as_table


class TableModel(BaseEstimator):
    """predict(table) = centre + scale * model.predict(columns(table)): a model that takes files and data frames.

    Parameters
    ----------
    columns : Columns, default=None
        How the inputs are read.
    model : estimator, default=None
        A fitted `ConformalRegressor` of outputs in units of their spread.
    outputs : list of str, default=None
        The names of the outputs; of curves, of their values.
    centre : array, default=None
        What counts as zero of each output.
    scale : array, default=None
        The spread of each output.
    curves : list of str, default=None
        Where the outputs are curves, the name of what they run over and that of their values; their points are the
        grid of the model.
    notes : list of (str, str), default=None
        What is said of the model: questions and answers in words.
    """

    def __init__(
        self,
        columns: Columns | None = None,
        model: Any = None,
        outputs: list[str] | None = None,
        centre: Array | None = None,
        scale: Array | None = None,
        curves: list[str] | None = None,
        notes: list[tuple[str, str]] | None = None,
    ):
        self.columns = columns
        self.model = model
        self.outputs = outputs
        self.centre = centre
        self.scale = scale
        self.curves = curves
        self.notes = notes

    def predict(self, table: Any) -> Array:
        """The outputs of each row.

        Parameters
        ----------
        table : str, Path, data frame or Table
            A file or table with the inputs.

        Returns
        -------
        array of shape (n_rows, n_outputs)
            Predictions, in the units of the training table.
        """
        return self.restored(self.model.predict(self.encode(as_table(table))))

    def interval(self, table: Any, level: float = 0.9) -> tuple[Array, Array]:
        """The ends of sets that hold all outputs of a row, or all points of its curve, as often as the level says.

        Parameters
        ----------
        table : str, Path, data frame or Table
            A file or table with the inputs.
        level : float, default=0.9
            How often.

        Returns
        -------
        lower, upper : arrays of shape (n_rows, n_outputs)
            In the units of the training table.
        """
        sets = self.model.predict_set(self.encode(as_table(table)), level)
        box: Any = sets.hull() if isinstance(sets, Crossed) else sets
        return self.restored(box.lower), self.restored(box.upper)

    @property
    def points(self) -> Array:
        """Where predicted curves are taken."""
        fitted = getattr(self.model, "estimator_", self.model)
        return np.asarray(fitted.space_.grid_, dtype=np.float64)

    def encode(self, table: Table) -> Array:
        """The inputs as a matrix.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of shape (n_rows, n_features)
            Numbers.
        """
        assert self.columns is not None
        return self.columns.transform(table)

    def restored(self, values: Any) -> Array:
        """Outputs of the model in the units of the table.

        Parameters
        ----------
        values : array
            What the model predicts.

        Returns
        -------
        array of shape (n_rows, n_outputs)
            The same in the units of the table.
        """
        values = np.asarray(values, dtype=np.float64)
        return (values[:, None] if values.ndim == 1 else values) * self.scale + self.centre


def spread(Y: Array) -> tuple[Array, Array]:
    """The median of each column, and its spread: a robust one where there is one, else the standard deviation.

    >>> centre, scale = spread(np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]))
    >>> centre.tolist(), scale.round(2).tolist()
    ([1.0, 5.0], [1.48, 1.0])
    """
    centre = np.nanmedian(Y, axis=0)
    robust = 1.4826 * np.nanmedian(np.abs(Y - centre), axis=0)
    usual = np.nanstd(Y, axis=0)
    return centre, np.where(robust > 0, robust, np.where(usual > 0, usual, 1.0))
