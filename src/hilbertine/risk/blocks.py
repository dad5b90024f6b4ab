"""What is asked of all rows of a risk; of rows on a cluster it is asked block by block, where they are."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from ..arrays import Array, inner, namespace
from ..spread import aligned, by_blocks, is_spread, of_sum

P = ParamSpec("P")
R = TypeVar("R")
# What has one number for each row; the others have one for each entry.
VECTORS = ("value", "conjugate", "reach", "residual_norms")


class OfBlocks:
    """act(risk, *arrays) as a function of these arrays and the parts of the risk, or of blocks of them.

    Parameters
    ----------
    act : callable
        What is asked.
    risk : Risk
        The risk.
    """

    def __init__(self, act: Callable[..., Any], risk: Any):
        loss, *parts = risk._parts()
        self.act, self.kind, self.loss = act, type(risk), loss
        self.given = [part is not None for part in parts]

    def __call__(self, *arrays: Array) -> Any:
        """The answer.

        Parameters
        ----------
        *arrays : arrays
            Those that are asked about, then `parts_of` the risk.

        Returns
        -------
        object
            What `act` returned.
        """
        first = len(arrays) - sum(self.given)
        parts = iter(arrays[first:])
        risk = self.kind(self.loss, *(next(parts) if given else None for given in self.given))
        return self.act(risk, *arrays[:first])


def parts_of(risk: Any) -> list[Array]:
    """Targets, and what else a risk has of tails, weights and masks."""
    return [part for part in risk._parts()[1:] if part is not None]


def by_rows(method: Callable[P, R]) -> Callable[P, R]:
    """A method of a risk, (risk, rows, ...) -> as many rows, that works on a cluster too.

    Parameters
    ----------
    method : callable
        The method.

    Returns
    -------
    callable
        The method.
    """

    @wraps(method)
    def said(*given: P.args, **named: P.kwargs) -> Any:
        risk: Any
        A: Any
        risk, A, *settings = given
        if not is_spread(A):
            return method(*given, **named)
        act = OfBlocks(partial(_asked, method.__name__, settings), risk)
        columns = None if method.__name__ in VECTORS else int(A.shape[1])
        return by_blocks(act, *_in_blocks(risk, A), columns=columns)

    return said


def terms(risk: Any, W: Array, predictions: Array) -> tuple[Array, Array]:
    """Row by row, what it adds to the duality gap and to the primal value."""
    values, energies = risk.value(predictions), inner(W, predictions)
    return values + risk.conjugate(W) + energies, values + energies / 2.0


def totals(risk: Any, W: Array, predictions: Array) -> tuple[Array, Array]:
    """The sums of `terms`."""
    xp, (gaps, primals) = namespace(W), terms(risk, W, predictions)
    return xp.sum(gaps), xp.sum(primals)


def with_totals(
    then: Callable[[Array, Array], Array], risk: Any, W: Array, predictions: Array, shape: tuple[int, ...] = ()
) -> Array:
    """then(the duality gap, the primal value), an array of one number, or of this shape."""
    if is_spread(W):
        return of_sum(then, OfBlocks(totals, risk), *_in_blocks(risk, W, predictions), shape=shape)
    return then(*totals(risk, W, predictions))


def pulled_and_value(risk: Any, predictions: Array) -> tuple[Array, Array]:
    """The dual rows that go with predictions, and the sum of their losses."""
    return risk.supported(risk.pulled(predictions)), namespace(predictions).sum(risk.value(predictions))


def _asked(name: str, settings: list[Any], risk: Any, A: Array) -> Any:
    return getattr(risk, name)(A, *settings)


def _in_blocks(risk: Any, *arrays: Array) -> list[Array]:
    """The arrays and those of the risk, all in the blocks of its targets."""
    return [aligned(part, risk.targets) for part in (*arrays, *parts_of(risk))]
