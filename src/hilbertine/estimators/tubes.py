"""The models by name whose loss has a tube: errors inside it cost nothing, and their samples are not kept."""

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

from ..losses import EpsilonNorm, EpsilonSquare, Loss
from ..losses.base import Length, is_auto
from ..solvers import Progress
from ..spaces import Space
from .base import Regressor
from .parts import store


class EpsilonRidge(Regressor):
    """Regressor with l(p, y) = max(|p - y| - epsilon, 0)^2 / 2: samples inside the tube leave no coefficient.

    Parameters
    ----------
    epsilon : float or "auto", default="auto"
        The residual norm up to which an error costs nothing, in the units of y. "auto" takes it from a robust scale of
        the residuals, so that fitting s Y predicts s times as much; the value is in `epsilon_`.

    Attributes
    ----------
    epsilon_ : float
        The radius of the tube.

    Examples
    --------
    >>> import numpy as np
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 4.0]])
    >>> from hilbertine.kernels import Gaussian
    >>> model = EpsilonRidge(epsilon=0.5, lam=0.1, kernel=Gaussian(1.0), centre=None).fit(X, Y)
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
        verbose: int = 0,
        checkpoint: str | PathLike[str] | None = None,
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return EpsilonSquare(self.epsilon)


class EpsilonSVR(Regressor):
    """Regressor with l(p, y) = max(|p - y| - epsilon, 0): support vector regression for outputs with a norm.

    Parameters
    ----------
    epsilon : float or "auto", default="auto"
        The residual norm up to which an error costs nothing, in the units of y. "auto" takes it from a robust scale of
        the residuals, so that fitting s Y predicts s times as much; the value is in `epsilon_`. "auto" multiplies the
        loss by a length too, so that lam means the same in all units.

    Attributes
    ----------
    epsilon_ : float
        The radius of the tube.
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
        verbose: int = 0,
        checkpoint: str | PathLike[str] | None = None,
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return EpsilonNorm("auto", "auto") if is_auto(self.epsilon) else EpsilonNorm(self.epsilon)
