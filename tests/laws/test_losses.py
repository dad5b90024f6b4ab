"""Laws of convex duality for every loss, over scales, zero rows and repeated rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import LOSSES, scaled
from hilbertine.losses import Radial

RADIAL = [loss for loss in LOSSES if isinstance(loss, Radial)]
scales = st.sampled_from([1e-6, 1e-3, 1.0, 1e3, 1e6])
seeds = st.integers(0, 2**32 - 1)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_radial = pytest.mark.parametrize("loss", RADIAL, ids=repr)


def draw(seed, scale, columns):
    """Rows P, T and Z of one scale, among them zero rows, repeated rows, and residuals that vanish."""
    rng = np.random.default_rng(seed)
    P, T, Z = (scale * rng.standard_normal((8, columns)) for _ in range(3))
    lengths = 10.0 ** rng.uniform(-3, 2, (8, 1))
    P, Z = P * lengths, Z * lengths[::-1]
    T[0], Z[1], P[2], P[3], T[5] = 0.0, 0.0, 0.0, T[3], T[4]
    return P, T, Z


def feasible(loss, Z, T):
    """Some rows of the domain of the conjugate: a proximal map ends there."""
    return loss.prox(Z, T, 1.0)


def close(a, b, size):
    return np.all(np.abs(a - b) <= 1e-9 * size)


@every_loss
@settings(max_examples=40, deadline=None)
@given(seed=seeds, scale=scales, parameter=scales, columns=st.sampled_from([1, 3]))
def test_fenchel_young_inequality(loss, seed, scale, parameter, columns):
    loss = scaled(loss, parameter)
    P, T, Z = draw(seed, scale, columns)
    W = feasible(loss, Z, T)
    value, conjugate, pairing = loss.value(P, T), loss.conjugate(W, T), np.sum(W * P, axis=1)
    assert np.all(np.isfinite(conjugate))
    size = np.abs(conjugate) + np.abs(pairing) + np.where(np.isfinite(value), np.abs(value), 0.0)
    assert np.all(value + conjugate + pairing >= -1e-12 * size)


@every_radial
@settings(max_examples=40, deadline=None)
@given(seed=seeds, scale=scales, parameter=scales, columns=st.sampled_from([1, 3]))
def test_fenchel_young_equality_at_the_slope(loss, seed, scale, parameter, columns):
    loss = scaled(loss, parameter)
    P, T, _ = draw(seed, scale, columns)
    R = T - P
    t = np.linalg.norm(R, axis=1)
    s = loss.slope(t)
    # The norm of a row squares it.
    finite = s < 1e150
    W = np.where(finite, s, 0.0)[:, None] * R / np.where(t > 0, t, 1.0)[:, None]
    gap = (loss.value(P, T) + loss.conjugate(W, T) + np.sum(W * P, axis=1))[finite]
    size = (np.abs(loss.conjugate(W, T)) + np.abs(np.sum(W * P, axis=1)) + np.abs(np.sum(W * T, axis=1)))[finite]
    assert np.all(np.abs(gap) <= 1e-12 * size)


@every_loss
@settings(max_examples=40, deadline=None)
@given(seed=seeds, scale=scales, parameter=scales, step=scales, columns=st.sampled_from([1, 3]))
def test_prox_beats_every_competitor(loss, seed, scale, parameter, step, columns):
    loss = scaled(loss, parameter)
    rng = np.random.default_rng(seed)
    _, T, Z = draw(seed, scale, columns)
    best = loss.prox(Z, T, step)

    def objective(U):
        return step * loss.conjugate(U, T) + np.sum((U - Z) ** 2, axis=1) / 2

    reference = objective(best)
    assert np.all(np.isfinite(reference))
    size = step * np.abs(loss.conjugate(best, T)) + np.sum(Z**2 + (step * T) ** 2, axis=1)
    rivals = [0.0 * best, feasible(loss, Z, T)]
    for width in (1e-4, 1e-2, 1.0):
        rivals.append(best * (1 - width * rng.uniform(0, 1, (8, 1))))
        noise = rng.standard_normal(best.shape) * np.linalg.norm(best, axis=1, keepdims=True)
        rivals.append(best + width * noise)
    for rival in rivals:
        assert np.all(reference <= objective(rival) + 1e-12 * size)


@every_radial
@pytest.mark.parametrize("parameter", [1e-6, 1.0, 1e6])
def test_biconjugate_is_the_loss(loss, parameter):
    loss = scaled(loss, parameter)
    t = parameter * np.concatenate([[0.0], np.logspace(-3, 3, 30)])
    candidates = np.concatenate([[0.0], np.logspace(-9, 9, 4000), loss.slope(t)[np.isfinite(loss.slope(t))]])
    profile = loss.profile(candidates)
    supremum = np.max(np.where(np.isfinite(profile), candidates * t[:, None] - profile, -np.inf), axis=1)
    finite = np.isfinite(loss.phi(t))
    assert close(loss.phi(t)[finite], supremum[finite], supremum[finite])


@every_radial
@pytest.mark.parametrize("parameter", [1e-3, 1.0, 1e3])
def test_slope_is_the_derivative(loss, parameter):
    loss = scaled(loss, parameter)
    t = parameter * np.array([0.13, 0.71, 3.3, 17.0])
    t = t[np.isfinite(loss.phi(1.1 * t))]
    h = 1e-6 * t
    difference = (loss.phi(t + h) - loss.phi(t - h)) / (2 * h)
    assert np.allclose(difference, loss.slope(t), rtol=1e-6, atol=1e-9 * parameter)


@every_radial
def test_phi_is_zero_at_zero_and_increases(loss):
    t = np.linspace(0, 10, 50)
    phi = loss.phi(t)
    assert phi[0] == 0
    assert np.all(np.diff(phi[np.isfinite(phi)]) >= 0)


@every_radial
def test_far_away_a_loss_is_large_or_infinite_and_never_nan(loss):
    with np.errstate(over="ignore", invalid="ignore"):
        phi = loss.phi(np.array([1.0, 1e3, 1e100, 1e150]))
    assert np.all(np.diff(phi[np.isfinite(phi)]) >= 0)
    assert phi[-1] >= phi[0] > -1
    assert not np.any(np.isnan(phi))


@every_loss
def test_the_derivative_of_the_prox_predicts_its_differences(loss):
    # Kinks lie on few of the points: most rows must agree, and no derivative may leave [0, 1].
    rng = np.random.default_rng(0)
    Z, T = (rng.standard_normal((200, 3)) for _ in range(2))
    J = loss.derivative(Z, T, 0.3)
    assert np.allclose(J, np.swapaxes(J, 1, 2))
    values = np.linalg.eigvalsh(J)
    assert values.min() > -1e-6
    assert values.max() < 1 + 1e-6
    D = 1e-6 * rng.standard_normal(Z.shape)
    change = (loss.prox(Z + D, T, 0.3) - loss.prox(Z - D, T, 0.3)) / 2
    wrong = np.abs(change - np.einsum("iab,ib->ia", J, D)).max(axis=1)
    assert np.mean(wrong > 1e-3 * np.abs(D).max()) <= 0.02


@every_loss
def test_rows_are_independent(loss):
    P, T, Z = draw(3, 1.0, 3)
    order = np.random.default_rng(0).permutation(8)
    assert np.array_equal(loss.value(P, T)[order], loss.value(P[order], T[order]))
    assert np.array_equal(loss.conjugate(Z, T)[order], loss.conjugate(Z[order], T[order]))
    assert np.allclose(loss.prox(Z, T, 0.3)[order], loss.prox(Z[order], T[order], 0.3))


@every_loss
def test_dual_rows_stay_within_the_cap(loss):
    _, T, Z = draw(5, 1e3, 3)
    lengths = np.linalg.norm(loss.prox(Z, T, 0.1), axis=1)
    assert np.all(lengths <= loss.cap * (1 + 1e-15))
    if np.isfinite(loss.cap):
        assert np.all(np.isinf(loss.conjugate(2 * loss.cap * np.eye(8, 3) + 2 * loss.cap, T)))


@every_loss
def test_the_conjugate_is_its_curvature_and_the_conjugate_of_the_flat_loss(loss):
    _, T, Z = draw(7, 1.0, 3)
    W = feasible(loss, Z, T)
    flat = loss.flat()
    assert np.allclose(
        loss.conjugate(W, T), loss.curvature * np.sum(W**2, axis=1) / 2 + flat.conjugate(W, T), rtol=1e-12, atol=1e-14
    )
    # Completing the square: a step h of the whole is a step h / (1 + h a) of the flat part from z / (1 + h a).
    shorter = 0.3 / (1 + 0.3 * loss.curvature)
    assert np.allclose(loss.prox(Z, T, 0.3), flat.prox(Z * shorter / 0.3, T, shorter), rtol=1e-9, atol=1e-12)
    assert flat.curvature == 0


@every_loss
def test_a_loss_without_automatic_lengths_is_the_same_at_every_scale(loss):
    copy = loss.at_scale(7.0)
    assert not loss.automatic
    assert type(copy) is type(loss)
    assert repr(copy) == repr(loss)
