"""How the matrix of a kernel among the training points is held: decided here and nowhere else."""

from typing import Any

from ..arrays import Array, as_floats, is_foreign
from ..checks import check_gram
from ..kernels import Kernel
from ..matrices import Dense, Positive, Tiled
from ..memory import available, check_room

# n x n arrays at the peak of a fit that holds the matrix and its factor.
PEAK = 2.1
# Up to so many points a kernel makes its matrix in one piece.
IN_ONE_PIECE = 4000
# Products of an exact solution without the matrix, steps of one with it, and what a value of a kernel on vectors
# costs in operations of a Cholesky factor, on a processor and on a device.
PRODUCTS, STEPS, VALUE, VALUE_ON_DEVICE = 60, 10, 100, 500


def held(kernel: Kernel, like: Array) -> Positive:
    """The matrix of a fitted kernel, for n x m outputs: all numbers where they fit and that is faster, else `Tiled`.

    Parameters
    ----------
    kernel : Kernel
        The fitted kernel.
    like : array of shape (n, m)
        The outputs.

    Returns
    -------
    Positive
        The matrix.
    """
    n = int(like.shape[0])
    if n > IN_ONE_PIECE and kernel.domain != "gram" and tiles_are_better(kernel, like):
        return Tiled(kernel, kernel.points_, like)
    check_room(
        PEAK * n * n,
        f"A kernel matrix of {n} x {n} numbers and its factor",
        "use a kernel with few features instead, kernel=kernels.Nystroem(kernels.Gaussian(), 1000) for instance",
    )
    if n > IN_ONE_PIECE and kernel.domain != "gram":
        return Dense(Tiled(kernel, kernel.points_, like).tiles.matrix())
    K = as_floats(kernel.gram(), like)
    if kernel.domain == "objects":
        check_gram(K, "The Gram matrix of the inputs")
    return Dense(K)


def tiles_are_better(kernel: Kernel, like: Array) -> bool:
    """Whether the matrix and its factor do not fit, or take more operations than products that make it each time."""
    n, m = map(int, like.shape)
    if 8.0 * PEAK * n * n > available(like):
        return True
    value: Any = VALUE_ON_DEVICE if is_foreign(like) else VALUE
    whole, made = n / 3.0 + 4.0 * STEPS * m, PRODUCTS * (value / 2.0 + 2.0 * m)
    return kernel.domain == "vectors" and whole > made
