"""Gram operators that are not sums of separable terms: known by what they do to a matrix."""

from ..arrays import Array, device_of, eigh, inner, namespace, product
from .base import Gram

# Diagonal blocks cost one application for each coordinate: beyond this many the norm of the whole bounds them.
FEW = 4096


class MappedGram(Gram):
    """W -> any linear map that is symmetric and positive among the same points.

    Must implement `@` and `largest_possible`. `like` is an array of its library and device, `size` the number of rows
    of the matrices it acts on.
    """

    def __init__(self, like: Array, size: int):
        super().__init__(())
        self.like = like
        self.size = size

    @property
    def _like(self) -> Array:
        return self.like

    def __matmul__(self, W: Array) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must implement gram @ W.")

    def restricted(self, rows: Array, columns: Array | None = None) -> Gram:
        return Restricted(self, rows, rows if columns is None else columns)

    def times(self, k: Array) -> Gram:
        return Multiplied(self, k)

    def plus(self, other: Gram) -> Gram:
        return Added(self, other)

    def unit(self, i: int, j: int, shape: tuple[int, int]) -> Array:
        """The matrix with a one at (i, j)."""
        xp = namespace(self.like)
        rows, columns = (xp.arange(size, device=device_of(self.like)) for size in shape)
        return xp.astype((rows[:, None] == i) & (columns[None, :] == j), self.like.dtype)

    def blocks(self, shape: tuple[int, int]) -> list[Array]:
        """The operators K(x_i, x_i), by one application for each coordinate of each point."""
        xp = namespace(self.like)
        n, m = shape
        return [xp.stack([(self @ self.unit(i, j, shape))[i, :] for j in range(m)], axis=1) for i in range(n)]

    @property
    def largest_possible(self) -> float:
        raise NotImplementedError(f"{type(self).__name__} must implement largest_possible, a bound of its eigenvalues.")

    def mean_diagonal(self, shape: tuple[int, int]) -> float:
        return self.largest_possible / (shape[0] * shape[1])

    def operator_norm(self, shape: tuple[int, int]) -> float:
        if shape[0] * shape[1] > FEW:
            # A diagonal block is a compression of the whole operator: an upper bound.
            return self.norm(shape)
        return max(float(eigh(block)[0][-1]) for block in self.blocks(shape))


class Restricted(MappedGram):
    """Some rows of what a Gram operator does to a matrix that is zero outside some columns."""

    def __init__(self, gram: MappedGram, rows: Array, columns: Array):
        super().__init__(gram.like, int(columns.shape[0]))
        self.gram, self.rows = gram, rows
        xp = namespace(gram.like)
        places = xp.arange(gram.size, device=device_of(gram.like))
        self.scatter = xp.astype(places[:, None] == columns[None, :], gram.like.dtype)

    def __matmul__(self, W: Array) -> Array:
        return namespace(W).take(self.gram @ product(self.scatter, W), self.rows, axis=0)

    @property
    def largest_possible(self) -> float:
        return self.gram.largest_possible


class Multiplied(MappedGram):
    """k_ij K(x_i, z_j): row i is what the operator does to W with its rows weighted by k_i, one row at a time."""

    def __init__(self, gram: MappedGram, k: Array):
        super().__init__(gram.like, gram.size)
        self.gram, self.k = gram, k

    def __matmul__(self, W: Array) -> Array:
        if tuple(self.k.shape) == (1, 1):
            return self.k * (self.gram @ W)
        xp = namespace(W)
        return xp.stack([(self.gram @ (self.k[i, :][:, None] * W))[i, :] for i in range(int(self.k.shape[0]))])

    @property
    def largest_possible(self) -> float:
        xp = namespace(self.k)
        # The largest entry of a positive matrix lies on its diagonal.
        return self.gram.largest_possible * float(xp.max(xp.abs(self.k)))


class Added(MappedGram):
    """The sum of two Gram operators."""

    def __init__(self, left: MappedGram, right: Gram):
        super().__init__(left.like, left.size)
        self.left, self.right = left, right

    def __matmul__(self, W: Array) -> Array:
        return (self.left @ W) + (self.right @ W)

    @property
    def largest_possible(self) -> float:
        return self.left.largest_possible + self.right.largest_possible


class DenseGram(MappedGram):
    """The operators as one matrix of blocks, (q, m, n, m)."""

    def __init__(self, operators: Array):
        super().__init__(operators, int(operators.shape[2]))

    def __matmul__(self, W: Array) -> Array:
        xp = namespace(W)
        q, m, n, _ = self.like.shape
        flat = product(xp.reshape(self.like, (q * m, n * m)), xp.reshape(W, (n * m, 1)))
        return xp.reshape(flat, (q, m))

    def times(self, k: Array) -> Gram:
        return DenseGram(self.like * k[:, None, :, None])

    @property
    def largest_possible(self) -> float:
        xp = namespace(self.like)
        q, m, n, _ = self.like.shape
        return float(xp.sum(xp.linalg.diagonal(xp.reshape(self.like, (q * m, n * m)))))


class FeatureGram(MappedGram):
    """sum_d F_d(x) F_d(z) A_d for features F (q x D) of the inputs and operators A (D, m, m)."""

    def __init__(self, left: Array, right: Array, operators: Array):
        super().__init__(left, int(right.shape[0]))
        self.left, self.right, self.operators = left, right, operators

    def __matmul__(self, W: Array) -> Array:
        xp = namespace(W)
        U = product(xp.permute_dims(self.right, (1, 0)), W)
        return product(self.left, xp.matmul(U[:, None, :], self.operators)[:, 0, :])

    @property
    def largest_possible(self) -> float:
        xp = namespace(self.left)
        traces = xp.sum(xp.linalg.diagonal(self.operators), axis=-1)
        return float(xp.sum(inner(xp.permute_dims(self.left, (1, 0)), xp.permute_dims(self.right, (1, 0))) * traces))
