"""Outputs known through a kernel: the span of the training outputs, by its numerical rank."""

from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import Array, as_floats, as_sequence, eigh, is_array, is_foreign, namespace, product, to_numpy
from ..checks import check_symmetric, refuse_dates, whole
from ..kernels import Linear, as_kernel
from ..matrices import LowRank
from .base import Space, missed
from .images import Images

# Outputs this many times as long as the median one are gross, and all are divided by their norms for the rank.
FAR_APART = 1e3


class RKHS(Space):
    """e_j = sum_i U_ij phi(y_i) / sqrt(sigma_j), where K^Y = U diag(sigma) U^T: T T^T = K^Y.

    Only eigenvalues above n eps sigma_1 are kept: the numerical rank, without jitter. Where norms of outputs are far
    apart it is the rank of the outputs divided by their norms, so that one gross output hides none of the others.

    Parameters
    ----------
    kernel : kernel or callable, default=None
        The kernel on the outputs; None is `kernels.Linear()`. Outputs known by a Gram matrix are given as indices, with
        `kernels.Precomputed(gram)`. With `Linear` models predict vectors, with others one of the training outputs.
    n_components : int, default=None
        Keep so many eigenvalues, the largest; None keeps all. The model's `truncation_gap_` certifies what that costs.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])
    >>> T = RKHS().fit(Y).encode(Y)
    >>> T.shape, bool(np.allclose(T @ T.T, Y @ Y.T))
    ((3, 2), True)
    """

    def __init__(self, kernel: Any = None, n_components: int | None = None):
        self.kernel = kernel
        self.n_components = n_components

    @property
    def learned(self) -> bool:
        return self.n_components is not None

    def fit(self, Y: Any) -> Self:
        self._fit(Y)
        return self

    def fit_measure(self, Y: Any) -> tuple[Array, Array]:
        T = self._fit(Y)
        return T, missed(as_floats(self.kernel_.squares(self.kernel_.points_), T), T)

    def _fit(self, Y: Any) -> Array:
        """T = U diag(sqrt(sigma))."""
        self.kernel_ = as_kernel(Linear() if self.kernel is None else clone(self.kernel, safe=False))
        self.__dict__.pop("outputs_", None)
        # A copy: what the caller does to y later must not reach the model.
        self.outputs_ = deepcopy(self.read(Y))
        # Numbers are read as vectors of one entry, and are to come back as numbers.
        column = tuple(getattr(self.outputs_, "shape", ()))[1:] == (1,)
        self.flat_ = column and (Y.ndim if hasattr(Y, "ndim") else np.asarray(Y).ndim) == 1
        self.kernel_.fit(self.outputs_)
        F, d = self._features(), self._lengths()
        if F is None:
            sigma, U, precision = self._eigenpairs(d)
        else:
            sigma, U, precision = *LowRank(F / as_floats(d, F)).eigenpairs, namespace(F).float64
        values, xp = to_numpy(sigma), namespace(U)
        rank = int(np.sum(values > U.shape[0] * xp.finfo(precision).eps * max(float(values[-1]), 0.0)))
        if rank == 0:
            raise ValueError("All outputs have zero norm under the output kernel: there is nothing to learn.")
        self.rank_ = rank
        kept = rank if self.n_components is None else min(whole(self.n_components, "RKHS.n_components"), rank)
        sigma, U = xp.flip(sigma[-kept:]), xp.flip(U[:, -kept:], axis=1)
        self.axes_ = U / xp.sqrt(sigma)[None, :] / as_floats(d, U)
        self.span_ = None if F is None else product(xp.permute_dims(F, (1, 0)), self.axes_)
        return U * xp.sqrt(sigma)[None, :] * as_floats(d, U)

    def as_given(self, answers: Any) -> Any:
        """Outputs as `fit` took them.

        Parameters
        ----------
        answers : array or list
            Outputs as they were read.

        Returns
        -------
        array or list
            Numbers where `fit` took numbers.
        """
        flat = getattr(self, "flat_", False) and tuple(getattr(answers, "shape", ()))[1:] == (1,)
        return answers[:, 0] if flat else answers

    def _lengths(self) -> Array:
        """d, by which rows and columns of K^Y are divided: norms of the outputs where these are far apart, else one.

        Beside one gross output what the others span would be below the rank; K^Y / (d d^T) has ones on its diagonal.
        The largest components, where only some are kept, are those of K^Y itself.
        """
        norms = np.sqrt(np.maximum(to_numpy(self.kernel_.squares(self.kernel_.points_)), 0.0))[:, None]
        seen = norms[norms > 0]
        if self.n_components is not None or not seen.size or seen.max() <= FAR_APART * np.median(seen):
            return np.ones_like(norms)
        return np.where(norms > 0, norms, 1.0)

    def _features(self) -> Array | None:
        """Psi with K^Y = Psi Psi^T, where it has fewer columns than there are outputs."""
        F = self.kernel_.coordinates(self.kernel_.points_) if self.kernel_.featured else None
        return None if F is None or F.shape[1] >= F.shape[0] else as_floats(F, F)

    def _eigenpairs(self, d: Array) -> tuple[Array, Array, Any]:
        """Those of K^Y / (d d^T), and its precision."""
        K = self.kernel_.gram()
        check_symmetric(K, "The Gram matrix of the outputs")
        xp = namespace(K)
        precision = K.dtype if xp.isdtype(K.dtype, "real floating") else xp.float64
        K, d = as_floats(K, K), as_floats(d, K)
        sigma, U = eigh(K / d / xp.permute_dims(d, (1, 0)))
        values = to_numpy(sigma)
        if values[0] < -1e-6 * values[-1]:
            raise ValueError(
                f"The output kernel {self.kernel_!r} is not positive semi-definite on these outputs: eigenvalues "
                f"from {values[0]:.3g} to {values[-1]:.3g}. Use a positive semi-definite kernel."
            )
        return sigma, U, precision

    def encode(self, Y: Any) -> Array:
        return self._encoded(self.read(Y), self.axes_)

    def _encoded(self, Y: Any, axes: Array) -> Array:
        """<phi(y_i), e_j> of outputs that have been read."""
        if getattr(self, "span_", None) is not None:
            return product(as_floats(self.kernel_.features(Y), axes), as_floats(self.span_, axes))
        return product(as_floats(self.kernel_.cross(Y), axes), axes)

    def inner(self, C: Array, Y: Any) -> Array:
        """<sum_j c_ij e_j, phi(y)>, in the cheaper order.

        Parameters
        ----------
        C : array of shape (n, m)
            Points, in coordinates.
        Y : array-like or list
            Outputs.

        Returns
        -------
        array of shape (n, n_outputs)
            The inner products.
        """
        return self.images(Y).inner(C)

    def images(self, Y: Any) -> Images:
        """Outputs read once, for as many comparisons as one likes.

        Parameters
        ----------
        Y : array-like or list
            Outputs.

        Returns
        -------
        Images
            They have `inner(C)` and `squares`.
        """
        return Images(self.kernel_, self.axes_, self.read(Y), getattr(self, "span_", None))

    def decode(self, C: Array, candidates: Any = None) -> Any:
        from .decoding import Nearest

        if candidates is None and type(self.kernel_) is Linear and is_array(self.outputs_):
            # phi(y) = y: a point is an output itself, sum_j c_j e_j.
            axes = namespace(self.axes_).permute_dims(self.axes_, (1, 0))
            return self.as_given(product(product(as_floats(C, axes), axes), as_floats(self.outputs_, axes)))
        # argmin_z |sum_j c_ij e_j - phi(z)|^2 over the candidates, by default the training outputs.
        return Nearest().decode(self, C, self.outputs_ if candidates is None else as_sequence(candidates))

    def norms(self, Y: Any) -> Array:
        diagonal = self.kernel_.diagonal(self.read(Y))
        xp = namespace(diagonal)
        return xp.sqrt(xp.clip(diagonal, min=0.0))

    def read(self, Y: Any) -> Any:
        """The outputs as the kernel wants them: a numeric matrix for kernels on vectors, anything else as it is.

        Parameters
        ----------
        Y : array-like or list
            Outputs.

        Returns
        -------
        array or list
            The same.
        """
        if self.kernel_.domain != "vectors":
            return as_sequence(Y)
        refuse_dates(Y, "y")
        try:
            Y = Y.toarray() if hasattr(Y, "toarray") else Y
            values = as_floats(Y, Y) if is_foreign(Y) else np.asarray(Y, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self.kernel_!r} is a kernel on vectors, and the outputs are not numbers ({error}); give a "
                "kernel between such outputs: output_kernel, or that of RKHS."
            ) from error
        values = values[:, None] if values.ndim == 1 else values
        if not bool(namespace(values).all(namespace(values).isfinite(values))):
            raise ValueError("The outputs contain NaN or infinity; drop or impute these samples.")
        columns = getattr(self, "outputs_", values).shape[-1] if values.shape else 1
        if values.ndim != 2 or 0 in values.shape or values.shape[1] != columns:
            raise ValueError(
                f"The outputs have shape {tuple(values.shape)}, but this space holds vectors of {columns} numbers."
            )
        return values
