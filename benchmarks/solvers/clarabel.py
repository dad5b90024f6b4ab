"""cvxpy with Clarabel on the dual as a second-order cone program: a stranger's optimum, for small n."""

NAME = "cvxpy + Clarabel"
LARGEST = 600


def supports(instance) -> bool:
    return len(instance.K) <= LARGEST


def solve(instance, tol):
    import cvxpy as cp
    import numpy as np

    n, m = instance.T.shape
    values, U = np.linalg.eigh(instance.K / instance.scale)
    root = U * np.sqrt(np.clip(values, 0, None))
    W = cp.Variable((n, m))
    lengths = cp.norm(W, axis=1)
    objective = cp.sum_squares(root.T @ W) / 2 - cp.sum(cp.multiply(W, instance.T))
    objective += instance.a * cp.sum_squares(W) / 2 + instance.b * cp.sum(lengths)
    limits = [] if np.isinf(instance.c) else [lengths <= instance.c]
    cp.Problem(cp.Minimize(objective), limits).solve(solver="CLARABEL")
    return W.value
