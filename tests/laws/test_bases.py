"""Every basis is orthonormal in every quadrature, the same on every grid, and nested where it grows."""

import tracemalloc

import numpy as np
import pytest
from scipy.integrate import simpson, trapezoid
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
from hilbertine.spaces.quadrature import observed_weights, quadrature_weights

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
def test_gram_and_schmidt_keep_the_signs(basis):
    fitted = space(basis, EVEN, "trapezoid")
    assert np.all(np.sum(fitted.weights_[:, None] * fitted.functions_ * fitted.basis_(EVEN), axis=0) > 0)


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


def test_components_of_vector_valued_curves_share_their_principal_components():
    Y = np.stack([curves(EVEN), 5.0 * curves(EVEN)], axis=2)
    together = L2(EVEN, PrincipalComponents(3)).fit(Y)
    apart = L2(EVEN, PrincipalComponents(3)).fit(np.concatenate([Y[:, :, 0], Y[:, :, 1]]))
    assert np.allclose(np.abs(np.sum(together.functions_ * apart.functions_ * apart.weights_[:, None], axis=0)), 1.0)
    assert np.allclose(together.basis_.second_moments_, apart.basis_.second_moments_)


FINE = np.linspace(0.0, 1.0, 101)


@pytest.mark.parametrize(
    "basis",
    [
        Legendre(60),
        Legendre(65),
        BSpline(101),
        Wavelet(64),
        Wavelet(90, "sym5"),
        Cosine(101),
        Eigenfunctions(12, kernels.Gaussian(5.0)),
    ],
    ids=repr,
)
def test_large_families_are_orthonormal_too(basis):
    if getattr(basis, "name", "haar") != "haar":
        pytest.importorskip("pywt")
    fitted = L2(FINE, basis).fit(curves(FINE))
    E = fitted.functions_
    assert np.abs(E.T @ (fitted.weights_[:, None] * E) - np.eye(E.shape[1])).max() < 1e-12


@pytest.mark.parametrize("basis", [*map(Legendre, (70, 80, 90, 95, 101)), Cosine(102), Fourier(101)], ids=repr)
def test_families_that_are_barely_independent_are_refused(basis):
    with pytest.raises(ValueError, match=f"The {basis.n} functions .* or only barely; ask for fewer"):
        L2(FINE, basis).fit(curves(FINE))


def test_points_without_weight_do_not_make_functions_independent():
    weights = np.zeros(101)
    weights[::20] = 1.0
    assert L2(FINE, Cosine(6), weights).fit(curves(FINE)).functions_.shape == (101, 6)
    with pytest.raises(ValueError, match=r"The 7 functions .* ask for fewer"):
        L2(FINE, Cosine(7), weights).fit(curves(FINE))


def test_haar_keeps_the_last_point_in_the_last_cell():
    grid = np.linspace(0.0, 1.0, 65)
    step = (grid >= 0.5).astype(float)[None, :]
    fitted = L2(grid, Wavelet(8)).fit(step)
    assert np.allclose(fitted.decode(fitted.encode(step)), step)
    cells = np.repeat(rng.standard_normal((1, 8)), 8, axis=1)
    cells = np.append(cells, cells[:, -1:], axis=1)
    assert np.allclose(fitted.decode(fitted.encode(cells)), cells)


@every_basis
def test_points_beyond_the_ends_by_rounding_are_the_ends(basis):
    fitted = space(basis, EVEN, "trapezoid")
    ends = np.array([-1.0 - 1e-10, 2.0 + 1e-10])
    assert np.array_equal(fitted.functions(ends), fitted.functions(EVEN[[0, -1]]))
    with pytest.raises(ValueError, match=r"leave the interval \[-1, 2\]"):
        fitted.functions([0.0, 2.001])


@pytest.mark.parametrize("grid", [EVEN, UNEVEN, np.array([0.0, 3.0]), np.linspace(0, 1, 600)], ids=len)
def test_weights_are_those_of_scipy(grid):
    assert np.allclose(quadrature_weights(grid, "trapezoid"), trapezoid(np.eye(grid.size), x=grid), atol=1e-15)
    if grid is not UNEVEN:
        assert np.array_equal(quadrature_weights(grid, "simpson"), simpson(np.eye(grid.size), x=grid))


@pytest.mark.parametrize("rule", ["trapezoid", "simpson"])
def test_memory_of_the_weights_is_linear_in_the_points(rule):
    tracemalloc.start()
    quadrature_weights(np.linspace(0.0, 1.0, 3001), rule)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Half a matrix of 3001 x 3001 numbers.
    assert peak < 36e6


def test_given_weights_of_a_curve_are_those_of_the_points_where_it_was_seen():
    weights = np.linspace(1.0, 5.0, 61)
    seen = np.flatnonzero(rng.uniform(size=61) < 0.6)
    expected = weights[seen] * weights.sum() / weights[seen].sum()
    assert np.allclose(observed_weights(EVEN[seen], EVEN, weights, weights), expected)
    for times in (np.nextafter(EVEN[seen], 9.0), EVEN[seen].astype(np.float32).astype(float)):
        assert np.allclose(observed_weights(times, EVEN, weights, weights), expected)
    elsewhere = EVEN[:-1] + 0.02
    rule = quadrature_weights(elsewhere, "trapezoid")
    assert np.allclose(observed_weights(elsewhere, EVEN, weights, weights), rule * weights.sum() / rule.sum())


def test_curves_seen_at_the_same_points_are_solved_together(monkeypatch):
    solves = []
    solve = np.linalg.lstsq
    monkeypatch.setattr(np.linalg, "lstsq", lambda *given, **settings: solves.append(1) or solve(*given, **settings))
    Y = curves(EVEN)
    for basis in (Cosine(9), Points()):
        fitted = L2(basis=basis).fit(frame(Y, EVEN))
        for times in (np.nextafter(EVEN, 9.0), np.nextafter(EVEN, -9.0)):
            assert np.allclose(fitted.encode(frame(Y, times)), fitted.encode(Y), rtol=0, atol=1e-13)
    assert solves == []
    fitted = L2(EVEN, Cosine(9)).fit(Y)
    span = fitted.decode(expected := fitted.encode(Y))
    both = np.stack([span, 2.0 * span], axis=2)
    pairs = [(EVEN[k % 2 :: 2], values[k % 2 :: 2]) for k, values in enumerate(both)]
    vector = L2(EVEN, Cosine(9)).fit(both)
    assert np.allclose(vector.encode(pairs), np.repeat(expected, 2, axis=1) * np.tile([1.0, 2.0], 9))
    assert len(solves) == 2


def frame(Y, times):
    return pytest.importorskip("pandas").DataFrame(Y, columns=times)


def test_components_of_vector_valued_curves_are_those_of_all_their_components():
    curves, grid, weights = np.random.default_rng(0).standard_normal((6, 9, 2)), np.linspace(0, 1, 9), np.full(9, 1 / 9)
    alone = np.concatenate([curves[:, :, :1], curves[:, :, 1:]])
    one, other = (PrincipalComponents(3).fit(grid, weights, each)(grid) for each in (curves, alone))
    assert np.allclose(np.abs(one.T @ (weights[:, None] * other)), np.eye(3))
