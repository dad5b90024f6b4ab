"""Eigenvalues of symmetric maps from a few products with them."""

from collections.abc import Callable

import scipy.linalg

from .arrays import Array, namespace, orthonormal, product, random_normal


def lanczos(apply: Callable[[Array], Array], start: Array, steps: int) -> Array:
    """The Ritz values (ascending) of a symmetric map after at most `steps` products.

    Three-term recurrence without reorthogonalisation: copies of converged values may appear among them, the
    extreme ones stay right, and two vectors suffice.
    """
    xp = namespace(start)
    alphas: list[float] = []
    betas: list[float] = []
    v = start / xp.sqrt(xp.sum(start * start))
    previous = xp.zeros_like(v)
    for k in range(steps):
        u = apply(v)
        alphas.append(float(xp.sum(u * v)))
        u = u - alphas[-1] * v - (betas[-1] * previous if betas else 0.0)
        beta = float(xp.sqrt(xp.sum(u * u)))
        if k + 1 == steps or beta <= 1e-14 * max(map(abs, alphas)):
            break
        betas.append(beta)
        previous, v = v, u / beta
    return scipy.linalg.eigvalsh_tridiagonal(alphas, betas[: len(alphas) - 1])


def extreme_eigenvalues(A: Array, steps: int = 30) -> tuple[float, float]:
    """Ritz estimates of the smallest and the largest eigenvalue: never outside the spectrum."""
    start = random_normal((A.shape[0], 1), A)
    values = lanczos(lambda v: product(A, v), start, min(steps, A.shape[0]))
    return float(values[0]), float(values[-1])


def krylov_section(A: Array, width: int, depth: int) -> Array:
    """B^T A B for an orthonormal basis B of span(V, A V, .., A^(depth-1) V), V random with `width` columns."""
    xp = namespace(A)
    n = int(A.shape[0])
    block = random_normal((n, min(width, n)), A)
    basis: list[Array] = []
    images: list[Array] = []
    for _ in range(depth):
        for known in basis:
            block = block - product(known, product(xp.permute_dims(known, (1, 0)), block))
        if len(basis) * width + width > n and basis:
            break
        basis.append(orthonormal(block))
        block = product(A, basis[-1])
        images.append(block)
    B = xp.concat(basis, axis=1)
    return product(xp.permute_dims(B, (1, 0)), xp.concat(images, axis=1))
