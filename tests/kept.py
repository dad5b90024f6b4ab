"""Fitted models of every kind, for files; `python tests/kept.py` writes those of the present format.

The files of a format are written once, when it is new, and then stay as they are: they are what people have.
"""

import json
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilbertine import (
    ConformalRegressor,
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    KernelAutoencoder,
    Regressor,
    RegressorCV,
    Ridge,
    StructuredPredictor,
    conformal,
    kernels,
    losses,
    metrics,
    operator_kernels,
    save,
    spaces,
)
from hilbertine.files.archive import FORMAT

FOLDER = Path(__file__).parent / "kept"
rng = np.random.default_rng(7)
X = rng.standard_normal((10, 2)).round(2)
Y = np.stack([np.sin(X[:, 0]), X[:, 0] * X[:, 1]], axis=1).round(2)
NEW = X[:3] + 0.25
GRID = np.linspace(0.0, 3.0, 6)
CURVES = np.sin(GRID + X[:, :1]).round(2)
WORDS = ["cart", "care", "dogs", "dots", "card"] * 2
LABELS = [{"a"}, {"a", "b"}, set(), {"c"}, {"b", "c"}] * 2
BITS = sparse.csr_array((rng.random((10, 8)) > 0.5).astype(float))
SPECTRA = [kernels.MassSpectrum(100.0 + i, np.array([[50.0 + i % 3, 1.0], [70.0, 0.5]])) for i in range(10)]
BAG = [frozenset(word) for word in WORDS]


def chain(atoms):
    """A molecule without branches, as a graph."""
    bonds = [(i, i + 1) for i in range(len(atoms) - 1)]
    return {edge: 1 for i, j in bonds for edge in ((i, j), (j, i))}, dict(enumerate(atoms))


MOLECULES = [chain(atoms) for atoms in ("CCO", "CCN", "CO", "CCCO", "OCCO")] * 2
SEPARABLE = operator_kernels.Separable(kernels.Laplacian(0.5), operator_kernels.Covariance())
STRINGS = StructuredPredictor(output_kernel=kernels.Substrings(2))
BETWEEN_CURVES = FunctionalRegressor(kernel=kernels.IntegralLaplacian(1.0), input_grid=GRID)
LAYERS = KernelAutoencoder(
    [2, 1], kernel=kernels.Gaussian(0.3), encoding_kernel=kernels.Linear(), inner_kernel=kernels.Gaussian(0.3), tol=1.0
)

# A model that is not fitted, its training set, and new inputs.
CASES = {
    "ridge": (Ridge(lam=0.1), X, Y, NEW),
    "huber": (HuberRegressor(), X, Y[:, 0], NEW),
    "epsilon-ridge": (EpsilonRidge(epsilon=0.1), X, Y, NEW),
    "epsilon-svr": (EpsilonSVR(epsilon=0.1), X, Y, NEW),
    "parts": (Regressor(losses.InfConv(losses.Huber(1.0), losses.Norm(0.5)), SEPARABLE, lam=0.1), X, Y, NEW),
    "cells": (Regressor(losses.Cells(losses.Huber(0.1)), centre="mean", missing="ignore"), X, Y, NEW),
    "compact": (Ridge(kernel=kernels.Nystroem(n_components=4)), X, Y, NEW),
    "spectra": (Ridge(kernel=kernels.Peaks(0.5) + kernels.Constant()), SPECTRA, Y, SPECTRA[:2]),
    "precomputed": (Ridge(kernel="precomputed"), X @ X.T, Y, NEW @ X.T),
    "search": (RegressorCV(HuberRegressor(), lams=[1e-3, 0.1], grid={"kappa": [0.1, 1.0]}, cv=KFold(2)), X, Y, NEW),
    "pipeline": (make_pipeline(StandardScaler(), PCA(2), Ridge(lam=0.01)), X, Y, NEW),
    "words": (StructuredPredictor(output_kernel=kernels.Normalised(kernels.Substrings(2))), X, WORDS, NEW),
    "labels": (StructuredPredictor(output_kernel=kernels.Tanimoto(), candidates=LABELS[:4]), X, LABELS, NEW),
    "molecules": (StructuredPredictor(output_kernel=kernels.Normalised(kernels.Graphs())), X, MOLECULES, NEW),
    "bags": (StructuredPredictor(output_kernel=kernels.Intersection()), X, BAG, NEW),
    "ranked": (RegressorCV(STRINGS, [0.1, 1.0], cv=2, scoring=metrics.top_k(2)), X, WORDS, NEW),
    "fingerprints": (StructuredPredictor(kernel=kernels.Tanimoto()), BITS, Y, BITS[:2]),
    "curves": (FunctionalRegressor(losses.Huber(0.5), basis=spaces.Fourier(3), grid=GRID), X, CURVES, NEW),
    "curve-inputs": (BETWEEN_CURVES, CURVES, Y, CURVES[:2]),
    "autoencoder": (KernelAutoencoder(2, max_iter=5, tol=1.0), X, None, NEW),
    "layers": (LAYERS, X, None, NEW),
    "balls": (ConformalRegressor(Ridge(lam=0.1), 0.7, "jackknife+"), X, Y, NEW),
    "bands": (ConformalRegressor(FunctionalRegressor(), 0.7, "cv+", 2, score="band"), X, CURVES, NEW),
    "local": (ConformalRegressor(Ridge(lam=0.1), 0.7, "cv+", 2, score="local"), X, Y, NEW),
    "candidates": (ConformalRegressor(STRINGS, 0.7, "cv+", 2), X, WORDS, NEW),
}  # fmt: skip


def answers(model, new):
    """What a model says of new inputs: everything that predicts."""
    if hasattr(model, "transform") and not hasattr(model, "predict"):
        codes = model.transform(new)
        return {"transform": codes, "embed": model.embed(codes)}
    names = ("predict", "embed", "decision_function", "predict_set")
    return {name: plain(getattr(model, name)(new)) for name in names if hasattr(model, name)}


def plain(answer):
    """Sets by their sizes, and those of objects by their members."""
    return getattr(answer, "members", answer.size) if isinstance(answer, conformal.Sets) else answer


def as_json(value):
    """Answers in plain numbers and words."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    if isinstance(value, dict):
        return str(value)
    return value.tolist() if hasattr(value, "tolist") else value


def main(folder=FOLDER / f"format_{FORMAT}"):
    """Every case, and its answers beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (model, inputs, outputs, new) in CASES.items():
        save(model.fit(inputs, outputs), folder / f"{name}.hil")
        said = {key: as_json(value) for key, value in answers(model, new).items()}
        (folder / f"{name}.json").write_text(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
