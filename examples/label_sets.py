"""
Which labels?
=============

Label sets of genes: one label at a time by a threshold, or whole sets chosen among those seen in training. Under a
linear output kernel the model is kernel ridge regression with clamped predictions. A kernel that sees the set as a
whole is trained by the same solver to the same certificate, and gets more sets right in all their labels. The YEAST
data come with the package ``river``.
"""

import sys

import numpy as np

from hilbertine import Ridge, StructuredPredictor, kernels, spaces
from hilbertine.datasets import load_yeast
from hilbertine.metrics import exact_match, hamming
from hilbertine.plotting import figure

LAM = 1e-3
INPUTS = kernels.Gaussian(gamma=1.0)

# %%
# "Clamped" decides label by label, "chosen" takes the nearest of the 164 label sets that training has seen.


def main(path: str | None = None) -> dict[str, tuple[float, float, float]]:
    train, test = load_yeast("train"), load_yeast("test")
    seen = np.unique(train.target, axis=0)
    models = {
        "ridge, clamped": Ridge(LAM, INPUTS),
        "linear, clamped": StructuredPredictor(kernel=INPUTS, decoder=spaces.Clamp(), lam=LAM),
    }
    for name, kernel in {
        "linear, chosen": kernels.Linear(),
        "Tanimoto": kernels.Tanimoto(),
        "Gaussian 0.1": kernels.Gaussian(gamma=0.1),
        "Gaussian 1": kernels.Gaussian(gamma=1.0),
    }.items():
        models[name] = StructuredPredictor(kernel=INPUTS, output_kernel=kernel, candidates=seen, lam=LAM)
    print(f"{len(train.data)} genes to train with {len(seen)} different label sets, {len(test.data)} to test")
    print("model            coordinates  Hamming %  exact %  gap")
    results = {}
    for name, model in models.items():
        predicted = model.fit(train.data, train.target).predict(test.data)
        wrong, exact = 100 * hamming(test.target, predicted).mean(), 100 * exact_match(test.target, predicted).mean()
        results[name] = float(wrong), float(exact), model.dual_gap_
        print(f"{name:<16} {model.dual_coef_.shape[1]:>11}  {wrong:9.2f}  {exact:7.1f}  {abs(model.dual_gap_):.0e}")
    if path:
        draw(path, results, len(test.data))
    return results


# %%
# Two questions, two answers: how many labels are wrong, and how many genes have all of theirs right. What predicts the
# one best is not what predicts the other best. The lines on
# the right are two standard errors each way.


def draw(path: str, results: dict[str, tuple[float, float, float]], n: int) -> None:
    fig, axes = figure(1, 2, width=9, height=3.2)
    names = list(results)
    for k, (ax, title) in enumerate(zip(axes, ("labels wrong (%)", "genes with every label right (%)"), strict=True)):
        values = np.array([results[name][k] for name in names])
        errors = 2 * np.sqrt(values * (100 - values) / n) if k else None
        ax.barh(names, values, xerr=errors, color=["0.75"] * 2 + ["C0"] * 4, height=0.7)
        ax.set_xlabel(title)
        ax.invert_yaxis()
    axes[1].set_yticklabels([])
    fig.savefig(path)


# %%

if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "label_sets.png")
