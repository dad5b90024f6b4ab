"""What the array API standard lacks, and the one place that knows which library an array comes from.

The numerical core is written against the standard; NumPy arrays go to scipy's LAPACK and BLAS, so that a
loop of products and triangular solves stays in one thread pool.
"""

import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg
from scipy.linalg import blas

Array: TypeAlias = Any
# In double and in single precision.
GEMM = {np.dtype(np.float64): blas.dgemm, np.dtype(np.float32): blas.sgemm}
SYRK = {np.dtype(np.float64): blas.dsyrk, np.dtype(np.float32): blas.ssyrk}
# Blocks in single precision that are added up before they are added to a sum in double precision.
SHORT = 16
# Whether this thread is one of several at work: scipy's BLAS would keep the interpreter to itself, NumPy's does not.
beside = threading.local()

try:
    compat: Any = import_module("array_api_compat")
except ImportError:  # pragma: no cover - scikit-learn carries a copy
    compat = import_module("sklearn.externals.array_api_compat")


def is_array(x: Any) -> bool:
    """Whether x is an array of some library of the standard, rather than a list or a data frame."""
    return bool(compat.is_array_api_obj(x))


def device_of(x: Any) -> Any:
    """Where x lives, to be passed on to functions that create arrays."""
    return compat.device(x) if is_array(x) else None


def is_foreign(x: Any) -> bool:
    """Whether x is an array of a library other than NumPy."""
    return is_array(x) and not compat.is_numpy_array(x)


def is_torch(x: Any) -> bool:
    return bool(compat.is_torch_array(x))


def count(X: Any) -> int:
    """How many points a collection holds."""
    if not hasattr(X, "shape"):
        if not hasattr(X, "__len__"):
            raise TypeError(f"{X!r:.40} is no collection of points; give an array or a list.")
        return len(X)
    if not X.shape:
        raise ValueError("One number is no collection of points; put it in a list, or in a matrix of one row.")
    return int(X.shape[0])


def as_sequence(Y: Any) -> Any:
    """A collection indexed by position: data frames as matrices, series, sets, generators as lists, sparse as csr."""
    if isinstance(Y, str | bytes):
        raise TypeError(f"{Y!r} is one string, not a collection of outputs; put it in a list.")
    if hasattr(Y, "iloc"):
        return Y.to_numpy() if Y.ndim == 2 else list(Y)
    if hasattr(Y, "tocsr"):
        return Y.tocsr()
    if not hasattr(Y, "__iter__") or getattr(Y, "shape", None) == ():
        raise TypeError(f"{type(Y).__name__} {str(Y)[:40]} is one thing, not a collection; put it in a list.")
    return Y if hasattr(Y, "__getitem__") and hasattr(Y, "__len__") else list(Y)


def blocks(X: Any, size: int) -> Iterator[Any]:
    """X in consecutive blocks of at most `size` points; arrays, lists, data frames and sparse matrices alike."""
    n = count(X)
    # Of the sparse formats not all can be sliced.
    X = X.tocsr() if hasattr(X, "tocsr") else X
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        yield X[part, ...] if is_array(X) else X[part]


def namespace(*arrays: Any) -> Any:
    """The array-API namespace of the first array, NumPy's for anything else (lists, data frames)."""
    if arrays and is_array(arrays[0]):
        return compat.array_namespace(arrays[0])
    return compat.array_namespace(np.empty(0))


def to_numpy(x: Any) -> Array:
    """x as a NumPy array, from any device."""
    if compat.is_torch_array(x):
        return x.detach().cpu().numpy()
    if compat.is_cupy_array(x):
        return x.get()
    return np.asarray(x)


def refuse_complex(x: Any, name: str = "These values") -> None:
    """Complex numbers would lose their imaginary parts silently."""
    if (compat.is_numpy_array(x) and x.dtype.kind == "c") or (
        is_foreign(x) and namespace(x).isdtype(x.dtype, "complex floating")
    ):
        raise ValueError(f"Complex data not supported: {name} are not real numbers; give both parts of each.")


def as_floats(x: Any, like: Any) -> Array:
    """x in double precision, in the library and on the device of `like`."""
    xp = namespace(like)
    refuse_complex(x)
    if not is_foreign(like):
        return np.asarray(to_numpy(x), dtype=np.float64)
    if is_foreign(x):
        return compat.to_device(xp.astype(x, xp.float64), device_of(like))
    return xp.asarray(np.asarray(x, dtype=np.float64), device=device_of(like))


def sample_rows(n: int, most: int, seed: int = 0) -> Any:
    """Places of at most so many of n rows, in order: all of them, or some at random, the same each time."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def rows_at(A: Array, places: Any) -> Array:
    """The rows of an array at these places."""
    xp = namespace(A)
    return xp.take(A, xp.asarray(to_numpy(places), device=device_of(A)), axis=0)


def cast(x: Array, like: Array) -> Array:
    """x in the precision of `like`, another array of the same library."""
    return x if x.dtype == like.dtype else namespace(x).astype(x, like.dtype)


def in_precision_of(x: Any, values: Array) -> Array:
    """Values in the precision of x where x is a tensor of floating numbers; NumPy's stay in double."""
    if not is_foreign(x) or not namespace(x).isdtype(x.dtype, "real floating") or not is_foreign(values):
        return values
    return cast(values, x)


def random_normal(shape: tuple[int, ...], like: Array, seed: int = 0) -> Array:
    """Standard normal numbers, the same on every library."""
    return as_floats(np.random.default_rng(seed).standard_normal(shape), like)


def row_norms(A: Array) -> Array:
    """|a_i| for the rows of A."""
    return namespace(A).sqrt(inner(A, A))


def frobenius(A: Array) -> float:
    """|A|, by a sum: NumPy's own norm would wake the thread pool of another BLAS."""
    xp = namespace(A)
    return float(xp.sqrt(xp.sum(A * A)))


def total(A: Array, B: Array) -> Array:
    """<A, B>, the sum over all entries; on NumPy by scipy's BLAS, without a product array."""
    if compat.is_numpy_array(A) and A.dtype == B.dtype == np.float64 and A.size:
        return blas.ddot(np.ravel(A), np.ravel(B))
    return namespace(A).sum(A * B)


def combination(factors: Sequence[float], arrays: Sequence[Array]) -> Array:
    """sum_k factors_k A_k; on NumPy added up in one place."""
    if not compat.is_numpy_array(arrays[0]) or arrays[0].dtype != np.float64 or not arrays[0].size:
        return sum((f * A for f, A in zip(factors[1:], arrays[1:], strict=True)), factors[0] * arrays[0])
    found = np.ravel(factors[0] * arrays[0])
    for f, A in zip(factors[1:], arrays[1:], strict=True):
        found = blas.daxpy(np.ravel(A), found, a=f)
    return found.reshape(arrays[0].shape)


def inner(A: Array, B: Array) -> Array:
    """<a_i, b_i> row by row."""
    return namespace(A).vecdot(A, B)


def product(A: Array, B: Array) -> Array:
    """A B for matrices; on NumPy by scipy's BLAS, without a copy of a contiguous operand."""
    if (
        not getattr(beside, "others", False)
        and compat.is_numpy_array(A)
        and A.ndim == B.ndim == 2
        and A.dtype == B.dtype
        and A.dtype in GEMM
        and A.shape[1] == B.shape[0]
        and A.size
        and B.size
    ):
        # BLAS reads Fortran order: (A B)^T = B^T A^T, each factor handed over as whichever view is Fortran-ordered.
        (left, flip_left), (right, flip_right) = (
            (X, True) if X.flags.f_contiguous and not X.flags.c_contiguous else (X.T, False) for X in (B, A)
        )
        return GEMM[A.dtype](1.0, left, right, trans_a=flip_left, trans_b=flip_right).T
    return A @ B


def exponential(A: Array, most: float = math.inf) -> Array:
    """exp(min(A, most)), in A itself where the library can."""
    if compat.is_numpy_array(A):
        return np.exp(A if most == math.inf else np.minimum(A, most, out=A), out=A)
    A = A if most == math.inf else namespace(A).clip(A, max=most)
    return A.exp_() if compat.is_torch_array(A) else namespace(A).exp(A)


def outer(A: Array) -> Array:
    """A A^T; on NumPy one half of it is computed and copied to the other."""
    if compat.is_numpy_array(A) and A.dtype == np.float64 and A.size:
        return mirrored(blas.dsyrk(1.0, A.T, trans=1, lower=1))
    return product(A, namespace(A).permute_dims(A, (1, 0)))


def section(parts: Iterable[Array], like: Array) -> Array:
    """sum_b C_b^T C_b over blocks of rows, in double precision however precise the blocks are."""
    total: Any = 0.0
    half: Any = None
    for k, C in enumerate(parts, 1):
        if not compat.is_numpy_array(C):
            # Blocks of a device are long: a sum in single precision would not stay a short one.
            D = as_floats(C, like)
            total = total + product(namespace(D).permute_dims(D, (1, 0)), D)
            continue
        syrk = SYRK[C.dtype]
        half = syrk(1.0, C.T, lower=1) if half is None else syrk(1.0, C.T, beta=1.0, c=half, lower=1, overwrite_c=1)
        # A sum in single precision stays a short one.
        if C.dtype != np.float64 and k % SHORT == 0:
            total, half = total + as_floats(half, like), None
    if half is not None:
        total = total + as_floats(half, like)
    return mirrored(np.asfortranarray(total)) if compat.is_numpy_array(total) else total


def mirrored(half: Array) -> Array:
    """The symmetric matrix of which a Fortran-ordered NumPy array holds the lower half, in place and in C order."""
    for i in range(half.shape[0]):
        half[i, i + 1 :] = half[i + 1 :, i]
    return half.T


def eigh(A: Array) -> tuple[Array, Array]:
    """Eigenvalues (ascending) and eigenvectors of a symmetric matrix."""
    if compat.is_numpy_array(A):
        values, vectors = scipy.linalg.eigh(A, driver="evr", check_finite=False)
        # In the order of all other arrays, so that none is read across its rows.
        return values, np.ascontiguousarray(vectors)
    result = namespace(A).linalg.eigh(A)
    return result[0], result[1]


def solve(A: Array, B: Array) -> Array:
    """A^-1 B for a small symmetric positive definite A."""
    if compat.is_numpy_array(A):
        return scipy.linalg.solve(A, B, assume_a="pos", check_finite=False)
    return namespace(A).linalg.solve(A, B)


def orthonormal(A: Array) -> Array:
    """An orthonormal basis of the columns of A."""
    if compat.is_numpy_array(A):
        return scipy.linalg.qr(A, mode="economic", check_finite=False)[0]
    return namespace(A).linalg.qr(A)[0]


def shifted(A: Array, shift: float | Array, overwrite: bool = False) -> Array:
    """A + shift I, or A + diag(shift): a new array unless A may be overwritten."""
    if compat.is_numpy_array(A):
        result = A if overwrite else A.copy()
        result.flat[:: A.shape[0] + 1] += shift
        return result
    xp = namespace(A)
    if compat.is_torch_array(A) or compat.is_cupy_array(A):
        result = A if overwrite else xp.asarray(A, copy=True)
        diagonal = xp.linalg.diagonal(result)
        diagonal += shift
        return result
    return A + shift * xp.eye(A.shape[0], dtype=A.dtype, device=device_of(A))
