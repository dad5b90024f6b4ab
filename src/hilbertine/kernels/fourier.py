"""Random features of kernels of differences."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from ..arrays import Array, as_floats, cast, namespace
from ..checks import whole
from .by_features import ByFeatures, Precision
from .callables import as_kernel
from .composite import fitted
from .distances import inner_products
from .radial import Gaussian, Radial


class RandomFourier(ByFeatures):
    """k(x, z) = 2/p sum_j cos <w_j, x - z> over p/2 random frequencies w_j, whose mean is the kernel it stands for.

    Frequencies are orthogonal in blocks, which lowers the variance. Unlike `Nystroem` it is neither below that kernel
    nor inside its function space; it never looks at the points.

    Parameters
    ----------
    kernel : Gaussian, Laplacian, Exponential or Matern, default=None
        The kernel it stands for, with one gamma or one for each feature; None for `Gaussian`.
    n_components : int, default=200
        The number p of features, an even one: a cosine and a sine for each frequency.
    random_state : int, RandomState or None, default=0
        Seed of the frequencies.
    dtype : {"float64", "float32"}, default="float64"
        The precision of the features.

    Attributes
    ----------
    kernel_ : Kernel
        The fitted kernel.
    frequencies_ : array of shape (n_components / 2, d)
        The frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0]])
    >>> RandomFourier(Gaussian(1.0), 2000).fit(X).gram().round(1)
    array([[1. , 0.4],
           [0.4, 1. ]])
    """

    def __init__(
        self, kernel: Any = None, n_components: int = 200, random_state: Any = 0, dtype: Precision = "float64"
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.random_state = random_state
        self.dtype = dtype

    def fit(self, X: Any) -> Self:
        kernel = as_kernel(Gaussian() if self.kernel is None else self.kernel)
        if not isinstance(kernel, Radial) or kernel.power is None:
            raise TypeError(
                f"RandomFourier stands for Gaussian, Laplacian, Exponential and Matern kernels, not for {kernel!r}; "
                "use Nystroem, which takes any kernel."
            )
        p = whole(self.n_components, "RandomFourier.n_components")
        if p % 2:
            raise ValueError(f"RandomFourier.n_components must be even, a cosine and a sine each, got {p}.")
        kernel, rng = fitted(kernel, X), check_random_state(self.random_state)
        directions = orthogonal_normals(p // 2, int(kernel.points_.shape[1]), rng)
        self.kernel_, self.points_ = kernel, kernel.points_
        self.frequencies_ = kernel.frequencies(directions, rng)
        return self

    def exact(self) -> Any:
        raise ValueError(
            f"{self!r} is neither below {self.kernel_!r} nor inside its function space, so that nothing certified for "
            "the one holds for the other: `dual_gap_`, of its own problem, is all there is. Nystroem has both."
        )

    @property
    def width(self) -> int:
        return 2 * int(self.frequencies_.shape[0])

    def mapped(self, A: Any) -> Array:
        # sqrt(2/p) (cos <w_j, x>, sin <w_j, x>).
        phases = inner_products(A, cast(as_floats(self.frequencies_, A), A))
        xp = namespace(phases)
        return xp.concat([xp.cos(phases), xp.sin(phases)], axis=1) / self.frequencies_.shape[0] ** 0.5


def orthogonal_normals(n: int, d: int, rng: Any) -> Array:
    """n rows of d numbers, each standard normal up to its sign, orthogonal to each other in blocks of d.

    Signs are nothing to cos <w, x - z>.
    """
    found = []
    for start in range(0, n, d):
        size = min(d, n - start)
        directions = np.linalg.qr(rng.standard_normal((d, size)))[0].T
        found.append(directions * np.sqrt(rng.chisquare(d, size))[:, None])
    return np.concatenate(found)
