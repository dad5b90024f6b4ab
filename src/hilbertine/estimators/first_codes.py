"""Where the descent of an autoencoder begins: kernel PCA of the data, and of the codes of each further layer."""

import math
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..arrays import Array, as_floats, frobenius, namespace, outer, product, to_numpy
from ..checks import whole
from ..kernels import Gaussian, Kernel, as_kernel
from ..spaces import RKHS
from ..spaces.centre import centre_of

# Of matrices up to this size all eigenvectors are as cheap.
FEW = 200
ROUNDING = 1e-12


def standardised(T: Array, rule: Any) -> tuple[Array, Array | None, float]:
    """Coordinates about their centre, the centre, and their unit: the root mean square of what is left."""
    c = centre_of(T, rule)
    if c is None:
        return T, c, _root_mean_square(T)
    rest = T - c[None, :]
    # Of points that are all alike nothing but rounding is left.
    rest = rest if _root_mean_square(rest) > ROUNDING * _root_mean_square(T) else 0.0 * rest
    return rest, c, _root_mean_square(rest)


def _root_mean_square(T: Array) -> float:
    return frobenius(T) / math.sqrt(int(T.shape[0]))


def first_codes(
    V: Array, n_components: Any, inner_kernel: Any, init: str, random_state: Any
) -> tuple[list[Kernel], list[Array]]:
    """The inner kernels, fitted to the first codes, and the coefficients that give these."""
    sizes = [whole(size, "n_components") for size in _listed(n_components)]
    kernels = _between_codes(inner_kernel, sizes)
    random = check_random_state(random_state)
    A = [_start(V, sizes[0], init, random)]
    C, fitted = product(V, A[0]), []
    for kernel, size in zip(kernels, sizes[1:], strict=False):
        space = RKHS(kernel)
        coordinates, _ = space.fit_measure(C)
        B = _start(coordinates, size, init, random)
        fitted.append(space.kernel_)
        A.append(product(space.axes_, B))
        C = product(coordinates, B)
    return [*fitted, kernels[-1].fit(C)], A


def _start(V: Array, p: int, init: str, random: Any) -> Array:
    """Coefficients to begin with: the leading principal axes of the points V, or normal numbers."""
    rank, xp = int(V.shape[1]), namespace(V)
    if p > rank:
        raise ValueError(
            f"n_components = {p} exceeds the rank {rank} of the kernel on these {V.shape[0]} points: longer codes "
            f"could say no more; set n_components to at most {rank}."
        )
    if init == "kernel_pca":
        return as_floats(_principal(to_numpy(outer(xp.permute_dims(V, (1, 0)))), p), V)
    if init == "random":
        # Numbers for the points and not for the axes, whose signs are arbitrary: the number of threads may decide them.
        lengths = xp.sqrt(xp.sum(V * V, axis=0))
        U = V / xp.where(lengths > 0, lengths, xp.ones_like(lengths))[None, :]
        numbers = random.standard_normal((int(V.shape[0]), p)) / rank**0.5
        return product(xp.permute_dims(U, (1, 0)), as_floats(numbers, V))
    raise ValueError(f"init must be 'kernel_pca' or 'random', got {init!r}.")


def _principal(H: Any, p: int) -> Any:
    """The p leading eigenvectors of H, a few of many by Lanczos from a start that is always the same."""
    U = np.linalg.eigh(H)[1] if len(H) <= FEW or 4 * p > len(H) else eigsh(H, p, v0=np.ones(len(H)))[1]
    return np.ascontiguousarray(U[:, ::-1][:, :p])


def _between_codes(inner_kernel: Any, sizes: list[int]) -> list[Kernel]:
    """A kernel for each layer, with a gradient: better said now than after the first solve."""
    given = _listed(inner_kernel) * (1 if isinstance(inner_kernel, list | tuple) else len(sizes))
    if len(given) != len(sizes) or not sizes:
        raise ValueError(f"{len(given)} inner kernels for {len(sizes)} layers; give one kernel, or one for each layer.")
    kernels = [as_kernel(Gaussian() if each is None else clone(each, safe=False)) for each in given]
    for kernel, size in zip(kernels, sizes, strict=True):
        if kernel.domain == "gram":
            raise ValueError("The inner kernel is one between codes, which are vectors; it cannot be precomputed.")
        probe = np.eye(2, size)
        clone(kernel).fit(probe).pullback(probe, np.eye(2))
    return kernels


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]
