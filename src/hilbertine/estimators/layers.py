"""Layers as one function of all but the last: that is solved for, and its dual variable is the gradient."""

import warnings
from typing import Any, Self

from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, frobenius, namespace, outer, product
from ..dual import Dual
from ..kernels import Kernel
from ..losses import Loss
from ..matrices import Dense
from ..operator_kernels import Kronecker
from ..risk import Risk
from ..solvers import Recipe, Solution


class Layers:
    """F(A) = min_h 1/n sum_i l(h(c_i), t_i) + lam/2 |h|^2 + inner_lam/2 sum_s |f_s|^2, with codes C = C_L of

        C_1 = V A_0,    C_{s+1} = K_s A_s,    K_s = k_s(C_s, C_s),    |f_0| = |A_0|,    |f_s|^2 = <A_s, K_s A_s>.

    The minimum over h is the dual problem with Gram matrix K_L. By the envelope theorem its solution W is all that the
    gradient needs: dF/dK_L = -W W^T / (2 lam n^2). Each kernel pulls such a matrix back to its codes, dF/dC_s, from
    where dF/dA_s = K_s (dF/dC_{s+1} + inner_lam A_s) and dF/dK_s follow.
    """

    def __init__(
        self, V: Array, T: Array, kernels: list[Kernel], loss: Loss, lam: float, inner_lam: float, solver: Any,
        tol: float,
    ):  # fmt: skip
        self.V, self.T, self.kernels, self.loss = V, T, kernels, loss
        self.lam, self.inner_lam = lam, inner_lam
        self.solver, self.tol = solver, tol
        self.start: tuple[Array, ...] = ()

    def codes(self, A: list[Array]) -> list[Array]:
        """C_1, .., C_L."""
        C = [product(self.V, A[0])]
        for kernel, coefficients in zip(self.kernels, A[1:], strict=False):
            C.append(product(kernel(C[-1], C[-1]), coefficients))
        return C

    def solve(self, C: Array, *start: Array) -> tuple[Dual, Solution]:
        """The last layer for these codes, from a start, or from the one before where it is solved step by step."""
        start = start or (() if self.loss.square else self.start)
        gram = Kronecker([(Dense(self.kernels[-1](C, C)), None)], int(self.T.shape[1]))
        dual = Dual(gram, Risk(self.loss, self.T), self.lam)
        with warnings.catch_warnings():
            # The gap is in the history, and the estimator speaks of the last one.
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = Recipe(self.solver, self.tol).solve(dual, *start)
        self.start = (solution.W,)
        return dual, solution

    def reduced(self, stride: int, columns: int) -> Self:
        """The same layers on every so many points, and so many of the coordinates of the outputs."""
        # Added to zero they are arrays of their own, which products read faster.
        V, T = self.V[::stride, :] + 0.0, self.T[::stride, :columns] + 0.0
        return type(self)(V, T, self.kernels, self.loss, self.lam, self.inner_lam, self.solver, self.tol)

    def __call__(self, A: list[Array]) -> tuple[float, list[Array], float]:
        """F, its gradient, and the relative duality gap of the last layer."""
        C = self.codes(A)
        dual, solution = self.solve(C[-1])
        W, gap, n = solution.W, solution.gap, int(self.T.shape[0])
        value = float(dual.primal(W, solution.predictions)) / n
        # Neither the last Gram matrix nor the predictions are needed any more.
        del dual, solution
        M = outer(W) * (-0.5 / (self.lam * n * n))
        xp, squares, gradient = namespace(M), frobenius(A[0]) ** 2, list(A)
        for s in range(len(A) - 1, 0, -1):
            G = self.kernels[s].pullback(C[s], M)
            squares += float(xp.sum(A[s] * C[s]))
            gradient[s] = product(self.kernels[s - 1](C[s - 1], C[s - 1]), G + self.inner_lam * A[s])
            H = product(G + 0.5 * self.inner_lam * A[s], xp.permute_dims(A[s], (1, 0)))
            M = (H + xp.permute_dims(H, (1, 0))) / 2.0
        G = self.kernels[0].pullback(C[0], M)
        gradient[0] = product(xp.permute_dims(self.V, (1, 0)), G) + self.inner_lam * A[0]
        return value + self.inner_lam * squares / 2.0, gradient, gap
