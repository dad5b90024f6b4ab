"""Leave-one-out residuals t_i - h_{-i}(x_i), where h_{-i} is trained on the other n - 1 samples at the same lam."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import Array, device_of, namespace, product, row_norms
from ..dual import Dual
from ..losses import Loss
from ..operator_kernels import Gram
from .base import Solution
from .choice import choose


def ridge_residuals(gram: Gram, targets: Array, lam: float, weights: Array | None = None) -> Array:
    """e_i = [A^-1 T]_i / [A^-1]_ii with A = K + (n - 1) lam I: exact for the square loss, for one factorisation.

    The factor holds (n - 1) lam, as a refit on n - 1 samples does. With an operator the formula holds in each of its
    eigenvectors. With `weights` the loss is sum_i weights_i |p_i - t_i|^2 / 2, and A = K + (n - 1) lam diag(1/weights).
    """
    xp = namespace(targets)
    ((K, S),) = gram.terms
    if weights is None:
        weights = xp.ones(targets.shape[0], dtype=K.dtype, device=device_of(K))
        weighted = gram
    else:
        # R K R + theta I, R = diag(sqrt weights), is the symmetric form: rows of weight zero do no harm.
        weighted = Gram(((K * xp.sqrt(weights)[:, None] * xp.sqrt(weights)[None, :], S),))
    (k, U), (s, V) = weighted.eigenbases
    root = xp.sqrt(weights)[:, None]
    T = targets if V is None else product(targets, V)
    shrink = 1.0 / (k[:, None] * s[None, :] + lam * (int(targets.shape[0]) - 1))
    C = root * product(U, shrink * product(xp.permute_dims(U, (1, 0)), root * T))
    inverse_diagonal = weights[:, None] * product(U * U, shrink)
    safe = xp.where(inverse_diagonal > 0, inverse_diagonal, xp.ones_like(inverse_diagonal))
    # A sample without weight has no part in the model: its residual is the leave-one-out residual.
    E = xp.where(inverse_diagonal > 0, C / safe, T - product(K, C) * s[None, :])
    return E if V is None else product(E, xp.permute_dims(V, (1, 0)))


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
