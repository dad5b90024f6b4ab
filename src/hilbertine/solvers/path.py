"""Many (lam, loss) on one Gram operator: shared factorisations, warm starts in the right order."""

import math
from collections.abc import Iterator, Sequence

from ..arrays import Array, namespace, row_norms
from ..doors import door
from ..dual import Dual
from ..losses import Coefficients, Loss, Square
from .choice import Recipe
from .direct import Direct
from .known import Known
from .sample import stands_for_many
from .scale import settled
from .solution import Solution


@door
def path(
    dual: Dual, lams: Sequence[float], losses: Sequence[Loss], recipe: Recipe | None = None
) -> Iterator[tuple[int, int, Solution]]:
    """Certified solutions for every lam and loss, as (index of lam, index of loss, solution).

    From strong to weak regularisation, and at each lam from the loss that is nearest to W = 0 or to ridge (the
    largest epsilon, the largest kappa) on. Each point starts from its neighbour in lam or from where the last two
    losses lead, whichever is nearer by its gap; of very many rows also from where the neighbours in lam and loss lead.
    A factorisation serves all neighbours that can use it. Losses without coefficients keep the order given.

    Parameters
    ----------
    dual : Dual
        The Gram operator and the rows; its own lam and loss do not matter.
    lams : sequence of float
        Values of lam.
    losses : sequence of Loss
        The losses.
    recipe : Recipe, default=None
        How to solve; None is `Recipe()`.

    Yields
    ------
    tuple of (int, int, Solution)
        The places of lam and loss in their lists, and the solution.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.losses import Huber
    >>> from hilbertine.matrices import Dense
    >>> from hilbertine.operator_kernels import Kronecker
    >>> from hilbertine.risk import Risk
    >>> dual = Dual(Kronecker([(Dense(np.eye(3)), None)], 1), Risk(Huber(), np.ones((3, 1))), lam=1.0)
    >>> points = path(dual, lams=[0.1, 1.0], losses=[Huber(0.5), Huber(2.0)])
    >>> [(i, j) for i, j, solution in points if solution.converged]
    [(1, 1), (1, 0), (0, 1), (0, 0)]
    """
    recipe = Recipe() if recipe is None else recipe
    numbers = [None if loss.automatic else loss.coefficients for loss in losses]
    order = list(range(len(losses)))
    if None not in numbers:
        order.sort(key=lambda j: numbers[j] or (), reverse=True)
    known = Known(2 if stands_for_many(dual) else 1)
    for i in sorted(range(len(lams)), key=lambda i: -lams[i]):
        done: list[Solution] = []
        for k, j in enumerate(order):
            kept = known.at(lams[i], j)
            here, near = settled(dual.at(lams[i], losses[j]), recipe, kept)
            ahead = _ahead([numbers[j] for j in order[k - 2 : k + 1]]) if k > 1 else 0.0
            start = _better(here, near or kept, done, ahead)
            solution = recipe.solve(here, *known.nearest(here, j, order[k - 1] if k else None, start))
            solution.dual = here
            done = [*done[-1:], solution]
            known.add(lams[i], j, solution)
            yield i, j, solution


def _better(dual: Dual, kept: tuple[Array, ...], done: list[Solution], ahead: float) -> tuple[Array, ...]:
    """The start with the smaller gap: one at hand, or where the last losses lead."""
    if not done:
        return kept
    last = _capped(done[-1].W, dual.risk.loss.cap)
    if kept and float(dual.gap(*kept)) <= float(dual.gap(last, done[-1].predictions)):
        return kept
    return _extrapolated(done, ahead)


def _capped(W: Array, cap: float) -> Array:
    """Rows shortened to the cap, for a look at the gap of a neighbour whose cap was larger."""
    xp = namespace(W)
    lengths = row_norms(W)
    return W * (xp.clip(lengths, max=cap) / xp.where(lengths > 0, lengths, xp.ones_like(lengths)))[:, None]


def _ahead(numbers: list[Coefficients | None]) -> float:
    """How far the third lies ahead of the second, in units of the way from the first: 0 unless they are in line."""
    one, two, three = numbers
    if one is None or two is None or three is None:
        return 0.0
    moved = [(q - p, r - q) for p, q, r in zip(one, two, three, strict=True) if not p == q == r]
    (last, following) = moved[0] if len(moved) == 1 else (0.0, 0.0)
    return following / last if last and math.isfinite(following / last) else 0.0


def _extrapolated(done: list[Solution], ahead: float) -> tuple[Array, Array]:
    """Where the line through the last two solutions leads, and its predictions: no product is needed."""
    last = done[-1]
    if not ahead:
        return last.W, last.predictions
    before = done[0]
    return last.W + ahead * (last.W - before.W), last.predictions + ahead * (last.predictions - before.predictions)


@door
def epsilon_max(targets: Array) -> float:
    """The smallest epsilon for which W = 0 solves (D): the largest target norm.

    Parameters
    ----------
    targets : array of shape (n, m)
        The outputs in coordinates.

    Returns
    -------
    float
        This epsilon.
    """
    return float(namespace(targets).max(row_norms(targets)))


@door
def kappa_max(dual: Dual) -> float:
    """The smallest kappa for which the Huber solution is that of ridge: the largest row norm of the ridge W.

    Parameters
    ----------
    dual : Dual
        The problem.

    Returns
    -------
    float
        This kappa.
    """
    W = Direct().solve(dual.at(loss=Square())).W
    return float(namespace(W).max(row_norms(W)))
