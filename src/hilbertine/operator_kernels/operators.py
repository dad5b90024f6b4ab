"""Output operators A in the coordinates of the output space: positive semi-definite matrices S."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array, as_floats, eigh, namespace, product
from ..checks import check_symmetric, nonnegative
from ..doors import Doors
from ..site import Linked


class Operator(Doors, Linked, BaseEstimator):
    """S_jk = <e_j, A e_k>. Must implement `matrix`; `learned` says whether it depends on the training outputs."""

    DOORS: ClassVar = (
        "matrix",
        "first",
    )

    @property
    def learned(self) -> bool:
        return True

    def matrix(self, T: Array, space: Any = None) -> Array | None:
        """S, the matrix of A in the coordinates of the outputs.

        Parameters
        ----------
        T : array of shape (n, m)
            The training outputs in coordinates.
        space : Space, default=None
            Their fitted space, where it matters.

        Returns
        -------
        array of shape (m, m), or None
            S; None is the identity, which costs nothing.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement matrix(T).")


def _check_positive(S: Array, name: str, tolerance: float) -> None:
    values = eigh(S)[0]
    smallest, largest = float(values[0]), float(values[-1])
    if smallest < -tolerance * max(abs(smallest), abs(largest)):
        raise ValueError(
            f"{name} is not positive semi-definite (smallest eigenvalue {smallest:.3g}); "
            "an output operator must be: pass B @ B.T, for instance, or clip the negative eigenvalues."
        )


class Identity(Operator):
    """A y = y."""

    learned = False

    def matrix(self, T: Array, space: Any = None) -> None:
        return None


class Matrix(Operator):
    """A given in coordinates: S = A.

    Parameters
    ----------
    A : array-like of shape (m, m)
        Symmetric positive semi-definite, one row for each coordinate of the outputs.
    """

    learned = False

    def __init__(self, A: Any):
        self.A = A

    def matrix(self, T: Array, space: Any = None) -> Array:
        A = np.asarray(self.A, dtype=np.float64) if isinstance(self.A, list | tuple) else self.A
        S = as_floats(A, T)
        if S.ndim != 2 or S.shape[0] != T.shape[1] or S.shape[1] != T.shape[1]:
            raise ValueError(
                f"Matrix.A has shape {tuple(S.shape)}, but the outputs have {T.shape[1]} coordinates; "
                f"give a {T.shape[1]} x {T.shape[1]} matrix."
            )
        check_symmetric(S, "Matrix.A")
        _check_positive(S, "Matrix.A", 1e-10)
        return S


class Spectrum(Operator):
    """A e_j = lambda_j e_j, the e_j of the output space: S = diag(lambda_j), lambda_j >= 0.

    The components of vector-valued curves share the eigenvalue of their function.

    Parameters
    ----------
    values : array-like, callable or float, default=None
        One number for each function e_j, or more; a function of j = 1, 2, ..; or a number p for the law j^-p. None
        takes the eigenvalues of the basis of the output space, where it has some, else one for all.

    Examples
    --------
    >>> Spectrum(2.0).matrix(np.zeros((1, 3))).diagonal().round(3)
    array([1.   , 0.25 , 0.111])
    """

    learned = False

    def __init__(self, values: Any = None):
        self.values = values

    def matrix(self, T: Array, space: Any = None) -> Array | None:
        given = getattr(getattr(space, "basis_", None), "eigenvalues_", None) if self.values is None else self.values
        if given is None:
            return None
        components = getattr(space, "components_", 1)
        first = Spectrum(given).first(int(T.shape[1]) // components)
        return as_floats(np.diag(np.repeat(first, components)), T)

    def first(self, m: int) -> Array:
        """lambda_1, .., lambda_m.

        Parameters
        ----------
        m : int
            How many.

        Returns
        -------
        array of shape (m,)
            The numbers.
        """
        j = np.arange(1, m + 1)
        if callable(self.values):
            try:
                values = np.array([float(self.values(int(k))) for k in j])
            except TypeError as error:
                raise TypeError(f"Spectrum.values must be a function that returns numbers ({error}).") from error
        elif isinstance(self.values, Real):
            values = j ** -nonnegative(self.values, "Spectrum.values")
        else:
            try:
                values = np.asarray(self.values, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"Spectrum.values must be numbers, a function of j or a number, got {self.values!r} ({error})."
                ) from error
        if values.ndim != 1 or values.size < m:
            raise ValueError(f"Spectrum.values has shape {values.shape} for {m} coordinates; give {m} numbers or more.")
        if not np.all(np.isfinite(values)) or values.min() < 0 or values[:m].max() == 0:
            raise ValueError("Spectrum.values must be finite and >= 0, not all zero.")
        return values[:m]


class Covariance(Operator):
    """A = sum_i mu_i y_i (x) y_i over the training outputs: S = T^T diag(mu) T.

    Parameters
    ----------
    weights : array-like of shape (n,), default=None
        mu, >= 0; None is one for all.
    """

    def __init__(self, weights: Any = None):
        self.weights = weights

    def matrix(self, T: Array, space: Any = None) -> Array:
        Tt = namespace(T).permute_dims(T, (1, 0))
        _check_finite(T)
        if self.weights is None:
            return product(Tt, T)
        mu = _check_weights(self.weights, (int(T.shape[0]),), T, "Covariance.weights")
        return product(Tt, mu[:, None] * T)


class PairCovariance(Operator):
    """A = sum_ij mu_ij (y_i + y_j) (x) (y_i + y_j): S = T^T (D + mu + mu^T) T.

    D is diagonal, with the row and column sums of mu.

    Parameters
    ----------
    weights : array-like of shape (n, n), default=None
        mu, >= 0; None is one for all.
    """

    def __init__(self, weights: Any = None):
        self.weights = weights

    def matrix(self, T: Array, space: Any = None) -> Array:
        xp = namespace(T)
        _check_finite(T)
        n = int(T.shape[0])
        weights = np.ones((n, n)) if self.weights is None else self.weights
        mu = _check_weights(weights, (n, n), T, "PairCovariance.weights")
        both = mu + xp.permute_dims(mu, (1, 0))
        return product(xp.permute_dims(T, (1, 0)), product(both, T) + xp.sum(both, axis=1)[:, None] * T)


def _check_finite(T: Array) -> None:
    if not bool(namespace(T).all(namespace(T).isfinite(T))):
        raise ValueError("An operator learned from outputs needs all of them; T contains NaN or infinity.")


def _check_weights(weights: Any, shape: tuple[int, ...], T: Array, name: str) -> Array:
    try:
        mu = as_floats(weights, T)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers ({error}).") from error
    if not bool(namespace(T).all(namespace(T).isfinite(mu))):
        raise ValueError(f"{name} contains NaN or infinity.")
    if tuple(mu.shape) != shape:
        raise ValueError(f"{name} has shape {tuple(mu.shape)}; give one weight for each, shape {shape}.")
    if not bool(namespace(T).all(mu >= 0)):
        raise ValueError(f"{name} must be >= 0, or the operator is not positive semi-definite.")
    return mu


class FromGram(Operator):
    """A known by gram_ij = <y_i, A y_j> on the training outputs: S = T^+ gram T^+^T.

    What rounding leaves below zero in S is clipped.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        The numbers <y_i, A y_j>.
    cutoff : float, default=1e-5
        Singular values of T below this times the largest are dropped: the error grows as one over the smallest.
    """

    def __init__(self, gram: Any, cutoff: float = 1e-5):
        self.gram = gram
        self.cutoff = cutoff

    def matrix(self, T: Array, space: Any = None) -> Array:
        gram = as_floats(self.gram, T)
        n = T.shape[0]
        if tuple(gram.shape) != (n, n):
            raise ValueError(
                f"FromGram.gram has shape {tuple(gram.shape)} for {n} training outputs; give the {n} x {n} matrix "
                "of <y_i, A y_j> on exactly these outputs."
            )
        check_symmetric(gram, "FromGram.gram")
        inverse = namespace(T).linalg.pinv(T, rtol=self.cutoff)
        S = product(product(inverse, gram), namespace(T).permute_dims(inverse, (1, 0)))
        S = (S + namespace(T).permute_dims(S, (1, 0))) / 2.0
        _check_positive(S, "FromGram.gram", 1e-6)
        values, U = eigh(S)
        return product(U * namespace(T).clip(values, min=0.0)[None, :], namespace(T).permute_dims(U, (1, 0)))
