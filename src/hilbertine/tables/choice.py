"""Which model a table gets: kernel, width and lam by cross-validation, on some of the rows where there are many."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from ..arrays import Array
from ..estimators import FunctionalRegressor, HuberRegressor, RegressorCV
from ..kernels import Gaussian, Nystroem
from ..losses import Huber
from ..spaces import Basis, Legendre
from .outputs import Outputs

# Choices are made on so many rows; above the second number kernel matrices are approximated by so many columns.
SEARCHED, EXACT, COLUMNS = 2000, 8000, 500
FOLDS = 5
# Of curves that are not seen on the whole grid.
MOST_FUNCTIONS = 9


class Choice(NamedTuple):
    """What was chosen, fitted to all rows, and what it was chosen by."""

    model: Any
    search: RegressorCV
    searched: int


def choose(X: Array, found: Outputs, verbose: int = 0) -> Choice:
    """The best of several kernels, widths and lam by the error on rows left out, trimmed."""
    n = X.shape[0]
    few = np.sort(np.random.default_rng(0).permutation(n)[:SEARCHED])
    search = RegressorCV(_plain(found), cv=min(FOLDS, max(2, len(few) // 2)), verbose=verbose)
    with quiet():
        search.fit(X[few], found.values[few])
    if len(few) == n:
        return Choice(search.best_estimator_, search, n)
    model = clone(search.best_estimator_).set_params(verbose=verbose)
    if n > EXACT:
        model.set_params(kernel=Nystroem(model.kernel or Gaussian("auto"), COLUMNS, random_state=0))
    return Choice(model.fit(X, found.values), search, len(few))


@contextmanager
def quiet() -> Iterator[None]:
    """Many fits, and no word of any: what lies at the edge of a grid is for those who wrote the grid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _plain(found: Outputs) -> Any:
    if found.curves is None:
        return HuberRegressor(missing="ignore" if np.isnan(found.values).any() else None)
    basis, missing = (_basis(found.fewest), "least-squares") if np.isnan(found.values).any() else (None, None)
    return FunctionalRegressor(Huber("auto"), Gaussian("auto"), basis, grid=found.grid, missing=missing)


def _basis(fewest: int) -> Basis:
    """Functions that curves of at least so many points tell apart, wherever these lie."""
    return Legendre(min(MOST_FUNCTIONS, max(1, fewest // 3)))


def held_out(choice: Choice, X: Array, found: Outputs) -> Iterator[tuple[Array, Any]]:
    """(rows, predictions) of models that have not seen these rows, for all rows."""
    n = X.shape[0]
    for train, test in KFold(min(FOLDS, n), shuffle=True, random_state=0).split(np.arange(n)):
        model = clone(choice.model).set_params(verbose=0)
        with quiet():
            model.fit(X[train], found.values[train])
        yield test, model.predict(X[test])
