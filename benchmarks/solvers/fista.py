"""Accelerated proximal gradient on W, as one would write it first: step from power iteration, no restart."""

import numpy as np
from objective import relative_gap

NAME = "FISTA on W"
MOST = 5000


def supports(instance) -> bool:
    return True


def solve(instance, tol):
    K, T, scale = instance.K, instance.T, instance.scale
    v = np.random.default_rng(0).standard_normal(len(K))
    for _ in range(50):
        v = K @ (v / np.linalg.norm(v))
    step = scale / (1.01 * np.linalg.norm(v))
    W = V = np.zeros_like(T)
    t = 1.0
    for k in range(MOST):
        Z = V - step * (K @ V / scale) + step * T
        lengths = np.linalg.norm(Z, axis=1, keepdims=True)
        new = np.clip((lengths - step * instance.b) / (1 + step * instance.a), 0, instance.c)
        new = Z * (new / np.maximum(lengths, 1e-300))
        t, previous = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
        V = new + (previous - 1) / t * (new - W)
        W = new
        if k % 20 == 0 and relative_gap(instance, W) <= tol:
            break
    return W
