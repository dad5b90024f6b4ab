"""
Which molecule is it?
=====================

The answer is a ranked list of molecules that training has never seen. Each molecule of the NCI list, which comes with
rdkit, is described twice: by its paths and by the neighbourhoods of its atoms. From the paths a model predicts a point
h(x) in the space of the neighbourhoods, and the unseen molecules are ranked by their distance to it: the score of a
molecule z is 2 <h(x), z> - 1.
"""

import sys
from typing import Any

import numpy as np

from hilbertine import StructuredPredictor, kernels
from hilbertine.datasets import fingerprints, load_drugs
from hilbertine.plotting import figure

# %%
# Outputs known by their Gram matrix are indices, which stand for the molecules; 500 train, 400 others are candidates.


def main(path: str | None = None) -> None:
    drugs = load_drugs(900, kind="path")
    neighbourhoods = fingerprints(drugs.smiles, kind="morgan")
    gram = kernels.GaussianTanimoto(0.72)(neighbourhoods, neighbourhoods)
    train, unseen = np.arange(500), np.arange(500, 900)
    model = StructuredPredictor(kernel=kernels.Tanimoto(), output_kernel=kernels.Precomputed(gram), lam=1e-5)
    model.fit(drugs.data[train], train)
    print(f"{len(train)} molecules, {model.dual_coef_.shape[1]} coordinates, duality gap {model.dual_gap_:.1e}")
    asked = unseen[:300:60]
    answers = model.rank(drugs.data[asked], unseen, k=3)
    for truth, ranked in zip(asked, answers, strict=True):
        print(f"\n{drugs.smiles[truth]}  (logP {drugs.target[truth, 0]:.1f})")
        for i, score in ranked:
            print(f"  {score:6.3f}  {drugs.smiles[i]}{'  <- the molecule itself' if i == truth else ''}")
    places = model.positions(drugs.data[unseen], unseen, unseen)
    best, ten = np.mean(places == 1), np.mean(places <= 10)
    print(f"\namong {len(unseen)} unseen molecules the right one comes first: {best:.0%}, in the first ten: {ten:.0%}")
    if path:
        draw(path, drugs.smiles, asked[:4], answers[:4])


# %%
# The molecules that were asked for, and the three best answers to each.


def draw(path: str, smiles: Any, asked: Any, answers: Any) -> None:
    from rdkit.Chem import MolFromSmiles
    from rdkit.Chem.Draw import MolToImage

    fig, axes = figure(len(asked), 4, width=8, height=1.7 * len(asked))
    for row, truth, ranked in zip(axes, asked, answers, strict=True):
        for ax, i in zip(row, [truth, *(i for i, _ in ranked)], strict=True):
            ax.imshow(MolToImage(MolFromSmiles(smiles[i]), size=(440, 340)))
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
        for ax, (i, score) in zip(row[1:], ranked, strict=True):
            ax.set_title(
                f"{score:.3f}{', right' if i == truth else ''}", fontsize=8, color="C2" if i == truth else "0.3"
            )
    for ax, title in zip(axes[0], ("asked for", "first", "second", "third"), strict=True):
        ax.set_title(f"{title}\n{ax.get_title()}", fontsize=9)
    fig.savefig(path)


# %%

if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "molecules.png")

# %%
# From real spectra, with candidate lists of the same formula: :doc:`/structures`.
