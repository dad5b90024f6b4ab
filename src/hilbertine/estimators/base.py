"""The only fit: outputs to coordinates, one dual problem, one certified solution."""

from collections.abc import Callable
from contextlib import suppress
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone

from ..arrays import Array, as_floats, count, is_foreign, to_numpy
from ..checks import positive
from ..containers import are_pairs, read_pairs
from ..dual import Dual
from ..function import Expansion
from ..kernels import Gaussian
from ..losses import Loss, Square
from ..operator_kernels import OperatorValuedKernel, as_operator_kernel
from ..operator_kernels.base import domain_of
from ..solvers import Progress, Recipe, Solution, settled
from ..spaces import Euclidean, Space
from ..spread import evaluated
from ..waiting import waiting
from .approximation import Trained, truncation_gap
from .checkpoint import kept
from .fitted import Fitted
from .growth import enlarged
from .inputs import check_inputs, check_pairs, in_like_blocks
from .parts import component, pick, store, unchanged_on_failure
from .posed import Posed, bound, posed
from .progress import followed
from .rows import check_entrywise, counted_rows, publish_lengths, put_back, warn_of_bounds

# Where a class makes what a fit consists of: the last one to do so says which parameters concern the loss alone.
HOOKS = ("_build_loss", "_make_kernel", "_make_space", "_pose")


class Regressor(Fitted, RegressorMixin, BaseEstimator):
    """min_h  1/n sum_i l(h(x_i), y_i) + lam/2 |h|^2  over the vector-valued RKHS of an operator-valued kernel.

    Parameters
    ----------
    loss : Loss, default=None
        How errors are punished, an object of `hilbertine.losses`; None is `Square()`.
    kernel : kernel, callable or "precomputed", default=None
        How alike two inputs are: a kernel, a function of two collections, an operator-valued kernel, or "precomputed",
        where `fit` takes the n x n Gram matrix and `predict` the n_new x n values. None is `kernels.Gaussian("auto")`,
        one width for each feature from its spread.
    space : Space, default=None
        Where the outputs live; None is `spaces.Euclidean()`, outputs that are numbers.
    lam : float, default=1e-3
        Strength of the regularisation, > 0.
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
        Called with a `solvers.Progress` at each certificate; True from it ends the fit.
    verbose : int, default=0
        1 shows progress on stderr: steps, gap, seconds left.
    checkpoint : str or path-like, default=None
        A file for the state of the fit: one that was killed goes on from it, and that of another is refused.

    Attributes
    ----------
    dual_coef_ : array of shape (n, m)
        W of the dual problem, one row for each training sample; not divided by lam n.
    dual_gap_, dual_gaps_ : float, and array of shape (n,)
        Relative duality gap of the fit, and what each sample adds to the gap.
    truncation_gap_ : float
        The gap in the whole output space; NaN where an operator made of outputs leads out of a truncated basis.
    n_iter_, converged_, history_ : int, bool and list of Progress
        Steps taken, whether the gap is at most `tol`, and every certificate on the way.
    support_ : array of int
        Training rows that predictions depend on, w_i != 0.
    saturated_ : array of int
        Training rows at the bound of the loss, outliers among them (`suspects()` names these), known up to the gap.
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
    >>> from hilbertine import Regressor, kernels, losses
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 4.0]])
    >>> model = Regressor(losses.EpsilonSquare(0.5), kernels.Gaussian(1.0), lam=0.1, centre=None).fit(X, Y)
    >>> model.support_, model.residual_norms_.round(3)
    (array([1, 2]), array([0.133, 0.636, 1.564]))
    """

    # Declared beside `_build_loss`: what changes the loss alone shares a Gram matrix in `RegressorCV`.
    LOSS_PARAMETERS: ClassVar[tuple[str, ...]] = ("loss",)

    def __init__(
        self,
        loss: Loss | None = None,
        kernel: Any = None,
        space: Space | None = None,
        lam: float = 1e-3,
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train to a duality gap of `tol`; an error or an interruption leaves the estimator as it was.

        Parameters
        ----------
        X : array-like of shape (n, d), or what the kernel takes
            The inputs, in memory or not: a memory map, a list of .npy files; or, without y, chunks (X, Y) as a list, a
            function that makes an iterator, or an iterable that can be begun again.
        y : array-like of shape (n,) or (n, m), or what the space takes, default=None
            The outputs.
        sample_weight : array-like of shape (n,), default=None
            How often each sample counts: two stands for the same sample twice, zero for none.

        Returns
        -------
        Self
            The fitted estimator.
        """
        if y is None and are_pairs(X):
            X, y, sample_weight = read_pairs(X)
        X, y, sample_weight = in_like_blocks(X, y, sample_weight)
        with unchanged_on_failure(self), waiting():
            kept = counted_rows(sample_weight, X)
            if kept is None:
                return self._train(self._pose(X, y, sample_weight))
            weights = np.asarray(to_numpy(sample_weight))[kept]
            columns = kept if self.__sklearn_tags__().input_tags.pairwise else None
            self._train(self._pose(pick(X, kept, columns), pick(y, kept), weights))
            put_back(self, kept, count(X))
            return self

    def _train(self, problem: Posed) -> Self:
        """`fit` where the problem is posed already."""
        with followed(self) as callback, self._now.below("solve", None) as task:
            dual, start = settled(problem.dual.at(self._check_lam(), self._make_loss()), self._recipe())
            recipe = self._recipe(kept(self, problem, task.steps(callback, problem, dual)))
            solution = recipe.solve(dual, *(self._start(dual.targets) or start))
        self._publish(problem, dual, solution)
        if (larger := enlarged(self, problem)) is not None:
            return self._train(larger)
        warn_of_bounds(self)
        return self

    def _pose(self, X: Any, y: Any, sample_weight: Any = None) -> Posed:
        """Everything of the problem but lam and the loss."""
        check_pairs(self, X, y)
        lam, loss = self._check_lam(), self._make_loss()
        X = self._check_inputs(X, reset=True)
        space = self._make_space(y)
        like = X if is_foreign(X) else y
        # A copy of T: what the caller does to y later must not reach the model.
        T, tails = evaluated(*(as_floats(part, like) + 0.0 for part in space.fit_measure(y)))
        check_entrywise(loss, space)
        risk, centre = bound(loss, T, tails, sample_weight, self.centre, self.missing)
        return posed(self._make_kernel(space), (X, y, sample_weight), space, risk, centre, lam)

    def _publish(self, problem: Posed, dual: Dual, solution: Solution) -> Self:
        W, P = solution.W, solution.predictions
        self.kernel_, self.space_, self.centre_ = problem.kernel.compact(), problem.space, problem.centre
        self.function_ = Expansion(problem.kernel, W, dual.scale, problem.centre).compact()
        self._trained = Trained.of(problem, dual, solution)
        self.loss_, self.lam_, self.matrix_ = dual.risk.loss, dual.lam, dual.gram.held()
        publish_lengths(self)
        self.targets_, self.tails_, self.dual_coef_ = dual.targets, dual.risk.tails, W
        self.dual_gap_, self.dual_gaps_ = solution.gap, dual.gaps(W, P)
        self.truncation_gap_ = truncation_gap(problem.kernel, dual, W, P)
        # A start that was good enough counts as one step: scikit-learn has it that fits take at least one.
        self.n_iter_, self.converged_, self.history_ = max(solution.n_iter, 1), solution.converged, solution.history
        self.residual_norms_ = dual.risk.residual_norms(P)
        self.support_, self.saturated_ = dual.special_rows(W, P)
        return self

    def _make_loss(self) -> Loss:
        """The loss this estimator trains with, checked."""
        loss = self._build_loss()
        (loss.at_scale(1.0) if loss.automatic else loss).check_trainable()
        return loss

    def _build_loss(self) -> Loss:
        """The loss from the parameters; named estimators build theirs from flat ones."""
        return Square() if self.loss is None else component(self.loss, Loss, "loss", "hilbertine.losses")

    def _make_space(self, y: Any) -> Space:
        """Where the outputs live."""
        if self.space is None:
            return Euclidean(self.missing)
        space: Space = component(self.space, Space, "space", "hilbertine.spaces")
        return space

    def _check_lam(self) -> float:
        return positive(self.lam, "lam", finite=True)

    def _make_kernel(self, space: Space) -> OperatorValuedKernel:
        """The operator-valued kernel, for outputs in this fitted space."""
        return as_operator_kernel(self._default_kernel() if self.kernel is None else clone(self.kernel, safe=False))

    def _default_kernel(self) -> Any:
        """What stands for kernel=None: a width for each feature, so that inputs may have any units."""
        return Gaussian("auto")

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, parts of the kernel included where kernel=None stands for the default one.

        Parameters
        ----------
        **params : values by name
            Such as lam=0.1 or kernel__gamma=2.0.

        Returns
        -------
        Self
            The estimator itself.
        """
        if self.kernel is None and "kernel" not in params and any(name.startswith("kernel__") for name in params):
            super().set_params(kernel=self._default_kernel())
        super().set_params(**params)
        return self

    def _check_inputs(self, X: Any, reset: bool, like: Array | None = None) -> Any:
        """Inputs as the kernel wants them: `reset` at fit; later `like` says which library they belong to."""
        return check_inputs(self, X, domain_of(self.kernel), reset=reset, like=like, takes_sparse=True)

    def _recipe(self, callback: Any = None) -> Recipe:
        """How to solve; a callback hears of one fit, not of a path."""
        return Recipe(self.solver, self.tol, self.max_iter, callback)

    def _start(self, T: Array) -> tuple[Array, ...]:
        previous: Array = getattr(self, "dual_coef_", None) if self.warm_start else None
        return (previous,) if type(previous) is type(T) and previous.shape == T.shape else ()

    @classmethod
    def _of_the_loss(cls, name: str) -> bool:
        """Whether this parameter changes the loss alone, as the class says that makes the parts of a fit."""
        maker = next(each for each in cls.__mro__ if any(hook in vars(each) for hook in HOOKS))
        return name.split("__")[0] in vars(maker).get("LOSS_PARAMETERS", ())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Of what is no kernel fit says so, and a notebook can still show the estimator.
        with suppress(TypeError):
            domain = domain_of(self.kernel)
            tags.input_tags.pairwise, tags.input_tags.sparse = domain == "gram", domain == "vectors"
            tags.array_api_support = domain != "objects"
        tags.target_tags.multi_output = True
        return tags
