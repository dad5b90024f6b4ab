"""What a fit is judged by: rows that it had not seen, and rows that it does not believe."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array
from ..conformal import Reliability
from ..estimators.suspects import Suspects
from ..tables import Columns, Table, TableModel
from ..tables.choice import Choice
from ..tables.outputs import Outputs
from ..tables.surrounded import tried

# Of more nobody reads.
MOST_SUSPECTS = 30


@dataclass(frozen=True)
class Summary:
    """A fit to a table, seen from outside.

    Parameters
    ----------
    table : Table
        What was read.
    found : Outputs
        The outputs.
    columns : Columns
        The inputs.
    choice : Choice
        What was chosen.
    model : TableModel
        What is kept.
    suspects : Suspects
        Rows of the fit that it does not believe.
    tested : array of int
        Rows, as places among those fitted, that were predicted by a model that had not seen them.
    truth : array
        Their outputs, in the units of the table.
    predicted : array
        What was said of them.
    said : array
        What the model itself says of the worst suspects.
    reliability : Reliability
        How often sets hold rows that nothing had seen.
    held : int
        How many such rows there were.
    """

    table: Table
    found: Outputs
    columns: Columns
    choice: Choice
    model: TableModel
    suspects: Suspects
    tested: Array
    truth: Array
    predicted: Array
    said: Array
    reliability: Reliability
    held: int

    @cached_property
    def names(self) -> list[str]:
        """What the rows are called."""
        return self.columns.row_names(self.table.take(self.found.rows))

    @cached_property
    def flagged(self) -> Array:
        """The suspects, worst first."""
        return self.suspects.samples[self.suspects.flagged]

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs; of curves that of their values."""
        return self.found.names if self.found.curves is None else [self.found.curves[1]]

    def columns_of(self, values: Array) -> list[Array]:
        """Values by output: those of curves are one output."""
        return list(values.T) if self.found.curves is None else [values]

    def errors(self) -> list[tuple[str, float, float, float]]:
        """For each output its name, the median error, the share explained, and that without suspects."""
        clean = ~np.isin(self.tested, self.flagged)
        parts = zip(self.outputs, self.columns_of(self.truth), self.columns_of(self.predicted), strict=True)
        return [
            (name, float(np.nanmedian(np.abs(y - p))), explained(y, p), explained(y[clean], p[clean]))
            for name, y, p in parts
        ]


def explained(y: Array, p: Array) -> float:
    """1 - |y - p|^2 / |y - mean|^2, over what is there."""
    there = ~np.isnan(y)
    if not there.any():
        return float("nan")
    around = float(np.sum((y - np.nanmean(y, axis=0))[there] ** 2))
    return 1.0 - float(np.sum((y - p)[there] ** 2)) / around if around > 0 else float("nan")


def summarise(table: Table, found: Outputs, columns: Columns, choice: Choice, model: TableModel, X: Array) -> Summary:
    """A fit, and how models without some of the rows predict these."""
    trial = tried(choice, X, found)
    truth, predicted = model.restored(found.values[trial.tested]), model.restored(trial.predicted)
    suspects = choice.model.suspects()
    worst = suspects.samples[suspects.flagged][:MOST_SUSPECTS]
    said = model.restored(choice.model.predict(X[worst])) if len(worst) else truth[:0]
    return Summary(
        table, found, columns, choice, model, suspects, trial.tested, truth, predicted, said, trial.reliability,
        trial.held,
    )  # fmt: skip
