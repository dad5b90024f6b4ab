"""Two layers as one function of the first: the second is solved for, and its dual variable is the gradient."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from ..arrays import Array, as_floats, frobenius, namespace, outer, product, to_numpy
from ..dual import TINY, Dual
from ..kernels import Kernel
from ..losses import Loss
from ..operator_kernels import Gram
from ..solvers import Solution, choose


class Iterate(NamedTuple):
    """What a callback is told at each accepted step, and what `history_` holds; the first is the start.

    `slope` is |gradient| |B| / objective: the relative change when B moves by its own length. `gap` is the relative
    duality gap of the second layer.
    """

    n_iter: int
    objective: float
    slope: float
    gap: float


class Layers:
    """F(B) = min_h 1/n sum_i l(h(c_i), t_i) + lam/2 |h|^2 + inner_lam/2 |B|^2, with codes C = V B.

    The minimum over h is the dual problem with Gram matrix K = k(C, C). By the envelope theorem its solution W is all
    that the gradient needs: dF/dK = -W W^T / (2 lam n^2), pulled back to the codes by the kernel, then to B by V.
    """

    def __init__(
        self, V: Array, T: Array, kernel: Kernel, loss: Loss, lam: float, inner_lam: float, solver: Any, tol: float
    ):
        self.V, self.T, self.kernel, self.loss = V, T, kernel, loss
        self.lam, self.inner_lam = lam, inner_lam
        self.solver, self.tol = solver, tol
        self.W: Array | None = None

    def solve(self, B: Array) -> tuple[Dual, Solution]:
        """The second layer for these codes, started from the one before."""
        C = product(self.V, B)
        dual = Dual(Gram(((self.kernel(C, C), None),)), self.loss, self.T, self.lam)
        solution = choose(self.solver, dual, tol=self.tol).solve(dual, self.W)
        self.W = solution.W
        return dual, solution

    def __call__(self, B: Array) -> tuple[float, Array, float]:
        """F, its gradient, and the relative duality gap of the second layer."""
        dual, solution = self.solve(B)
        n, xp = int(self.T.shape[0]), namespace(self.T)
        value = float(dual.primal(solution.W, solution.predictions)) / n + self.inner_lam * frobenius(B) ** 2 / 2.0
        M = outer(solution.W) * (-0.5 / (self.lam * n * n))
        pulled = self.kernel.pullback(product(self.V, B), M)
        gradient = product(xp.permute_dims(self.V, (1, 0)), pulled) + self.inner_lam * B
        return value, gradient, solution.gap


def descend(
    layers: Layers, B: Array, tol: float, max_iter: int, callback: Callable[[Iterate], Any] | None
) -> tuple[Array, list[Iterate], bool]:
    """L-BFGS from B until the slope is at most `tol`, or a step gains no more than the inner gap can vouch for.

    Accepted steps satisfy the Wolfe conditions, so that the objective never rises. The last answer says whether one of
    the two rules ended the descent.
    """
    shape = tuple(B.shape)
    history: list[Iterate] = []
    seen: dict[bytes, tuple[float, Array, float]] = {}
    converged = False

    def at(b: Any) -> tuple[float, Array, float]:
        key = b.tobytes()
        if key not in seen:
            value = layers(as_floats(b.reshape(shape), B))
            # One point is remembered: the start is asked for twice, and the last before a step is the one accepted.
            seen.clear()
            seen[key] = value
        return seen[key]

    def function(b: Any) -> tuple[float, Any]:
        value, gradient, _ = at(b)
        return value, to_numpy(gradient).ravel()

    def finished(b: Any) -> bool:
        value, gradient, gap = at(b)
        slope = frobenius(gradient) * float(np.linalg.norm(b)) / max(value, TINY)
        history.append(Iterate(len(history), value, slope, gap))
        if callback is not None:
            callback(history[-1])
        return slope <= tol or (len(history) > 1 and history[-2].objective - value <= 10.0 * layers.tol * value)

    def accept(b: Any) -> None:
        nonlocal converged
        converged = finished(b)
        if converged:
            raise StopIteration

    start = to_numpy(B).ravel()
    if finished(start):
        return B, history, True
    options = {"maxiter": max_iter, "maxfun": 10 * max_iter, "ftol": 0.0, "gtol": 0.0}
    found = minimize(function, start, jac=True, method="L-BFGS-B", callback=accept, options=options)
    return as_floats(found.x.reshape(shape), B), history, converged
