"""Leave-one-out residuals t_i - h_{-i}(x_i), where h_{-i} is trained on the other n - 1 samples at the same lam."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..arrays import Array, device_of, namespace, product, row_norms, shifted
from ..checks import positive
from ..doors import door
from ..dual import Dual
from ..factors import cholesky_solver
from ..losses import Square
from ..risk import Risk
from .choice import Recipe

CLOSED = (
    "Leave-one-out in closed form needs one separable term and outputs that are known in full; refit without each "
    "sample instead, cv='loo'."
)


@door
def ridge_path(dual: Dual, lams: Sequence[float]) -> Iterator[tuple[Array, Array]]:
    """(W, E) for each lam and the square loss: the solution at lam (n - 1)/n, and the leave-one-out residuals at lam.

    Both come from A = G + (n - 1) lam I: W = (n - 1) lam A^-1 T and e_i = [A^-1 T]_i / [A^-1]_ii. A holds (n - 1) lam,
    as a refit on n - 1 samples does. Rows with weights are whitened first; the part of lam n that leaves with a sample
    is then that of a mean one.

    Parameters
    ----------
    dual : Dual
        The problem; its own lam and loss do not matter.
    lams : sequence of float
        Values of lam.

    Yields
    ------
    tuple of two arrays of shape (n, m)
        W and E.
    """
    inner, n = dual.whitened, int(dual.targets.shape[0])
    thetas = [positive(lam, "lam", finite=True) * dual.risk.size * (n - 1) / n for lam in lams]
    found = inner.gram.left_out(inner.targets, thetas) if dual.risk.mask is None else None
    if found is None:
        raise ValueError(CLOSED)
    for theta, (C, E) in zip(thetas, found, strict=True):
        yield dual.risk.whitened.scaled(theta * C), _unweighted(dual, C, E)


def _unweighted(dual: Dual, C: Array, E: Array) -> Array:
    """Residuals of the outputs from those of the whitened rows."""
    weights = dual.risk.weights
    if weights is None:
        return E
    # A sample without weight has no part in the model: its residual is the leave-one-out residual.
    out = namespace(E).broadcast_to(weights[:, None] == 0, E.shape)
    return namespace(E).where(
        out, dual.targets - dual.gram @ dual.risk.whitened.scaled(C), dual.risk.whitened.unscaled(E)
    )


@door
def ridge_residuals(dual: Dual) -> Array:
    """The residuals of `ridge_path` at the lam of the problem.

    Parameters
    ----------
    dual : Dual
        The problem; its own loss does not matter.

    Returns
    -------
    array of shape (n, m)
        The residuals t_i - p_i of models trained without sample i.
    """
    ((_, E),) = ridge_path(dual, [dual.lam])
    return E


@door
def approximate_residuals(dual: Dual, W: Array, P: Array) -> Array:
    """From the optimality conditions: w_i = alpha_i (t_i - p_i) makes the solution a weighted ridge solution.

    With its weights alpha_i = |w_i|/|t_i - p_i| frozen, leave-one-out is that of weighted ridge, in closed form. Exact
    for the square loss and for samples with w_i = 0; elsewhere it neglects how the other weights would move.

    Parameters
    ----------
    dual : Dual
        The problem.
    W, P : array of shape (n, m)
        Its solution, and the predictions of it.

    Returns
    -------
    array of shape (n, m)
        The residuals t_i - p_i of models trained without sample i.
    """
    lengths = row_norms(dual.targets - P)
    alpha = row_norms(W) / namespace(W).where(lengths > 0, lengths, namespace(W).ones_like(lengths))
    frozen = Risk(Square(), dual.targets, None, alpha, dual.risk.mask)
    # These are weights of the loss and no frequencies: lam n stays what it is.
    return ridge_residuals(Dual(dual.gram, frozen, dual.scale / max(frozen.size, 1e-300)))


@door
def refit_residuals(dual: Dual, W: Array, recipe: Recipe | None = None) -> Array:
    """Exact for any loss: n fits, each started from the solution W of the full problem.

    Parameters
    ----------
    dual : Dual
        The problem.
    W : array of shape (n, m)
        Its solution.
    recipe : Recipe, default=None
        How to solve; None is `Recipe()`.

    Returns
    -------
    array of shape (n, m)
        The residuals t_i - p_i of models trained without sample i.
    """
    rows = [
        dual.targets[i : i + 1, :] - (dual.gram @ V)[i : i + 1, :] / scale
        for i, (V, scale) in enumerate(_without_each(dual, W, recipe))
    ]
    return namespace(W).concat(rows)


def left_out_models(
    dual: Dual, W: Array, recipe: Recipe | None = None, shifts: Array | None = None
) -> Iterator[tuple[Array, float]]:
    """The dual variables of each model without sample i, zero at i, and by what their predictions are divided.

    For the square loss and one scalar kernel in closed form: with A = G + (n - 1) lam I, the variables of sample i are
    A^-1 T less column i of A^-1 times the leave-one-out residual e_i. Else by refits that start from W.

    Parameters
    ----------
    dual : Dual
        The problem.
    W : array of shape (n, m)
        Its solution.
    recipe : Recipe, default=None
        How to solve; None is `Recipe()`.
    shifts : array of shape (n, m), default=None
        What the targets of model i are all shifted by, where each model has a centre of its own: t_j - shift_i.

    Yields
    ------
    tuple of (array of shape (n, m), float)
        V and a scale: the model without sample i predicts G V / scale.
    """
    inverse = _inverse(dual) if dual.risk.loss.square else None
    if inverse is None:
        yield from _without_each(dual, W, recipe, shifts)
        return
    xp, diagonal = namespace(W), namespace(W).linalg.diagonal(inverse)
    C, ones = product(inverse, dual.targets), xp.sum(inverse, axis=1)
    for i in range(int(W.shape[0])):
        V = C if shifts is None else C - ones[:, None] * shifts[i, :][None, :]
        yield V - inverse[:, i][:, None] * (V[i, :] / diagonal[i])[None, :], 1.0


def _inverse(dual: Dual) -> Array | None:
    """(K + (n - 1) lam I)^-1 where the operator is W -> K W and rows count once; else None."""
    entries = dual.gram.entries()
    if entries is None or entries[1] is not None or dual.risk.mask is not None or dual.risk.weights is not None:
        return None
    xp, n = namespace(dual.targets), int(dual.targets.shape[0])
    identity = xp.eye(n, dtype=dual.targets.dtype, device=device_of(dual.targets))
    return cholesky_solver(shifted(entries[0], dual.lam * (n - 1)))(identity)


@door
def removal_changes(dual: Dual, W: Array, recipe: Recipe | None = None) -> Array:
    """max_j |l(h(x_j), t_j) - l(h_{-i}(x_j), t_j)| for each sample i removed, with lam n held fixed.

    That is what the stability bound speaks of: the n - 1 other losses keep their weight 1/n.

    Parameters
    ----------
    dual : Dual
        The problem.
    W : array of shape (n, m)
        Its solution.
    recipe : Recipe, default=None
        How to solve; None is `Recipe()`.

    Returns
    -------
    array of shape (n,)
        The largest change for each sample.
    """
    n, xp = int(dual.targets.shape[0]), namespace(W)
    before = dual.risk.value(dual.predict(W))
    fits = _without_each(dual.at(lam=dual.lam * n / (n - 1)), W, recipe)
    after = (dual.risk.value((dual.gram @ V) / scale) for V, scale in fits)
    return xp.stack([xp.max(xp.abs(values - before)) for values in after])


def _without_each(
    dual: Dual, W: Array, recipe: Recipe | None, shifts: Array | None = None
) -> Iterator[tuple[Array, float]]:
    """The solution without sample i, zero at i, and its scale, each started from W."""
    xp, n = namespace(W), int(W.shape[0])
    recipe = Recipe() if recipe is None else recipe
    for i in range(n):
        others = xp.asarray(np.delete(np.arange(n), i), device=device_of(W))
        risk = dual.risk.restricted(others)
        if shifts is not None:
            risk = risk.with_targets(risk.targets - shifts[i, :][None, :], risk.tails)
        rest = Dual(dual.gram.restricted(others), risk, dual.lam)
        V = recipe.solve(rest, xp.take(W, others, axis=0)).W
        yield xp.concat([V[:i, :], 0.0 * W[:1, :], V[i:, :]]), rest.scale
