"""Many (lam, loss) on one Gram operator: shared factorisations, warm starts in the right order."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..arrays import Array, namespace, row_norms
from ..dual import Dual
from ..losses import Loss, Square
from ..operator_kernels import Gram
from .base import Solution
from .choice import choose
from .direct import Direct


def path(
    gram: Gram,
    targets: Array,
    lams: Sequence[float],
    losses: Sequence[Loss],
    solver: Any = "auto",
    tol: float = 1e-6,
    max_iter: int = 10_000,
) -> Iterator[tuple[int, int, Solution]]:
    """Certified solutions for every lam and loss, as (index of lam, index of loss, solution).

    From strong to weak regularisation, and at each lam through the losses in the order given, each started from the
    one before: put them in the order of their parameter. A factorisation serves all neighbours that can use it.

    >>> import numpy as np
    >>> from hilbertine.losses import Huber
    >>> gram = Gram(((np.eye(3), None),))
    >>> points = path(gram, np.ones((3, 1)), lams=[0.1, 1.0], losses=[Huber(0.5), Huber(2.0)])
    >>> [(i, j) for i, j, solution in points if solution.converged]
    [(1, 0), (1, 1), (0, 0), (0, 1)]
    """
    first: Array | None = None
    for i in sorted(range(len(lams)), key=lambda i: -lams[i]):
        start = first
        for j, loss in enumerate(losses):
            dual = Dual(gram, loss, targets, lams[i])
            solution = choose(solver, dual, tol=tol, max_iter=max_iter).solve(dual, start)
            start = solution.W
            first = start if j == 0 else first
            yield i, j, solution


def epsilon_max(targets: Array) -> float:
    """The smallest epsilon for which W = 0 solves (D): the largest target norm."""
    return float(namespace(targets).max(row_norms(targets)))


def kappa_max(gram: Gram, targets: Array, lam: float) -> float:
    """The smallest kappa for which the Huber solution is that of ridge: the largest row norm of the ridge W."""
    W = Direct().solve(Dual(gram, Square(), targets, lam)).W
    return float(namespace(W).max(row_norms(W)))
