"""The grid of instances on which robust fits are priced in ridge fits."""

from collections.abc import Iterator

import numpy as np
from objective import Instance
from scipy.linalg import solve

LAMS = (1e-1, 1e-2, 1.6e-3, 1e-4, 1e-6)
FAMILIES = ("Huber", "epsilon-ridge", "epsilon-SVR")


def instances(
    data: str, K: np.ndarray, T: np.ndarray, family: str, lams: tuple[float, ...] = LAMS
) -> Iterator[Instance]:
    """Huber at the 10/50/90 % quantiles of the ridge row norms, epsilon-ridge and epsilon-SVR at fixed epsilons."""
    for lam in lams:
        if family == "Huber":
            scale = lam * len(K)
            W = solve(K + scale * np.eye(len(K)), scale * T, assume_a="pos")
            numbers = [(1.0, 0.0, float(k)) for k in np.quantile(np.linalg.norm(W, axis=1), [0.1, 0.5, 0.9])]
        elif family == "epsilon-ridge":
            numbers = [(1.0, epsilon, np.inf) for epsilon in (0.1, 0.6, 1.5)]
        else:
            numbers = [(0.0, epsilon, 1.0) for epsilon in (0.01, 0.1, 0.3, 0.6)]
        largest = np.linalg.norm(T, axis=1).max()
        for a, b, c in numbers:
            if b >= largest:
                # Solved by W = 0 without a step: no price to speak of.
                continue
            yield Instance(data, family, K, T, lam, a, b, c)
