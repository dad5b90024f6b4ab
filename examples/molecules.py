"""Fingerprints to molecules: the answer is a ranked list of molecules that training has never seen.

Each molecule of the NCI list is described twice, by its paths and by the neighbourhoods of its atoms. From the paths a
model predicts a point h(x) in the space of the neighbourhoods, and the unseen molecules are ranked by their distance to
it: the score of a molecule z is 2 <h(x), z> - 1.
"""

import numpy as np

from hilbertine import StructuredPredictor, kernels
from hilbertine.datasets import fingerprints, load_drugs


def main() -> None:
    drugs = load_drugs(900, kind="path")
    neighbourhoods = fingerprints(drugs.smiles, kind="morgan")
    gram = kernels.GaussianTanimoto(0.72)(neighbourhoods, neighbourhoods)
    train, unseen = np.arange(500), np.arange(500, 900)
    # Outputs known by their Gram matrix are indices, which stand for the molecules.
    model = StructuredPredictor(kernel=kernels.Tanimoto(), output_kernel=kernels.Precomputed(gram), lam=1e-5)
    model.fit(drugs.data[train], train)
    print(f"{len(train)} molecules, {model.dual_coef_.shape[1]} coordinates, duality gap {model.dual_gap_:.1e}")
    asked = unseen[:300:60]
    for truth, ranked in zip(asked, model.rank(drugs.data[asked], unseen, k=3), strict=True):
        print(f"\n{drugs.smiles[truth]}  (logP {drugs.target[truth, 0]:.1f})")
        for i, score in ranked:
            print(f"  {score:6.3f}  {drugs.smiles[i]}{'  <- the molecule itself' if i == truth else ''}")
    places = model.positions(drugs.data[unseen], unseen, unseen)
    best, ten = np.mean(places == 1), np.mean(places <= 10)
    print(f"\namong {len(unseen)} unseen molecules the right one comes first: {best:.0%}, in the first ten: {ten:.0%}")


if __name__ == "__main__":
    main()
