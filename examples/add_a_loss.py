"""
My own loss
===========

Pseudo-Huber, a Huber loss without a corner, in one class. What each method is for: :doc:`/add_a_loss`.
"""

import sys
from typing import Any

import numpy as np

from hilbertine import Regressor, Ridge, kernels, losses
from hilbertine.arrays import Array, namespace
from hilbertine.assumptions import check_admissible
from hilbertine.checks import positive
from hilbertine.plotting import figure


class PseudoHuber(losses.Radial):
    """l(p, y) = kappa^2 (sqrt(1 + (|p - y|/kappa)^2) - 1): phi*(s) = kappa^2 (1 - sqrt(1 - (s/kappa)^2)), s <= kappa.

    Square for small residuals, kappa |p - y| for large ones, and smooth in between: no row reaches the cap. Both
    formulas are written as x / (1 + sqrt(1 +- ..)), so that nothing cancels near zero.

    >>> loss = PseudoHuber(kappa=2.0)
    >>> t = np.array([0.0, 1.5])
    >>> loss.phi(t), loss.slope(t), loss.inverse(loss.slope(t))
    (array([0., 1.]), array([0. , 1.2]), array([0. , 1.5]))
    """

    def __init__(self, kappa: float = 1.0):
        self.kappa = kappa

    @property
    def cap(self) -> float:
        return positive(self.kappa, "kappa", finite=True)

    def phi(self, t: Array) -> Array:
        return t * t / (1.0 + self._stretch(t))

    def slope(self, t: Array) -> Array:
        return t / self._stretch(t)

    def profile(self, s: Array) -> Array:
        xp = namespace(s)
        # A row on the cap may exceed it by the rounding of its own norm.
        inside = s <= self.cap * (1.0 + 16.0 * xp.finfo(s.dtype).eps)
        s = xp.clip(s, max=self.cap)
        return xp.where(inside, s * s / (1.0 + xp.sqrt(self._room(s))), xp.full_like(s, float("inf")))

    def inverse(self, s: Array) -> Array:
        xp = namespace(s)
        # The limit at the cap is infinite. Beyond kappa / sqrt(eps) all slopes round to kappa: that is its value here.
        return s / xp.sqrt(xp.clip(self._room(s), min=xp.finfo(s.dtype).eps))

    def check_trainable(self) -> None:
        positive(self.kappa, "kappa", finite=True)

    def _stretch(self, t: Array) -> Array:
        """sqrt(1 + (t/kappa)^2)."""
        return namespace(t).hypot(namespace(t).ones_like(t), t / self.cap)

    def _room(self, s: Array) -> Array:
        """1 - (s/kappa)^2, factored so that it keeps its digits near the cap."""
        return (1.0 - s / self.cap) * (1.0 + s / self.cap)


# %%
# Curves, one in ten upside down: the new loss trains under every solver, to a certificate, and has suspects.


def main(path: str | None = None) -> dict[str, Any]:
    loss = PseudoHuber(kappa=0.5)
    check_admissible(loss)

    time, x = np.linspace(0, 1, 60), np.linspace(0, 1, 40)[:, None]
    truth = np.sin(2 * np.pi * (time + x))
    curves = truth.copy()
    curves[5::10] *= -1.2
    settings: dict[str, Any] = {"kernel": kernels.Gaussian(gamma=20.0), "lam": 1e-3}
    model = Regressor(loss, **settings).fit(x, curves)
    ridge = Ridge(**settings).fit(x, curves)
    # Infimal convolutions need nothing more: residuals up to 0.1 cost nothing, larger ones as above.
    insensitive = Regressor(losses.EpsilonInsensitive(loss, 0.1), **settings).fit(x, curves)
    errors = {
        name: float(np.mean((fitted.predict(x) - truth) ** 2))
        for name, fitted in (("ridge", ridge), ("pseudo-Huber", model), ("with a tube", insensitive))
    }
    if path:
        fig, (left, right) = figure(1, 2, width=9, height=3.2)
        t = np.linspace(0, 2, 200)
        for name, each in (("square", losses.Square()), ("Huber", losses.Huber(0.5)), ("pseudo-Huber", loss)):
            left.plot(t, each.phi(t), label=name)
        left.set(xlabel="length of a residual", ylabel="what it costs", ylim=(0, 1))
        right.plot(time, truth[5], "k--", linewidth=1, label="truth")
        right.plot(time, ridge.predict(x[5:6])[0], label="ridge")
        right.plot(time, model.predict(x[5:6])[0], color="C2", label="pseudo-Huber")
        right.set(xlabel="time", title="where the curve is upside down")
        left.legend(frameon=False)
        right.legend(frameon=False)
        fig.savefig(path)
    pulls, found = np.linalg.norm(model.dual_coef_, axis=1), model.suspects()
    return {
        "errors": errors,
        "gaps": [model.dual_gap_, insensitive.dual_gap_],
        "suspects": np.sort(found.samples[found.flagged]),
        "largest pull": float(pulls.max()),
    }


# %%

if __name__ == "__main__":
    result = main(sys.argv[1] if len(sys.argv) > 1 else "add_a_loss.png")
    print("mean squared error against the true curves:", {k: round(v, 4) for k, v in result["errors"].items()})
    print("relative duality gaps:", ", ".join(f"{gap:.1e}" for gap in result["gaps"]))
    print("suspects:", result["suspects"].tolist(), f"(they pull with at most {result['largest pull']:.4f} < 0.5)")
