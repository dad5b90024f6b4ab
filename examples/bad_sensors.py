"""
One bad sensor in seven
=======================

Curves predicted from a setting, when one sensor in seven is wired upside down: ridge against Huber. Run it with
``python examples/bad_sensors.py FILE.png``.
"""

import sys
from typing import Any

import numpy as np

from hilbertine import HuberRegressor, Ridge, kernels
from hilbertine.plotting import figure


def make_curves(n: int = 70, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Settings x, curves measured on a grid with noise, the curves without it, and which sensors are inverted."""
    rng = np.random.default_rng(seed)
    grid = np.linspace(0, 1, 60)
    x = np.sort(rng.uniform(0, 1, n))[:, None]
    truth = np.sin(2 * np.pi * (grid[None, :] + x)) * (1 + x)
    curves = truth + 0.1 * rng.standard_normal(truth.shape)
    bad = np.sort(rng.choice(n, n // 7, replace=False))
    curves[bad] *= -1.2
    return x, curves, truth, bad


# %%
# A curve is a row of sixty outputs. The Huber loss looks at the distance of the whole row from its prediction and lets
# no row pull harder than kappa.


def main(path: str | None = None) -> dict[str, Any]:
    x, curves, truth, bad = make_curves()
    grid = np.linspace(0, 1, curves.shape[1])
    settings = {"kernel": kernels.Gaussian(gamma=20.0), "lam": 1e-3}
    ridge = Ridge(**settings).fit(x, curves)
    huber = HuberRegressor(kappa=1.0, **settings).fit(x, curves)
    errors = {
        name: float(np.mean((model.predict(x) - truth) ** 2)) for name, model in (("ridge", ridge), ("huber", huber))
    }
    found = huber.suspects()
    suspects = np.sort(found.samples[found.flagged])
    if path:
        fig, (left, right) = figure(1, 2, width=9.5, height=3.4)
        at = np.array([[x[bad[len(bad) // 2], 0]]])
        left.plot(grid, curves[bad[len(bad) // 2]], ".", color="lightgrey", label="an inverted sensor")
        left.plot(grid, np.sin(2 * np.pi * (grid + at[0, 0])) * (1 + at[0, 0]), "k--", linewidth=1, label="truth")
        left.plot(grid, ridge.predict(at)[0], label="ridge")
        left.plot(grid, huber.predict(at)[0], label="Huber")
        left.set_xlabel("time")
        left.set_title("the curve predicted at one setting", fontsize=9)
        left.set_ylim(-2.4, 3.2)
        left.legend(fontsize=8, frameon=False, ncols=2, loc="upper center")
        norms, good = huber.residual_norms_, np.setdiff1d(np.arange(len(x)), bad)
        right.plot(x[good, 0], norms[good], "o", color="0.6", markersize=4, label="sound sensor")
        right.plot(x[bad, 0], norms[bad], "x", color="tab:red", label="inverted sensor")
        right.plot(
            x[suspects, 0], norms[suspects], "o", color="tab:red", markersize=9, fillstyle="none", label="suspect"
        )
        right.set_xlabel("setting x")
        right.set_title("Huber: distance of each curve from its prediction", fontsize=9)
        right.set_ylim(0)
        right.legend(fontsize=8, frameon=False, loc="center left")
        fig.savefig(path)
    return {
        "errors": errors,
        "bad": bad,
        "suspects": suspects,
        "saturated": huber.saturated_,
        "gap": huber.dual_gap_,
    }


# %%
# The suspects are the inverted sensors, all of them and no other; predictions are as if they were not there.

if __name__ == "__main__":
    result = main(sys.argv[1] if len(sys.argv) > 1 else "bad_sensors.png")
    print("mean squared error against the true curves:", {k: round(v, 4) for k, v in result["errors"].items()})
    print("inverted sensors:", result["bad"].tolist())
    print("suspects:        ", result["suspects"].tolist(), f"(duality gap {result['gap']:.1e})")
    print("rows at the bound:", result["saturated"].tolist())
