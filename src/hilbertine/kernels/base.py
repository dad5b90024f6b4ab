"""What a kernel is: a symmetric positive semi-definite function, evaluated on whole collections."""

from copy import copy
from numbers import Real
from typing import Any, ClassVar, Literal, Self

from sklearn.base import BaseEstimator

from ..arrays import Array, blocks, namespace
from ..doors import Doors
from ..site import Linked
from .featured import Featured
from .in_tiles import InTiles
from .operations import Algebra

Domain = Literal["vectors", "objects", "gram"]
# So many points at once where a diagonal is read off small matrices: few calls, and few values beside the diagonal.
DIAGONAL_BLOCK = 8


def stricter(left: Domain, right: Domain) -> Domain:
    """The domain of two kernels together: a constant accepts anything, so the stricter of the two decides."""
    if "gram" in (left, right):
        return "gram"
    return "vectors" if "vectors" in (left, right) else "objects"


def _must_be_fitted(kernel: "Kernel") -> None:
    if not hasattr(kernel, "points_"):
        raise AttributeError(f"{type(kernel).__name__} has no training points before fit(X); fit it, or call it.")


class Kernel(Featured, InTiles, Algebra, Doors, Linked, BaseEstimator):
    """k(x, z), as the matrix of k(x_i, z_j).

    Must implement `__call__`; or, where points are costly to read (texts, graphs, molecules), `represent`, what the
    kernel reads off a collection, and `between`, `squares` and, where there are features, `coordinates` from that. May
    implement `diagonal` (the values k(x_i, x_i) without the matrix), `features` (f with k(x, z) = <f(x), f(z)>), `fit`
    (parameters taken from the training points, ending with `return super().fit(X)`) and `domain`: "vectors" for rows
    of a numeric matrix, "objects" for any sequence, "gram" where the inputs already are rows of a Gram matrix. Where
    points are learned through it, as the codes of an autoencoder are, it needs `pullback`.

    Once fitted it knows the training points: `gram()` is the matrix among them, `cross(X)` that of new points with
    them, and neither reads them again. Kernels add, multiply and scale:

    Attributes
    ----------
    points_ : object
        The representation of the training points.

    Examples
    --------
    >>> from hilbertine.kernels import Gaussian, Constant
    >>> 2.0 * Gaussian(gamma=0.5) + Constant()
    2.0 * Gaussian(gamma=0.5) + Constant()
    """

    DOORS: ClassVar = (
        "__call__",
        "diagonal",
        "fit",
        "gram",
        "cross",
        "features",
        "represent",
        "between",
        "squares",
        "pullback",
    )

    @property
    def domain(self) -> Domain:
        return "vectors"

    def __call__(self, X: Any, Z: Any) -> Array:
        """The matrix k(x_i, z_j).

        Parameters
        ----------
        X, Z : array-like or list
            Two collections of n and q points.

        Returns
        -------
        array of shape (n, q)
            The values.
        """
        if type(self).between is Kernel.between:
            raise NotImplementedError(
                f"{type(self).__name__} must implement __call__(X, Z), or represent(X) and between(A, B)."
            )
        return self.between(self.represent(X), self.represent(Z))

    def between(self, A: Any, B: Any) -> Array:
        """The matrix k(x_i, z_j) from the representations of X and Z.

        Parameters
        ----------
        A, B : object
            The representations of n and q points.

        Returns
        -------
        array of shape (n, q)
            The values.
        """
        return self(A, B)

    def squares(self, A: Any) -> Array:
        """The vector k(x_i, x_i) from the representation of X.

        Parameters
        ----------
        A : object
            The representation of n points.

        Returns
        -------
        array of shape (n,)
            The values.
        """
        self._must_represent_by_itself("squares(A), the values k(x_i, x_i)")
        return self.diagonal(A)

    def bounds(self, A: Any) -> Array:
        """`squares`, or what is cheaper and never below.

        Parameters
        ----------
        A : object
            The representation of n points.

        Returns
        -------
        array of shape (n,)
            The bounds.
        """
        return self.squares(A)

    def fit(self, X: Any) -> Self:
        """Take from the training points what the kernel learns, most kernels nothing, and remember the points.

        Parameters
        ----------
        X : array-like or list
            The training points.

        Returns
        -------
        Self
            The fitted kernel.
        """
        self.points_ = self.represent(X)
        return self

    def gram(self) -> Array:
        """The matrix k(x_i, x_j) among the training points; there is none before `fit`."""
        _must_be_fitted(self)
        return self._gram()

    def _gram(self) -> Array:
        return self.between(self.points_, self.points_)

    def cross(self, X: Any) -> Array:
        """The matrix k(x_i, t_j) of points with the training points.

        Parameters
        ----------
        X : array-like or list
            n_new points.

        Returns
        -------
        array of shape (n_new, n)
            The values.
        """
        _must_be_fitted(self)
        return self.between(self.represent(X), self.points_)

    def compact(self) -> Self:
        """A copy that calls like this one without the training points; one that needs them to is left as it is."""
        return self._without("points_")

    def _without(self, *names: str, **replaced: Any) -> Self:
        kept = copy(self)
        kept.__dict__ = {name: value for name, value in vars(self).items() if name not in names} | replaced
        return kept

    def diagonal(self, X: Any) -> Array:
        """The vector k(x_i, x_i).

        Parameters
        ----------
        X : array-like or list
            n points.

        Returns
        -------
        array of shape (n,)
            The values.
        """
        grams = [self(part, part) for part in blocks(X, DIAGONAL_BLOCK)]
        xp = namespace(grams[0])
        return xp.concat([xp.linalg.diagonal(K) for K in grams])

    def pullback(self, X: Array, M: Array) -> Array:
        """The gradient of <M, k(X, X)> with respect to the points: what learning them needs.

        Parameters
        ----------
        X : array of shape (n, d)
            The points.
        M : array of shape (n, n)
            A symmetric matrix.

        Returns
        -------
        array of shape (n, d)
            The gradient.
        """
        raise NotImplementedError(
            f"{self!r} has no pullback(X, M), the gradient of sum_ij M_ij k(x_i, x_j), so points cannot be learned "
            "through it; use a differentiable kernel on vectors such as Gaussian, Linear or Polynomial."
        )

    def _plus(self, other: Any) -> Any:
        from .algebra import Sum
        from .callables import as_kernel

        return NotImplemented if _is_operator_valued(other) else Sum(self, as_kernel(other))

    def _times(self, other: Any) -> Any:
        from .algebra import Product, Scaled
        from .callables import as_kernel

        if _is_operator_valued(other):
            return NotImplemented
        return Scaled(float(other), self) if isinstance(other, Real) else Product(self, as_kernel(other))


def _is_operator_valued(other: Any) -> bool:
    """An operator-valued kernel knows how to be added to and multiplied by a scalar one."""
    return isinstance(other, Algebra) and not isinstance(other, Kernel)


class Read(Kernel):
    """A kernel by `represent`, `between` and `squares`."""

    domain: Domain = "objects"

    def diagonal(self, X: Any) -> Array:
        return self.squares(self.represent(X))
