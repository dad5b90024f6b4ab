"""The models of the paper by name: they hold parameters and pick a loss, no mathematics."""

from collections.abc import Callable
from typing import Any, ClassVar

from ..losses import Cells, EpsilonNorm, EpsilonSquare, Huber, Loss, Square
from ..losses.base import Length, is_auto
from ..solvers import Progress
from ..spaces import Space
from .base import Regressor, store


class Ridge(Regressor):
    """Regressor with l(p, y) = |p - y|^2 / 2; equals KernelRidge(alpha=n * lam) for outputs in R^p."""

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
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return Square()


class EpsilonRidge(Regressor):
    """Regressor with l(p, y) = max(|p - y| - epsilon, 0)^2 / 2: samples inside the tube leave no coefficient.

    >>> import numpy as np
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 4.0]])
    >>> from hilbertine.kernels import Gaussian
    >>> model = EpsilonRidge(epsilon=0.5, lam=0.1, kernel=Gaussian(1.0)).fit(X, Y)
    >>> np.linalg.norm(model.dual_coef_, axis=1).round(3)
    array([0.   , 0.136, 1.064])
    """

    LOSS_PARAMETERS: ClassVar[tuple[str, ...]] = ("epsilon",)

    def __init__(
        self,
        epsilon: Length = "auto",
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
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return EpsilonSquare(self.epsilon)


class HuberRegressor(Regressor):
    """Regressor with the Huber loss: beyond kappa a residual pulls no harder, so outliers cannot take over."""

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
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return Cells(Huber(self.kappa)) if self.cells else Huber(self.kappa)


class EpsilonSVR(Regressor):
    """Regressor with l(p, y) = max(|p - y| - epsilon, 0): support vector regression for outputs with a norm."""

    LOSS_PARAMETERS: ClassVar[tuple[str, ...]] = ("epsilon",)

    def __init__(
        self,
        epsilon: Length = "auto",
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
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return EpsilonNorm("auto", "auto") if is_auto(self.epsilon) else EpsilonNorm(self.epsilon)
