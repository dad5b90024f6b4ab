"""Feasible dual rows whose function is that of a linear solve: what makes a certificate out of a good function."""

from collections.abc import Callable, Iterator

from ..arrays import Array, inner, namespace, row_norms
from ..risk import Risk
from ..spread import evaluated

# Rounds after which rows that still disagree are left to further steps.
ROUNDS = 8
# Rows this near the cap are on it, and rows this short beside the longest are zero.
CLOSE = 1e-9


def settled_rows(risk: Risk, Y: Array, W: Array, smooth: Callable[[Array], Array]) -> Iterator[Array]:
    """Y moved so that G Y nears G W, round after round, each row by what it may: feasible rows stay feasible.

    `smooth` is R -> K (K + theta I)^-1 R, what of R the kernel sees. Of that zero rows take nothing, rows on the cap
    what is tangential to it, others all; and all take it larger by what the others cannot. To first order none of
    these moves changes the gap of its row, whereas (Y - W) enters the gap by the largest eigenvalues of G.
    """
    for _ in range(ROUNDS):
        xp, (lengths, reach) = namespace(Y), evaluated(row_norms(Y), risk.reach(Y))
        free = xp.astype(lengths > CLOSE * float(xp.max(lengths)), Y.dtype)
        held = xp.astype(reach >= 1.0 - CLOSE, Y.dtype)
        share = float(xp.mean(free) - xp.mean(free * held) / Y.shape[1])
        (move,) = evaluated(free[:, None] * smooth(W - Y) / max(share, 1e-3))
        directions = Y / xp.where(lengths > 0, lengths, xp.ones_like(lengths))[:, None]
        move = move - (held * inner(move, directions))[:, None] * directions
        (Y,) = evaluated(risk.supported(Y + move))
        (Y,) = evaluated(Y / xp.clip(risk.reach(Y), min=1.0)[:, None])
        yield Y
