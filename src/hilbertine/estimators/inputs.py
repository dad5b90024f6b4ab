"""Inputs as the kernel wants them: rows of numbers, rows of a Gram matrix, or objects left alone."""

from copy import deepcopy
from typing import Any

import numpy as np
from scipy.sparse import coo_array, issparse
from sklearn.utils.validation import _num_samples, check_array, check_consistent_length, validate_data

from ..arrays import as_floats, is_foreign, namespace
from ..checks import refuse_dates, says_no_numbers
from ..containers import Chunks, as_chunks
from ..kernels.base import Domain
from ..spread import aligned, is_spread, read

# What holds objects that may be changed in place.
MUTABLE = (list, dict, set)
OTHER = "X has {} features, but {} was fitted with {}."


def check_pairs(estimator: Any, X: Any, y: Any) -> None:
    """Refuse outputs that are not there, or not one for each input."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    X = as_chunks(X)
    # That inputs are empty says more than that outputs are not.
    if _num_samples(X):
        check_consistent_length(X, y)


def check_inputs(
    estimator: Any, X: Any, domain: Domain, *, reset: bool, like: Any = None, takes_sparse: bool = False
) -> Any:
    """X ready for the kernel; `reset` at fit, where the number of features is learned.

    After fit, numbers go to the library of `like`, whichever they come from. Sparse vectors stay so.
    """
    X = as_chunks(X) if domain == "vectors" else X
    if isinstance(X, Chunks):
        return _check_chunks(estimator, X, reset)
    checked = _check_inputs(estimator, X, domain, reset, takes_sparse and domain == "vectors")
    if reset:
        return owned(checked, X)
    if domain == "objects" or issparse(checked):
        return checked
    # A model fitted on a cluster predicts at the client, and on workers.
    return as_floats(checked, None if is_spread(like) else like)


def owned(checked: Any, X: Any) -> Any:
    """Inputs that stay what they are when the caller changes X in place."""
    if isinstance(X, np.ndarray):
        return checked.copy() if np.shares_memory(checked, X) else checked
    if is_foreign(X):
        return checked + 0.0 if checked is X else checked
    return deepcopy(checked) if checked is X and (issparse(X) or isinstance(X, MUTABLE)) else checked


def _check_chunks(estimator: Any, X: Chunks, reset: bool) -> Chunks:
    """Rows are looked at when they are read; their number of features is known before."""
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(OTHER.format(X.shape[1], type(estimator).__name__, estimator.n_features_in_))
    return X


def _check_inputs(estimator: Any, X: Any, domain: Domain, reset: bool, takes_sparse: bool) -> Any:
    if domain == "objects":
        if _num_samples(X) == 0:
            raise ValueError(f"{type(estimator).__name__} needs at least one sample, got an empty input.")
        return X
    if not is_foreign(X):
        if domain == "gram" and not reset and np.ndim(X) == 2 and np.shape(X)[1] != estimator.n_features_in_:
            raise ValueError(
                f"The precomputed rows have {np.shape(X)[1]} columns; predict takes the kernel values against the "
                f"{estimator.n_features_in_} training points, an n_new x {estimator.n_features_in_} matrix."
            )
        refuse_dates(X, "X")
        try:
            accepted = "csr" if takes_sparse else False
            return validate_data(estimator, X, reset=reset, dtype=np.float64, accept_sparse=accepted)
        except (TypeError, ValueError) as error:
            if "Input X contains" in str(error):
                raise not_finite(X) from error
            if not says_no_numbers(error):
                raise
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(
                f"A kernel on vectors needs numbers ({error}): turn words in columns into numbers, by scikit-learn's "
                "OneHotEncoder for instance. For inputs that are objects, give a kernel between "
                "them: a function of two collections."
            ) from error
    xp = namespace(X)
    X = as_floats(X, X)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"Expected a non-empty 2D array of inputs, got shape {tuple(X.shape)}; reshape your data.")
    if not bool(xp.all(xp.isfinite(X))):
        raise ValueError("Input X contains NaN or infinity; drop or impute these samples.")
    if reset:
        estimator.n_features_in_ = int(X.shape[1])
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(OTHER.format(X.shape[1], type(estimator).__name__, estimator.n_features_in_))
    return X


def not_finite(X: Any) -> ValueError:
    """The error for inputs with gaps, which says where the first one is."""
    values = coo_array(check_array(X, dtype=np.float64, accept_sparse="csr", ensure_all_finite=False))
    places = np.flatnonzero(~np.isfinite(values.data))
    row, column = min((int(values.row[k]), int(values.col[k])) for k in places)
    what, where = "NaN" if np.isnan(values.data).any() else "infinity", f", first in row {row}, column {column}"
    return ValueError(
        f"Input X contains {what}{where}; put scikit-learn's SimpleImputer() before the model, in a pipeline, or drop "
        "these rows. In outputs missing='ignore' takes NaN as not seen."
    )


def in_like_blocks(X: Any, *others: Any) -> tuple[Any, ...]:
    """(X, *others), where X is on a cluster all of them in the same blocks of rows; data frames of Dask are arrays."""
    X = read(X)
    if not is_spread(X):
        return X, *others
    X = aligned(X, X)
    return X, *(None if other is None else aligned(other, X) for other in others)


def check_weights(sample_weight: Any, T: Any) -> Any:
    """Weights of the rows of T: finite numbers >= 0, not all zero; None where all count once."""
    if sample_weight is None:
        return None
    n = int(T.shape[0])
    try:
        weights = as_floats(sample_weight, T)
    except (TypeError, ValueError) as error:
        raise TypeError(f"sample_weight must be {n} numbers ({error}).") from error
    xp = namespace(T)
    if tuple(weights.shape) != (n,):
        raise ValueError(
            f"sample_weight has shape {tuple(weights.shape)}; give one number for each of the {n} samples."
        )
    if not bool(xp.all(xp.isfinite(weights) & (weights >= 0))) or not bool(xp.any(weights > 0)):
        raise ValueError("sample_weight must be finite numbers >= 0, not all zero.")
    return None if bool(xp.all(weights == 1)) else weights
