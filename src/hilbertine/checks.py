"""Checks of numbers and of Gram matrices: each error names the object, the reason and the remedy."""

import math
from numbers import Real
from typing import Any

import numpy as np

from .arrays import Array, eigh, namespace
from .lanczos import krylov_section

# Nothing is counted beyond: eight bytes for each would be 8 PB.
MOST = 1e15
NO_NUMBERS = ("could not convert", "a string or a real number", "setting an array element", "Cannot cast array data")


def number(value: Any, name: str) -> float:
    """`value` as a float that is not NaN."""
    if not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    try:
        result = float(value)
    except OverflowError as error:
        raise ValueError(f"{name} is larger than any number of double precision; give a smaller one.") from error
    if math.isnan(result):
        raise ValueError(f"{name} is NaN; give a number.")
    return result


def positive(value: Any, name: str, *, finite: bool = False) -> float:
    """`value` as a float > 0; infinity is allowed unless `finite`."""
    result = number(value, name)
    if result <= 0 or (finite and math.isinf(result)):
        raise ValueError(f"{name} must be {'finite and ' if finite else ''}> 0, got {value!r}.")
    return result


def nonnegative(value: Any, name: str) -> float:
    """`value` as a finite float >= 0."""
    result = number(value, name)
    if result < 0 or math.isinf(result):
        raise ValueError(f"{name} must be finite and >= 0, got {value!r}.")
    return result


def whole(value: Any, name: str) -> int:
    """`value` as an int >= 1."""
    result = number(value, name)
    if math.isinf(result) or result < 1 or result != math.floor(result):
        raise ValueError(f"{name} must be a whole number >= 1, got {value!r}.")
    if result > MOST:
        raise ValueError(f"{name} is {value:.3g}, more than there can be of anything in memory; give a smaller one.")
    return int(result)


def generator(seed: Any, name: str) -> np.random.Generator:
    """A generator of random numbers; NumPy itself breaks down at seeds that are matrices."""
    if isinstance(seed, np.matrix):
        raise TypeError(f"{name} must be a whole number >= 0, None or a generator of NumPy, got a matrix.")
    return np.random.default_rng(seed)


def refuse_dates(values: Any, name: str) -> None:
    """Dates and durations are no numbers: as nanoseconds since 1970 they would drown everything else."""
    dtypes = getattr(values, "dtypes", None)
    kinds = [getattr(values, "dtype", None)] if dtypes is None else np.atleast_1d(np.asarray(dtypes, dtype=object))
    if any(getattr(each, "kind", "") in ("M", "m") for each in kinds):
        raise TypeError(
            f"{name} holds dates or durations; make numbers of them, "
            f"({name} - {name}.min()) / numpy.timedelta64(1, 'D') for days."
        )


def says_no_numbers(error: Exception) -> bool:
    """Whether NumPy says that values are objects, words, records or lists of unequal length."""
    return any(part in str(error) for part in NO_NUMBERS)


def function(value: Any, name: str) -> Any:
    """`value` as something that can be called, or None."""
    if value is not None and (isinstance(value, type) or not callable(value)):
        raise TypeError(f"{name} must be a function, or None; got {value!r}.")
    return value


def of_kind(value: Any, kind: type, name: str, remedy: str) -> Any:
    """`value` as an object of this kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {type(value).__name__} {str(value)[:40]!r}; {remedy}.")
    return value


def check_symmetric(K: Array, name: str, *, block: int = 512) -> None:
    """K = K^T up to 1e-8 of its largest entry, compared block by block so that no n x n copy is made."""
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must be square, one row and one column per point; got shape {tuple(K.shape)}.")
    xp = namespace(K)
    n = K.shape[0]
    if not bool(xp.all(xp.isfinite(K))):
        raise ValueError(f"{name} contains NaN or infinity; check the data or the kernel that it was computed from.")
    worst = largest = 0.0
    for i in range(0, n, block):
        end = min(i + block, n)
        rows = K[i:end, i:]
        difference = rows - xp.permute_dims(K[i:, i:end], (1, 0))
        worst = max(worst, float(xp.max(xp.abs(difference))))
        largest = max(largest, float(xp.max(xp.abs(rows))))
    if worst > 1e-8 * largest:
        raise ValueError(
            f"{name} is not symmetric (entries differ by {worst:.2g}); pass the symmetric part (K + K.T) / 2."
        )


def check_gram(K: Array, name: str) -> None:
    """K is square, finite, symmetric and not clearly indefinite, at the price of three products with eight columns.

    With random columns B, B^T K B is symmetric (with probability one) only if K is, up to rounding; a negative
    Ritz value proves a negative eigenvalue. Nothing as dear as an eigendecomposition is paid for.
    """
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must be square, one row and one column per point; got shape {tuple(K.shape)}.")
    xp = namespace(K)
    H = K if K.shape[0] <= 64 else krylov_section(K, width=8, depth=3)
    if not bool(xp.all(xp.isfinite(H))):
        raise ValueError(f"{name} contains NaN or infinity; check the data or the kernel that it was computed from.")
    Ht = xp.permute_dims(H, (1, 0))
    size = float(xp.max(xp.abs(H)))
    if float(xp.max(xp.abs(H - Ht))) > 1e-9 * size:
        check_symmetric(K, name)
    values = eigh((H + Ht) / 2.0)[0]
    smallest, largest = float(values[0]), float(values[-1])
    diagonal = xp.linalg.diagonal(K)
    # A zero on the diagonal of a Gram matrix means a zero row: a distance matrix ends here.
    if float(xp.min(diagonal)) < -1e-12 * size or (float(xp.max(diagonal)) == 0 and size > 0):
        i = int(xp.argmin(diagonal))
        raise ValueError(
            f"{name} is not positive semi-definite: its diagonal entry {i} is {float(diagonal[i]):.3g}. "
            "A Gram matrix holds inner products k(x_i, x_j); a distance matrix D becomes one by exp(-gamma * D**2)."
        )
    if smallest < -1e-6 * max(abs(largest), abs(smallest)):
        raise ValueError(
            f"{name} is not positive semi-definite: it has an eigenvalue <= {smallest:.3g} beside {largest:.3g}. "
            "Clip its negative eigenvalues, or check that it holds similarities rather than distances."
        )
