"""
A curve from a curve: muscle to lip
===================================

The acceleration of the lower lip from the activity of its muscle, when four records are flipped. The data are looked
for in the folder of ``HILBERTINE_DATA``, then in the cache, then downloaded; offline, synthetic curves of the same
shape take their place.
"""

# %%
# A subject says "say bob again" 32 times. Each record is two curves at 641 times: the electromyogram (EMG) of the
# muscle that depresses the lower lip, which is the input, and the acceleration of the lip, which is the output. As in
# the paper, four records come again with their acceleration times -1.2: same input, contradicting output.

import sys
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from hilbertine import FunctionalRegressor, RegressorCV, kernels, losses, spaces
from hilbertine.datasets import load_lip, make_curves
from hilbertine.datasets.outliers import append_flipped
from hilbertine.plotting import figure

FLIPPED = [7, 9, 18, 26]


def records() -> Bunch:
    """The Lip data, or synthetic curves in their place, and a message that says so."""
    try:
        return load_lip()
    except FileNotFoundError as error:
        print(f"Synthetic curves instead of the Lip data: {error}\n")
        return make_curves(random_state=0)


# %%
# Inputs are compared by the mean over time of ``exp(-7 |x(t) - z(t)|)``, outputs are held by 21 functions of a Fourier
# basis. lam, and kappa for Huber, are chosen by leave-one-out. The samples left out are flipped as often as the others,
# so that the mean of their errors would reward a model that follows outliers: "trimmed" leaves the worst fifth of the
# errors out of the mean. Where it is known which samples are genuine, ``trusted`` scores these alone.

LOSSES: dict[str, tuple[losses.Loss, dict[str, list[float]]]] = {
    "ridge": (losses.Square(), {}),
    "Huber": (losses.Huber(), {"loss__kappa": [0.1, 0.3]}),
}
LAMS = np.logspace(-3, -1, 5)


def model(loss: losses.Loss, grid: Any, basis: Any = None) -> FunctionalRegressor:
    basis = spaces.Fourier(21) if basis is None else basis
    return FunctionalRegressor(loss, kernels.IntegralLaplacian(7.0), basis, grid=grid, tol=1e-8)


def chosen(name: str, X: Any, Y: Any, grid: Any, **scored: Any) -> FunctionalRegressor:
    """The model whose left-out errors, averaged in a way that outliers do not mislead, are smallest."""
    loss, values = LOSSES[name]
    fitted: FunctionalRegressor = (
        RegressorCV(model(loss, grid), LAMS, values, cv="loo", **scored).fit(X, Y).best_estimator_
    )
    return fitted


def error(fitted: FunctionalRegressor, X: Any, Y: Any, genuine: Any) -> float:
    """The leave-one-out error of a model, its parameters given, on the genuine curves."""
    return -float(RegressorCV(fitted, [fitted.lam], {}, cv="loo", trusted=genuine).fit(X, Y).best_score_)


# %%
# The duality gap bounds how far a fit is from the optimum of its problem, the truncation gap how far it is from the
# optimum over all of L2: it vanishes when the basis holds the curves whole. Fourier functions are periodic and these
# curves are not; cosines hold them better.


def main(path: str | None = None) -> dict[str, Any]:
    lip = records()
    X, Y, outliers = append_flipped(lip.data, lip.target, indices=FLIPPED)
    print(f"{len(X)} curves of {X.shape[1]} points, {outliers.sum()} of them flipped\n")
    print(f"{'loss':<7}{'chosen by':<11}{'lam':>8}{'kappa':>7}{'error':>9}{'dual gap':>11}{'truncation gap':>16}")
    errors, fits = {}, {}
    for name in LOSSES:
        for way, scored in {"trimmed": {"average": "trimmed"}, "trusted": {"trusted": ~outliers}}.items():
            fit = fits[name, way] = chosen(name, X, Y, lip.grid, **scored)
            errors[name, way] = error(fit, X, Y, ~outliers)
            kappa = f"{fit.loss.kappa:.1f}" if name == "Huber" else ""
            print(f"{name:<7}{way:<11}{fit.lam:>8.4f}{kappa:>7}{errors[name, way]:>9.3f}", end="")
            print(f"{fit.dual_gap_:>11.0e}{fit.truncation_gap_:>16.3f}")
    robust = fits["Huber", "trimmed"]
    cosines = model(robust.loss, lip.grid, spaces.Cosine(21)).set_params(lam=robust.lam).fit(X, Y)
    worst = np.sort(robust.suspects().samples[: len(FLIPPED)])
    print("error: mean squared L2 norm over the genuine curves, each left out in turn")
    print(f"\nthe same model with 21 cosines: truncation gap {cosines.truncation_gap_:.3f}")
    print(f"suspects, {len(FLIPPED)} being asked for: {worst.tolist()} (flipped: {np.flatnonzero(outliers).tolist()})")
    print(f"curves at the bound on their influence: {robust.saturated_.tolist()}")
    if path:
        draw(path, X, Y, outliers, lip.grid, fits)
    return {"errors": errors, "fits": fits, "worst": worst, "outliers": outliers, "cosines": cosines}


# %%
# What a flipped record does to the prediction at its input, and how far each record is from what Huber predicts for it.


def draw(path: str, X: Any, Y: Any, outliers: Any, grid: Any, fits: Any) -> None:
    fig, (left, right) = figure(1, 2, width=10, height=3.6)
    at = FLIPPED[1]
    left.plot(grid, Y[at], color="black", linewidth=1, label="measured")
    left.plot(grid, Y[len(X) - len(FLIPPED) + 1], color="tab:red", linestyle=":", linewidth=1, label="its flipped copy")
    for name, colour in (("ridge", "tab:blue"), ("Huber", "tab:orange")):
        left.plot(grid, fits[name, "trimmed"].predict(X[at : at + 1])[0], color=colour, label=name)
    left.set(xlabel="time", ylabel="acceleration of the lip", title=f"record {at} and the predictions for it")
    left.legend(frameon=False, fontsize=8, ncols=2)
    norms = fits["Huber", "trimmed"].residual_norms_
    for mask, mark, label in ((~outliers, "o", "genuine"), (outliers, "x", "flipped copy")):
        right.plot(np.flatnonzero(mask), norms[mask], mark, color="tab:red" if mark == "x" else "0.4", label=label)
    right.set(xlabel="record", ylabel="distance to the prediction", title="Huber: residual norms on the training set")
    right.set_ylim(0)
    right.legend(frameon=False, fontsize=8)
    fig.savefig(path)


# %%

if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "emg_to_acceleration.png")
