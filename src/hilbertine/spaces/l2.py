"""Curves as outputs: coefficients in a family that is orthonormal in the quadrature used."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import Array, as_floats, is_foreign, namespace, to_numpy
from ..containers.curves import Curves, container_of, grid_of, like_container, on_grid, read_curves, seen_together
from ..containers.grids import check_grid, same_points, within
from ..containers.times import check_clock, read_grid, read_points
from .base import Space
from .bases import Basis, Points
from .coordinates import analysed, estimated, orthonormalising, squared, synthesised
from .gaps import MISSING, allowed, warn_untold
from .quadrature import observed_weights, quadrature_weights

# What a basis leaves out of a curve is rounding below this part of the squared norm.
ROUNDING = 1e-28


class L2(Space):
    """t_ij = <y_i, e_j>, where <f, g> = sum_t w_t f(t) g(t): square-integrable curves on an interval.

    Vector-valued curves, (n, points, d), have d coefficients for each function. With an orthonormal basis that is not
    complete, what is left out of a curve is its truncation tail.

    Points that are dates count days since the first of them, `origin_`; durations are days as well.

    Parameters
    ----------
    grid : array-like of numbers or dates, default=None
        The points where curves are sampled. None takes them from the outputs (scikit-fda's containers, frames whose
        columns are numbers or dates, pairs), or evenly spaced points of [0, 1].
    basis : Basis, default=None
        A family of `spaces`, made orthonormal in the quadrature in the order of its functions. None is `Points()`, all
        of the curve, nothing left out.
    quadrature : {"trapezoid", "simpson", "mean"} or array-like, default="trapezoid"
        The rule of integration; "mean" is a measure of mass one. An array holds one weight for each point.
    missing : {"least-squares", "quadrature"}, default=None
        What to do with curves that have NaN: None is an error, "least-squares" fits the coefficients to the points
        seen, and takes as zero what these do not tell, "quadrature" integrates over the points seen, and warns where
        that is off by half. Pairs (times, values), and curves on another grid, are by default fitted as well.

    Attributes
    ----------
    grid_, weights_ : arrays of shape (n_points,)
        The points, as numbers, and their weights in the quadrature.
    origin_ : datetime64 or None
        The date from which points count days; None where they are numbers.
    functions_ : array of shape (n_points, n_functions)
        The orthonormal functions on the grid.
    basis_ : Basis
        The fitted family they were made from.
    components_ : int
        How many components a curve has.

    Examples
    --------
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
        """Choose the orthonormal functions, and the grid and the quadrature they are orthonormal in.

        Parameters
        ----------
        Y : array-like or list
            The training curves.
        y : None, default=None
            Ignored.

        Returns
        -------
        Self
            The fitted space.
        """
        self._fit(Y)
        return self

    def fit_measure(self, Y: Any) -> tuple[Array, Array]:
        curves = self._fit(Y)
        T = self._encoded(curves)
        return T, self._missed(curves, T)

    def _fit(self, Y: Any) -> Curves:
        """The curves, after the grid, the quadrature and the basis have been taken from them."""
        if self.missing not in MISSING:
            raise ValueError(f"L2.missing must be one of {MISSING}, got {self.missing!r}.")
        grid, origin = (None, None) if self.grid is None else read_grid(self.grid)
        curves = allowed(read_curves(Y, grid=grid, origin=origin), self.missing)
        if grid is not None:
            check_clock(curves.origin, origin, "The curves")
        self.origin_ = curves.origin if grid is None else origin
        self.grid_ = grid_of(curves, grid)
        self.weights_ = quadrature_weights(self.grid_, self.quadrature)
        self.components_ = int(curves.values.shape[2])
        self.container_ = container_of(Y, self.components_)
        values = on_grid(curves._replace(values=to_numpy(curves.values)), self.grid_)
        self.basis_ = clone(self._basis()).fit(self.grid_, self.weights_, values)
        self.mixings_: list[Array] = []
        if not self.basis_.orthonormal:
            self.mixings_ = orthonormalising(lambda: self.functions(self.grid_), self.weights_, self.basis_)
        self.functions_ = self.functions(self.grid_)
        return curves

    def encode(self, Y: Any) -> Array:
        return self._encoded(self._read(Y))

    # The name that scikit-learn's transformers have for it.
    transform = encode

    def _encoded(self, curves: Curves) -> Array:
        if self._regular(curves):
            return analysed(curves.values, self.functions_ * self.weights_[:, None])
        T = np.empty((curves.values.shape[0], self.functions_.shape[1] * self.components_))
        untold: list[int] = []
        for at, t, V in self._seen(curves):
            T[at], told = self._coefficients(t, V, at[0])
            untold += [] if told else at.tolist()
        if untold:
            warn_untold(sorted(untold), len(T), self.functions_.shape[1], self.missing)
        return T

    def decode(self, C: Array, candidates: Any = None, grid: Any = None) -> Any:
        """The curves sum_j c_ij e_j.

        Parameters
        ----------
        C : array of shape (n, m)
            Points, in coordinates.
        candidates : None, default=None
            Curves are not chosen.
        grid : array-like, default=None
            Where to take them, within the interval; None is the grid of `fit`.

        Returns
        -------
        array of shape (n, n_points), or a container as those of `fit`
            The curves.
        """
        if candidates is not None:
            raise ValueError("Curves need no candidates: a point of the space is a curve.")
        grid = self.grid_ if grid is None else check_grid(self._points(grid))
        E = self.functions_ if grid is self.grid_ else self.functions(grid)
        return like_container(self.container_, synthesised(C, E, self.components_), grid)

    def norms(self, Y: Any) -> Array:
        curves = self._read(Y)
        if self._regular(curves):
            return namespace(curves.values).sqrt(squared(curves.values, self.weights_))
        return self._seen_norms(curves)

    def tails(self, Y: Any, T: Array) -> Array:
        # |y_i - sum_j t_ij e_j|, over the points where y_i was seen.
        return self._missed(self._read(Y), T)

    def _missed(self, curves: Curves, T: Array) -> Array:
        if not self._regular(curves):
            return as_floats(self._seen_norms(curves, to_numpy(T)), T)
        # From the difference itself: that of two squares would vanish beside a large mean.
        V = as_floats(curves.values, T)
        rest = V - synthesised(T, self.functions_, self.components_)
        xp = namespace(T)
        squares, sizes = squared(rest, self.weights_), squared(V, self.weights_)
        return xp.sqrt(xp.where(squares > ROUNDING * sizes, squares, xp.zeros_like(squares)))

    def sampled(self, Y: Any) -> Array:
        """Curves on the grid of `fit`, interpolated where they were not seen there.

        Parameters
        ----------
        Y : array-like or list
            Curves.

        Returns
        -------
        array of shape (n, n_points, d)
            Their values.
        """
        curves = self._read(Y)
        curves = curves._replace(values=to_numpy(curves.values))
        for _, times, _ in self._seen(curves):
            within(times, self.grid_)
        return on_grid(curves, self.grid_)

    def functions(self, t: Any) -> Array:
        """The orthonormal functions.

        Parameters
        ----------
        t : array-like
            Points of the interval.

        Returns
        -------
        array of shape (n_points, n_functions)
            The values.
        """
        E = self.basis_(within(np.asarray(self._points(t), dtype=np.float64), self.grid_))
        for mixing in self.mixings_:
            E = E @ mixing
        return E

    def _points(self, t: Any) -> Any:
        """Points as numbers, dates as days since `origin_`."""
        points, found = read_points(t, self.origin_)
        check_clock(found, self.origin_, "These points")
        return points

    def _basis(self) -> Basis:
        if self.basis is None:
            return Points()
        if not isinstance(self.basis, Basis):
            raise TypeError(f"{self.basis!r} is not a basis; pass one of hilbertine.spaces, Fourier(7) for instance.")
        return self.basis

    def _read(self, Y: Any) -> Curves:
        grid = None if self.grid is None else self.grid_
        curves = allowed(read_curves(Y, grid=grid, origin=self.origin_), self.missing)
        check_clock(curves.origin, self.origin_, "The curves")
        if curves.values.shape[2] != self.components_:
            raise ValueError(f"The curves have {curves.values.shape[2]} components, the space {self.components_}.")
        if curves.grid is None and curves.values.shape[1] != self.grid_.size:
            raise ValueError(
                f"The curves have {curves.values.shape[1]} points, the space was fitted on a grid of "
                f"{self.grid_.size}; give them with their points: a list of pairs (times, values), or an FDataGrid."
            )
        return curves

    def _regular(self, curves: Curves) -> bool:
        """Whether the curves are complete on the grid of `fit`: then coefficients are one product."""
        if curves.own is not None or (curves.grid is not None and not same_points(curves.grid, self.grid_)):
            return False
        return is_foreign(curves.values) or not bool(np.isnan(curves.values).any())

    def _seen(self, curves: Curves) -> list[tuple[Array, Array, Array]]:
        return seen_together(curves, self.grid_ if curves.grid is None else curves.grid)

    def _seen_norms(self, curves: Curves, T: Array | None = None) -> Array:
        """|y_i - sum_j t_ij e_j|, or |y_i| without T, in the quadrature on the points seen."""
        squares = np.empty(curves.values.shape[0])
        for at, t, V in self._seen(curves):
            if T is not None:
                V = V - np.einsum("tj,njd->ntd", self.functions(t), T[at].reshape(len(at), -1, self.components_))
            squares[at] = np.einsum("ntd,t->n", V * V, self._observed(t))
        return np.sqrt(squares)

    def _observed(self, times: Array) -> Array:
        """The quadrature on the points where one curve was seen."""
        return observed_weights(times, self.grid_, self.weights_, self.quadrature)

    def _coefficients(self, t: Array, V: Array, i: int) -> tuple[Array, bool]:
        """The rows of coefficients of curves (n, points, d) seen at the same points, and whether these tell them; i is
        the first curve."""
        E = self.functions(t)
        rows, told = estimated(V, E, self._observed(t), self.missing == "quadrature")
        if not told and isinstance(self.basis_, Points) and self.missing != "quadrature":
            raise ValueError(
                f"Curve {i} was seen at {t.size} points, from {t[0]:g} to {t[-1]:g}: not enough to tell its "
                f"{E.shape[1]} coefficients; give a basis, Fourier(9) for instance, or use missing='quadrature'."
            )
        return rows, told or isinstance(self.basis_, Points)
