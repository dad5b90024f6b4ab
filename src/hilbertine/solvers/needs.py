"""What solving takes of the memory beside the kernel matrix, measured once and known before a fit."""

from ..losses import Loss, Square
from ..memory import Rest
from .anderson import remembered
from .sample import sample_size

# (n x m arrays, vectors of n) at the peak of Direct, of SampledNewton, and of Splitting beside its acceleration.
DIRECT, NEWTON, SPLITTING = (7, 9), (8, 12), (18, 10)


def rest_of(loss: Loss, n: int, m: int, weighted: bool) -> Rest:
    """What a fit of n rows and m coordinates takes: rows of numbers, copies of the matrix, a sample of its rows.

    Parameters
    ----------
    loss : Loss
        The loss.
    n, m : int
        Rows and coordinates.
    weighted : bool
        Whether rows have weights.

    Returns
    -------
    Rest
        The bytes.
    """
    loss = loss.at_scale(1.0) if loss.automatic else loss
    square = isinstance(loss, Square)
    sample = 0 if square else sample_size(n)
    slow = SPLITTING[0] + 2 * remembered(n * m), SPLITTING[1]
    fast = DIRECT if square else NEWTON if sample and loss.curvature else slow
    fast_bytes, slow_bytes = (8.0 * n * (arrays * m + vectors) for arrays, vectors in (fast, slow))
    return Rest(fast_bytes, fast_bytes if square else slow_bytes, int(weighted), sample)
