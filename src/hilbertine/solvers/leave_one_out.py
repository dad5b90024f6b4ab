"""Leave-one-out residuals t_i - h_{-i}(x_i), where h_{-i} is trained on the other n - 1 samples at the same lam."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..arrays import Array, device_of, inverse_root, namespace, product, row_norms, shifted
from ..dual import Dual
from ..losses import Loss
from ..operator_kernels import Gram
from .base import Solution
from .choice import choose

# Up to so many lams a Cholesky factor and its inverse for each cost less than one eigendecomposition for all.
FEW = 6


def ridge_path(gram: Gram, targets: Array, lams: Sequence[float]) -> Iterator[tuple[Array, Array]]:
    """(W, E) for each lam and the square loss: the solution at lam (n - 1)/n, and the leave-one-out residuals at lam.

    Both come from the inverse of A = K + (n - 1) lam I: W = (n - 1) lam A^-1 T and e_i = [A^-1 T]_i / [A^-1]_ii. A
    holds (n - 1) lam, as a refit on n - 1 samples does. With an operator this is so in each of its eigenvectors.
    """
    V, Vt = _axes(gram)
    thetas = [lam * (int(targets.shape[0]) - 1) for lam in lams]
    for theta, (C, diagonal) in zip(thetas, _inverses(gram, _turned(targets, V), thetas), strict=True):
        yield _turned(theta * C, Vt), _turned(C / diagonal, Vt)


def ridge_residuals(gram: Gram, targets: Array, lam: float, weights: Array | None = None) -> Array:
    """The residuals of `ridge_path` for one lam.

    With `weights` the loss is sum_i weights_i |p_i - t_i|^2 / 2, and A = K + (n - 1) lam diag(1/weights).
    """
    if weights is None:
        ((_, E),) = ridge_path(gram, targets, [lam])
        return E
    xp = namespace(targets)
    ((K, S),) = gram.terms
    # R K R + theta I, R = diag(sqrt weights), is the symmetric form: rows of weight zero do no harm.
    root = xp.sqrt(weights)[:, None]
    weighted = Gram(((root * K * xp.permute_dims(root, (1, 0)), S),))
    V, Vt = _axes(weighted)
    T = _turned(targets, V)
    ((C, diagonal),) = _inverses(weighted, root * T, [lam * (int(targets.shape[0]) - 1)])
    # A sample without weight has no part in the model: its residual is the leave-one-out residual.
    out = xp.broadcast_to(weights[:, None] == 0, T.shape)
    left = _turned(targets - gram @ _turned(root * C, Vt), V)
    return _turned(xp.where(out, left, C / (xp.where(out, xp.ones_like(root), root) * diagonal)), Vt)


def _inverses(gram: Gram, T: Array, thetas: Sequence[float]) -> Iterator[tuple[Array, Array]]:
    """(A^-1 T, the diagonal of A^-1) for A = G + theta I and each theta.

    Where G has an operator both are in its eigenvectors, and the second has a column for each of them.
    """
    xp = namespace(T)
    ((K, S),) = gram.terms
    if S is None and len(thetas) <= FEW:
        for theta in thetas:
            R = inverse_root(shifted(K, theta))
            yield product(xp.permute_dims(R, (1, 0)), product(R, T)), xp.vecdot(R, R, axis=-2)[:, None]
        return
    (k, U), (s, _) = gram.eigenbases
    UT, squares = product(xp.permute_dims(U, (1, 0)), T), U * U
    for theta in thetas:
        shrink = 1.0 / (k[:, None] * s[None, :] + theta)
        yield product(U, shrink * UT), product(squares, shrink)


def _axes(gram: Gram) -> tuple[Array | None, Array | None]:
    """The eigenvectors V of the operator and their transpose, None for the identity."""
    if gram.terms[0][1] is None:
        return None, None
    V = gram.eigenbases[1][1]
    return V, namespace(V).permute_dims(V, (1, 0))


def _turned(T: Array, V: Array | None) -> Array:
    return T if V is None else product(T, V)


def refit_residuals(
    gram: Gram, targets: Array, lam: float, loss: Loss, W: Array, settings: dict[str, Any] | None = None
) -> Array:
    """Exact for any loss: n fits, each started from the solution W of the full problem."""
    xp = namespace(targets)
    rows = []
    for i, others, fit, scale in _without_each(gram, targets, lam, loss, W, settings):
        at_i = gram.restricted(xp.asarray([i], device=device_of(targets)), others)
        rows.append(targets[i : i + 1, :] - (at_i @ fit.W) / scale)
    return xp.concat(rows)


def removal_changes(
    gram: Gram, targets: Array, lam: float, loss: Loss, W: Array, settings: dict[str, Any] | None = None
) -> Array:
    """max_j |l(h(x_j), t_j) - l(h_{-i}(x_j), t_j)| for each sample i removed, with lam n held fixed.

    That is what the stability bound speaks of: the n - 1 other losses keep their weight 1/n.
    """
    xp = namespace(targets)
    n = int(targets.shape[0])
    every = xp.arange(n, device=device_of(targets))
    before = loss.value((gram @ W) / (lam * n), targets)
    changes = []
    for _, others, fit, scale in _without_each(gram, targets, lam * n / (n - 1), loss, W, settings):
        after = loss.value((gram.restricted(every, others) @ fit.W) / scale, targets)
        changes.append(xp.max(xp.abs(after - before)))
    return xp.stack(changes)


def _without_each(
    gram: Gram, targets: Array, lam: float, loss: Loss, W: Array, settings: dict[str, Any] | None
) -> Iterator[tuple[int, Array, Solution, float]]:
    """(i, the others, their solution at this lam, its lam (n - 1)) for each sample i, started from W."""
    xp = namespace(targets)
    n = int(targets.shape[0])
    options = {"solver": "auto", **(settings or {})}
    solver = options.pop("solver")
    for i in range(n):
        others = xp.asarray(np.delete(np.arange(n), i), device=device_of(targets))
        dual = Dual(gram.restricted(others), loss, xp.take(targets, others, axis=0), lam)
        yield i, others, choose(solver, dual, **options).solve(dual, xp.take(W, others, axis=0)), dual.scale


def approximate_residuals(gram: Gram, targets: Array, lam: float, W: Array, P: Array) -> Array:
    """From the optimality conditions: w_i = alpha_i (t_i - p_i) makes the solution a weighted ridge solution.

    With its weights alpha_i = |w_i|/|t_i - p_i| frozen, leave-one-out is that of weighted ridge, in closed form. Exact
    for the square loss and for samples with w_i = 0; elsewhere it neglects how the other weights would move.
    """
    lengths = row_norms(targets - P)
    xp = namespace(W)
    safe = xp.where(lengths > 0, lengths, xp.ones_like(lengths))
    return ridge_residuals(gram, targets, lam, row_norms(W) / safe)
