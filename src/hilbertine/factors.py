"""Cholesky factors on any library: what solves with them, and the inverses they give."""

from collections.abc import Callable
from importlib import import_module

import numpy as np
import scipy.linalg
from scipy.linalg import blas

from .arrays import Array, compat, mirrored, namespace, product

TRMM = {np.dtype(np.float64): blas.dtrmm, np.dtype(np.float32): blas.strmm}
INDEFINITE = (
    "The Gram matrix is not positive semi-definite (its Cholesky factorisation failed); "
    "check the kernel, or raise lam if the matrix is only numerically singular."
)


def cholesky_solver(A: Array, overwrite: bool = False) -> Callable[[Array], Array]:
    """R -> A^-1 R for a positive definite A, factored once and overwritten; R too where it may be."""
    try:
        if compat.is_numpy_array(A):
            # The transpose of a symmetric C-ordered array is the Fortran-ordered array LAPACK overwrites.
            factor = scipy.linalg.cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
            if overwrite:
                return lambda R: _solved_in_place(factor[0], R)
            return lambda R: scipy.linalg.cho_solve(factor, R, check_finite=False)
        xp = namespace(A)
        L = _torch_factor(A) if compat.is_torch_array(A) else xp.linalg.cholesky(A)
    except Exception as error:
        # Every library raises its own class here, so the name is what they share.
        if "linalg" not in type(error).__name__.lower():
            raise
        raise ValueError(INDEFINITE) from error
    if compat.is_torch_array(A):
        return lambda R: _torch_solved(L, R)
    if compat.is_cupy_array(A):  # pragma: no cover - needs a GPU
        from cupyx.scipy.linalg import solve_triangular

        return lambda R: solve_triangular(L, solve_triangular(L, R, lower=True), lower=True, trans=1)
    U = xp.permute_dims(L, (1, 0))
    return lambda R: xp.linalg.solve(U, xp.linalg.solve(L, R))


def _torch_factor(A: Array) -> Array:
    # In the order of LAPACK, A^T for a symmetric A, the factor takes the place of the matrix.
    return import_module("torch").linalg.cholesky(A.mT, out=A.mT)


def _torch_solved(L: Array, R: Array) -> Array:
    # PyTorch's own cholesky_solve copies the factor each time.
    solve = import_module("torch").linalg.solve_triangular
    return solve(L.mT, solve(L, R, upper=False), upper=True)


def _solved_in_place(L: Array, R: Array) -> Array:
    # X^T = R^T L^-T L^-1, and R^T is the Fortran-ordered view of a C-ordered R. For a few columns the other side is
    # faster.
    for transposed in (True, False):
        R = blas.dtrsm(1.0, L, R.T, side=1, lower=1, trans_a=transposed, overwrite_b=True).T
    return R


def inverse_root(A: Array) -> Array:
    """The lower triangular R with R^T R = A^-1 for a positive definite A, which is overwritten.

    Two thirds of the price of A^-1, whose diagonal holds the squared norms of the columns of R.
    """
    if not compat.is_numpy_array(A):
        return namespace(A).linalg.inv(namespace(A).linalg.cholesky(A))
    factor, failed = scipy.linalg.lapack.dpotrf(A.T, lower=True, overwrite_a=True)
    if failed:
        raise ValueError(INDEFINITE)
    return scipy.linalg.lapack.dtrtri(factor, lower=True, overwrite_c=True)[0]


def triangular_product(C: Array, U: Array) -> Array:
    """C U for an upper triangular U; on NumPy in the place of C, and at half the price of another product."""
    if not (compat.is_numpy_array(C) and C.dtype == U.dtype and C.flags.c_contiguous and U.flags.c_contiguous):
        return product(C, U)
    return TRMM[C.dtype](1.0, U.T, C.T, lower=1, overwrite_b=1).T


def positive_inverse(A: Array) -> Array:
    """A^-1 for a positive definite A, which is overwritten; half the price of solving for the identity."""
    if not compat.is_numpy_array(A):
        return namespace(A).linalg.inv(A)
    return mirrored(scipy.linalg.lapack.dlauum(inverse_root(A), lower=True, overwrite_c=True)[0])
