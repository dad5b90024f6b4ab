"""Kernels on graphs, those of grakel."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import Array
from .base import Domain, Kernel

# So many training graphs are compared again in other company.
N_CHECKED = 8


class Graphs(Kernel):
    """k(g, h) by a kernel of grakel; None is Weisfeiler-Lehman, sum_u |g|_u |h|_u over neighbourhoods u of each depth.

    A graph is what grakel takes, best as a tuple: the edges {(i, j): weight} in both directions, the labels of the
    nodes {i: label}, and for kernels that read them the labels of the edges {(i, j): label}. Parameters of the kernel
    are reached as `kernel__n_iter`; wrap it in `Normalised` to compare graphs of different sizes.

    >>> def chain(atoms):
    ...     bonds = [(i, i + 1) for i in range(len(atoms) - 1)]
    ...     return {edge: 1 for i, j in bonds for edge in ((i, j), (j, i))}, dict(enumerate(atoms))
    >>> Graphs()([chain("CCO")], [chain("CCO"), chain("CO"), chain("CC")]).tolist()
    [[20.0, 4.0, 6.0]]
    """

    domain: Domain = "objects"

    def __init__(self, kernel: Any = None):
        self.kernel = kernel

    def fit(self, X: Any) -> Self:
        """Nothing is learned, but the kernel must give two graphs one value, whatever other graphs are beside them."""
        few = list(X)[:N_CHECKED]
        half = len(few) // 2
        if half:
            first, second, turned = few[:half], few[half:], few[::-1]
            K = self(few, few)
            again = [
                (self(first, second), K[:half, half:]),
                (self(second, first), K[half:, :half]),
                (self(turned, turned), K[::-1, ::-1]),
            ]
            worst = max(float(np.max(np.abs(B - E))) for B, E in again)
            if worst > 1e-8 * float(np.max(np.abs(K))):
                raise ValueError(
                    f"{self.kernel!r} gives the same two graphs other values beside other graphs (they differ by "
                    f"{worst:.2g}), so that it says nothing about new graphs; use one such as WeisfeilerLehman()."
                )
        return self

    def __call__(self, X: Any, Z: Any) -> Array:
        kernel, rows, columns = self._grakel(), list(X), list(Z)
        try:
            K = kernel.fit_transform(rows) if X is Z else kernel.fit(columns).transform(rows)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{kernel!r} of grakel does not take these graphs ({type(error).__name__}: {error}); give each as "
                "(edges, node labels) or (edges, node labels, edge labels)."
            ) from error
        K = np.asarray(K, dtype=np.float64)
        if K.shape != (len(rows), len(columns)):
            raise ValueError(
                f"{kernel!r} of grakel returned shape {K.shape} for {len(rows)} and {len(columns)} graphs: it skips "
                "empty ones; drop them."
            )
        if not np.all(np.isfinite(K)):
            raise ValueError(
                f"{kernel!r} of grakel returned values that are not finite; in place of normalize=True use "
                "kernels.Normalised, which takes graphs without features."
            )
        return K

    def _grakel(self) -> Any:
        if self.kernel is None:
            try:
                from grakel import WeisfeilerLehman
            except ModuleNotFoundError as error:
                raise ModuleNotFoundError(
                    "Kernels on graphs come from the package 'grakel', which is not installed; install it with: "
                    "pip install 'hilbertine[graphs]'"
                ) from error
            return WeisfeilerLehman()
        if not (hasattr(self.kernel, "fit_transform") and hasattr(self.kernel, "get_params")):
            raise TypeError(f"{self.kernel!r} is not a kernel of grakel; pass one such as grakel.WeisfeilerLehman().")
        return clone(self.kernel)
