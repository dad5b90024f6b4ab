"""Codes for data known through a kernel: two layers in RKHSs, the second robust."""

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, as_floats, blocks, device_of, inner, namespace, product, row_norms
from ..checks import nonnegative, positive, whole
from ..kernels import Gaussian, Kernel, Linear, as_kernel
from ..kernels.base import stricter
from ..losses import Loss, Square
from ..spaces import RKHS
from .base import BLOCK, component, special_rows, unchanged_on_failure
from .inputs import check_inputs
from .layers import Iterate, Layers, descend


class KernelAutoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """min_{f, h}  1/n sum_i l(h(f(x_i)), phi(x_i)) + lam/2 |h|^2 + inner_lam/2 |f|^2,  f(x) in R^p, h(c) in the RKHS.

    The data are known through a kernel k(x, z) = <phi(x), phi(z)> alone. The first layer f maps them to codes, the
    second layer h maps codes back to the RKHS of the kernel. For given codes h is a regression with outputs in an RKHS,
    solved in the dual to a certified gap; f descends along the gradient that the dual solution gives. Points that the
    kernel cannot tell apart share a code: a constant Gram matrix, or one sample, gives one code that stands for it.

    Parameters
    ----------
    n_components : the dimension p of the codes, at most the rank of the kernel on the training points: beyond it codes
        could only be rotated copies of shorter ones
    loss : a loss of `hilbertine.losses`; None is `Square()`
    kernel : the kernel on the data: None (linear), a kernel or a function of two collections, or "precomputed", where
        `fit` takes the n x n Gram matrix and `transform` the n_new x n values
    inner_kernel : the kernel of the second layer, between codes; None is `Gaussian()`, whose "median" is that of the
        initial codes. It must have a `pullback`
    encoding_kernel : the kernel of the first layer, on the data; None is `kernel`, f linear in phi(x) as in the paper
    lam : strength of the regularisation of the second layer, > 0, as in `Regressor`
    inner_lam : that of the first layer, >= 0
    init : "kernel_pca", the codes of uncentred kernel PCA, or "random"
    solver : of the second layer: "auto", a name, or a solver object
    inner_tol : relative duality gap of the second layer at every step
    tol : stop where the slope |gradient| |B| / objective is at most this, B the coefficients of the first layer
    max_iter : at most this many steps, then a ConvergenceWarning with the slope reached
    random_state : of the random start
    callback : called with an `Iterate` (n_iter, objective, slope, gap) at each step

    Attributes
    ----------
    codes_ : codes of the training points, (n, p)
    coef_ : B, the coefficients of the first layer in the orthonormal coordinates of `encoder_`, (r, p)
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
        n_components: int = 2,
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
        self.n_components = n_components
        self.loss = loss
        self.kernel = kernel
        self.inner_kernel = inner_kernel
        self.lam = lam
        self.inner_lam = inner_lam
        self.encoding_kernel = encoding_kernel
        self.init = init
        self.solver = solver
        self.inner_tol = inner_tol
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.callback = callback

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
        T = self.space_.fit_encode(X)
        V = T if self.encoder_ is self.space_ else as_floats(self.encoder_.fit_encode(X), T)
        B = self._start(V)
        kernel = as_kernel(Gaussian() if self.inner_kernel is None else clone(self.inner_kernel, safe=False))
        layers = Layers(
            V, T, kernel.fit(product(V, B)), loss, positive(self.lam, "lam", finite=True),
            nonnegative(self.inner_lam, "inner_lam"), self.solver, positive(self.inner_tol, "inner_tol", finite=True),
        )  # fmt: skip
        B, history, converged = descend(
            layers, B, nonnegative(self.tol, "tol"), whole(self.max_iter, "max_iter"), self.callback
        )
        return self._publish(layers, B, history, converged)

    def _start(self, V: Array) -> Array:
        """The first layer to begin with. The coordinates of `RKHS` are those of uncentred kernel PCA, largest first."""
        rank, p, xp = int(V.shape[1]), whole(self.n_components, "n_components"), namespace(V)
        if p > rank:
            raise ValueError(
                f"n_components = {p} exceeds the rank {rank} of the kernel on these {V.shape[0]} points: longer codes "
                f"could say no more; set n_components to at most {rank}."
            )
        if self.init == "kernel_pca":
            return xp.eye(rank, p, dtype=V.dtype, device=device_of(V))
        if self.init == "random":
            return as_floats(check_random_state(self.random_state).standard_normal((rank, p)) / rank**0.5, V)
        raise ValueError(f"init must be 'kernel_pca' or 'random', got {self.init!r}.")

    def _publish(self, layers: Layers, B: Array, history: list[Iterate], converged: bool) -> Self:
        _, solution = layers.solve(B)
        self.loss_, self.inner_kernel_, self.lam_ = layers.loss, layers.kernel, layers.lam
        self.coef_, self.codes_ = B, product(layers.V, B)
        self.dual_coef_, self.dual_gap_ = solution.W, solution.gap
        self.support_, self.saturated_ = special_rows(layers.loss, layers.T, solution)
        self.residual_norms_ = row_norms(solution.predictions - layers.T)
        self.history_, self.converged_, self.objective_ = history, converged, history[-1].objective
        # A start that was good enough counts as one step: scikit-learn has it that fits take at least one.
        self.n_iter_, self._n_features_out = max(len(history) - 1, 1), int(B.shape[1])
        if not converged:
            warnings.warn(
                f"KernelAutoencoder stopped after {self.n_iter_} steps at a slope of {history[-1].slope:.2g}, above "
                f"tol = {self.tol:.2g}. The objective fell from {history[0].objective:.4g} to {self.objective_:.4g}; "
                "raise max_iter, or accept the model by raising tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    def transform(self, X: Any) -> Array:
        """The codes f(x), (n_new, p)."""
        check_is_fitted(self)
        X = check_inputs(self, X, self.domain_, reset=False, like=self.codes_)
        values = [product(self.encoder_.encode(part), self.coef_) for part in blocks(X, self._block())]
        return namespace(values[0]).concat(values)

    def embed(self, C: Any) -> Array:
        """The points h(c) of the RKHS in the coordinates of `space_`, (number of codes, m)."""
        check_is_fitted(self)
        C = as_floats(C, self.codes_)
        if C.ndim != 2 or C.shape[1] != self.codes_.shape[1]:
            raise ValueError(f"Codes have {self.codes_.shape[1]} columns; got shape {tuple(C.shape)}.")
        values = [product(self.inner_kernel_(part, self.codes_), self.dual_coef_) for part in blocks(C, self._block())]
        return namespace(values[0]).concat(values) / (self.lam_ * self.codes_.shape[0])

    def inverse_transform(self, C: Any, candidates: Any = None) -> Any:
        """What codes stand for: the nearest candidates where some are given, else points of the RKHS.

        For the linear kernel these are vectors of as many numbers as the data, for any other kernel coordinates in
        `space_`. Candidates are data such as `fit` takes, with "precomputed" rows of the training Gram matrix.
        """
        points = self.embed(C)
        if candidates is not None:
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
        P = self.embed(self.transform(X))
        X = check_inputs(self, X, self.domain_, reset=False, like=self.codes_)
        T = self.space_.encode(X)
        squares = as_floats(self._squared_norms(X) if diagonal is None else diagonal, P)
        return float(namespace(P).mean(inner(P - T, P - T) + squares - inner(T, T)))

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the reconstruction error, for searches over parameters."""
        return -self.reconstruction_error(X)

    def _squared_norms(self, X: Any) -> Array:
        trained = self.space_.outputs_
        if self.domain_ == "gram" and not (X.shape == trained.shape and bool(namespace(X).all(trained == X))):
            raise ValueError(
                "Rows of a Gram matrix do not hold k(x, x) of new points; pass diagonal=, the values k(x, x), or fit "
                "with kernel=kernels.Precomputed(gram) on indices."
            )
        return self.space_.norms(X) ** 2

    def _block(self) -> int:
        return max(1, BLOCK // int(self.codes_.shape[0]))

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
