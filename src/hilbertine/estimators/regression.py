"""Ridge and Huber regression by name: they hold parameters and pick a loss, no mathematics."""

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

from ..losses import Cells, Huber, Loss, Square
from ..losses.base import Length
from ..solvers import Progress
from ..spaces import Space
from .base import Regressor
from .parts import store


class Ridge(Regressor):
    """Regressor with l(p, y) = |p - y|^2 / 2; equals KernelRidge(alpha=n * lam) for outputs in R^p.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> model = Ridge(lam=1e-6).fit(X, np.sin(6 * X[:, 0]))
    >>> model.predict([[0.25]]).round(2)
    array([1.])
    """

    LOSS_PARAMETERS: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        lam: float = 1e-3,
        kernel: Any = None,
        space: Space | None = None,
        centre: str | None = "median",
        missing: str | None = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        callback: Callable[[Progress], Any] | None = None,
        verbose: int = 0,
        checkpoint: str | PathLike[str] | None = None,
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return Square()


class HuberRegressor(Regressor):
    """Regressor with the Huber loss: beyond kappa a residual pulls no harder, so outliers cannot take over.

    Parameters
    ----------
    kappa : float or "auto", default="auto"
        The residual norm beyond which a sample pulls no harder, in the units of y. "auto" takes it from a robust scale
        of the residuals, so that fitting s Y predicts s times as much; the value is in `kappa_`.
    cells : bool, default=False
        Whether to bound the pull of each entry of y by itself rather than of whole rows: for one bad sensor among many.

    Attributes
    ----------
    kappa_ : float
        The residual norm, with `cells` that of an entry, beyond which nothing pulls harder.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> y[7] += 5.0
    >>> model = HuberRegressor().fit(X, y)
    >>> 7 in model.saturated_, int(model.suspects().samples[0])
    (True, 7)
    """

    LOSS_PARAMETERS: ClassVar[tuple[str, ...]] = ("kappa", "cells")

    def __init__(
        self,
        kappa: Length = "auto",
        lam: float = 1e-3,
        kernel: Any = None,
        space: Space | None = None,
        centre: str | None = "median",
        missing: str | None = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        cells: bool = False,
        callback: Callable[[Progress], Any] | None = None,
        verbose: int = 0,
        checkpoint: str | PathLike[str] | None = None,
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return Cells(Huber(self.kappa)) if self.cells else Huber(self.kappa)
