"""What scikit-fda offers from functions to functions, each searched as hilbertine's models are."""

from typing import Any

import numpy as np
from skfda import FDataGrid
from skfda.ml.regression import FPLSRegression, HistoricalLinearRegression, KNeighborsRegressor, LinearRegression
from skfda.representation.basis import BSplineBasis
from sklearn.base import clone
from sklearn.model_selection import KFold, ParameterGrid

INTERVALS = (8, 12, 16)


def squared_norms(model: Any, X: Any, Y: Any) -> Any:
    """Squared L2 norms of the errors."""
    difference = model.predict(X).data_matrix[:, :, 0] - Y.data_matrix[:, :, 0]
    return np.trapezoid(difference**2, X.grid_points[0], axis=1)


def searched(model: Any, candidates: dict[str, Any], X: Any, Y: Any, grid: Any) -> Any:
    """The candidate with the smallest median of all held-out errors, as `RegressorCV(average="median")` has it."""
    X, Y = FDataGrid(X, grid), FDataGrid(Y, grid)

    def fitted(params: dict[str, Any], rows: Any) -> Any:
        return clone(model).set_params(**params).fit(X[rows], Y[rows])

    def typical_error(params: dict[str, Any]) -> float:
        folds = KFold(5).split(np.arange(len(X)))
        held = [squared_norms(fitted(params, train), X[test], Y[test]) for train, test in folds]
        return float(np.median(np.concatenate(held)))

    return fitted(min(ParameterGrid(candidates), key=typical_error), np.arange(len(X)))


def partial_least_squares(X: Any, Y: Any, new: Any, grid: Any, size: int) -> Any:
    model = searched(FPLSRegression(), {"n_components": range(1, 17)}, X, Y, grid)
    return model.predict(FDataGrid(new, grid)).data_matrix[:, :, 0]


def nearest_neighbours(X: Any, Y: Any, new: Any, grid: Any, size: int) -> Any:
    candidates = {"n_neighbors": (1, 2, 3, 4, 6, 8, 12, 16), "weights": ["uniform", "distance"]}
    model = searched(KNeighborsRegressor(), candidates, X, Y, grid)
    return model.predict(FDataGrid(new, grid)).data_matrix[:, :, 0]


def historical(X: Any, Y: Any, new: Any, grid: Any, size: int) -> Any:
    """y(t) = a(t) + integral of b(s, t) x(s) over s < t, on triangles of so many intervals."""
    model = HistoricalLinearRegression(n_intervals=size).fit(FDataGrid(X, grid), FDataGrid(Y, grid))
    return model.predict(FDataGrid(new, grid)).data_matrix[:, :, 0]


def intervals(X: Any, Y: Any, grid: Any) -> int:
    model = searched(HistoricalLinearRegression(n_intervals=8), {"n_intervals": INTERVALS}, X, Y, grid)
    return int(model.n_intervals)


def concurrent(X: Any, Y: Any, new: Any, grid: Any) -> Any:
    """y(t) = b(t) x(t)."""
    basis = BSplineBasis(domain_range=(grid[0], grid[-1]), n_basis=15)
    inputs, outputs, asked = (FDataGrid(values, grid).to_basis(basis) for values in (X, Y, new))
    model = LinearRegression(coef_basis=[basis], fit_intercept=False).fit(inputs, outputs)
    return model.predict(asked).to_grid(grid).data_matrix[:, :, 0]


PEERS = {
    "partial least squares": partial_least_squares,
    "nearest neighbours": nearest_neighbours,
    "historical linear": historical,
}
