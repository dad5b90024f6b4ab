"""scikit-learn's MultiTaskLasso on (A, B) of the paper's (D1): epsilon-ridge only."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from sklearn.linear_model import MultiTaskLasso

NAME = "MultiTaskLasso"


def supports(instance) -> bool:
    return instance.a == 1 and instance.b > 0 and np.isinf(instance.c)


def design(instance):
    """A upper triangular with A^T A = K/(lam n) + I, and B with A^T B = T."""
    A = cholesky(instance.K / instance.scale + np.eye(len(instance.K)))
    return A, solve_triangular(A, instance.T, trans="T")


def solve(instance, tol):
    A, B = design(instance)
    peer = MultiTaskLasso(alpha=instance.b / len(A), fit_intercept=False, tol=tol, max_iter=10_000)
    return peer.fit(A, B).coef_.T
