"""Radial losses l(p, y) = phi(|p - y|) enter the dual only through their profile phi*."""

from ..arrays import Array, device_of, inner, namespace, row_norms
from .base import DIFFERENCE, Loss
from .roots import increasing_root


class Radial(Loss):
    """l(p, y) = phi(|p - y|), phi convex and increasing, phi(0) = 0.

    Must implement the four functions of one variable `phi`, `slope`, `profile` and `inverse`, on vectors of lengths.
    May implement `shrink`, where it has a closed form. A loss of the form of `Coefficients` inherits all of them
    from `hilbertine.losses.robust.Robust`.
    """

    def phi(self, t: Array) -> Array:
        """The loss at a distance.

        Parameters
        ----------
        t : array
            Distances, >= 0.

        Returns
        -------
        array
            The losses.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement phi(t).")

    def slope(self, t: Array) -> Array:
        """phi'(t), the length of the dual variable of a sample with residual norm t; at a kink any of its values.

        Parameters
        ----------
        t : array
            Residual norms, >= 0.

        Returns
        -------
        array
            The slopes.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement slope(t).")

    def profile(self, s: Array) -> Array:
        """phi*(s) = sup_t s t - phi(t), for s >= 0; infinite beyond `cap`.

        Parameters
        ----------
        s : array
            Lengths of dual rows, >= 0.

        Returns
        -------
        array
            The values.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement profile(s).")

    def inverse(self, s: Array) -> Array:
        """phi*'(s), the largest residual norm t with phi'(t) = s, for 0 <= s <= `cap` (at the cap its limit).

        Parameters
        ----------
        s : array
            Lengths of dual rows, from 0 to `cap`.

        Returns
        -------
        array
            Residual norms.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement inverse(s).")

    def shrink(self, s: Array, step: float) -> Array:
        """argmin_u  step phi*(u) + (u - s)^2 / 2  over u >= 0: the root of u + step phi*'(u) = s.

        Parameters
        ----------
        s : array
            Lengths, >= 0.
        step : float
            The step, > 0.

        Returns
        -------
        array
            The minimisers.
        """
        xp = namespace(s)
        # One of the two terms is at least s/2, and neither exceeds s: that brackets u.
        upper = xp.clip(xp.minimum(s, self.slope(s / step)), max=self.cap)
        lower = xp.minimum(s / 2.0, self.slope(s / (2.0 * step)))
        return increasing_root(lambda u: u + step * self.inverse(u), s, xp.minimum(lower, upper), upper, self)

    def bend(self, s: Array) -> Array:
        """phi*''(s), the derivative of `inverse`; here by differences.

        Parameters
        ----------
        s : array
            Lengths of dual rows, from 0 to `cap`.

        Returns
        -------
        array
            The second derivatives, >= 0.
        """
        xp = namespace(s)
        upper, lower = xp.clip((1.0 + DIFFERENCE) * s, max=self.cap), (1.0 - DIFFERENCE) * s
        apart = upper - lower
        safe = xp.where(apart > 0, apart, xp.ones_like(s))
        return xp.where(apart > 0, (self.inverse(upper) - self.inverse(lower)) / safe, xp.zeros_like(s))

    def value(self, P: Array, T: Array) -> Array:
        self.agree(P, T)
        return self.phi(row_norms(P - T))

    def conjugate(self, W: Array, T: Array) -> Array:
        self.agree(W, T)
        return self.profile(row_norms(W)) - inner(W, T)

    def prox(self, W: Array, T: Array, step: float) -> Array:
        self.agree(W, T, step)
        # l_i*(-u) = phi*(|u|) - <u, t_i>: the linear term shifts the point, the profile shortens it.
        xp = namespace(W)
        Z = W + step * T
        lengths = row_norms(Z)
        safe = xp.where(lengths > 0, lengths, xp.ones_like(lengths))
        return Z * (self.shrink(lengths, step) / safe)[:, None]

    def derivative(self, W: Array, T: Array, step: float) -> Array:
        # Z -> u Z/|Z| with u = shrink(|Z|): u' along the direction of Z, u/|Z| across it.
        xp, Z = namespace(W), W + step * T
        lengths = row_norms(Z)
        safe = xp.where(lengths > 0, lengths, xp.ones_like(lengths))
        D, u = Z / safe[:, None], self.shrink(lengths, step)
        along = xp.where((u > 0) & (u < self.cap), 1.0 / (1.0 + step * self.bend(u)), xp.zeros_like(u))
        across = xp.where(lengths > 0, u / safe, along)[:, None, None]
        turn = D[:, :, None] * D[:, None, :]
        return across * (eye(W) - turn) + along[:, None, None] * turn


def eye(W: Array) -> Array:
    """The identity on the columns of W, one for all rows."""
    return namespace(W).eye(int(W.shape[1]), dtype=W.dtype, device=device_of(W))[None, :, :]
