"""How the matrix of a kernel among the training points is held: decided here and nowhere else."""

from typing import Any

from ..arrays import Array, as_floats, is_foreign
from ..checks import check_gram
from ..kernels import Kernel
from ..matrices import Dense, Factored, Positive, Tiled
from ..matrices.roads import by_entries, by_factor, by_tiles
from ..memory import Rest, available, first_road

REMEDY = "use a kernel with few features instead, kernel=kernels.Nystroem(kernels.Gaussian(), 1000) for instance"
# Up to so many points a kernel makes its matrix in one piece.
IN_ONE_PIECE = 4000
# Products of an exact solution without the matrix, steps of one with it, and what a value of a kernel on vectors
# costs in operations of a Cholesky factor, on a processor and on a device.
PRODUCTS, STEPS, VALUE, VALUE_ON_DEVICE = 60, 10, 100, 500


def held(kernel: Kernel, like: Array, operator: bool, rest: Rest) -> tuple[Positive, float]:
    """The matrix of a fitted kernel by its numbers, by a factor or by neither, as there is room and time.

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
    if n > IN_ONE_PIECE and kernel.domain != "gram":
        return _in_tiles(kernel, like, operator, rest)
    road = first_road([by_entries(n, operator, rest)], REMEDY, like)
    K = as_floats(kernel.gram(), like)
    if kernel.domain == "objects":
        check_gram(K, "The Gram matrix of the inputs")
    return Dense(K), road.bytes


def _in_tiles(kernel: Kernel, like: Array, operator: bool, rest: Rest) -> tuple[Positive, float]:
    """The same for many points, where nothing is made in one piece."""
    n, there = int(like.shape[0]), available(like)
    whole, factor, parts = by_entries(n, operator, rest), by_factor(n, rest), by_tiles(n, there, rest)
    factors = not tiles_are_faster(kernel, like)
    if factors and whole.bytes <= there:
        return Dense(Tiled(kernel, kernel.points_, like).tiles.matrix()), whole.bytes
    # With an output operator there is a shift for each of its eigenvalues, and no one factor for them.
    if factors and not operator and factor.bytes <= there:
        return Factored(kernel, kernel.points_, like), factor.bytes
    return Tiled(kernel, kernel.points_, like), first_road([parts], REMEDY, like).bytes


def tiles_are_faster(kernel: Kernel, like: Array) -> bool:
    """Whether a factor takes more operations than products that make the kernel each time."""
    n, m = map(int, like.shape)
    value: Any = VALUE_ON_DEVICE if is_foreign(like) else VALUE
    factored, made = n / 3.0 + 4.0 * STEPS * m, PRODUCTS * (value / 2.0 + 2.0 * m)
    return kernel.domain == "vectors" and factored > made
