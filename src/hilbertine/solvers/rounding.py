"""How small a gap can be seen: predictions are sums of terms that may be far larger than they are."""

from ..arrays import Array, namespace
from ..dual import TINY, Dual


def rounding(dual: Dual, W: Array, primal: float) -> float:
    """By how much rounding alone may move the relative gap: eps (sum_ij sqrt(g_ij) |w_ij|)^2 / (lam n) / primal.

    |G_kl| <= sqrt(g_k g_l) bounds every term of <W, G W> by the diagonal g, and each of them is rounded. Where lam is
    small beside a kernel that is nearly singular, large terms cancel, and no smaller gap can be certified.
    """
    xp = namespace(W)
    terms = float(xp.sum(xp.sqrt(xp.clip(dual.gram.diagonal(), min=0.0)) * xp.abs(W))) ** 2 / dual.scale
    return float(xp.finfo(W.dtype).eps) * terms / max(primal, TINY)
