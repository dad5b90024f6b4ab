"""Problems by name: a Gram matrix K and targets T."""

import numpy as np
from scipy.spatial.distance import cdist

from hilbertine.datasets import load_yeast


def gaussian(X: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * cdist(X, X, "sqeuclidean"))


def yeast(gamma: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The training set: 1500 genes, 14 labels."""
    train = load_yeast("train")
    return gaussian(train.data, gamma), train.target


def synthetic(m: int, n: int = 2000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Smooth functions of three variables with noise: a kernel whose spectrum decays fast."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    F = np.sin(3 * X @ rng.standard_normal((3, m)))
    return gaussian(X, 1.0), F + 0.1 * rng.standard_normal(F.shape)


def high_rank(gamma: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """YEAST inputs, labels under a Gaussian output kernel: coordinates of its numerical rank."""
    train = load_yeast("train")
    values, U = np.linalg.eigh(gaussian(train.target, gamma))
    kept = values > 1e-12 * values[-1]
    return gaussian(train.data, 1.0), (U[:, kept] * np.sqrt(values[kept]))[:, ::-1]


DATA = {
    "YEAST": yeast,
    "YEAST, smooth kernel": lambda: yeast(0.05),
    "3-d synthetic, 3 outputs": lambda: synthetic(3),
    "3-d synthetic, 1 output": lambda: synthetic(1),
    "YEAST, output kernel": high_rank,
}
