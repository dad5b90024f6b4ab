"""
One row in seven in other units: who notices?
=============================================

Blood tests of 442 patients, which come with scikit-learn: total cholesterol, LDL and HDL from age, sex, body mass
index, blood pressure and three other tests. One training row in seven comes from a laboratory that counts in mmol/l,
where the others count in mg/dl. Ridge, a forest and SVR beside Huber. The picture of the README is made by
``python examples/bad_rows.py FILE.png``.
"""

import sys
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import train_test_split
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from hilbertine import HuberRegressor
from hilbertine.plotting import figure

# One mmol/l of cholesterol in mg/dl.
UNIT = 38.67
SHARE = 1 / 7


def blood_tests() -> tuple[Any, Any]:
    """Age, sex, body mass index, blood pressure, three tests; and the three kinds of cholesterol, in mg/dl."""
    data = load_diabetes(scaled=False).data
    return data[:, [0, 1, 2, 3, 7, 8, 9]], data[:, 4:7]


def in_other_units(Y: Any, seed: int) -> tuple[Any, Any]:
    """The outputs with one row in seven in mmol/l, and which rows these are."""
    bad = np.random.default_rng(seed).permutation(len(Y))[: round(SHARE * len(Y))]
    Y = Y.copy()
    Y[bad] /= UNIT
    return Y, np.sort(bad)


def scaled(model: Any) -> Any:
    """Inputs and outputs standardised, as these models want them."""
    return make_pipeline(StandardScaler(), TransformedTargetRegressor(model, transformer=StandardScaler()))


# %%
# Everyone has their defaults, and the three others get standardised inputs and outputs where they want them.


def models() -> dict[str, Any]:
    """Everyone with their defaults; `HuberRegressor` gets the table as it is."""
    return {
        "ridge\n(KernelRidge)": scaled(KernelRidge(kernel="rbf")),
        "random forest": RandomForestRegressor(random_state=0),
        "SVR\nper output": MultiOutputRegressor(scaled(SVR())),
        "HuberRegressor": HuberRegressor(),
    }


# %%
# Twenty splits; the bad rows are in the training part alone, and scores are on clean rows. Once more without the
# suspects, the Huber model is as good as one that never saw a bad row.


def main(path: str | None = None, splits: int = 20) -> dict[str, Any]:
    X, Y = blood_tests()
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in models()}
    found, repaired = [], []
    for seed in range(splits):
        train, test, Y_train, Y_test = train_test_split(X, Y, random_state=seed)
        mixed, bad = in_other_units(Y_train, seed)
        for name, model in models().items():
            clean = model.fit(train, Y_train).score(test, Y_test)
            scores[name].append((clean, model.fit(train, mixed).score(test, Y_test)))
        suspects = model.suspects()
        flagged = suspects.samples[suspects.flagged]
        kept = np.setdiff1d(np.arange(len(train)), flagged)
        repaired.append(HuberRegressor().fit(train[kept], mixed[kept]).score(test, Y_test))
        found.append((len(bad), int(np.isin(flagged, bad).sum()), len(flagged)))
        if seed == 0:
            shown = model, bad
    result = {
        "scores": {name: np.array(each) for name, each in scores.items()},
        "repaired": np.array(repaired),
        "found": np.sum(found, axis=0),
    }
    if path:
        draw(path, result["scores"], *shown)
    return result


# %%
# Left what bad rows cost each model, right what the Huber model thinks of its training rows.


def draw(path: str, scores: dict[str, Any], huber: Any, bad: Any) -> None:
    """Left the scores of all models, right what the Huber model thinks of its training rows."""
    fig, (left, right) = figure(1, 2, width=10.0, height=3.6)
    places = np.arange(len(scores))
    looks = (("trained on clean rows", "0.75"), ("one row in seven in other units", "C3"))
    for k, (label, colour) in enumerate(looks):
        values = np.array([each[:, k] for each in scores.values()])
        means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
        bars = left.bar(places + 0.38 * (k - 0.5), means, 0.36, yerr=errors, color=colour, label=label)
        left.bar_label(bars, fmt="%.2f", fontsize=8, padding=2)
    left.axhline(0.0, color="black", linewidth=0.8)
    left.set_xticks(places, list(scores), fontsize=8)
    left.set_ylim(-0.62, 0.75)
    left.set_ylabel("R² on clean test rows")
    left.set_title("What bad training rows cost", fontsize=10)
    left.legend(fontsize=8, frameon=False, loc="lower right")

    found, norms = huber.suspects(), huber.residual_norms_
    samples = found.samples[::-1]
    wrong = np.isin(samples, bad)
    order = np.arange(len(samples))
    right.plot(order[~wrong], norms[samples[~wrong]], ".", color="0.6", markersize=5, label="row in mg/dl")
    right.plot(order[wrong], norms[samples[wrong]], "x", color="C3", markersize=5, label="row in mmol/l")
    limit = len(samples) - found.flagged.sum() - 0.5
    right.axvspan(limit, len(samples), color="C3", alpha=0.08, linewidth=0)
    right.text(limit - 3, norms.max(), f"{found.flagged.sum()} suspects", ha="right", va="top", fontsize=9)
    worst = ", ".join(str(i) for i in found.samples[:5])
    right.text(limit - 3, 0.92 * norms.max(), f"worst first: rows {worst}, ...", ha="right", va="top", fontsize=8)
    right.set_xlabel("training rows, sorted")
    right.set_ylabel("distance from the prediction (mg/dl)")
    right.set_title("model.suspects() names them", fontsize=10)
    right.set_xlim(-5, len(samples) + 1)
    right.set_ylim(0, None)
    right.legend(fontsize=8, frameon=False, loc="center left")
    fig.savefig(path)


# %%

if __name__ == "__main__":
    result = main(sys.argv[1] if len(sys.argv) > 1 else "bad_rows.png")
    for name, each in result["scores"].items():
        means, errors = each.mean(axis=0), each.std(axis=0, ddof=1) / np.sqrt(len(each))
        name = name.replace("\n", " ")
        print(f"{name:22} R² {means[0]:.2f} ± {errors[0]:.2f} clean, {means[1]:+.2f} ± {errors[1]:.2f} with bad rows")
    bad, caught, flagged = result["found"]
    print(f"HuberRegressor again, suspects left out: R² {result['repaired'].mean():.2f}")
    print(f"{caught} of {bad} bad rows are among the {flagged} suspects")
