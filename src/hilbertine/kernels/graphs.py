"""Kernels on graphs, those of grakel."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import Array
from .base import Domain, Kernel
from .representations import part_of

# So many training graphs are compared again in other company.
N_CHECKED = 8


class Graphs(Kernel):
    """k(g, h) by a kernel of grakel; None is Weisfeiler-Lehman, sum_u |g|_u |h|_u over neighbourhoods u of each depth.

    A graph is what grakel takes, best as a tuple: the edges {(i, j): weight} in both directions, the labels of the
    nodes {i: label}, and for kernels that read them the labels of the edges {(i, j): label}. Parameters of the kernel
    are reached as `kernel__n_iter`; wrap it in `Normalised` to compare graphs of different sizes.

    Parameters
    ----------
    kernel : kernel of grakel, default=None
        The kernel, None for `grakel.WeisfeilerLehman`.

    Examples
    --------
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
        # Nothing is learned, but the kernel must give two graphs one value, whatever other graphs are beside them.
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
        return super().fit(X)

    def represent(self, X: Any) -> "Company":
        return Company(list(X), self._grakel())

    def between(self, A: "Company", B: "Company") -> Array:
        return B.values(A.graphs)

    def squares(self, A: "Company") -> Array:
        return self.diagonal(A.graphs)

    def _gram(self) -> Array:
        return self.points_.among()

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


class Company:
    """Graphs, and the kernel of grakel that has read them: once, and only if others are compared with them."""

    def __init__(self, graphs: list[Any], kernel: Any):
        self.graphs = graphs
        self.kernel = kernel
        self.has_read = False

    def __len__(self) -> int:
        return len(self.graphs)

    def part(self, places: Any) -> "Company":
        """Some of the graphs, not read yet."""
        return Company(part_of(self.graphs, places), clone(self.kernel))

    def among(self) -> Array:
        """The values among these graphs."""
        K = self._checked(self.kernel.fit_transform, self.graphs)
        self.has_read = True
        return K

    def values(self, graphs: list[Any]) -> Array:
        """The values of others with these."""
        if not self.has_read:
            self._run(self.kernel.fit, self.graphs)
            self.has_read = True
        return self._checked(self.kernel.transform, graphs)

    def _run(self, act: Callable[[list[Any]], Any], graphs: list[Any]) -> Any:
        try:
            return act(graphs)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{self.kernel!r} of grakel does not take these graphs ({type(error).__name__}: {error}); give each as "
                "(edges, node labels) or (edges, node labels, edge labels)."
            ) from error

    def _checked(self, act: Callable[[list[Any]], Any], graphs: list[Any]) -> Array:
        K = np.asarray(self._run(act, graphs), dtype=np.float64)
        if K.shape != (len(graphs), len(self.graphs)):
            raise ValueError(
                f"{self.kernel!r} of grakel returned shape {K.shape} for {len(graphs)} and {len(self.graphs)} graphs: "
                "it skips empty ones; drop them."
            )
        if not np.all(np.isfinite(K)):
            raise ValueError(
                f"{self.kernel!r} of grakel returned values that are not finite; in place of normalize=True use "
                "kernels.Normalised, which takes graphs without features."
            )
        return K
