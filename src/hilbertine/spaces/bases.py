"""Families of functions on an interval; `L2` makes them orthonormal in its quadrature."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.interpolate import BSpline as Spline
from sklearn.base import BaseEstimator

from ..arrays import Array
from ..checks import positive, whole
from ..doors import Doors
from ..site import Linked


def real_points(t: Any) -> Array:
    """Where functions are asked for, as finite numbers."""
    try:
        found = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Functions are evaluated at numbers, and these points are none ({error}).") from error
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ValueError(f"Functions are evaluated at finite points in one line; got shape {found.shape}.")
    return found


class Basis(Doors, Linked, BaseEstimator):
    """e_1, .., e_n: functions on an interval. Must implement `values(u)` at points u of [0, 1], or `__call__`.

    May implement `fit` (what it learns from the grid, the quadrature and the curves). `orthonormal` says that the
    family already is so in the quadrature, `learned` that it depends on the curves, and `eigenvalues_`, where it is
    there, that these are the eigenfunctions of an operator with these eigenvalues.

    Parameters
    ----------
    n : int, default=7
        How many functions.
    """

    DOORS: ClassVar = (
        "fit",
        "__call__",
        "values",
    )

    orthonormal = False
    learned = False

    def __init__(self, n: int = 7):
        self.n = n

    def fit(self, grid: Array, weights: Array, curves: Array) -> Self:
        """Remember the interval, and what the functions depend on.

        Parameters
        ----------
        grid : array of shape (n_points,)
            The points where curves are sampled.
        weights : array of shape (n_points,)
            The weights of the quadrature.
        curves : array of shape (n, n_points, d)
            The training curves.

        Returns
        -------
        Self
            The fitted basis.
        """
        self.interval_ = (float(grid[0]), float(grid[-1]))
        return self

    def __call__(self, t: Array) -> Array:
        """e_j(t_i), one row for each point.

        Parameters
        ----------
        t : array of shape (n_points,)
            Points of the interval.

        Returns
        -------
        array of shape (n_points, n)
            The values.
        """
        first, last = self.interval_
        return self.values((real_points(t) - first) / ((last - first) or 1.0))

    def values(self, u: Array) -> Array:
        """The functions on [0, 1], before they are made orthonormal.

        Parameters
        ----------
        u : array of shape (n_points,)
            Points of [0, 1].

        Returns
        -------
        array of shape (n_points, n)
            The values.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement values(u).")

    def _size(self) -> int:
        return whole(self.n, f"{type(self).__name__}.n")


class Points(Basis):
    """e_i is 1/sqrt(w_i) at point i of the grid and 0 at the others: curves on their grid, nothing left out.

    Between the points functions are linear; points without weight do not count.
    """

    orthonormal = True

    def __init__(self) -> None:
        pass

    def fit(self, grid: Array, weights: Array, curves: Array) -> Self:
        self.grid_ = grid[weights > 0]
        self.heights_ = 1.0 / np.sqrt(weights[weights > 0])
        return super().fit(grid, weights, curves)

    def __call__(self, t: Array) -> Array:
        t = real_points(t)
        rows = [np.interp(t, self.grid_, unit) for unit in np.eye(self.grid_.size)]
        return np.stack(rows, axis=1) * self.heights_[None, :]


class Fourier(Basis):
    """1, sqrt2 cos(2 pi u), sqrt2 sin(2 pi u), sqrt2 cos(4 pi u), ..: periodic functions.

    Parameters
    ----------
    n : int, default=7
        How many functions; an odd number has whole pairs.
    period : float, default=None
        Their period, 365 for the days of a year; None is the length of the interval.
    """

    def __init__(self, n: int = 7, period: float | None = None):
        self.n = n
        self.period = period

    def values(self, u: Array) -> Array:
        j = np.arange(self._size())
        if self.period is not None:
            first, last = self.interval_
            u = u * (last - first) / positive(self.period, "Fourier.period", finite=True)
        angle = 2 * np.pi * u[:, None] * ((j + 1) // 2)[None, :]
        return np.where(j == 0, 1.0, np.sqrt(2) * np.where(j % 2 == 1, np.cos(angle), np.sin(angle)))


class Cosine(Basis):
    """1, sqrt2 cos(pi u), sqrt2 cos(2 pi u), ..: n functions without periodicity.

    Parameters
    ----------
    n : int, default=7
        How many functions.
    """

    def values(self, u: Array) -> Array:
        j = np.arange(self._size())
        return np.where(j == 0, 1.0, np.sqrt(2) * np.cos(np.pi * u[:, None] * j[None, :]))


class Legendre(Basis):
    """sqrt(2j + 1) P_j(2u - 1), j < n: polynomials.

    Parameters
    ----------
    n : int, default=7
        How many functions.
    """

    def values(self, u: Array) -> Array:
        n = self._size()
        return np.polynomial.legendre.legvander(2 * u - 1, n - 1) * np.sqrt(2 * np.arange(n) + 1)


class BSpline(Basis):
    """Splines with evenly spaced knots, orthonormalised from left to right.

    Parameters
    ----------
    n : int, default=7
        How many functions.
    degree : int, default=3
        Their degree.
    """

    def __init__(self, n: int = 7, degree: int = 3):
        self.n = n
        self.degree = degree

    def values(self, u: Array) -> Array:
        n, degree = self._size(), whole(self.degree, "BSpline.degree")
        if n <= degree:
            raise ValueError(f"BSpline.n = {n} functions of degree {degree}: give n > degree.")
        knots = np.concatenate([np.zeros(degree), np.linspace(0, 1, n - degree + 1), np.ones(degree)])
        return Spline.design_matrix(u, knots, degree).toarray()


class Wavelet(Basis):
    """1, then 2^(j/2) sum_l psi(2^j (u + l) - k), k < 2^j, for j = 0, 1, ..: periodic functions, coarse to fine.

    Parameters
    ----------
    n : int, default=8
        How many functions.
    name : str, default="haar"
        psi: Haar's in closed form, or any wavelet of PyWavelets.
    """

    def __init__(self, n: int = 8, name: str = "haar"):
        self.n = n
        self.name = name

    def values(self, u: Array) -> Array:
        columns = [np.ones_like(u)]
        # Cells are closed on the left; the last point of the interval has no cell of its own and joins the last.
        u = np.minimum(u, np.nextafter(1.0, 0.0)) if self._family() == "haar" else u
        for index in range(1, self._size()):
            level = int(np.log2(index))
            columns.append(2 ** (level / 2) * self._periodic(2.0**level * u - (index - 2**level), 2**level))
        return np.stack(columns, axis=1)

    def _family(self) -> str:
        if not isinstance(self.name, str):
            raise TypeError(f"Wavelet.name must be 'haar' or a name that PyWavelets knows, got {self.name!r}.")
        return self.name

    def _periodic(self, v: Array, period: int) -> Array:
        if self.name == "haar":
            v = np.mod(v, period)
            return np.where(v < 0.5, 1.0, np.where(v < 1.0, -1.0, 0.0))
        psi, at = _mother(self.name)
        first, last = int(np.floor((at[0] - v.max()) / period)), int(np.ceil((at[-1] - v.min()) / period))
        return np.sum([np.interp(v + shift * period, at, psi, 0.0, 0.0) for shift in range(first, last + 1)], axis=0)


def _mother(name: str) -> tuple[Array, Array]:
    try:
        import pywt
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"Wavelet {name!r} comes from PyWavelets; pip install 'hilbertine[functional]', or use name='haar'."
        ) from error
    if str(name).lower() not in pywt.wavelist(kind="discrete"):
        raise ValueError(f"There is no wavelet {name!r}; take one of the families haar, db, sym, coif, such as 'db4'.")
    wavelet: Any = pywt.Wavelet(name)
    if not wavelet.orthogonal:
        raise ValueError(f"The wavelet {name!r} is not orthogonal; take one of the families haar, db, sym, coif.")
    _, psi, at = wavelet.wavefun(level=12)
    return psi, at
