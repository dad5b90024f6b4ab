"""What is compared: the relative duality gap of a W, computed here in plain NumPy from the definitions.

Nothing of hilbertine is used, so that no solver certifies itself.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Instance:
    """min_W sum_i phi*(|w_i|) - <w_i, t_i> + <W, K W>/(2 lam n), phi*(s) = a s^2/2 + b s + [s <= c]."""

    data: str
    loss: str
    K: np.ndarray
    T: np.ndarray
    lam: float
    a: float
    b: float
    c: float

    @property
    def scale(self) -> float:
        return self.lam * len(self.K)


def relative_gap(instance: Instance, W: np.ndarray) -> float:
    """(primal - dual) / primal of the function that W stands for, rows first put inside the cap."""
    a, b, c = instance.a, instance.b, instance.c
    lengths = np.linalg.norm(W, axis=1)
    W = W * np.minimum(1.0, c / np.maximum(lengths, 1e-300))[:, None]
    lengths = np.minimum(lengths, c)
    P = instance.K @ W / instance.scale
    residuals = np.maximum(np.linalg.norm(P - instance.T, axis=1) - b, 0.0)
    if a == 0:
        values = c * residuals
    else:
        slope = np.minimum(residuals / a, c)
        values = slope * residuals - a * slope**2 / 2
    energy = np.sum(W * P)
    primal = np.sum(values) + energy / 2
    dual = np.sum(a * lengths**2 / 2 + b * lengths) - np.sum(W * instance.T) + energy / 2
    return float((primal + dual) / primal)
