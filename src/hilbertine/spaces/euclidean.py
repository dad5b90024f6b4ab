"""R^p with its canonical basis."""

from typing import Any, Self

from sklearn.utils import check_array

from ..arrays import Array, as_floats, is_foreign, namespace, row_norms
from ..checks import refuse_dates, says_no_numbers
from ..spread import true_places
from .base import Space

MISSING = (None, "ignore")


class Euclidean(Space):
    """e_j is the j-th canonical basis vector: t_i = y_i. One-dimensional outputs come back one-dimensional.

    Parameters
    ----------
    missing : {None, "ignore"}, default=None
        What to do with entries that are NaN: refuse them, or learn each row from the entries it has.

    Examples
    --------
    >>> import numpy as np
    >>> space = Euclidean().fit(np.array([1, 2, 3]))
    >>> space.encode(np.array([4, 5]))
    array([[4.],
           [5.]])
    >>> space.decode(np.array([[0.5]]))
    array([0.5])
    """

    learned = False

    def __init__(self, missing: str | None = None):
        self.missing = missing

    def fit(self, Y: Any) -> Self:
        self.fit_measure(Y)
        return self

    def fit_measure(self, Y: Any) -> tuple[Array, Array]:
        values = self._numeric(Y)
        self.flat_ = values.ndim == 1
        T = values[:, None] if self.flat_ else values
        self.dimension_ = int(T.shape[1])
        return T, self.tails(Y, T)

    def tails(self, Y: Any, T: Array) -> Array:
        return namespace(T).zeros_like(T[:, 0])

    def encode(self, Y: Any) -> Array:
        values = self._numeric(Y)
        T = values[:, None] if values.ndim == 1 else values
        if T.shape[1] != self.dimension_:
            raise ValueError(f"The outputs have {T.shape[1]} columns, the space was fitted to {self.dimension_}.")
        return T

    def decode(self, C: Array, candidates: Any = None) -> Array:
        if candidates is not None:
            raise ValueError("Euclidean predictions need no candidates; use spaces.RKHS(kernel) to choose among some.")
        return C[:, 0] if self.flat_ else C

    def norms(self, Y: Any) -> Array:
        return row_norms(self.encode(Y))

    def _numeric(self, Y: Any) -> Array:
        if is_foreign(Y):
            Y = as_floats(Y, Y)
            if Y.ndim not in (1, 2) or 0 in Y.shape:
                raise ValueError(f"Outputs must be a non-empty vector or matrix, got shape {tuple(Y.shape)}.")
            return self._complete(Y)
        refuse_dates(Y, "y")
        try:
            values = check_array(Y, dtype="float64", ensure_2d=False, ensure_all_finite=False, input_name="y")
            return self._complete(values)
        except (TypeError, ValueError) as error:
            if not says_no_numbers(error):
                raise
            raise ValueError(
                f"A Euclidean output space needs numbers ({error}). For outputs that are objects, give a kernel "
                "between them: space=spaces.RKHS(kernel)."
            ) from error

    def _complete(self, values: Array) -> Array:
        """Values without infinities, and without NaN unless `missing` says what to do with it."""
        xp = namespace(values)
        if self.missing not in MISSING:
            raise ValueError(f"missing must be one of {MISSING}, got {self.missing!r}.")
        if bool(xp.any(xp.isinf(values))):
            raise ValueError("Input y contains infinity; drop or correct these samples.")
        empty = xp.isnan(values)
        if not bool(xp.any(empty)):
            return values
        rows = empty[:, None] if values.ndim == 1 else empty
        if self.missing is None:
            row = int(true_places(xp.any(rows, axis=1))[0])
            column = int(true_places(rows[row, :])[0])
            raise ValueError(
                f"Input y contains NaN, first in row {row}, output {column}. With missing='ignore' every row is "
                "learned from the entries it has; or drop these samples."
            )
        unseen = true_places(xp.all(rows, axis=1))
        if unseen.shape[0]:
            raise ValueError(
                f"Row {int(unseen[0])} of y has no entry at all{_others(int(unseen.shape[0]))}; drop such samples."
            )
        return values


def _others(count: int) -> str:
    return "" if count == 1 else f", and {count - 1} more rows have none"
