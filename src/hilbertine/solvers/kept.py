"""What of a fit is worth keeping while it goes on: few numbers where the kernel has features, else W."""

from collections.abc import Callable
from typing import Any

from ..arrays import Array, namespace, product
from ..dual import Dual
from ..matrices import Tall
from ..spread import is_spread


def features_of(dual: Dual) -> tuple[Tall, Array | None] | None:
    """(F, S) of a problem that is gone on with from predictions F B S: residuals have to say what dual rows are."""
    knows = dual.risk.loss.curvature > 0 or is_spread(dual.targets)
    return dual.gram.by_features() if knows else None


def condensed(dual: Dual, W: Array) -> Array:
    """B = F^T W / (lam n), p x m numbers of which predictions are made; W itself where there are none."""
    found = features_of(dual)
    return W if found is None else found[0].transposed_times(W) / dual.scale


def expanded(dual: Dual, B: Array) -> Array:
    """The predictions F B S."""
    found = features_of(dual)
    assert found is not None
    F, S = found
    return F.times(B if S is None else product(B, S))


class Keeping:
    """What a callback is told to keep, where it has a method `keep`, and what it says to begin with.

    Parameters
    ----------
    callback : callable or None
        `keep(make)` is given a function that makes the numbers, and calls it where it keeps them; `kept()` returns
        those of a fit before, or None.
    dual : Dual
        The problem.
    """

    def __init__(self, callback: Any, dual: Dual):
        self.keep: Callable[..., Any] | None = getattr(callback, "keep", None)
        (n, m), found = dual.gram.shape, None if self.keep is None else features_of(dual)
        self.dual, self.featured = dual, found is not None
        if self.keep is not None and is_spread(dual.targets) and not self.featured:
            raise ValueError(
                "checkpoint= keeps p x m numbers of a fit on a cluster, and a sum of kernels with several operators "
                "has none; leave checkpoint=None, or take one operator for all."
            )
        state = None if self.keep is None else callback.kept()
        shape = (n if found is None else found[0].shape[1], m)
        # A kernel that has grown since has other features.
        self.state: Array | None = None if state is None or state.shape != shape else state

    @property
    def coefficients(self) -> Array | None:
        """B to begin with, where the kernel has features."""
        return self.state if self.featured else None

    def start(self, W: Array | None, P: Array | None) -> tuple[Array, Array | None]:
        """W to begin with, and its predictions where they are known: what was kept, what is given, or zeros.

        Parameters
        ----------
        W, P : array of shape (n, m), or None
            What is given.

        Returns
        -------
        tuple of two arrays
            Dual variables, and predictions or None.
        """
        if self.state is not None and self.featured:
            return self.dual.risk.supported(self.dual.risk.pulled(expanded(self.dual, self.state))), None
        if self.state is not None:
            return self.state, None
        zeros = namespace(self.dual.targets).zeros_like(self.dual.targets) if W is None else W
        return (zeros, zeros) if W is None else (W, P)

    def __call__(self, step: Any, last: bool) -> bool:
        """Tell of a step; returns `last`.

        Parameters
        ----------
        step : Step
            The step.
        last : bool
            Whether there will be no other.

        Returns
        -------
        bool
            `last`.
        """
        if self.keep is not None:
            dual = self.dual
            self.keep(step.state or (lambda: condensed(dual, step.W)), last)
        return last
