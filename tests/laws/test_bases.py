"""Every basis is orthonormal in every quadrature, the same on every grid, and nested where it grows."""

import numpy as np
import pytest
from sklearn.base import clone

from examples import BASES
from hilbertine import kernels
from hilbertine.spaces import (
    L2,
    BrownianEigenfunctions,
    BSpline,
    Cosine,
    Eigenfunctions,
    ExponentialEigenfunctions,
    Fourier,
    Legendre,
    Points,
    PrincipalComponents,
    Wavelet,
)

rng = np.random.default_rng(0)
EVEN = np.linspace(-1.0, 2.0, 61)
UNEVEN = np.sort(np.concatenate([[0.0, 1.0], rng.uniform(0, 1, 60)]))
every_basis = pytest.mark.parametrize("basis", BASES, ids=repr)
every_rule = pytest.mark.parametrize("rule", ["trapezoid", "mean", "simpson", "weights"])


def curves(grid, n=12):
    return np.sin(rng.uniform(1, 6, (n, 1)) * grid) + rng.standard_normal((n, 1)) * grid**2


def space(basis, grid, rule):
    rule = np.linspace(0.0, 2.0, grid.size) if rule == "weights" else rule
    return L2(grid, clone(basis), rule).fit(curves(grid))


@every_basis
@every_rule
@pytest.mark.parametrize("grid", [EVEN, UNEVEN], ids=["even", "uneven"])
def test_orthonormal_in_the_quadrature(basis, rule, grid):
    if rule == "simpson" and grid is UNEVEN:
        rule = "trapezoid"
    fitted = space(basis, grid, rule)
    E = fitted.functions_
    assert np.allclose(E.T @ (fitted.weights_[:, None] * E), np.eye(E.shape[1]), atol=1e-10)


@every_basis
@every_rule
def test_values_elsewhere_agree_with_those_on_the_grid(basis, rule):
    fitted = space(basis, EVEN, rule)
    at = np.array([0, 7, 30, 60]) if rule != "weights" or not isinstance(basis, Points) else np.array([7, 30, 60])
    assert np.allclose(fitted.functions(EVEN[at]), fitted.functions_[at], atol=1e-9)


@every_basis
def test_curves_of_the_span_survive_encoding_and_decoding(basis):
    fitted = space(basis, EVEN, "trapezoid")
    C = rng.standard_normal((3, fitted.functions_.shape[1]))
    assert np.allclose(fitted.encode(fitted.decode(C)), C, atol=1e-10)
    assert np.allclose(fitted.norms(fitted.decode(C)), np.linalg.norm(C, axis=1))


@pytest.mark.parametrize(
    "family",
    [Fourier, Cosine, Legendre, Wavelet, PrincipalComponents, BrownianEigenfunctions, ExponentialEigenfunctions],
)
def test_families_are_nested(family):
    Y = curves(EVEN)
    small, large = (L2(EVEN, family(n), "mean").fit(Y).functions_ for n in (3, 6))
    assert np.allclose(large[:, :3], small, atol=1e-9)


@pytest.mark.parametrize(
    ("closed", "kernel"),
    [
        (BrownianEigenfunctions(5), lambda s, t: np.minimum(s + 1, t.T + 1)),
        (ExponentialEigenfunctions(5, gamma=2.0), kernels.Laplacian(2.0)),
    ],
    ids=["Brownian", "exponential"],
)
@pytest.mark.parametrize("rule", ["trapezoid", "mean"])
def test_eigenpairs_converge_to_the_closed_forms(closed, kernel, rule):
    """Nystrom's error falls as h^2 for the trapezoid rule, as h for the mean over the grid."""
    errors = []
    for points in (51, 101, 201, 401):
        grid = np.linspace(-1.0, 2.0, points)
        exact, numerical = (L2(grid, basis, rule).fit(curves(grid)) for basis in (closed, Eigenfunctions(5, kernel)))
        signs = np.sign(np.sum(exact.functions_ * numerical.functions_, axis=0))
        values = np.abs(exact.basis_.eigenvalues_ - numerical.basis_.eigenvalues_).max()
        errors.append([values, np.abs(exact.functions_ - signs * numerical.functions_).max() + 1e-16])
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(errors[-1] < np.array([2e-4, 2e-3]) * (1 if rule == "trapezoid" else 40))
    assert np.all(order[:, 0] > (1.8 if rule == "trapezoid" else 0.9))


def test_legendre_is_the_polynomials_and_splines_hold_them():
    line = 3.0 * EVEN - 1.0
    for basis in (Legendre(2), BSpline(6)):
        fitted = L2(EVEN, basis).fit(curves(EVEN))
        assert np.allclose(fitted.decode(fitted.encode(line[None, :])), line)


def test_a_period_beyond_the_interval():
    """Days 1 to 365 of a year: the interval is one day shorter than the period."""
    days = np.arange(1.0, 366.0)
    year = np.cos(2 * np.pi * days / 365)[None, :]
    leftover = [
        float(np.abs(each.decode(each.encode(year)) - year).max())
        for each in (L2(days, Fourier(3, period)).fit(year) for period in (365, None))
    ]
    assert leftover[0] < 1e-12 < 1e-3 < leftover[1]
    with pytest.raises(ValueError, match=r"Fourier.period"):
        L2(days, Fourier(3, period=0)).fit(year)


def test_principal_components_leave_least_out():
    Y = curves(EVEN)
    best = L2(EVEN, PrincipalComponents(3)).fit(Y)
    for other in (Fourier(3), Legendre(3), Cosine(3)):
        kept = np.sum(L2(EVEN, other).fit(Y).encode(Y) ** 2)
        assert np.sum(best.encode(Y) ** 2) > kept
    assert np.allclose(best.basis_.second_moments_, np.mean(best.encode(Y) ** 2, axis=0))
