"""Kernels on features of the inputs: what a function or a transformer makes of them."""

from typing import Any, Self

from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from ..arrays import Array, as_floats, is_foreign, to_numpy
from .base import Domain, Kernel
from .callables import as_kernel
from .composite import Transformed, fitted


class Features(Transformed):
    """k(f(x), f(z)) for a function f of a collection, or a transformer of scikit-learn, fitted on the training inputs.

    Scores, derivatives and scales are features of vectors, fingerprints those of molecules:
    `Features(datasets.fingerprints, GaussianTanimoto())` is a kernel on SMILES. The features of the training inputs are
    computed once. Before `fit` the points Z stand for the training inputs.

    Parameters
    ----------
    transformer : callable or transformer
        f, on whole collections.
    kernel : kernel
        The kernel between features.

    Attributes
    ----------
    transformer_ : transformer
        The one fitted on the training inputs.
    kernel_ : Kernel
        The one fitted on their features.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.kernels import Derivative, Linear
    >>> lines = np.array([[0.0, 1.0, 2.0], [5.0, 6.0, 7.0]])
    >>> Features(Derivative(grid=[0.0, 1.0, 2.0]), Linear())(lines, lines)
    array([[3., 3.],
           [3., 3.]])
    >>> Features(lambda words: [[len(word)] for word in words], Linear())(["ab"], ["a", "abc"])
    array([[2., 6.]])
    """

    def __init__(self, transformer: Any, kernel: Any):
        super().__init__(kernel)
        self.transformer = transformer

    @property
    def domain(self) -> Domain:
        """What the transformer takes: vectors, or objects such as texts and dictionaries; functions take objects."""
        learns = hasattr(self.transformer, "transform")
        return "vectors" if learns and get_tags(self.transformer).input_tags.two_d_array else "objects"

    def fit(self, X: Any) -> Self:
        transformer = self.transformer
        if not hasattr(transformer, "transform"):
            if not callable(transformer) or isinstance(transformer, Kernel):
                raise TypeError(f"{transformer!r} is neither a function nor a transformer with fit and transform.")
            transformer = FunctionTransformer(transformer)
        if as_kernel(self.kernel).domain == "gram":
            raise ValueError("Features are not rows of a Gram matrix; give a kernel between them, such as Linear().")
        self.transformer_ = clone(transformer).fit(_on_host(X))
        self.kernel_ = fitted(self.kernel, self._transformed(X))
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        if not hasattr(self, "kernel_"):
            return clone(self).fit(Z).cross(X)
        return self.kernel_(self._transformed(X), self._transformed(Z))

    def represent(self, X: Any) -> Any:
        return self._fitted("represent").represent(self._transformed(X))

    def between(self, A: Any, B: Any) -> Array:
        return self._fitted("between").between(A, B)

    def squares(self, A: Any) -> Array:
        return self._fitted("squares").squares(A)

    def _gram(self) -> Array:
        return self.kernel_.gram()

    def cross(self, X: Any) -> Array:
        return self._fitted("cross").cross(self._transformed(X))

    def diagonal(self, X: Any) -> Array:
        return self._fitted("diagonal").diagonal(self._transformed(X))

    def coordinates(self, A: Any) -> Array | None:
        return self._fitted("coordinates").coordinates(A)

    def _fitted(self, method: str) -> Kernel:
        if not hasattr(self, "kernel_"):
            raise ValueError(f"Features needs fit before {method}: its transformer is fitted on the training inputs.")
        return self._inner()

    def _transformed(self, X: Any) -> Any:
        """f(x_i): for a kernel on vectors numbers in the library of X, for other kernels what the transformer gives."""
        values, kernel = self.transformer_.transform(_on_host(X)), as_kernel(self.kernel)
        if kernel.domain != "vectors" or (sparse.issparse(values) and getattr(kernel, "takes_sparse", False)):
            return values
        return as_floats(values.toarray() if sparse.issparse(values) else values, X)


def _on_host(X: Any) -> Any:
    return to_numpy(X) if is_foreign(X) else X
