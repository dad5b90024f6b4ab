"""skglm's multi-task solver on the same (A, B)."""

from solvers.multitask_lasso import design, supports

NAME = "skglm"

__all__ = ["NAME", "solve", "supports"]


def solve(instance, tol):
    from skglm.datafits import QuadraticMultiTask
    from skglm.penalties import L2_1
    from skglm.solvers import MultiTaskBCD
    from skglm.utils.jit_compilation import compiled_clone

    A, B = design(instance)
    datafit, penalty = compiled_clone(QuadraticMultiTask()), compiled_clone(L2_1(instance.b / len(A)))
    # Its stopping rule is an optimality violation, not a gap: this one gives gaps of the same order.
    # A last row of zeros stands for the intercept that is not fitted.
    return MultiTaskBCD(tol=tol * 1e-2, max_iter=200, fit_intercept=False).solve(A, B, datafit, penalty)[0][: len(A)]
