"""How the matrix of a kernel among the training points is held: decided here and nowhere else."""

from typing import Any

from ..arrays import Array, as_floats, is_foreign
from ..checks import check_gram
from ..kernels import Kernel
from ..matrices import Dense, Positive, Tiled
from ..matrices.roads import by_entries, by_tiles
from ..memory import Rest, available, first_road

REMEDY = "use a kernel with few features instead, kernel=kernels.Nystroem(kernels.Gaussian(), 1000) for instance"
# Up to so many points a kernel makes its matrix in one piece.
IN_ONE_PIECE = 4000
# Products of an exact solution without the matrix, steps of one with it, and what a value of a kernel on vectors
# costs in operations of a Cholesky factor, on a processor and on a device.
PRODUCTS, STEPS, VALUE, VALUE_ON_DEVICE = 60, 10, 100, 500


def held(kernel: Kernel, like: Array, operator: bool, rest: Rest) -> tuple[Positive, float]:
    """The matrix of a fitted kernel: all numbers where they fit and that is faster, else `Tiled`.

    Parameters
    ----------
    kernel : Kernel
        The fitted kernel.
    like : array of shape (n, m)
        The outputs.
    operator : bool
        Whether there is an output operator other than the identity.
    rest : Rest
        What the fit takes beside the matrix.

    Returns
    -------
    tuple of Positive and float
        The matrix, and the bytes that the fit will take at its peak.
    """
    n = int(like.shape[0])
    whole, parts = by_entries(n, operator, rest), by_tiles(n, available(like), rest)
    if n > IN_ONE_PIECE and kernel.domain != "gram" and tiles_are_better(kernel, like, whole.bytes):
        return Tiled(kernel, kernel.points_, like), first_road([parts], REMEDY, like).bytes
    first_road([whole], REMEDY, like)
    return Dense(_entries(kernel, like)), whole.bytes


def _entries(kernel: Kernel, like: Array) -> Array:
    if like.shape[0] > IN_ONE_PIECE and kernel.domain != "gram":
        return Tiled(kernel, kernel.points_, like).tiles.matrix()
    K = as_floats(kernel.gram(), like)
    if kernel.domain == "objects":
        check_gram(K, "The Gram matrix of the inputs")
    return K


def tiles_are_better(kernel: Kernel, like: Array, whole: float) -> bool:
    """Whether the matrix does not fit, with `whole` bytes in all, or takes more operations than products without it."""
    n, m = map(int, like.shape)
    if whole > available(like):
        return True
    value: Any = VALUE_ON_DEVICE if is_foreign(like) else VALUE
    factored, made = n / 3.0 + 4.0 * STEPS * m, PRODUCTS * (value / 2.0 + 2.0 * m)
    return kernel.domain == "vectors" and factored > made
