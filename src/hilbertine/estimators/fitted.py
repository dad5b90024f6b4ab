"""What a fitted model answers: predictions, scores, whom it does not believe, what stability promises."""

from copy import copy
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .. import stability
from ..arrays import Array, count, in_precision_of, inner, namespace
from ..docstrings import Documented
from ..doors import Doors
from ..metrics import mean_squared_norm, r2, share_of_variance
from ..plotting import plot_residuals
from ..site import Linked
from ..spaces import L2, Euclidean
from ..spread import block_by_block, is_spread, read
from .approximation import Estimate, approximation_gap
from .suspects import Suspects, suspects
from .tasks import Heard

# What has a row for each training sample, or counts some of them.
OF_SAMPLES = ("dual_coef_", "targets_", "tails_", "dual_gaps_", "residual_norms_", "support_", "saturated_")


class Fitted(Heard, Doors, Documented, Linked, BaseEstimator):
    """Everything that is asked of a model after `fit`."""

    DOORS: ClassVar = (
        "fit",
        "predict",
        "embed",
        "score",
        "suspects",
        "stability_report",
        "approximation_gap",
        "rank",
        "positions",
    )

    def compact(self) -> Self:
        """A copy that predicts as this one does, without what has a row for each training sample.

        Centres and p x m coefficients stay: what `hilbertine.save` writes of it has the size of these, however many
        samples there were. For kernels with features; others predict with the training points.

        Returns
        -------
        Self
            The copy. Its certificate is that of the fit; `suspects()` and the like know no samples any more.
        """
        check_is_fitted(self)
        n = count(self.dual_coef_)
        if n and self.function_.width >= n:
            raise ValueError(
                f"{type(self).__name__} predicts with all {n} training points; a kernel with features needs none: "
                "kernel=kernels.Nystroem(kernels.Gaussian(), 1000) for instance."
            )
        kept = copy(self)
        kept.__dict__ = {name: value for name, value in vars(self).items() if name != "_trained"}
        kept.__dict__ |= {name: vars(self)[name][:0, ...] for name in OF_SAMPLES}
        return kept

    def embed(self, X: Any) -> Array:
        """The predicted points h(x) of the output space, in its coordinates.

        Parameters
        ----------
        X : array-like of shape (n_new, d), or what the kernel takes
            New inputs.

        Returns
        -------
        array of shape (n_new, m)
            One row for each input; in R^p the predictions themselves.
        """
        check_is_fitted(self)
        X = read(X)
        if is_spread(X):
            return block_by_block(self.embed, X)
        return in_precision_of(X, self.function_(self._check_inputs(X, reset=False, like=vars(self).get("dual_coef_"))))

    def predict(self, X: Any) -> Any:
        """The predicted outputs, one row for each input; in the units of y.

        Parameters
        ----------
        X : array-like of shape (n_new, d), or what the kernel takes
            New inputs.

        Returns
        -------
        array of shape (n_new,) or (n_new, p), or what the space decodes to
            Outputs of the kind that `fit` took.
        """
        X = read(X)
        if is_spread(X):
            return block_by_block(self.predict, X)
        points = self.embed(X)
        return self.space_.decode(points)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 for outputs in R^p, for curves the share of their variance in L2, else minus the mean squared distance.

        Parameters
        ----------
        X : array-like
            Inputs.
        y : array-like
            The true outputs; entries that are missing do not count, where `missing` allows them.
        sample_weight : array-like of shape (n,), default=None
            How often each sample counts.

        Returns
        -------
        float
            At most one, or at most zero; the more the better.
        """
        check_consistent_length(X, y)
        C = self.embed(X)
        if isinstance(self.space_, Euclidean):
            return r2(self.space_.encode(y), C, sample_weight)
        if isinstance(self.space_, L2):
            return share_of_variance(self.space_, C, y, sample_weight)
        return -mean_squared_norm(self.space_, C, y, sample_weight=sample_weight)

    def suspects(self, contamination: float | None = None) -> Suspects:
        """The training samples that the model believes least, worst first, and a flag for those it does not believe.

        Parameters
        ----------
        contamination : float, default=None
            The share of samples to flag, where it is known; else those far beyond what clean samples do.

        Returns
        -------
        Suspects
            `samples`, `ratios` (residual norm over the median one) and `flagged`; `print` it. Of samples on a cluster
            the 1000 worst.
        """
        check_is_fitted(self)
        return suspects(self.residual_norms_, contamination)

    def plot_residuals(self, ax: Any = None, contamination: float | None = None) -> Any:
        """The residual norms of the training samples, sorted, with those flagged by name; returns the axes.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.
        contamination : float, default=None
            As for `suspects`.

        Returns
        -------
        matplotlib axes
            What was drawn on.
        """
        check_is_fitted(self)
        return plot_residuals(self.residual_norms_, self.suspects(contamination), self.loss_, ax)

    def approximation_gap(self, rows: int | None = None) -> Estimate:
        """The relative duality gap of this model in the problem of the kernel that its features stand for.

        A `Nystroem` kernel lies below its kernel and inside its function space, so the same model and the same dual
        variables certify each other there: `dual_gap_` and what the approximation costs, <W, (K - K~) W> / (2 lam n)
        over the primal value. Kernels that are exact have `dual_gap_`.

        Parameters
        ----------
        rows : int, default=None
            Estimate it from so many of the training rows, at random. None takes all: n^2 kernel values, never held at
            once; of rows on a cluster 20,000 at most.

        Returns
        -------
        float
            The gap, with an attribute `standard_error`.
        """
        check_is_fitted(self)
        return approximation_gap(self, rows)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "function_")

    def __getstate__(self) -> Any:
        # A model that is saved predicts, and leaves its training inputs behind, and what is on a cluster.
        state = super().__getstate__().items()
        return {name: value for name, value in state if name != "_trained" and not is_spread(value)}

    def stability_report(
        self, delta: float = 0.05, gamma: float | None = None, radius: float | None = None
    ) -> stability.Report:
        """How much this model can depend on one training sample, and what that promises for new ones; `print` it.

        The bound speaks of all samples to come: where their inputs or outputs can be larger than those of the training
        set, give the numbers that bound them.

        Parameters
        ----------
        delta : float, default=0.05
            The probability with which the bound may fail.
        gamma : float, default=None
            The square root of a bound on |K(x, x)|; None takes it from the training inputs.
        radius : float, default=None
            A bound on the norms of the outputs, as the model sees them, that is centred; None takes the largest of the
            training outputs.

        Returns
        -------
        stability.Report
            lam, gamma, M_Y, M, C, beta and the bound.
        """
        check_is_fitted(self)
        loss, T = stability.radial(self.loss_), self.targets_
        xp = namespace(T)
        # Norms and residuals in the whole space, what a truncated basis leaves out included.
        largest = float(xp.max(xp.sqrt(inner(T, T) + self.tails_**2)))
        gamma = self.kernel_.operator_norm() ** 0.5 if gamma is None else gamma
        radius = largest if radius is None else radius
        if radius < largest * (1 - 1e-9):
            raise ValueError(f"radius = {radius:g} must bound all outputs, and a training output has norm {largest:g}.")
        risk = float(xp.mean(loss.phi(self.residual_norms_)))
        return stability.report(loss, self.lam_, gamma, radius, int(T.shape[0]), risk, delta)
