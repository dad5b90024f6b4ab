"""Layers as one function of all but the last: that is solved for, and its dual variable is the gradient."""

import hashlib
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, as_floats, frobenius, namespace, outer, product, to_numpy
from ..dual import TINY, Dual
from ..kernels import Kernel
from ..losses import Loss
from ..matrices import Dense
from ..operator_kernels import Kronecker
from ..risk import Risk
from ..solvers import Recipe, Solution


class Iterate(NamedTuple):
    """What a callback is told at each accepted step, and what `history_` holds; the first is the start.

    `slope` is |gradient| |A| / objective, A all coefficients but those of the last layer: the relative change when A
    moves by its own length. `gap` is the relative duality gap of the last layer.
    """

    n_iter: int
    objective: float
    slope: float
    gap: float


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

    def solve(self, C: Array) -> tuple[Dual, Solution]:
        """The last layer for these codes, started from the one before."""
        gram = Kronecker([(Dense(self.kernels[-1](C, C)), None)], int(self.T.shape[1]))
        dual = Dual(gram, Risk(self.loss, self.T), self.lam)
        with warnings.catch_warnings():
            # The gap is in the history, and the estimator speaks of the last one.
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = Recipe(self.solver, self.tol).solve(dual, *self.start)
        self.start = (solution.W,)
        return dual, solution

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


def descend(
    layers: Layers, A: list[Array], tol: float, max_iter: int, callback: Callable[[Iterate], Any] | None
) -> tuple[list[Array], list[Iterate]]:
    """L-BFGS from A until the slope is at most `tol`, or a step gains no more than the inner gaps can vouch for.

    Accepted steps satisfy the Wolfe conditions, so that the objective never rises.
    """
    history: list[Iterate] = []
    seen: dict[bytes, tuple[float, Any, float]] = {}

    def unpack(a: Any) -> list[Array]:
        ends = np.cumsum([each.shape[0] * each.shape[1] for each in A])[:-1]
        return [as_floats(part.reshape(each.shape), each) for part, each in zip(np.split(a, ends), A, strict=True)]

    def pack(arrays: list[Array]) -> Any:
        return np.concatenate([to_numpy(each).ravel() for each in arrays])

    def at(a: Any) -> tuple[float, Any, float]:
        key = hashlib.sha256(a).digest()
        if key not in seen:
            value, gradient, gap = layers(unpack(a))
            # One point is remembered: the start is asked for twice, and the last before a step is the one accepted.
            seen.clear()
            seen[key] = value, pack(gradient), gap
        return seen[key]

    def finished(a: Any) -> bool:
        value, gradient, gap = at(a)
        slope = float(np.linalg.norm(gradient) * np.linalg.norm(a)) / max(value, TINY)
        history.append(Iterate(len(history), value, slope, gap))
        if callback is not None:
            callback(history[-1])
        before = history[-2:][0]
        unsure = 10.0 * max(before.gap, gap) * value
        return slope <= tol or (len(history) > 1 and before.objective - value <= unsure)

    def accept(a: Any) -> None:
        if finished(a):
            raise StopIteration

    start = pack(A)
    if finished(start):
        return A, history
    # Five pairs of vectors: each has the size of the first layer, and ten would save no step.
    options = {"maxcor": 5, "maxiter": max_iter, "maxfun": 10 * max_iter, "ftol": 0.0, "gtol": 0.0}
    found = minimize(lambda a: at(a)[:2], start, jac=True, method="L-BFGS-B", callback=accept, options=options)
    return unpack(found.x), history
