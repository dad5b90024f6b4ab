"""What an operator-valued kernel is: for each pair of inputs a positive operator on the outputs."""

from copy import copy
from numbers import Real
from typing import Any, ClassVar, Self, TypeVar

from sklearn.base import BaseEstimator, clone

from ..arrays import Array, is_array, product
from ..doors import Doors, door
from ..kernels import Gaussian, Kernel, as_kernel
from ..kernels.base import Domain
from ..kernels.operations import Algebra
from ..memory import Rest
from ..site import Linked
from .gram import Gram

Fitted = TypeVar("Fitted", bound="OperatorValuedKernel")


class OperatorValuedKernel(Algebra, Doors, Linked, BaseEstimator):
    """K(x, z), a bounded operator on the outputs, with K(x, z) = K(z, x)^# and positive Gram operators.

    Must implement `fit`, `gram` and `cross`; may implement `condense`, `domain` and `learned`. It is fitted once, to
    the training inputs and the coordinates of the training outputs; predictions repeat nothing of that:

        sum_i K(x, x_i) w_i  for new points X  is  apply(kernel.cross(X), kernel.condense(W)).

    Operator-valued kernels add, scale, and multiply with scalar kernels:

    Examples
    --------
    >>> from hilbertine.kernels import Gaussian, Linear
    >>> from hilbertine.operator_kernels import Covariance, Separable
    >>> kernel = 2.0 * Separable(Linear()) + Gaussian(0.5) * Separable(Linear(), Covariance())
    >>> type(kernel).__name__, type(kernel.left).__name__, type(kernel.right).__name__
    ('Sum', 'Scaled', 'Product')
    """

    DOORS: ClassVar = (
        "fit",
        "gram",
        "cross",
        "condense",
    )

    def _plus(self, other: Any) -> "OperatorValuedKernel":
        from .algebra import Sum

        return Sum(self, other)

    def _times(self, other: Any) -> "OperatorValuedKernel":
        from .algebra import Product, Scaled

        return Scaled(float(other), self) if isinstance(other, Real) else Product(as_kernel(other), self)

    # What a fit takes beside its matrix, where whoever fits says so.
    rest = Rest()

    @property
    def domain(self) -> Domain:
        """What kind of inputs it takes, as for scalar kernels."""
        return "vectors"

    @property
    def learned(self) -> bool:
        """Whether values depend on the training sample as a whole, so that leaving one out changes them."""
        return True

    @property
    def of_outputs(self) -> bool:
        """Whether operators are made of the training outputs: those lead out of a basis that does not hold these."""
        return self.learned

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        """Take in the training inputs and the coordinates of the training outputs.

        Parameters
        ----------
        X : array-like
            The training inputs.
        T : array of shape (n, m)
            The training outputs in coordinates.
        space : Space, default=None
            The fitted space of the outputs, where it matters.

        Returns
        -------
        Self
            The fitted kernel.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement fit(X, T, space).")

    def gram(self) -> Gram:
        """The operators among the training points, as one linear map."""
        raise NotImplementedError(f"{type(self).__name__} must implement gram().")

    def cross(self, X: Any) -> Any:
        """What predictions at new points need of the kernel, to be applied to `condense(W)`.

        Parameters
        ----------
        X : array-like
            New inputs.

        Returns
        -------
        array or object with @
            What `apply` takes.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement cross(X).")

    def condense(self, W: Array) -> Any:
        """What predictions need of W.

        Parameters
        ----------
        W : array of shape (n, m)
            Dual variables.

        Returns
        -------
        array or other coefficients
            What `apply` takes.
        """
        return W

    def compact(self) -> Self:
        """A copy that predicts like this one without the training points; one that needs them is left as it is."""
        return self

    @property
    def approximate(self) -> bool:
        """Whether its features stand for another kernel, which is `exact()`."""
        return False

    def exact(self) -> Self:
        """The kernel that its features are a projection of, on the same points, by its values alone."""
        return self

    def among(self, places: Any) -> Any:
        """`cross` of some of the training points.

        Parameters
        ----------
        places : slice or array of int
            Which of them.

        Returns
        -------
        array or object with @
            What `apply` takes.
        """
        raise NotImplementedError(f"{type(self).__name__} has no among(places): it does not know its points by places.")

    def without_features(self) -> Self:
        """A copy that knows the training points and keeps no features of them."""
        return self

    def operator_norm(self) -> float:
        """max_i |K(x_i, x_i)| over the training points, or a bound of it: of a sum, the sum of the bounds."""
        return self.gram().operator_norm()

    def times(self, scalar: Kernel) -> "OperatorValuedKernel | None":
        """The product with a scalar kernel as a kernel of the same form, where there is one.

        Parameters
        ----------
        scalar : Kernel
            The scalar kernel.

        Returns
        -------
        OperatorValuedKernel or None
            The product; None where there is no such form.
        """
        return None


@door
def apply(cross: Any, coefficients: Any) -> Array:
    """What `cross` makes of `condense(W)`.

    Parameters
    ----------
    cross : array or object with @
        What `OperatorValuedKernel.cross` returned.
    coefficients : array or other coefficients
        What `OperatorValuedKernel.condense` returned.

    Returns
    -------
    array of shape (n_new, m)
        sum_i K(x, x_i) w_i for the new points.
    """
    return product(cross, coefficients) if is_array(cross) else cross @ coefficients


@door
def as_operator_kernel(kernel: Any) -> OperatorValuedKernel:
    """An operator-valued kernel as it is; a scalar kernel, a callable or "precomputed" times the identity.

    Parameters
    ----------
    kernel : OperatorValuedKernel, kernel, callable, "precomputed" or None
        The kernel; None is `kernels.Gaussian()`.

    Returns
    -------
    OperatorValuedKernel
        The kernel as a model takes it.
    """
    from .separable import Separable

    if is_operator_valued(kernel):
        operator_valued: OperatorValuedKernel = kernel
        return operator_valued
    return Separable(Gaussian() if kernel is None else as_kernel(kernel))


def is_operator_valued(kernel: Any) -> bool:
    """Whether this is an operator-valued kernel, rather than a scalar one or a function."""
    return isinstance(kernel, OperatorValuedKernel)


def domain_of(kernel: Any) -> Domain:
    """The domain of whatever stands for a kernel, without building one."""
    if kernel is None:
        return "vectors"
    return kernel.domain if is_operator_valued(kernel) else as_kernel(kernel).domain


def fresh(kernel: Any) -> Kernel:
    """A scalar kernel of one's own, to be fitted: a copy of the one given, a Gaussian for None."""
    return as_kernel(Gaussian() if kernel is None else clone(kernel, safe=False))


def replaced(kernel: Fitted, **parts: Any) -> Fitted:
    """A copy of a fitted kernel with other fitted parts."""
    kept = copy(kernel)
    kept.__dict__ |= parts
    return kept
