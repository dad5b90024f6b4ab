"""What fitted layers do: codes of new data, and the way back."""

from typing import Any, ClassVar

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, as_floats, blocks, count, inner, namespace, product
from ..doors import Doors
from ..kernels import Linear
from ..memory import rows_of
from ..site import Linked
from .inputs import check_inputs
from .suspects import Suspects, suspects
from .tasks import Heard


class TwoLayers(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Heard, Doors, Linked, BaseEstimator):
    """x -> f(x) -> h(f(x)), from the attributes that `fit` leaves."""

    DOORS: ClassVar = (
        "fit",
        "transform",
        "inverse_transform",
        "fit_transform",
        "reconstruction_error",
        "suspects",
    )

    domain_: Any
    space_: Any
    encoder_: Any
    centre_: Any
    intercept_: Any
    coef_: Any
    hidden_: Any
    codes_: Any
    function_: Any
    residual_norms_: Any

    def transform(self, X: Any) -> Array:
        """The codes of data: f(x).

        Parameters
        ----------
        X : array-like of shape (n_new, d), or what the kernel takes
            Data such as `fit` takes.

        Returns
        -------
        array of shape (n_new, p)
            One code for each point.
        """
        check_is_fitted(self)
        X = check_inputs(self, X, self.domain_, reset=False, like=self.codes_)
        values = [self._codes(self.encoder_.encode(part)) for part in blocks(X, self._block())]
        return namespace(values[0]).concat(values)

    def _codes(self, V: Array) -> Array:
        """Codes from the coordinates of the first layer."""
        C = product(V, self.coef_) + self.intercept_
        for kernel, before, coefficients in self.hidden_:
            C = product(kernel(C, before), coefficients)
        return C

    def embed(self, C: Any) -> Array:
        """The points h(c) of the RKHS that codes stand for.

        Parameters
        ----------
        C : array-like of shape (n_codes, p)
            Codes.

        Returns
        -------
        array of shape (n_codes, m)
            The points in the coordinates of `space_`.
        """
        check_is_fitted(self)
        C = as_floats(C, self.codes_)
        if C.ndim != 2 or C.shape[1] != self.codes_.shape[1] or C.shape[0] == 0:
            raise ValueError(f"Codes have {self.codes_.shape[1]} columns; got shape {tuple(C.shape)}.")
        if not bool(namespace(C).all(namespace(C).isfinite(C))):
            raise ValueError("The codes contain NaN or infinity; drop these rows.")
        points = self.function_(C)
        return points if self.centre_ is None else points + self.centre_[None, :]

    def inverse_transform(self, C: Any, candidates: Any = None) -> Any:
        """What codes stand for: the nearest candidates where some are given, else points of the RKHS.

        For the linear kernel these are vectors of as many numbers as the data, for any other kernel coordinates in
        `space_`.

        Parameters
        ----------
        C : array-like of shape (n_codes, p)
            Codes.
        candidates : array-like or list, default=None
            What to choose from: data such as `fit` takes, with "precomputed" the training Gram matrix itself.

        Returns
        -------
        array or list
            One candidate, or one row of numbers, for each code.
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

        Parameters
        ----------
        X : array-like of shape (n_new, d), or what the kernel takes
            Data such as `fit` takes.
        diagonal : array-like of shape (n_new,), default=None
            k(x, x); None asks the kernel.

        Returns
        -------
        float
            The mean of the squared distances.
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
        """Minus the reconstruction error, for searches over parameters.

        Parameters
        ----------
        X : array-like of shape (n_new, d), or what the kernel takes
            Data such as `fit` takes.
        y : None, default=None
            Ignored.

        Returns
        -------
        float
            The score; the more the better.
        """
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

    def suspects(self, contamination: float | None = None) -> Suspects:
        """The training points that the model believes least, worst first, and a flag for those it does not believe.

        Parameters
        ----------
        contamination : float, default=None
            The share of points to flag, where it is known; else those far beyond what clean points do.

        Returns
        -------
        Suspects
            `samples`, `ratios` (residual norm over the median one) and `flagged`; `print` it.
        """
        check_is_fitted(self)
        return suspects(self.residual_norms_, contamination)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")
