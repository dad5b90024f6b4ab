"""How small a gap can be seen: predictions are sums of terms that may be far larger than they are."""

from ..arrays import Array, namespace
from ..dual import Dual
from ..risk.certificates import TINY


def rounding(dual: Dual, W: Array, primal: float) -> float:
    """By how much rounding alone may move the relative gap, through the energy <W, P> and through the losses.

    |G_kl| <= sqrt(g_k g_l) bounds every term of G W by the diagonal g, and each of them is rounded: with
    s = sum_ij sqrt(g_ij) |w_ij|, p_ij is known up to e_ij = eps sqrt(g_ij) s / (lam n), and <W, P> up to
    eps s^2 / (lam n). The losses move by l(p_i +- e_i) - l(p_i). Where lam is small beside a kernel that is nearly
    singular, large terms cancel; where it is small beside the slope of a loss at its kink, as for `Norm` and
    `EpsilonNorm`, the optimum lies on the kink, the primal value is of the order of lam, and a residual that is off by
    its last digit costs more than that. No W made of the numbers at hand has a smaller gap then.
    """
    xp = namespace(W)
    P, roots = dual.predict(W), xp.sqrt(xp.clip(dual.gram.diagonal(), min=0.0))
    terms = float(xp.sum(roots * xp.abs(W)))
    eps = float(xp.finfo(W.dtype).eps)
    E = eps * terms / dual.scale * roots
    here = dual.risk.value(P)
    moved = xp.maximum(dual.risk.value(P + E), dual.risk.value(P - E)) - here
    return (eps * terms**2 / dual.scale + float(xp.sum(xp.clip(moved, min=0.0)))) / max(primal, TINY)
