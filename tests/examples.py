"""One instance, or several, of every public class: what the laws run over.

A class that can be made without arguments enrols itself; the others are listed here, and a public class that
is neither fails `test_every_class_is_enrolled`.
"""

import inspect

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import StandardScaler

from hilbertine import kernels, losses, operator_kernels, solvers, spaces
from hilbertine.arrays import to_numpy
from hilbertine.dual import Dual
from hilbertine.risk import Risk

rng = np.random.default_rng(0)
B = rng.standard_normal((3, 3))
POINTS = np.concatenate([rng.standard_normal((9, 4)), np.zeros((1, 4))])
POINTS = np.concatenate([POINTS, POINTS[:2]])


def family(i, j=0):
    """A few kernels for samples or pairs."""
    return FAMILY[(i + 2 * j) % 3]


def three(S, A, B):
    """k(s, a, b), of no particular symmetry."""
    S, A, B = (to_numpy(points) for points in (S, A, B))
    return np.exp(-0.1 * np.sum((S[:, None, :] - A[None]) ** 2, axis=2)) + np.cos(S[:, :1] - B[None, :, 0])


def rotating(x, z):
    """An operator-valued kernel that is not separable: R(x) R(z)^T times a Gaussian."""
    x, z = to_numpy(x), to_numpy(z)
    a, b = np.array([1.0, np.tanh(x[0]), 0.5]), np.array([1.0, np.tanh(z[0]), 0.5])
    return np.exp(-0.5 * np.sum((x - z) ** 2)) * np.outer(a, b)


FAMILY = [kernels.Gaussian(0.5), kernels.Linear(), kernels.Laplacian(0.3)]

NEEDS_ARGUMENTS = {
    losses.InfConv: [
        losses.InfConv(losses.Huber(2.0), losses.Ball(0.5)),
        losses.InfConv(losses.Norm(2.0), losses.Square()),
        losses.InfConv(losses.Power(3.0, 2.0), losses.Huber(1.5)),
        losses.InfConv(losses.ExpNorm(0.5), losses.LogNorm(2.0)),
    ],
    losses.MoreauEnvelope: [
        losses.MoreauEnvelope(losses.Norm(0.5), 2.0),
        losses.MoreauEnvelope(losses.ExpNorm(), 0.5),
    ],
    losses.PaschHausdorff: [
        losses.PaschHausdorff(losses.Square(), 0.5),
        losses.PaschHausdorff(losses.Power(1.5), 0.7),
    ],
    losses.EpsilonInsensitive: [
        losses.EpsilonInsensitive(losses.Huber(1.5), 0.3),
        losses.EpsilonInsensitive(losses.Power(4.0), 0.3),
        losses.EpsilonInsensitive(losses.LogNorm(), 0.3),
    ],
    losses.Cells: [
        losses.Cells(losses.Huber(0.7)),
        losses.Cells(losses.EpsilonSquare(0.3)),
        losses.Cells(losses.Power(3.0)),
    ],
    losses.Power: [losses.Power(), losses.Power(1.05, 2.0), losses.Power(2.0), losses.Power(5.0, 0.3)],
    losses.Margin: [losses.Margin(losses.SquaredMaxMargin())],
    kernels.Sum: [kernels.Sum(kernels.Gaussian(0.5), kernels.Constant(2.0))],
    kernels.Product: [
        kernels.Product(kernels.Linear(), kernels.Laplacian(0.3)),
        kernels.Product(kernels.Linear(), kernels.Linear()),
    ],
    kernels.Scaled: [kernels.Scaled(3.0, kernels.Polynomial(2))],
    kernels.FromCallable: [kernels.FromCallable(lambda X, Z: np.minimum(np.abs(X).sum(1)[:, None], np.abs(Z).sum(1)))],
    kernels.Matern: [kernels.Matern(0.5), kernels.Matern(), kernels.Matern(2.5, "2 median")],
    kernels.Nystroem: [
        kernels.Nystroem(n_components=5),
        kernels.Nystroem(kernels.Polynomial(2), 6, "uniform"),
        kernels.Nystroem(kernels.Centred(kernels.Laplacian(0.3))),
    ],
    kernels.RandomFourier: [
        kernels.RandomFourier(n_components=10),
        kernels.RandomFourier(kernels.Laplacian(0.5), 6, random_state=1),
    ],
    kernels.Normalised: [kernels.Normalised(kernels.Polynomial(2)), kernels.Normalised(kernels.Linear())],
    kernels.Centred: [kernels.Centred(kernels.Gaussian(0.5)), kernels.Centred(kernels.Linear())],
    kernels.Features: [kernels.Features(StandardScaler(), kernels.Gaussian())],
    kernels.Precomputed: [kernels.Precomputed(POINTS @ POINTS.T)],
    operator_kernels.Matrix: [operator_kernels.Matrix(B @ B.T)],
    operator_kernels.FromGram: [],
    operator_kernels.WeightedSum: [
        operator_kernels.WeightedSum(kernels.Gaussian(0.5) + kernels.Linear()),
        operator_kernels.WeightedSum(
            kernels.Gaussian(0.5) + kernels.Constant() + kernels.Laplacian(),
            [2.0, 0.0, 1.0],
            operator_kernels.Covariance(),
        ),
    ],
    operator_kernels.Spectrum: [operator_kernels.Spectrum(2.0)],
    spaces.Eigenfunctions: [spaces.Eigenfunctions(5, kernels.Laplacian(3.0))],
    spaces.Wavelet: [spaces.Wavelet(), spaces.Wavelet(7, "db4")],
    # Weights of one: the inner product of the laws.
    spaces.L2: [spaces.L2(quadrature=np.ones(4)), spaces.L2(quadrature=np.ones(4), basis=spaces.Legendre(4))],
    operator_kernels.AlignedFamily: [operator_kernels.AlignedFamily(family)],
    operator_kernels.PairAlignedFamily: [operator_kernels.PairAlignedFamily(family)],
    operator_kernels.PairAlignedAnchored: [operator_kernels.PairAlignedAnchored(three)],
    operator_kernels.Tensor: [operator_kernels.Tensor(rotating)],
    operator_kernels.RandomFourier: [
        operator_kernels.RandomFourier(n_terms=20),
        operator_kernels.RandomFourier(lambda w: np.outer(B[0], B[0]) * w[0] ** 2, n_terms=20),
    ],
    operator_kernels.Product: [
        kernels.Gaussian(0.5) * operator_kernels.Separable(kernels.Linear(), operator_kernels.Covariance()),
        kernels.Laplacian(0.5) * operator_kernels.AlignedAnchored(),
    ],
    operator_kernels.Scaled: [2.0 * operator_kernels.Separable(), 0.5 * operator_kernels.AlignedAnchored()],
    operator_kernels.Sum: [
        operator_kernels.Sum(
            operator_kernels.Separable(kernels.Gaussian(0.5), operator_kernels.Matrix(B @ B.T)),
            operator_kernels.Separable(kernels.Linear(), operator_kernels.Covariance()),
        ),
        operator_kernels.Separable() + operator_kernels.AlignedAnchored(kernels.Linear()),
    ],
    operator_kernels.Separable: [
        operator_kernels.Separable(kernels.Gaussian(0.5)),
        operator_kernels.Separable(kernels.Linear(), operator_kernels.Matrix(B @ B.T)),
        operator_kernels.Separable(kernels.Gaussian(0.5), operator_kernels.Covariance()),
        operator_kernels.Separable(kernels.Gaussian(0.5), operator_kernels.Spectrum(2.0)),
    ],
}
# Base classes are what a user subclasses, and PrecomputedRows takes Gram matrices for inputs.
ABSTRACT = {
    losses.Loss, losses.Radial, losses.Coefficients, losses.ScalarFunction, kernels.Kernel, kernels.PrecomputedRows,
    spaces.Space, spaces.Decoder, spaces.Basis, operator_kernels.OperatorValuedKernel, operator_kernels.Operator,
    solvers.Solver,
}  # fmt: skip


def examples(module, base):
    """Instances of every public class of the module that derives from the base."""
    found = []
    for name in module.__all__:
        cls = getattr(module, name)
        if inspect.isclass(cls) and issubclass(cls, base) and cls not in ABSTRACT:
            found += NEEDS_ARGUMENTS[cls] if cls in NEEDS_ARGUMENTS else [cls()]
    return found


def public_components():
    modules = (kernels, losses, spaces, operator_kernels, solvers)
    classes = [getattr(module, name) for module in modules for name in module.__all__]
    return [cls for cls in classes if inspect.isclass(cls) and issubclass(cls, BaseEstimator) and cls not in ABSTRACT]


LOSSES = examples(losses, losses.Loss)
TRAINABLE = [loss for loss in LOSSES if not isinstance(loss, losses.Ball)]
# Those that know the outputs by inner products alone: Assumption 2.
INVARIANT = [loss for loss in LOSSES if not loss.entrywise]
KERNELS = examples(kernels, kernels.Kernel)
SPACES = examples(spaces, spaces.Space)
BASES = examples(spaces, spaces.Basis)
OPERATOR_KERNELS = examples(operator_kernels, operator_kernels.OperatorValuedKernel)
SOLVERS = examples(solvers, solvers.Solver)


def dual_of(K, loss, T, lam, S=None, **rows):
    """The problem of a Gram matrix by its numbers, times an operator S, or of a Gram operator."""
    gram = K if isinstance(K, operator_kernels.Gram) else operator_kernels.Kronecker.dense(K, T.shape[1], S)
    return Dual(gram, Risk(loss, T, **rows), lam)


def applied(kernel, inputs, X, T, W):
    """sum_j K(s, x_j) w_j at these inputs, of a copy of the kernel fitted to X and T."""
    fitted = clone(kernel, safe=False).fit(X, T)
    return operator_kernels.apply(fitted.cross(inputs), fitted.condense(W))


def scaled(loss, scale):
    """The same loss with every number that is a scale multiplied, for laws that run over scales."""
    parameters = {}
    for name, value in loss.get_params(deep=False).items():
        if isinstance(value, losses.Loss):
            value = scaled(value, scale)
        parameters[name] = value * scale if isinstance(value, float) and name != "eta" else value
    return type(loss)(**parameters)
