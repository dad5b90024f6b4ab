"""
My own operator-valued kernel
=============================

Outputs that turn with the inputs, in one class and its Gram operator. What each method is for:
:doc:`/add_an_operator_valued_kernel`.
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from hilbertine import HuberRegressor, kernels
from hilbertine.arrays import Array, as_floats, namespace, product
from hilbertine.kernels.base import Domain
from hilbertine.operator_kernels import Gram, OperatorValuedKernel
from hilbertine.plotting import figure


class MovingFrame(OperatorValuedKernel):
    """K(x, z) = k(x, z) F(x) F(z)^T, F(x) an m x r matrix: in general no finite sum of separable kernels.

    `frames(X)` takes the inputs and returns the matrices F(x_i) as an array (n, m, r), for outputs of m coordinates.
    Where all F(x) are orthogonal this is k times the identity on outputs seen in their own frames, F(x_i)^T y_i.
    """

    def __init__(self, frames: Callable[[Any], Any], scalar: Any = None):
        self.frames = frames
        self.scalar = scalar

    @property
    def domain(self) -> Domain:
        return kernels.as_kernel(kernels.Gaussian() if self.scalar is None else self.scalar).domain

    @property
    def learned(self) -> bool:
        # The operators do not depend on the training outputs.
        return False

    def fit(self, X: Any, T: Array, space: Any = None) -> Self:
        scalar = kernels.Gaussian() if self.scalar is None else clone(self.scalar, safe=False)
        self.scalar_ = kernels.as_kernel(scalar).fit(X)
        self.like_, self.frames_ = T, self._frames(X, T)
        return self

    def gram(self) -> Gram:
        return FrameGram(as_floats(self.scalar_.gram(), self.like_), self.frames_)

    def cross(self, X: Any) -> "Turned":
        return Turned(as_floats(self.scalar_.cross(X), self.like_), self._frames(X, self.like_))

    def condense(self, W: Array) -> Array:
        return into(self.frames_, W)

    def _frames(self, X: Any, T: Array) -> Array:
        F = as_floats(self.frames(X), T)
        if F.ndim != 3 or F.shape[1] != T.shape[1]:
            raise ValueError(
                f"MovingFrame.frames returned shape {tuple(F.shape)} for outputs of {T.shape[1]} coordinates; it must "
                f"return one matrix of {T.shape[1]} rows for each input."
            )
        return F


def into(F: Array, W: Array) -> Array:
    """F(x_i)^T w_i."""
    return namespace(W).matmul(W[:, None, :], F)[:, 0, :]


class Turned(NamedTuple):
    """C -> row i: F(x_i) sum_j k(x_i, x_j) c_j: one product, then out of the frames."""

    K: Array
    F: Array

    def __matmul__(self, C: Array) -> Array:
        return namespace(C).matmul(self.F, product(self.K, C)[:, :, None])[:, :, 0]


class FrameGram(Gram):
    """W -> row i: F(x_i) sum_j k(x_i, x_j) F(x_j)^T w_j: into the frames, one product, out of the frames."""

    def __init__(self, K: Array, F: Array):
        super().__init__(K, (int(F.shape[0]), int(F.shape[1])))
        self.K, self.F = K, F

    def __matmul__(self, W: Array) -> Array:
        return Turned(self.K, self.F) @ into(self.F, W)

    def diagonal(self) -> Array:
        xp = namespace(self.K)
        return xp.linalg.diagonal(self.K)[:, None] * xp.sum(self.F * self.F, axis=2)


# %%
# The wind of a storm is simple in the frames of its eye, and is not along fixed axes. Four of the forty records are
# reversed and doubled.


def polar(X: Any) -> Any:
    """The radial and the tangential direction at points of the plane, as the columns of an orthogonal matrix."""
    c, s = (X / np.linalg.norm(X, axis=1, keepdims=True)).T
    return np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)


def wind(X: Any) -> Any:
    """A storm: at radius r it blows inwards with strength 0.3 and around with strength exp(-r^2)."""
    r = np.linalg.norm(X, axis=1)
    return np.einsum("nij,nj->ni", polar(X), np.stack([-0.3 + 0.0 * r, np.exp(-r * r)], axis=1))


def main(path: str | None = None) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X, new = rng.uniform(-1.5, 1.5, (40, 2)), rng.uniform(-1.5, 1.5, (400, 2))
    Y = wind(X) + 0.05 * rng.standard_normal((40, 2))
    Y[::10] *= -2.0
    # A centre of the outputs would be another one in each frame.
    k, settings = kernels.Gaussian(gamma=0.5), {"kappa": 0.2, "lam": 1e-3, "tol": 1e-10, "centre": None}
    turning = HuberRegressor(kernel=MovingFrame(polar, k), **settings).fit(X, Y)
    fixed = HuberRegressor(kernel=k, **settings).fit(X, Y)

    # The same model by hand: turn the outputs into their frames, fit, and turn the predictions back.
    seen = np.einsum("nij,ni->nj", polar(X), Y)
    by_hand = HuberRegressor(kernel=k, **settings).fit(X, seen).predict(new)
    by_hand = np.einsum("nij,nj->ni", polar(new), by_hand)
    errors = {
        name: float(np.sqrt(np.mean((model.predict(new) - wind(new)) ** 2)))
        for name, model in (("fixed axes", fixed), ("moving frame", turning))
    }
    if path:
        fig, axes = figure(1, 3, width=9, height=3.2)
        for ax, (name, U) in zip(
            axes,
            {"records": Y, "fixed axes": fixed.predict(new), "moving frame": turning.predict(new)}.items(),
            strict=True,
        ):
            at = X if name == "records" else new
            ax.quiver(*at.T, *U.T, scale=18, width=0.005, color=["C3"] + ["C0"] * 9 if name == "records" else "C0")
            ax.set(title=name, xticks=[], yticks=[], aspect="equal")
        fig.savefig(path)
    found = turning.suspects()
    return {
        "errors": errors,
        "gap": turning.dual_gap_,
        "suspects": np.sort(found.samples[found.flagged]),
        "difference": float(np.max(np.abs(turning.predict(new) - by_hand))),
    }


# %%

if __name__ == "__main__":
    result = main(sys.argv[1] if len(sys.argv) > 1 else "add_an_operator_valued_kernel.png")
    print("error of the wind at new points:", {k: round(v, 3) for k, v in result["errors"].items()})
    print(f"relative duality gap: {result['gap']:.1e}; suspects: {result['suspects'].tolist()}")
    print(f"largest difference from the model fitted in the frames by hand: {result['difference']:.1e}")
