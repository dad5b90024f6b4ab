"""The paper's Algorithm 1 with its n x n variables (K^Y + 1e-8 I = V V^T), threshold corrected, step 1/lambda_max."""

import numpy as np
from objective import Instance, relative_gap

NAME = "Algorithm 1, n x n variables"
MOST = 400


def supports(instance) -> bool:
    return True


def solve(instance, tol):
    K, T, scale = instance.K, instance.T, instance.scale
    n = len(T)
    values, U = np.linalg.eigh(T @ T.T + 1e-8 * np.eye(n))
    V = U * np.sqrt(values)
    full = Instance(instance.data, instance.loss, K, V, instance.lam, instance.a, instance.b, instance.c)
    step = 1.0 / (np.linalg.eigvalsh(K)[-1] / scale + instance.a)
    W = np.zeros((n, n))
    for k in range(MOST):
        Z = W - step * (K @ W / scale + instance.a * W - V)
        lengths = np.linalg.norm(Z, axis=1, keepdims=True)
        W = Z * (np.clip(lengths - step * instance.b, 0, instance.c) / np.maximum(lengths, 1e-300))
        if k % 20 == 0 and relative_gap(full, W) <= tol:
            break
    # Back to m columns: the rotation that takes V to the targets.
    return W @ np.linalg.lstsq(V, T, rcond=None)[0]
