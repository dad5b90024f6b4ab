"""Bases of eigenfunctions: of the second moment of the curves, and of the integral operator of a kernel."""

from typing import Any, Self

import numpy as np
from scipy.optimize import brentq
from sklearn.base import clone

from ..arrays import Array, eigh
from ..checks import positive
from ..kernels import as_kernel
from .bases import Basis, real_points


class PrincipalComponents(Basis):
    """The functions that leave least of the curves out: eigenfunctions of their second moment, not centred.

    Not centred, because the mean curve counts as a direction. Between the points of the grid functions are linear.

    Parameters
    ----------
    n : int, default=7
        How many functions.
    """

    orthonormal = True
    learned = True

    def fit(self, grid: Array, weights: Array, curves: Array) -> Self:
        seen = weights > 0
        root = np.sqrt(weights[seen])
        # The components of vector-valued curves share the basis: each counts as a curve.
        rows = np.moveaxis(curves[:, seen], 2, 1).reshape(-1, root.size) * root
        _, sigma, axes = np.linalg.svd(rows, full_matrices=False)
        kept = sigma > max(rows.shape) * np.finfo(np.float64).eps * max(sigma[0], np.finfo(np.float64).tiny)
        if not kept.any():
            raise ValueError("All curves are zero: they have no principal components.")
        size = min(self._size(), int(kept.sum()))
        self.grid_, self.functions_ = grid[seen], axes[:size] / root
        self.second_moments_ = sigma[:size] ** 2 / rows.shape[0]
        return super().fit(grid, weights, curves)

    def __call__(self, t: Array) -> Array:
        return np.stack([np.interp(t, self.grid_, each) for each in self.functions_], axis=1)


class Eigenfunctions(Basis):
    """T_k psi_j = lambda_j psi_j, where (T_k f)(t) = sum_s w_s k(t, s) f(s): Nystrom's method on the quadrature.

    On the grid from the eigenvectors of sqrt(w) k sqrt(w), elsewhere by psi(t) = sum_s w_s k(t, s) psi(s) / lambda.
    Dividing by a small lambda multiplies rounding, so that `L2` makes them orthonormal once more.

    Parameters
    ----------
    n : int, default=7
        How many functions, those of the largest eigenvalues.
    kernel : kernel or callable, default=None
        A kernel on points of the interval, as for inputs with one feature; it must be given.

    Attributes
    ----------
    eigenvalues_ : array of shape (n,)
        The lambda_j.
    """

    def __init__(self, n: int = 7, kernel: Any = None):
        self.n = n
        self.kernel = kernel

    def fit(self, grid: Array, weights: Array, curves: Array) -> Self:
        if self.kernel is None:
            raise ValueError(
                "Eigenfunctions needs a kernel on the interval, Eigenfunctions(n, kernels.Laplacian(5.0))."
            )
        points = grid[:, None]
        self.kernel_ = as_kernel(clone(self.kernel, safe=False)).fit(points)
        root = np.sqrt(weights)
        values, U = eigh(root[:, None] * self.kernel_(points, points) * root[None, :])
        values, U = values[::-1], U[:, ::-1]
        size = self._size()
        if size > grid.size or values[size - 1] <= 1e-12 * values[0]:
            rank = int(np.sum(values > 1e-12 * values[0]))
            raise ValueError(f"The integral operator has {rank} eigenvalues that are not zero; ask for n <= {rank}.")
        self.eigenvalues_ = values[:size]
        self.points_, self.factors_ = points, root[:, None] * U[:, :size] / self.eigenvalues_
        return super().fit(grid, weights, curves)

    def __call__(self, t: Array) -> Array:
        return self.kernel_(real_points(t)[:, None], self.points_) @ self.factors_


class BrownianEigenfunctions(Basis):
    """sqrt2 sin((j - 1/2) pi u), the eigenfunctions of k(s, t) = min(s, t) on [0, 1], in closed form.

    On an interval of length L, s and t are measured from its left end: lambda_j = (L / ((j - 1/2) pi))^2.

    Parameters
    ----------
    n : int, default=7
        How many functions.
    """

    def fit(self, grid: Array, weights: Array, curves: Array) -> Self:
        length = grid[-1] - grid[0]
        self.eigenvalues_ = (length / (np.pi * (np.arange(self._size()) + 0.5))) ** 2 * _mass(grid, weights)
        return super().fit(grid, weights, curves)

    def values(self, u: Array) -> Array:
        return np.sqrt(2) * np.sin(np.pi * u[:, None] * (np.arange(self._size()) + 0.5)[None, :])


class ExponentialEigenfunctions(Basis):
    """cos and sin of omega_j (t - centre), the eigenfunctions of k(s, t) = exp(-gamma |s - t|), in closed form.

    With half length a: omega tan(omega a) = gamma for cosines, omega cot(omega a) = -gamma for sines, in turn, and
    lambda_j = 2 gamma / (omega_j^2 + gamma^2).

    Parameters
    ----------
    n : int, default=7
        How many functions.
    gamma : float, default=1.0
        gamma, of the kernel.
    """

    def __init__(self, n: int = 7, gamma: float = 1.0):
        self.n = n
        self.gamma = gamma

    def fit(self, grid: Array, weights: Array, curves: Array) -> Self:
        gamma = positive(self.gamma, "ExponentialEigenfunctions.gamma", finite=True)
        a = (grid[-1] - grid[0]) / 2
        if a == 0:
            raise ValueError("An interval of one point has no eigenfunctions; give curves with more points.")
        self.frequencies_ = np.array([_frequency(j, gamma * a) for j in range(self._size())]) / a
        self.eigenvalues_ = 2 * gamma / (self.frequencies_**2 + gamma**2) * _mass(grid, weights)
        return super().fit(grid, weights, curves)

    def __call__(self, t: Array) -> Array:
        centred = real_points(t) - sum(self.interval_) / 2
        angle = centred[:, None] * self.frequencies_[None, :]
        return np.where(np.arange(self.frequencies_.size) % 2 == 0, np.cos(angle), np.sin(angle))


def _frequency(j: int, c: float) -> float:
    """The j-th root x of x sin x = c cos x (j even) or x cos x = -c sin x (j odd): one in each quarter."""
    ends = j * np.pi / 2, (j + 1) * np.pi / 2
    if j % 2 == 0:
        return float(brentq(lambda x: x * np.sin(x) - c * np.cos(x), *ends, xtol=1e-15))
    return float(brentq(lambda x: x * np.cos(x) + c * np.sin(x), *ends, xtol=1e-15))


def _mass(grid: Array, weights: Array) -> float:
    """How much the quadrature weighs a unit of length: 1, except where it is a mean."""
    return float(weights.sum() / (grid[-1] - grid[0]))
