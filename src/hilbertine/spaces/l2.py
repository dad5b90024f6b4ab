"""Curves as outputs: coefficients in a family that is orthonormal in the quadrature used."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import Array, as_floats, is_foreign, namespace, product, to_numpy
from .base import Space
from .bases import Basis, Points
from .curves import Curves, container_of, like_container, on_grid, read_curves, seen_pairs
from .quadrature import check_grid, observed_weights, quadrature_weights

MISSING = (None, "least-squares", "quadrature")


class L2(Space):
    """t_ij = <y_i, e_j>, where <f, g> = sum_t w_t f(t) g(t): square-integrable curves on an interval.

    Parameters
    ----------
    grid : the points where curves are sampled; None takes them from the outputs (scikit-fda's containers, frames whose
        columns are numbers), or evenly spaced points of [0, 1]
    basis : a `spaces.Basis`, made orthonormal in the quadrature in the order of its functions; None is `Points()`, all
        of the curve, nothing left out
    quadrature : "trapezoid", "simpson", "mean" (a measure of mass one), or one weight for each point
    missing : what to do with curves that have NaN: None is an error, "least-squares" fits the coefficients to the
        points seen, "quadrature" integrates over the points seen. Curves given as pairs (times, values), or on
        another grid than the one of `fit`, are treated the same way, by default by least squares

    Vector-valued curves, (n, points, d), have d coefficients for each function. With an orthonormal basis that is not
    complete, what is left out of a curve is its truncation tail.

    >>> from hilbertine.spaces import Fourier
    >>> grid = np.linspace(0, 1, 101)
    >>> space = L2(grid, basis=Fourier(3)).fit(np.sin(2 * np.pi * grid)[None, :])
    >>> space.encode(np.sin(2 * np.pi * grid)[None, :]).round(3) + 0.0
    array([[0.   , 0.   , 0.707]])
    """

    def __init__(
        self, grid: Any = None, basis: Basis | None = None, quadrature: Any = "trapezoid", missing: str | None = None
    ):
        self.grid = grid
        self.basis = basis
        self.quadrature = quadrature
        self.missing = missing

    @property
    def learned(self) -> bool:
        return bool(self._basis().learned)

    def fit(self, Y: Any, y: Any = None) -> Self:
        if self.missing not in MISSING:
            raise ValueError(f"L2.missing must be one of {MISSING}, got {self.missing!r}.")
        curves = self._allowed(read_curves(Y))
        self.grid_ = self._choose_grid(curves)
        self.weights_ = quadrature_weights(self.grid_, self.quadrature)
        self.components_, self.container_ = int(curves.values.shape[2]), container_of(Y)
        values = on_grid(curves._replace(values=to_numpy(curves.values)), self.grid_)
        self.basis_ = clone(self._basis()).fit(self.grid_, self.weights_, values)
        self._orthonormalise()
        return self

    def encode(self, Y: Any) -> Array:
        curves = self._read(Y)
        if self._regular(curves):
            V = curves.values
            xp = namespace(V)
            E = as_floats(self.functions_ * self.weights_[:, None], V)
            # One row for each component of each curve, then functions before components.
            rows = xp.reshape(xp.permute_dims(V, (0, 2, 1)), (-1, V.shape[1]))
            C = xp.reshape(product(rows, E), (V.shape[0], V.shape[2], -1))
            return xp.reshape(xp.permute_dims(C, (0, 2, 1)), (V.shape[0], -1))
        return np.stack([self._coefficients(t, v, i).reshape(-1) for i, (t, v) in enumerate(self._seen(curves))])

    def transform(self, Y: Any) -> Array:
        """The coordinates, under the name that scikit-learn's transformers have."""
        return self.encode(Y)

    def decode(self, C: Array, candidates: Any = None, grid: Any = None) -> Any:
        """The curves sum_j c_ij e_j on the grid of `fit`, or on another within its interval."""
        if candidates is not None:
            raise ValueError("Curves need no candidates: a point of the space is a curve.")
        grid = self.grid_ if grid is None else self._within(check_grid(grid))
        E = self.functions_ if grid is self.grid_ else self.functions(grid)
        xp = namespace(C)
        parts = xp.permute_dims(xp.reshape(C, (C.shape[0], -1, self.components_)), (0, 2, 1))
        rows = product(xp.reshape(parts, (-1, E.shape[1])), as_floats(E.T, C))
        values = xp.permute_dims(xp.reshape(rows, (C.shape[0], self.components_, -1)), (0, 2, 1))
        return like_container(self.container_, values, grid)

    def norms(self, Y: Any) -> Array:
        curves = self._read(Y)
        if self._regular(curves):
            V = curves.values
            xp = namespace(V)
            weights = as_floats(self.weights_, V)[None, :, None]
            return xp.sqrt(xp.sum(V * V * weights, axis=(1, 2)))
        return np.sqrt([np.sum(v * v * self._observed(t)[:, None]) for t, v in self._seen(curves)])

    def functions(self, t: Any) -> Array:
        """The orthonormal functions at these points, one column each."""
        raw = self.basis_(np.asarray(t, dtype=np.float64))
        return raw if self.mixing_ is None else raw @ self.mixing_

    def _basis(self) -> Basis:
        if self.basis is None:
            return Points()
        if not isinstance(self.basis, Basis):
            raise TypeError(f"{self.basis!r} is not a basis; pass one of hilbertine.spaces, Fourier(7) for instance.")
        return self.basis

    def _orthonormalise(self) -> None:
        """E diag(w) E^T = I by Gram and Schmidt, so that nested families stay nested; signs are kept."""
        self.mixing_ = None
        raw = self.functions(self.grid_)
        if not self.basis_.orthonormal:
            root = np.sqrt(self.weights_)[:, None]
            R = np.linalg.qr(root * raw)[1]
            diagonal = np.abs(np.diagonal(R))
            if raw.shape[1] > np.count_nonzero(self.weights_) or diagonal.min() <= 1e-9 * diagonal.max():
                raise ValueError(
                    f"The {raw.shape[1]} functions of {self.basis_!r} are not independent on the {self.grid_.size} "
                    "points of the grid; ask for fewer, or give curves with more points."
                )
            self.mixing_ = np.linalg.inv(R) * np.sign(np.diagonal(R))[None, :]
        self.functions_ = raw if self.mixing_ is None else raw @ self.mixing_

    def _choose_grid(self, curves: Curves) -> Array:
        points = curves.values.shape[1]
        if self.grid is None:
            return np.linspace(0.0, 1.0, points) if curves.grid is None else curves.grid
        grid = check_grid(self.grid)
        if curves.grid is None and grid.size != points:
            raise ValueError(f"The curves have {points} points, the grid has {grid.size}.")
        return grid

    def _read(self, Y: Any) -> Curves:
        curves = self._allowed(read_curves(Y))
        if curves.values.shape[2] != self.components_:
            raise ValueError(f"The curves have {curves.values.shape[2]} components, the space {self.components_}.")
        if curves.grid is None and curves.values.shape[1] != self.grid_.size:
            raise ValueError(
                f"The curves have {curves.values.shape[1]} points, the space was fitted on a grid of "
                f"{self.grid_.size}; give them with their points: a list of pairs (times, values), or an FDataGrid."
            )
        return curves

    def _allowed(self, curves: Curves) -> Curves:
        """Curves without infinities, and without NaN unless `missing` says what to do with it."""
        V = curves.values
        xp = namespace(V)
        if self.missing is None and bool(xp.any(xp.isnan(V))):
            raise ValueError(
                "The curves contain NaN; say what to do with missing values: missing='least-squares' or 'quadrature'."
            )
        if bool(xp.any(xp.isinf(V))):
            raise ValueError("The curves contain infinities; drop or impute these values.")
        return curves

    def _regular(self, curves: Curves) -> bool:
        """Whether the curves are complete on the grid of `fit`: then coefficients are one product."""
        if curves.own is not None or (curves.grid is not None and not np.array_equal(curves.grid, self.grid_)):
            return False
        return is_foreign(curves.values) or not bool(np.isnan(curves.values).any())

    def _seen(self, curves: Curves) -> list[tuple[Array, Array]]:
        return seen_pairs(curves, self.grid_ if curves.grid is None else curves.grid)

    def _observed(self, times: Array) -> Array:
        """The quadrature on the points where one curve was seen."""
        return observed_weights(times, self.grid_, self.weights_, self.quadrature)

    def _within(self, t: Array) -> Array:
        first, last = self.grid_[0], self.grid_[-1]
        slack = 1e-9 * (last - first)
        if t[0] < first - slack or t[-1] > last + slack:
            raise ValueError(
                f"The points {t[0]:g} to {t[-1]:g} leave the interval [{first:g}, {last:g}] of the curves; a curve is "
                "known only there."
            )
        return np.clip(t, first, last)

    def _coefficients(self, t: Array, v: Array, i: int) -> Array:
        """Coefficients (functions, components) of one curve from the points where it was seen."""
        E, weights = self.functions(self._within(t)), self._observed(t)
        if self.missing == "quadrature":
            return np.asarray(E.T @ (weights[:, None] * v))
        root = np.sqrt(weights)[:, None]
        solution, _, rank, _ = np.linalg.lstsq(root * E, root * v, rcond=1e-8)
        if rank < E.shape[1]:
            remedy = "give a basis, Fourier(9) for instance" if self.basis is None else "ask for fewer functions"
            raise ValueError(
                f"Curve {i} was seen at {t.size} points, not enough to tell its {E.shape[1]} coefficients; {remedy}, "
                "drop the curve, or use missing='quadrature'."
            )
        return np.asarray(solution)
