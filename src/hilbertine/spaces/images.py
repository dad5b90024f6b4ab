"""Outputs as points of an RKHS, read once however often they are compared."""

from functools import cached_property
from typing import Any

from ..arrays import Array, as_floats, namespace, product
from ..kernels.representations import length_of, parts_of
from ..memory import rows_of


class Images:
    """phi(y) for outputs y, from what the kernel has read off them; `axes` and `span` are those of the space."""

    def __init__(self, kernel: Any, axes: Array, Y: Any, span: Array | None = None):
        self.kernel, self.axes, self.span = kernel, axes, span
        self.read = kernel.represent(Y)

    @cached_property
    def squares(self) -> Array:
        """|phi(y)|^2."""
        squares = self.kernel.squares(self.read)
        return namespace(squares).clip(squares, min=0.0)

    def inner(self, C: Array) -> Array:
        """<sum_j c_ij e_j, phi(y)>, in the cheaper order."""
        if C.shape[1] != self.axes.shape[1]:
            raise ValueError(f"The points have {C.shape[1]} coordinates, the space has {self.axes.shape[1]}.")
        axes, xp = as_floats(self.axes, C), namespace(C)
        if self.span is not None:
            T = product(as_floats(self.kernel.coordinates(self.read), C), as_floats(self.span, C))
            return product(C, xp.permute_dims(T, (1, 0)))
        points, outputs, (n, m) = int(C.shape[0]), length_of(self.read), axes.shape
        first = points * n * (m + outputs) < outputs * m * (n + points)
        weights = product(C, xp.permute_dims(axes, (1, 0))) if first else None
        parts = []
        for part in parts_of(self.read, rows_of(n, 0.5)):
            K = as_floats(self.kernel.between(part, self.kernel.points_), C)
            left, right = (C, product(K, axes)) if weights is None else (weights, K)
            parts.append(product(left, xp.permute_dims(right, (1, 0))))
        return xp.concat(parts, axis=1)
