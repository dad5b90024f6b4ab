"""Spectra to molecules, one fold: which place the right molecule takes among its candidates."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from ..arrays import Array, blocks, product
from ..conformal import Calibration
from ..datasets import fingerprints
from ..dual import Dual
from ..estimators.candidates import TIE
from ..kernels import GaussianTanimoto, NeutralLosses, Normalised, Peaks
from ..losses import Loss
from ..memory import rows_of
from ..operator_kernels import Kronecker
from ..risk import Risk
from ..solvers import Recipe, path
from ..spaces import RKHS
from ..store import digest

# Of the Gaussian on the Tanimoto distance, as in the paper.
GAMMA = 0.72
# Peaks and losses within 0.01 Da, fourth roots of intensities: best for ridge on molecules with 2 to 9 candidates.
WIDTH, POWER = 0.01, 0.25
N_BITS = 4096
MAX_ITER = 500
# Molecules with so many candidates are reported; those with fewer, held out as well, choose parameters.
ENOUGH = 10
# What the sets of candidates are to hold.
LEVEL = 0.9


@dataclass(frozen=True)
class Task:
    """What all folds share: the Gram matrix of the spectra, and fingerprints of molecules and candidates.

    The candidates of molecule i are the rows spans[i] of `candidates`, and truth[i] is its place among them.
    """

    K: Array
    molecules: sparse.csr_matrix
    candidates: sparse.csr_matrix
    spans: list[slice]
    truth: Array

    @property
    def sizes(self) -> Array:
        """How many candidates each molecule has; none where it is not among them."""
        return np.where(self.truth < 0, 0, [span.stop - span.start for span in self.spans])

    def digest(self) -> str:
        """A name for these data, to know them by."""
        ends = [(span.start, span.stop) for span in self.spans]
        rows = [part for F in (self.molecules, self.candidates) for part in (F.indptr, F.indices)]
        return digest(self.K, *rows, np.array(ends), self.truth)


def make_task(data: Bunch) -> Task:
    """Kernel values between all spectra, and fingerprints of all molecules that play a part."""
    kernel = (Normalised(Peaks(WIDTH, POWER)) + Normalised(NeutralLosses(WIDTH, POWER))) * 0.5
    # A molecule alone in its list is no question.
    formulas = [formula for formula, smiles in data.candidates.items() if len(smiles) > 1]
    ends = np.cumsum([0] + [len(data.candidates[formula]) for formula in formulas])
    at = {formula: slice(int(ends[k]), int(ends[k + 1])) for k, formula in enumerate(formulas)}
    spans = [at.get(formula, slice(0, 0)) for formula in data.formulas]
    described = [smiles for formula in formulas for smiles in data.candidates[formula]]
    return Task(kernel(data.spectra, data.spectra), _described(data.smiles), _described(described), spans, data.truth)


def _described(smiles: Sequence[str]) -> sparse.csr_matrix:
    """Paths and neighbourhoods of atoms side by side: fewer molecules look alike than by either alone."""
    kinds = [fingerprints(smiles, "path", N_BITS, reach=5), fingerprints(smiles, "morgan", N_BITS, reach=2)]
    return sparse.hstack(kinds, format="csr")


class Fold:
    """The output space of the training molecules, and the candidates of the others in its coordinates."""

    def __init__(self, task: Task, train: Array, test: Array):
        test = test[task.sizes[test] > 1]
        self.K, self.cross = task.K[np.ix_(train, train)], task.K[np.ix_(test, train)]
        self.known, self.truth = task.molecules[train], task.truth[test]
        self.space = RKHS(GaussianTanimoto(GAMMA)).fit(self.known)
        self.T = self.space.encode(self.known)
        spans = sorted({(task.spans[i].start, task.spans[i].stop) for i in test})
        rows = np.concatenate([np.arange(*span) for span in spans])
        Z = np.concatenate([self.space.encode(part) for part in blocks(task.candidates[rows], rows_of(len(train)))])
        ends = np.cumsum([0] + [stop - start for start, stop in spans])
        mine = {span: Z[ends[k] : ends[k + 1]] for k, span in enumerate(spans)}
        self.candidates = [mine[task.spans[i].start, task.spans[i].stop] for i in test]

    def solve(
        self, lam: float, losses: Sequence[Loss], n_components: int | None, tol: float
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """For each loss the places of the test molecules, with the certificates of the model that gave them."""
        # The components come in order: fewer of them are the first ones.
        T = np.ascontiguousarray(self.T[:, :n_components])
        tails = self.space.tails(self.known, T)
        # A factor left by other losses would change the steps, and a run that continues must not depend on it.
        dual = Dual(Kronecker.dense(self.K, int(T.shape[1])), Risk(losses[0], T, tails), lam)
        start = time.perf_counter()
        for _, j, solution in path(dual, [lam], losses, Recipe(tol=tol, max_iter=MAX_ITER)):
            here = dual.at(loss=losses[j])
            yield (
                j,
                {
                    "places": self.places(product(self.cross, solution.W)),
                    **self.sets(product(self.cross, solution.W) / here.scale),
                    "gap": solution.gap,
                    "truncation_gap": float(here.truncation_gap(solution.W, solution.predictions)),
                    "n_components": int(T.shape[1]),
                    "n_iter": solution.n_iter,
                    "seconds": time.perf_counter() - start,
                },
            )
            start = time.perf_counter()

    def places(self, H: Array) -> list[int]:
        """The place of each truth, from 1, at predictions H up to a factor: `StructuredPredictor.positions`.

        All candidates have norm one under this kernel, so that the nearest has the largest inner product.
        """
        # A decoder encodes its candidates at every call; here one encoding, the dearest step, serves all models.
        scores = [Z[:, : len(h)] @ h for Z, h in zip(self.candidates, H, strict=True)]
        bars = [each[i] - TIE * np.abs(each).max() for each, i in zip(scores, self.truth, strict=True)]
        return [int(np.sum(each >= bar)) for each, bar in zip(scores, bars, strict=True)]

    def sets(self, H: Array) -> dict[str, list[float]]:
        """Of the molecules that are reported, whether the 90 % set holds the truth, and how many candidates it has.

        At predictions H. The scores are the distances of the truth; half of the molecules calibrate the sets of the
        other half, and the other way round.
        """
        reported = [i for i, Z in enumerate(self.candidates) if len(Z) >= ENOUGH]
        lengths = [_distances(H[i], self.candidates[i]) for i in reported]
        own = np.array([D[self.truth[i]] for D, i in zip(lengths, reported, strict=True)])
        radii = np.empty(len(own))
        halves = np.random.default_rng(0).permutation(len(own)) % 2
        for half in (0, 1):
            known = Calibration(own[halves == half], np.zeros(int(np.sum(halves == half)), dtype=np.int64))
            radii[halves != half] = known.radii(known.targets(LEVEL, 1))[0]
        return {
            "held": [float(yes) for yes in own <= radii],
            "set_sizes": [float(np.sum(radius >= D)) for D, radius in zip(lengths, radii, strict=True)],
        }


def _distances(h: Array, Z: Array) -> Array:
    """|h - phi(z)| for candidates with |phi(z)| = 1, which reach beyond the components kept."""
    return np.sqrt(np.maximum(h @ h + 1.0 - 2.0 * (Z[:, : len(h)] @ h), 0.0))
