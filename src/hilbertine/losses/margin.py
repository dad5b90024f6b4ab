"""Losses of the margin <p, y>: not radial, and with the same three methods."""

from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from ..arrays import Array, inner, namespace, row_norms
from ..doors import Doors
from ..site import Linked
from .base import DIFFERENCE, Loss

# How far a dual row may lie from the line of its anchor, relative to its length: rounding.
COLLINEAR = 1e-10


class ScalarFunction(Doors, Linked, BaseEstimator):
    """f, convex on the real line. Must implement `value`, `conjugate` and `prox`, on vectors of numbers."""

    DOORS: ClassVar = (
        "value",
        "conjugate",
        "prox",
        "rate",
    )

    def value(self, t: Array) -> Array:
        """f(t).

        Parameters
        ----------
        t : array of shape (n,)
            Numbers.

        Returns
        -------
        array of shape (n,)
            The values.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement value(t).")

    def conjugate(self, s: Array) -> Array:
        """f*(s) = sup_t s t - f(t), infinite outside its domain.

        Parameters
        ----------
        s : array of shape (n,)
            Numbers.

        Returns
        -------
        array of shape (n,)
            The values.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement conjugate(s).")

    def prox(self, s: Array, step: Array) -> Array:
        """argmin_u  step f*(u) + (u - s)^2 / 2.

        Parameters
        ----------
        s : array of shape (n,)
            Numbers.
        step : array of shape (n,)
            A step > 0 for each of them.

        Returns
        -------
        array of shape (n,)
            The minimisers.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement prox(s, step).")

    def rate(self, s: Array, step: Array) -> Array:
        """The derivative of `prox` in s, from 0 to 1; here by differences.

        Parameters
        ----------
        s : array of shape (n,)
            Numbers.
        step : array of shape (n,)
            A step > 0 for each of them.

        Returns
        -------
        array of shape (n,)
            The derivatives.
        """
        h = DIFFERENCE * (1.0 + namespace(s).abs(self.prox(s, step)))
        return (self.prox(s + h, step) - self.prox(s - h, step)) / (2.0 * h)


class MaxMargin(ScalarFunction):
    """f(t) = max(0, 1 - t): f*(s) = s on [-1, 0]."""

    def value(self, t: Array) -> Array:
        return namespace(t).clip(1.0 - t, min=0.0)

    def conjugate(self, s: Array) -> Array:
        xp = namespace(s)
        slack = 1e-12
        inside = (s >= -1.0 - slack) & (s <= slack)
        return xp.where(inside, xp.clip(s, min=-1.0, max=0.0), xp.full_like(s, float("inf")))

    def prox(self, s: Array, step: Array) -> Array:
        return namespace(s).clip(s - step, min=-1.0, max=0.0)

    def rate(self, s: Array, step: Array) -> Array:
        return namespace(s).astype((s - step > -1.0) & (s - step < 0.0), s.dtype)


class SquaredMaxMargin(ScalarFunction):
    """f(t) = max(0, 1 - t)^2 / 2: f*(s) = s + s^2/2 for s <= 0."""

    def value(self, t: Array) -> Array:
        return namespace(t).clip(1.0 - t, min=0.0) ** 2 / 2.0

    def conjugate(self, s: Array) -> Array:
        xp = namespace(s)
        below = xp.clip(s, max=0.0)
        return xp.where(s <= 1e-12, below + below * below / 2.0, xp.full_like(s, float("inf")))

    def prox(self, s: Array, step: Array) -> Array:
        return namespace(s).clip((s - step) / (1.0 + step), max=0.0)

    def rate(self, s: Array, step: Array) -> Array:
        return namespace(s).astype(s < step, s.dtype) / (1.0 + step)


class Margin(Loss):
    """l(p, y) = f(<p, y>), f convex: l_i*(-w) = f*(-mu) for w = mu t_i, infinite off the line of the anchor t_i.

    An anchor of norm zero makes the loss the constant f(0): its dual row is zero. In a truncated basis the margin of a
    prediction is exact, because predictions lie in the basis; the dual row mu y_i does not, and `beyond` says by how
    much, so that `truncation_gap_` stays a certificate.

    Parameters
    ----------
    f : ScalarFunction
        A convex function of one variable: its value, conjugate and proximal map.

    Examples
    --------
    >>> import numpy as np
    >>> loss, T = Margin(MaxMargin()), np.array([[2.0, 0.0]])
    >>> loss.value(np.array([[0.25, 9.0]]), T), loss.conjugate(0.5 * T, T), loss.conjugate(np.array([[1.0, 1.0]]), T)
    (array([0.5]), array([-0.5]), array([inf]))
    """

    # The margin is an inner product, and knows where the origin is.
    shifts = False

    def __init__(self, f: ScalarFunction):
        self.f = f

    def _f(self) -> Any:
        f, methods = self.f, ("value", "conjugate", "prox")
        if isinstance(f, type) or not all(callable(getattr(f, name, None)) for name in methods):
            raise TypeError(
                f"Margin needs a convex function of one variable with the methods value, conjugate and prox, got "
                f"{self.f!r}; see hilbertine.losses.ScalarFunction."
            )
        return f

    def value(self, P: Array, T: Array) -> Array:
        self.agree(P, T)
        return self._f().value(inner(P, T))

    def conjugate(self, W: Array, T: Array) -> Array:
        self.agree(W, T)
        xp = namespace(W)
        mu, anchored = self._multiples(W, T)
        off = row_norms(W - mu[:, None] * T) > COLLINEAR * row_norms(W)
        on_line = self._f().conjugate(-mu)
        # Where the anchor is zero, the loss is f(0) for every p.
        constant = xp.zeros_like(mu) - self._f().value(xp.zeros_like(mu))
        return xp.where(off, xp.full_like(mu, float("inf")), xp.where(anchored, on_line, constant))

    def prox(self, W: Array, T: Array, step: float) -> Array:
        self.agree(W, T, step)
        xp = namespace(W)
        mu, anchored = self._multiples(W, T)
        squares = inner(T, T)
        steps = step / xp.where(anchored, squares, xp.ones_like(squares))
        return xp.where(anchored, -self._f().prox(-mu, steps), xp.zeros_like(mu))[:, None] * T

    def derivative(self, W: Array, T: Array, step: float) -> Array:
        xp = namespace(W)
        mu, anchored = self._multiples(W, T)
        safe = xp.where(anchored, inner(T, T), 0.0 * mu + 1.0)
        rates = xp.where(anchored, self._f().rate(-mu, step / safe), 0.0 * mu) / safe
        return rates[:, None, None] * T[:, :, None] * T[:, None, :]

    def beyond(self, W: Array, T: Array, tails: Array) -> Array:
        return self._multiples(W, T)[0] * tails

    def check_trainable(self) -> None:
        self._f()

    @staticmethod
    def _multiples(W: Array, T: Array) -> tuple[Array, Array]:
        """mu_i = <w_i, t_i> / |t_i|^2, and which anchors are not zero."""
        xp = namespace(W)
        squares = inner(T, T)
        anchored = squares > 0
        return xp.where(anchored, inner(W, T), 0.0 * squares) / xp.where(
            anchored, squares, xp.ones_like(squares)
        ), anchored


class Hinge(Margin):
    """l(p, y) = max(0, 1 - <p, y>): maximum-margin regression, the case f = MaxMargin of `Margin`."""

    def __init__(self) -> None:
        pass

    def _f(self) -> ScalarFunction:
        return MaxMargin()
