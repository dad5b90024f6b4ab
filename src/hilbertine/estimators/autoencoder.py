"""Codes for data known through a kernel: two layers in RKHSs, the second robust."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, as_floats, blocks, count, inner, namespace, product
from ..checks import nonnegative, positive, whole
from ..function import Expansion
from ..kernels import FromCallable, Kernel, Linear, as_kernel
from ..kernels.base import stricter
from ..losses import Loss, Square
from ..memory import rows_of
from ..operator_kernels import Separable
from ..spaces import RKHS
from .first_codes import first_codes
from .inputs import check_inputs
from .layers import Iterate, Layers, descend
from .parts import component, store, unchanged_on_failure


class KernelAutoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """min_{f, h}  1/n sum_i l(h(f(x_i)), phi(x_i)) + lam/2 |h|^2 + inner_lam/2 |f|^2,  f(x) in R^p, h(c) in the RKHS.

    The data are known through a kernel k(x, z) = <phi(x), phi(z)> alone. The first layer f maps them to codes, the
    second layer h maps codes back to the RKHS of the kernel. For given codes h is a regression with outputs in an RKHS,
    solved in the dual to a certified gap; f descends along the gradient that the dual solution gives. Points that the
    kernel cannot tell apart share a code: a constant Gram matrix, or one sample, gives one code that stands for it.

    Parameters
    ----------
    n_components : the dimension p of the codes, at most the rank of the kernel on the training points: beyond it codes
        could only be rotated copies of shorter ones. A list, [50, 10], makes the first layer deep: codes of 50 numbers
        are mapped by further functions, each in the RKHS of an inner kernel, until the last ones, the codes
    loss : a loss of `hilbertine.losses`; None is `Square()`
    kernel : the kernel on the data: None (linear), a kernel or a function of two collections, or "precomputed", where
        `fit` takes the n x n Gram matrix and `transform` the n_new x n values
    inner_kernel : the kernel of the second layer, between codes; None is `Gaussian()`, whose "median" is that of the
        initial codes. It must have a `pullback`. For a list of layers one for all, or a list of as many
    encoding_kernel : the kernel of the first layer, on the data; None is `kernel`, f linear in phi(x) as in the paper
    lam : strength of the regularisation of the second layer, > 0, as in `Regressor`
    inner_lam : that of the first layer, >= 0, for every part of a deep one
    init : "kernel_pca", the codes of uncentred kernel PCA, or "random"
    solver : of the second layer: "auto", a name, or a solver object
    inner_tol : relative duality gap of the second layer at every step; the descent ends with a ConvergenceWarning
        where a step gains less than these gaps can vouch for
    tol : stop where the slope |gradient| |A| / objective is at most this, A the coefficients of the first layer
    max_iter : at most this many steps, then a ConvergenceWarning with the slope reached
    random_state : of the random start
    callback : called with an `Iterate` (n_iter, objective, slope, gap) at each step

    Attributes
    ----------
    codes_ : codes of the training points, (n, p)
    coef_ : the coefficients of the first layer in the orthonormal coordinates of `encoder_`, (r, p)
    hidden_ : for a list of layers, (kernel, codes before it, coefficients) of each further function, else empty
    dual_coef_, dual_gap_ : W of the second layer, (n, m), and its relative duality gap
    support_, saturated_ : points with w_i != 0, kept by the second layer, and those with |w_i| = c: suspected outliers
    residual_norms_ : |h(f(x_i)) - phi(x_i)| on the training points
    objective_, history_, n_iter_, converged_ : the value reached, and the `Iterate` of every step, never rising
    space_, encoder_, inner_kernel_, loss_ : the fitted parts; `space_` holds the coordinates of the RKHS

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
        lam: float = 1e-4,
        inner_lam: float = 1e-6,
        encoding_kernel: Any = None,
        init: Literal["kernel_pca", "random"] = "kernel_pca",
        solver: Any = "auto",
        inner_tol: float = 1e-10,
        tol: float = 1e-3,
        max_iter: int = 200,
        random_state: Any = None,
        callback: Callable[[Iterate], Any] | None = None,
    ):
        store(self, locals())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn both layers; y is ignored. An error or an interruption leaves the estimator as it was."""
        with unchanged_on_failure(self):
            return self._fit(X)

    def _fit(self, X: Any) -> Self:
        loss = Square() if self.loss is None else component(self.loss, Loss, "loss", "hilbertine.losses")
        loss.check_trainable()
        self.domain_ = self._domain()
        X = check_inputs(self, X, self.domain_, reset=True)
        self.space_ = RKHS(Linear() if self.kernel is None else self.kernel)
        self.encoder_ = self.space_ if self.encoding_kernel is None else RKHS(self.encoding_kernel)
        T, _ = self.space_.fit_measure(X)
        V = T if self.encoder_ is self.space_ else as_floats(self.encoder_.fit_measure(X)[0], T)
        kernels, A = first_codes(V, self.n_components, self.inner_kernel, self.init, self.random_state)
        layers = Layers(
            V, T, kernels, loss, positive(self.lam, "lam", finite=True), nonnegative(self.inner_lam, "inner_lam"),
            self.solver, positive(self.inner_tol, "inner_tol", finite=True),
        )  # fmt: skip
        tol, max_iter = nonnegative(self.tol, "tol"), whole(self.max_iter, "max_iter")
        return self._publish(layers, *descend(layers, A, tol, max_iter, self.callback))

    def _publish(self, layers: Layers, A: list[Array], history: list[Iterate]) -> Self:
        codes = layers.codes(A)
        dual, solution = layers.solve(codes[-1])
        self.loss_, self.inner_kernel_, self.lam_ = layers.loss, layers.kernels[-1], layers.lam
        # The inner kernel as it was fitted to the first codes: a kernel of its own would learn from the last ones.
        second = Separable(FromCallable(layers.kernels[-1].__call__)).fit(codes[-1], layers.T)
        self.function_ = Expansion(second, solution.W, dual.scale)
        self.coef_, self.codes_ = A[0], codes[-1]
        self.hidden_ = list(zip(layers.kernels, codes, A[1:], strict=False))
        self.dual_coef_, self.dual_gap_ = solution.W, solution.gap
        self.support_, self.saturated_ = dual.special_rows(solution.W, solution.predictions)
        self.residual_norms_ = dual.risk.residual_norms(solution.predictions)
        self.history_, self.objective_, slope = history, history[-1].objective, history[-1].slope
        self.converged_ = slope <= self.tol
        # A start that was good enough counts as one step: scikit-learn has it that fits take at least one.
        self.n_iter_, self._n_features_out = max(len(history) - 1, 1), int(self.codes_.shape[1])
        if not solution.converged:
            self._warn(
                f"The second layer was solved to a duality gap of {solution.gap:.2g}, above inner_tol = "
                f"{self.inner_tol:.2g}; raise inner_tol or lam, or give a solver with more steps, such as "
                "solver=solvers.Splitting(max_iter=100_000)."
            )
        if not self.converged_:
            remedy = "raise max_iter" if self.n_iter_ >= self.max_iter else "lower inner_tol or smooth the inner kernel"
            self._warn(
                f"KernelAutoencoder stopped after {self.n_iter_} steps at a slope of {slope:.2g}, above tol = "
                f"{self.tol:.2g}. The objective fell from {history[0].objective:.4g} to {self.objective_:.4g}; "
                f"{remedy}, or accept the model by raising tol."
            )
        return self

    @staticmethod
    def _warn(message: str) -> None:
        warnings.warn(message, ConvergenceWarning, stacklevel=5)

    def transform(self, X: Any) -> Array:
        """The codes f(x), (n_new, p)."""
        check_is_fitted(self)
        X = check_inputs(self, X, self.domain_, reset=False, like=self.codes_)
        values = [self._codes(self.encoder_.encode(part)) for part in blocks(X, self._block())]
        return namespace(values[0]).concat(values)

    def _codes(self, V: Array) -> Array:
        """Codes from the coordinates of the first layer."""
        C = product(V, self.coef_)
        for kernel, before, coefficients in self.hidden_:
            C = product(kernel(C, before), coefficients)
        return C

    def embed(self, C: Any) -> Array:
        """The points h(c) of the RKHS in the coordinates of `space_`, (number of codes, m)."""
        check_is_fitted(self)
        C = as_floats(C, self.codes_)
        if C.ndim != 2 or C.shape[1] != self.codes_.shape[1] or C.shape[0] == 0:
            raise ValueError(f"Codes have {self.codes_.shape[1]} columns; got shape {tuple(C.shape)}.")
        if not bool(namespace(C).all(namespace(C).isfinite(C))):
            raise ValueError("The codes contain NaN or infinity; drop these rows.")
        return self.function_(C)

    def inverse_transform(self, C: Any, candidates: Any = None) -> Any:
        """What codes stand for: the nearest candidates where some are given, else points of the RKHS.

        For the linear kernel these are vectors of as many numbers as the data, for any other kernel coordinates in
        `space_`. Candidates are data such as `fit` takes, with "precomputed" the training Gram matrix itself.
        """
        points = self.embed(C)
        if candidates is not None:
            if self.domain_ == "gram":
                self._squared_norms(as_floats(candidates, self.codes_))
            return self.space_.decode(points, candidates)
        if not isinstance(self.space_.kernel_, Linear):
            return points
        xp, axes = namespace(points), self.space_.axes_
        return product(product(points, xp.permute_dims(axes, (1, 0))), self.space_.outputs_)

    def reconstruction_error(self, X: Any, diagonal: Any = None) -> float:
        """The mean of |h(f(x)) - phi(x)|^2 = |h|^2 - 2 <h, phi(x)> + k(x, x).

        Rows of a precomputed Gram matrix do not hold k(x, x) of new points: give them as `diagonal`, or use
        `kernels.Precomputed(gram)` on indices.
        """
        check_is_fitted(self)
        X = check_inputs(self, X, self.domain_, reset=False, like=self.codes_)
        squares = as_floats(self._squared_norms(X) if diagonal is None else diagonal, self.codes_)
        if tuple(squares.shape) != (count(X),):
            raise ValueError(f"diagonal holds k(x, x) of the {count(X)} points, got shape {tuple(squares.shape)}.")
        errors = []
        for part in blocks(X, self._block()):
            T = self.space_.encode(part)
            P = self.embed(self._codes(T if self.encoder_ is self.space_ else self.encoder_.encode(part)))
            errors.append(inner(P - T, P - T) - inner(T, T))
        xp = namespace(squares)
        return float(xp.mean(xp.concat(errors) + squares))

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the reconstruction error, for searches over parameters."""
        return -self.reconstruction_error(X)

    def _squared_norms(self, X: Any) -> Array:
        trained = self.space_.outputs_
        if self.domain_ == "gram" and not (X.shape == trained.shape and bool(namespace(X).all(trained == X))):
            raise ValueError(
                "Rows of a Gram matrix do not hold k(x, x) of other points than the training ones in their order; fit "
                "with kernel=kernels.Precomputed(gram) on indices, or give reconstruction_error the diagonal."
            )
        return self.space_.norms(X) ** 2

    def _block(self) -> int:
        return rows_of(int(self.codes_.shape[0]))

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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            tags.input_tags.pairwise = self._domain() == "gram"
        except (TypeError, ValueError):
            # Not a kernel: fit says so, and a notebook can still show the estimator.
            tags.input_tags.pairwise = False
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
