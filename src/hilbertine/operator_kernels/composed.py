"""What is made of Gram operators: some of their rows, their weights, products and sums."""

from typing import Any

from ..arrays import Array, device_of, namespace
from .gram import Gram


class Weighted(Gram):
    """root * G (root * W)."""

    def __init__(self, gram: Gram, root: Any):
        super().__init__(gram.like, gram.shape)
        self.gram, self.root = gram, root if isinstance(root, float) else root[:, None]

    def __matmul__(self, W: Array) -> Array:
        return self.root * (self.gram @ (self.root * W))

    def diagonal(self) -> Array:
        return self.root**2 * self.gram.diagonal()


class Restricted(Gram):
    """Some rows of what an operator does to a matrix that is zero outside these rows."""

    def __init__(self, gram: Gram, rows: Array):
        super().__init__(gram.like, (int(rows.shape[0]), gram.shape[1]))
        self.gram, self.rows = gram, rows
        xp = namespace(gram.like)
        places = xp.arange(gram.shape[0], device=device_of(gram.like))
        # Where each row of the whole stands among the chosen ones: an index for each, and no n x n matrix.
        order = xp.argsort(rows)
        at = xp.clip(xp.searchsorted(xp.take(rows, order), places), max=rows.shape[0] - 1)
        self.source = xp.take(order, at)
        self.chosen = xp.astype(xp.take(rows, self.source) == places, gram.like.dtype)[:, None]

    def __matmul__(self, W: Array) -> Array:
        xp = namespace(W)
        return xp.take(self.gram @ (self.chosen * xp.take(W, self.source, axis=0)), self.rows, axis=0)

    def diagonal(self) -> Array:
        return namespace(self.like).take(self.gram.diagonal(), self.rows, axis=0)


class Multiplied(Gram):
    """The operators k_ij K(x_i, x_j): the map of K once for each row, because it need not be linear in rows alone."""

    def __init__(self, gram: Gram, k: Array):
        super().__init__(gram.like, gram.shape)
        self.gram, self.k = gram, k

    def __matmul__(self, W: Array) -> Array:
        xp = namespace(W)
        return xp.stack([(self.gram @ (self.k[i, :][:, None] * W))[i, :] for i in range(self.shape[0])])

    def diagonal(self) -> Array:
        return namespace(self.k).linalg.diagonal(self.k)[:, None] * self.gram.diagonal()


class Added(Gram):
    """The sum of two operators."""

    def __init__(self, left: Gram, right: Gram):
        super().__init__(left.like, left.shape)
        self.left, self.right = left, right

    def __matmul__(self, W: Array) -> Array:
        return (self.left @ W) + (self.right @ W)

    def diagonal(self) -> Array:
        return self.left.diagonal() + self.right.diagonal()
