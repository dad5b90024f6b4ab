"""What the dual problem asks of a loss: three methods, row by row."""

import math
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

from sklearn.base import BaseEstimator

from ..arrays import Array, device_of, is_array, namespace, row_norms
from ..checks import positive
from ..doors import Doors
from ..expected import described
from ..site import Linked

# A length of outputs: a number, or a multiple of their scale that `fit` measures.
Length: TypeAlias = float | Literal["auto"]
# Relative to a row, how far apart the two points of a difference quotient lie.
DIFFERENCE = 1e-5


class Coefficients(NamedTuple):
    """phi*(s) = a s^2/2 + b s + [s <= c]: curvature a, insensitivity b, cap c.

    Parameters
    ----------
    a : float
        Curvature of the profile: residual norms grow by a per unit of slope.
    b : float
        Insensitivity: residuals up to b cost nothing.
    c : float
        Cap: no dual row is longer.
    """

    a: float
    b: float
    c: float


class Loss(Doors, Linked, BaseEstimator):
    """l(p, y), convex in p; l_i(p) = l(p, t_i) for the i-th target.

    Must implement `value`, `conjugate` and `prox`, which take and return whole matrices: row i belongs to
    sample i. They are tied together by the inequality of Fenchel and Young,

        l(p_i, t_i) + l_i*(-w_i) + <w_i, p_i> >= 0,  with equality iff w_i = -l_i'(p_i).

    May implement `check_trainable`, `cap` (the radius of the ball that dual rows live in), `coefficients` or
    `curvature` and `flat`, which make fast solvers faster, and `beyond`, for losses whose dual rows a truncated basis
    does not hold. A parameter that is a length of outputs may be "auto": `AUTO` says which multiple of their scale it
    is then, and `given` reads it.
    """

    DOORS: ClassVar = (
        "value", "conjugate", "prox", "derivative", "phi", "slope", "profile", "inverse", "shrink", "bend", "beyond",
        "at_scale",
    )  # fmt: skip
    # The parameters that may be "auto", each with its multiple of the scale.
    AUTO: ClassVar[dict[str, float]] = {}
    # Whether l(p + c, y + c) = l(p, y), so that outputs may be centred.
    shifts: bool = True
    # Whether the loss depends on the coordinates it is written in, so that only canonical ones make sense.
    entrywise: bool = False

    @property
    def coefficients(self) -> Coefficients | None:
        return None

    @property
    def cap(self) -> float:
        return math.inf

    @property
    def cell_cap(self) -> float:
        """The largest entry of a dual row, for losses of entries; `cap` is its largest norm."""
        return math.inf

    def reach(self, W: Array) -> Array:
        """How much of the cap each dual row has: one where the loss holds it back.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array of shape (n,)
            From zero to one.
        """
        return row_norms(W) / self.cap

    @property
    def square(self) -> bool:
        """Whether this is |p - y|^2 / 2, for which closed forms exist."""
        return not self.automatic and self.coefficients == Coefficients(1.0, 0.0, math.inf)

    @property
    def curvature(self) -> float:
        """a, a multiple of s^2/2 that the conjugate is known to hold: l_i*(-w) = a |w|^2 / 2 + the same of `flat`."""
        return 0.0

    def flat(self) -> "Loss":
        """The loss whose conjugate lacks the curvature of this one."""
        return self

    @property
    def automatic(self) -> bool:
        """Whether a parameter, of this loss or of one inside it, is "auto"."""
        values = self.get_params(deep=False)
        inside = any(value.automatic for value in values.values() if isinstance(value, Loss))
        return inside or any(is_auto(values[name]) for name in self.AUTO)

    def at_scale(self, scale: float) -> Self:
        """A copy in which each length that is "auto" is its multiple of the scale.

        Parameters
        ----------
        scale : float
            The scale of the outputs, > 0.

        Returns
        -------
        Self
            The copy.
        """
        scale = positive(scale, "scale", finite=True)
        return type(self)(**{name: self._at(name, scale) for name in self.get_params(deep=False)})

    def _at(self, name: str, scale: float) -> Any:
        value = getattr(self, name)
        if isinstance(value, Loss):
            return value.at_scale(scale)
        return self.AUTO[name] * scale if name in self.AUTO and is_auto(value) else value

    def given(self, name: str) -> Any:
        """The parameter, which must not be "auto" any more.

        Parameters
        ----------
        name : str
            The name of the parameter.

        Returns
        -------
        object
            Its value.
        """
        value = getattr(self, name)
        if is_auto(value):
            raise ValueError(
                f'{self!r}: {name}="auto" is set by `fit` from the residuals; give a number to use the loss by itself.'
            )
        return value

    def value(self, P: Array, T: Array) -> Array:
        """l(p_i, t_i).

        Parameters
        ----------
        P, T : array of shape (n, m)
            Predictions and targets.

        Returns
        -------
        array of shape (n,)
            The loss of each row.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement value(P, T).")

    def conjugate(self, W: Array, T: Array) -> Array:
        """l_i*(-w_i), infinite outside the domain.

        Parameters
        ----------
        W, T : array of shape (n, m)
            Dual variables and targets.

        Returns
        -------
        array of shape (n,)
            The conjugate of each row.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement conjugate(W, T).")

    def prox(self, W: Array, T: Array, step: float) -> Array:
        """argmin_u  step l_i*(-u) + |u - w_i|^2 / 2.

        Parameters
        ----------
        W, T : array of shape (n, m)
            Dual variables and targets.
        step : float
            The step, > 0.

        Returns
        -------
        array of shape (n, m)
            The proximal map of each row.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement prox(W, T, step).")

    def derivative(self, W: Array, T: Array, step: float) -> Array:
        """The derivative of `prox` in W, row by row: symmetric, with eigenvalues from 0 to 1; here by differences.

        Parameters
        ----------
        W, T : array of shape (n, m)
            Dual variables and targets.
        step : float
            The step, > 0.

        Returns
        -------
        array of shape (n, m, m)
            One matrix for each row.
        """
        xp, m = namespace(W), int(W.shape[1])
        h = DIFFERENCE * (row_norms(self.prox(W, T, step)) + float(xp.max(xp.abs(W))) * DIFFERENCE)
        h = xp.where(h > 0, h, xp.ones_like(h))[:, None]
        turns = h[:, :, None] * xp.eye(m, dtype=W.dtype, device=device_of(W))[None, :, :]
        columns = [
            (self.prox(W + turns[:, j, :], T, step) - self.prox(W - turns[:, j, :], T, step)) / (2.0 * h)
            for j in range(m)
        ]
        J = xp.stack(columns, axis=2)
        return (J + xp.permute_dims(J, (0, 2, 1))) / 2.0

    def agree(self, A: Array, B: Array, step: float = 1.0) -> None:
        """Refuse all but two matrices of one shape and a step > 0, with a word on what was given.

        Parameters
        ----------
        A, B : array of shape (n, m)
            What should be two matrices of one shape.
        step : float, default=1.0
            The step of a proximal map.
        """
        positive(step, "step", finite=True)
        if not (is_array(A) and is_array(B) and A.ndim == 2 and A.shape == B.shape):
            raise ValueError(
                f"{self!r} takes two matrices of one shape, row i for sample i, got {described(A)} and {described(B)}; "
                "pass arrays of shape (n, m), for instance np.asarray(values, dtype=float).reshape(n, m)."
            )

    def beyond(self, W: Array, T: Array, tails: Array) -> Array:
        """What dual rows have along y_i - t_i, the part of the output that the basis leaves out: for most losses
        nothing.

        Parameters
        ----------
        W, T : array of shape (n, m)
            Dual variables and targets.
        tails : array of shape (n,)
            The norms of y_i - t_i.

        Returns
        -------
        array of shape (n,)
            One number for each row.
        """
        return 0.0 * tails

    def check_trainable(self) -> None:
        """Raise if the parameters are invalid or if no model can be trained with this loss alone."""


def is_auto(value: Any) -> bool:
    """Whether a parameter is the word "auto"; arrays are compared with no word."""
    return isinstance(value, str) and value == "auto"
