"""Ridge and Huber regression by name: they hold parameters and pick a loss, no mathematics."""

from collections.abc import Callable
from typing import Any, ClassVar

from ..losses import Cells, Huber, Loss, Square
from ..losses.base import Length
from ..solvers import Progress
from ..spaces import Space
from .base import Regressor
from .parts import store


class Ridge(Regressor):
    """Regressor with l(p, y) = |p - y|^2 / 2; equals KernelRidge(alpha=n * lam) for outputs in R^p.

    Parameters
    ----------
    lam : float, default=1e-3
        Strength of the regularisation, > 0.
    kernel : kernel, callable or "precomputed", default=None
        How alike two inputs are: a kernel, a function of two collections, an operator-valued kernel, or "precomputed",
        where `fit` takes the n x n Gram matrix and `predict` the n_new x n values. None is `kernels.Gaussian("auto")`,
        one width for each feature from its spread.
    space : Space, default=None
        Where the outputs live; None is `spaces.Euclidean()`, outputs that are numbers.
    centre : {"median", "mean"} or None, default="median"
        What is taken off the outputs before learning and added back to predictions: their spatial median, their mean,
        or nothing, as in the problem of the paper.
    missing : {"ignore"} or None, default=None
        With "ignore" outputs may hold NaN: each row is learned from the entries it has. None refuses them.
    solver : Solver or str, default="auto"
        The algorithm: a solver, which brings its own tol and max_iter where it sets them, or its name.
    tol : float, default=1e-6
        Relative duality gap at which to stop: no other model is better by more than that.
    max_iter : int, default=10_000
        At most so many steps, then a ConvergenceWarning with the gap reached.
    warm_start : bool, default=False
        Start from the previous solution where the shapes agree.
    callback : callable, default=None
        Called with a `solvers.Progress` at each certificate.
    verbose : int, default=0
        1 shows progress on stderr: steps, gap, seconds left.

    Attributes
    ----------
    dual_coef_ : array of shape (n, m)
        W of the dual problem, one row for each training sample; not divided by lam n.
    dual_gap_, dual_gaps_ : float, and array of shape (n,)
        Relative duality gap of the fit, and what each sample adds to the gap.
    truncation_gap_ : float
        The gap in the whole output space, where a truncated basis leaves something out.
    n_iter_, converged_, history_ : int, bool and list of Progress
        Steps taken, whether the gap is at most `tol`, and every certificate on the way.
    support_ : array of int
        Training rows that predictions depend on, w_i != 0.
    saturated_ : array of int
        Training rows at the bound of the loss: those it holds back, outliers among them. `suspects()` names outliers.
    residual_norms_ : array of shape (n,)
        |h(x_i) - y_i| on the training set.
    centre_ : array of shape (m,), or None
        What was taken off the outputs, in coordinates.
    function_ : Expansion
        h, the fitted function.
    kernel_, matrix_ : OperatorValuedKernel, and matrices.Held
        The fitted kernel, and how its matrix was held: print it.
    space_ : Space
        The fitted space.
    loss_ : Loss
        The loss as it was trained with, numbers in place of "auto".
    lam_, n_features_in_ : float and int
        The lam of the fit, and the number of features where inputs are vectors.
    targets_, tails_ : arrays of shape (n, m) and (n,)
        The training outputs in coordinates, less `centre_`, and the norms of what the coordinates leave out.

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
    lam : float, default=1e-3
        Strength of the regularisation, > 0.
    kernel : kernel, callable or "precomputed", default=None
        How alike two inputs are: a kernel, a function of two collections, an operator-valued kernel, or "precomputed",
        where `fit` takes the n x n Gram matrix and `predict` the n_new x n values. None is `kernels.Gaussian("auto")`,
        one width for each feature from its spread.
    space : Space, default=None
        Where the outputs live; None is `spaces.Euclidean()`, outputs that are numbers.
    centre : {"median", "mean"} or None, default="median"
        What is taken off the outputs before learning and added back to predictions: their spatial median, their mean,
        or nothing, as in the problem of the paper.
    missing : {"ignore"} or None, default=None
        With "ignore" outputs may hold NaN: each row is learned from the entries it has. None refuses them.
    solver : Solver or str, default="auto"
        The algorithm: a solver, which brings its own tol and max_iter where it sets them, or its name.
    tol : float, default=1e-6
        Relative duality gap at which to stop: no other model is better by more than that.
    max_iter : int, default=10_000
        At most so many steps, then a ConvergenceWarning with the gap reached.
    warm_start : bool, default=False
        Start from the previous solution where the shapes agree.
    cells : bool, default=False
        Whether to bound the pull of each entry of y by itself rather than of whole rows: for one bad sensor among many.
    callback : callable, default=None
        Called with a `solvers.Progress` at each certificate.
    verbose : int, default=0
        1 shows progress on stderr: steps, gap, seconds left.

    Attributes
    ----------
    dual_coef_ : array of shape (n, m)
        W of the dual problem, one row for each training sample; not divided by lam n.
    dual_gap_, dual_gaps_ : float, and array of shape (n,)
        Relative duality gap of the fit, and what each sample adds to the gap.
    truncation_gap_ : float
        The gap in the whole output space, where a truncated basis leaves something out.
    n_iter_, converged_, history_ : int, bool and list of Progress
        Steps taken, whether the gap is at most `tol`, and every certificate on the way.
    support_ : array of int
        Training rows that predictions depend on, w_i != 0.
    saturated_ : array of int
        Training rows at the bound of the loss: those it holds back, outliers among them. `suspects()` names outliers.
    residual_norms_ : array of shape (n,)
        |h(x_i) - y_i| on the training set.
    centre_ : array of shape (m,), or None
        What was taken off the outputs, in coordinates.
    function_ : Expansion
        h, the fitted function.
    kernel_, matrix_ : OperatorValuedKernel, and matrices.Held
        The fitted kernel, and how its matrix was held: print it.
    space_ : Space
        The fitted space.
    loss_ : Loss
        The loss as it was trained with, numbers in place of "auto".
    kappa_ : float
        The residual norm, with `cells` that of an entry, beyond which nothing pulls harder.
    lam_, n_features_in_ : float and int
        The lam of the fit, and the number of features where inputs are vectors.
    targets_, tails_ : arrays of shape (n, m) and (n,)
        The training outputs in coordinates, less `centre_`, and the norms of what the coordinates leave out.

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
    ):
        store(self, locals())

    def _build_loss(self) -> Loss:
        return Cells(Huber(self.kappa)) if self.cells else Huber(self.kappa)
