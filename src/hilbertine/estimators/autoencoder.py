"""Codes for data known through a kernel: two layers in RKHSs, the second robust."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from sklearn.exceptions import ConvergenceWarning

from ..arrays import as_floats, product
from ..checks import nonnegative, positive, whole
from ..doors import caller
from ..function import Expansion
from ..kernels import FromCallable, Kernel, Linear, as_kernel
from ..kernels.base import stricter
from ..losses import Loss, Square
from ..operator_kernels import Separable
from ..spaces import RKHS
from .descent import Descent, Iterate, descend
from .first_codes import first_codes, standardised
from .inputs import check_inputs
from .layers import Layers
from .parts import component, store, unchanged_on_failure
from .progress import followed
from .two_layers import TwoLayers


class KernelAutoencoder(TwoLayers):
    """min_{f, h}  1/n sum_i l(h(f(x_i)), phi(x_i)) + lam/2 |h|^2 + inner_lam u^2/2 |f|^2,  f(x) in R^p, h(c) in RKHS.

    The data are known through a kernel k(x, z) = <phi(x), phi(z)> alone. The first layer f maps them to codes, the
    second layer h maps codes back to the RKHS of the kernel. For given codes h is a regression with outputs in an RKHS,
    solved in the dual to a certified gap; f descends along the gradient that the dual solution gives. Points that the
    kernel cannot tell apart share a code: a constant Gram matrix, or one sample, gives one code that stands for it.

    Both layers see phi(x) - c, c the `centre`; f is linear in (phi(x) - c) / u, u^2 the mean of |phi(x) - c|^2, so that
    the kernels k and 9 k give the same codes where the loss has no lengths of its own.

    When it is worth it: for 1000 points and codes of length 10 it costs 9 kernel PCAs on digits with a linear kernel,
    20 with a Gaussian one, and 36 on molecules with a Tanimoto kernel. Unseen points come back much closer: 15, 19 and
    63 percent of their variance is lost, by kernel PCA 27, 40 and 85. Neighbours read the codes of digits as well as
    those of kernel PCA (.964 and .968 against .963 and .962), those of molecules better (R^2 of logP .48 against .39).
    What is read linearly is read as well from kernel PCA. `benchmarks/autoencoder.py` measures this.

    Parameters
    ----------
    n_components : int or list of int, default=2
        The dimension p of the codes, at most the rank of the kernel on the training points: beyond it codes could only
        be rotated copies of shorter ones. A list, [50, 10], makes the first layer deep: codes of 50 numbers are mapped
        by further functions, each in the RKHS of an inner kernel, until the last ones, the codes.
    loss : Loss, default=None
        A loss of `hilbertine.losses`; None is `Square()`.
    kernel : Kernel, callable or "precomputed", default=None
        The kernel on the data: None (linear), a kernel or a function of two collections, or "precomputed", where `fit`
        takes the n x n Gram matrix and `transform` the n_new x n values.
    inner_kernel : Kernel or list of Kernel, default=None
        The kernel of the second layer, between codes; None is `Gaussian()`, whose "median" is that of the initial
        codes. It must have a `pullback`. For a list of layers one for all, or a list of as many.
    lam : float, default=1e-3
        Strength of the regularisation of the second layer, > 0, as in `Regressor`.
    inner_lam : float, default=1e-3
        That of the first layer, >= 0, for every part of a deep one.
    encoding_kernel : Kernel or callable, default=None
        The kernel of the first layer, on the data, with a centre and a unit of its own; None is `kernel`, f linear in
        phi(x) as in the paper.
    centre : {"mean", "median", None}, default="mean"
        c, what the codes explain deviations from. With the mean the start is centred kernel PCA; the median, where some
        points may be bad; None for the problem of the paper as printed, c = 0.
    init : {"kernel_pca", "random"}, default="kernel_pca"
        The first codes. From "random" descents end in local minima of their own, and where `tol` asks for many steps
        rounding may decide in which: codes may then differ with the number of threads.
    solver : str or Solver, default="auto"
        That of the second layer: "auto", a name, or a solver object.
    inner_tol : float, default=1e-6
        Relative duality gap of the second layer at every step; the descent ends with a ConvergenceWarning where a step
        gains less than these gaps can vouch for.
    tol : float, default=3e-3
        Stop where steps lower the objective by at most this part of it, two on average, or where no step as long as the
        first layer could: where the `slope` is at most `tol`.
    max_iter : int, default=200
        At most this many steps, then a ConvergenceWarning.
    random_state : int, RandomState or None, default=None
        Of the random start.
    callback : callable, default=None
        Called with an `Iterate` (n_iter, objective, slope, gap) at each step. With the square loss, from 300 points
        on, steps on a third of them and on the leading coordinates of the outputs make a better start: these are not
        among them.
    verbose : int, default=0
        1 shows progress on stderr: steps, slope, seconds left.

    Attributes
    ----------
    codes_ : array of shape (n, p)
        Codes of the training points.
    coef_, intercept_ : arrays of shape (r, p) and (1, p)
        The first layer in the orthonormal coordinates of `encoder_`.
    hidden_ : list
        For a list of layers, (kernel, codes before it, coefficients) of each further function, else empty.
    dual_coef_ : array of shape (n, m)
        W of the second layer.
    dual_gap_ : float
        Its relative duality gap.
    support_ : array of int
        Points with w_i != 0, kept by the second layer.
    saturated_ : array of int
        Points at the bound of the loss, |w_i| = c. That does not make them outliers: see `suspects`.
    residual_norms_ : array of shape (n,)
        |h(f(x_i)) - phi(x_i)| on the training points.
    objective_ : float
        The value reached.
    history_ : list of Iterate
        Every step, never rising; the first is the start.
    n_iter_, converged_ : int and bool
        The number of steps, and whether they ended by `tol`.
    centre_ : array of shape (m,) or None
        c in the coordinates of `space_`.
    space_, encoder_, inner_kernel_, loss_ : objects
        The fitted parts; `space_` holds the coordinates of the RKHS.
    function_ : Expansion
        h, the second layer as a function of codes.
    domain_ : str
        What kind of data the kernels take: "vectors", "objects" or "gram".
    lam_, n_features_in_ : float and int
        The lam of the fit, and the number of features where data are vectors.

    Examples
    --------
    >>> import numpy as np
    >>> angles = np.linspace(0, 6, 30)
    >>> X = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    >>> model = KernelAutoencoder(n_components=1, lam=1e-4, init="random", random_state=0).fit(X)
    >>> model.codes_.shape, model.dual_gap_ <= model.inner_tol
    ((30, 1), True)
    """

    def __init__(
        self,
        n_components: int | Sequence[int] = 2,
        loss: Loss | None = None,
        kernel: Any = None,
        inner_kernel: Any = None,
        lam: float = 1e-3,
        inner_lam: float = 1e-3,
        encoding_kernel: Any = None,
        centre: Literal["mean", "median"] | None = "mean",
        init: Literal["kernel_pca", "random"] = "kernel_pca",
        solver: Any = "auto",
        inner_tol: float = 1e-6,
        tol: float = 3e-3,
        max_iter: int = 200,
        random_state: Any = None,
        callback: Callable[[Iterate], Any] | None = None,
        verbose: int = 0,
    ):
        store(self, locals())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn both layers; an error or an interruption leaves the estimator as it was.

        Parameters
        ----------
        X : array-like of shape (n, d), or what the kernel takes
            The data.
        y : None, default=None
            Ignored.

        Returns
        -------
        Self
            The fitted estimator.
        """
        with unchanged_on_failure(self):
            return self._fit(X)

    def _fit(self, X: Any) -> Self:
        loss = Square() if self.loss is None else component(self.loss, Loss, "loss", "hilbertine.losses")
        loss.check_trainable()
        self.domain_ = self._domain()
        X = check_inputs(self, X, self.domain_, reset=True)
        self.space_ = RKHS(Linear() if self.kernel is None else self.kernel)
        self.encoder_ = self.space_ if self.encoding_kernel is None else RKHS(self.encoding_kernel)
        T, self.centre_, unit = standardised(self.space_.fit_measure(X)[0], self.centre)
        V, middle, scale = T, self.centre_, unit
        if self.encoder_ is not self.space_:
            V, middle, scale = standardised(as_floats(self.encoder_.fit_measure(X)[0], T), self.centre)
        scale = scale or 1.0
        kernels, A = first_codes(V / scale, self.n_components, self.inner_kernel, self.init, self.random_state)
        layers = Layers(
            V / scale, T, kernels, loss, positive(self.lam, "lam", finite=True),
            nonnegative(self.inner_lam, "inner_lam") * unit**2,
            self.solver, positive(self.inner_tol, "inner_tol", finite=True),
        )  # fmt: skip
        tol, max_iter = nonnegative(self.tol, "tol"), whole(self.max_iter, "max_iter")
        with followed(self, "slope") as callback, self._now.below("solve", None) as task:
            descent = descend(layers, A, tol, max_iter, task.hearing(callback))
        self.coef_ = descent.A[0] / scale
        self.intercept_ = 0.0 if middle is None else -product(middle[None, :], self.coef_)
        return self._publish(layers, descent)

    def _publish(self, layers: Layers, descent: Descent) -> Self:
        codes = layers.codes(descent.A)
        dual, solution = layers.solve(codes[-1], *layers.start)
        self.loss_, self.inner_kernel_, self.lam_ = layers.loss, layers.kernels[-1], layers.lam
        # The inner kernel as it was fitted to the first codes: a kernel of its own would learn from the last ones.
        second = Separable(FromCallable(layers.kernels[-1].__call__)).fit(codes[-1], layers.T)
        self.function_, self.codes_ = Expansion(second, solution.W, dual.scale), codes[-1]
        self.hidden_ = list(zip(layers.kernels, codes, descent.A[1:], strict=False))
        self.dual_coef_, self.dual_gap_ = solution.W, solution.gap
        self.support_, self.saturated_ = dual.special_rows(solution.W, solution.predictions)
        self.residual_norms_ = dual.risk.residual_norms(solution.predictions)
        self.history_, self.converged_ = descent.history, descent.converged
        self.objective_ = self.history_[-1].objective
        # A start that was good enough counts as one step: scikit-learn has it that fits take at least one.
        self.n_iter_, self._n_features_out = max(len(self.history_) - 1, 1), int(self.codes_.shape[1])
        if not solution.converged:
            self._warn(
                f"The second layer was solved to a duality gap of {solution.gap:.2g}, above inner_tol = "
                f"{self.inner_tol:.2g}; raise inner_tol or lam, or give a solver with more steps, such as "
                "solver=solvers.Splitting(max_iter=100_000)."
            )
        if not self.converged_:
            remedy = "raise max_iter" if self.n_iter_ >= self.max_iter else "lower inner_tol or smooth the inner kernel"
            self._warn(
                f"KernelAutoencoder stopped after {self.n_iter_} steps at a slope of {self.history_[-1].slope:.2g}, "
                f"before a step gained less than tol = {self.tol:.2g} of the objective, which fell from "
                f"{self.history_[0].objective:.4g} to {self.objective_:.4g}; {remedy}, or accept the model by raising "
                "tol."
            )
        return self

    @staticmethod
    def _warn(message: str) -> None:
        warnings.warn(message, ConvergenceWarning, stacklevel=caller())

    def _domain(self) -> Any:
        """What kind of data the kernels take."""
        given: list[Kernel] = [
            as_kernel(Linear() if self.kernel is None else self.kernel),
            *([] if self.encoding_kernel is None else [as_kernel(self.encoding_kernel)]),
        ]
        domain = stricter(given[0].domain, given[-1].domain)
        if domain == "gram" and len(given) > 1:
            raise ValueError(
                "With rows of a Gram matrix for data there is one kernel; leave encoding_kernel=None, or give both "
                "kernels as kernels.Precomputed(gram), with indices for data."
            )
        return domain

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            tags.input_tags.pairwise = self._domain() == "gram"
            tags.array_api_support = self._domain() != "objects"
        except (TypeError, ValueError):
            # Not a kernel: fit says so, and a notebook can still show the estimator.
            tags.input_tags.pairwise = False
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
