"""Points of a vector space, read in whatever form they come."""

from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Array, as_floats, is_foreign, namespace, to_numpy


def as_points(X: Any, name: str, takes_sparse: bool = False) -> Any:
    """X as a matrix of real floating numbers, one row for each point; as it is where it is one already.

    One-dimensional arrays, lists and series are points of one number each.
    """
    if sparse.issparse(X):
        return _as_csr(X, name, takes_sparse)
    values = X if is_foreign(X) else _as_array(X, name)
    _check_kind(values, name)
    _check_finite(values, name)
    xp = namespace(values)
    values = values if xp.isdtype(values.dtype, "real floating") else as_floats(values, values)
    if values.ndim == 1:
        return values[:, None]
    if values.ndim != 2:
        raise ValueError(
            f"{name} is a kernel on vectors, rows of a matrix, and these points have shape {tuple(values.shape)}; "
            "flatten each to one row."
        )
    return values


def _as_array(X: Any, name: str) -> Array:
    try:
        values = X.to_numpy() if hasattr(X, "iloc") else np.asarray(X if hasattr(X, "shape") else list(X))
        return values.astype(np.float64) if values.dtype == object else values
    except (TypeError, ValueError) as error:
        raise _not_numbers(name, str(error)) from error


def _check_kind(values: Array, name: str) -> None:
    xp = namespace(values)
    if not xp.isdtype(values.dtype, ("bool", "integral", "real floating")):
        raise _not_numbers(name, f"their dtype is {values.dtype}")


def _check_finite(values: Array, name: str) -> None:
    # On another device a look at the values would wait for them.
    if not is_foreign(values) and values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{name} was given points with NaN or infinity; drop or impute them.")


def _not_numbers(name: str, reason: str) -> TypeError:
    return TypeError(
        f"{name} is a kernel on vectors of real numbers, and these points are none ({reason}); convert them: dates to "
        "a count of days, complex numbers to real and imaginary parts, or take a kernel on objects."
    )


def _as_csr(X: Any, name: str, takes_sparse: bool) -> sparse.csr_matrix:
    if not takes_sparse:
        raise TypeError(f"{name} takes no sparse matrix; pass X.toarray(), or use a kernel of inner products.")
    _check_kind(X.data if X.format != "lil" else np.empty(0, X.dtype), name)
    found = sparse.csr_matrix(X, dtype=np.float64)
    _check_finite(found.data, name)
    return found


def dense(A: Any) -> Array:
    """A matrix, from a sparse one too."""
    return A.toarray() if sparse.issparse(A) else A


def scaled_columns(A: Any, factors: Array) -> Any:
    """Column j times factors_j."""
    if sparse.issparse(A):
        return A @ sparse.diags(factors)
    return A * as_floats(factors, A)[None, :]


def spreads(A: Any) -> Array:
    """The standard deviation of each column, as numbers on the host; 1 where a column is constant."""
    if sparse.issparse(A):
        mean = np.asarray(A.mean(axis=0)).ravel()
        squares = np.asarray(A.multiply(A).mean(axis=0)).ravel() - mean**2
    else:
        xp = namespace(A)
        squares = to_numpy(xp.mean((A - xp.mean(A, axis=0)[None, :]) ** 2, axis=0))
    found = np.sqrt(np.maximum(squares, 0.0))
    means = mean if sparse.issparse(A) else to_numpy(namespace(A).mean(A, axis=0))
    # What rounding leaves of a constant column is no spread.
    return np.where(found > 1e-12 * np.abs(means), found, 1.0)
