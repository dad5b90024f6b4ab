"""Numerical checks of the paper's assumptions: they accept what holds and name what fails."""

import numpy as np
import pytest

from examples import INVARIANT, LOSSES
from hilbertine import kernels, losses
from hilbertine.assumptions import check_admissible, check_invariance, invariance_defects

rng = np.random.default_rng(0)
Y = rng.standard_normal((3, 6))
SPAN = np.linalg.pinv(Y) @ Y


class Bent(losses.Huber):
    """A conjugate that a component orthogonal to the outputs lowers."""

    def conjugate(self, W, T):
        direction = T / np.maximum(np.linalg.norm(T, axis=1, keepdims=True), 1e-12)
        return super().conjugate(np.sum(W * direction, axis=1, keepdims=True) * direction, T) - np.linalg.norm(
            W, axis=1
        )


class Axes(losses.Square):
    """A conjugate that knows the first coordinate by name."""

    def conjugate(self, W, T):
        return super().conjugate(W, T) + (T[:, 0] > 0) * np.sum(W**2, axis=1)


class Mismatched(losses.Huber):
    """A value that is twice what the conjugate stands for."""

    def value(self, P, T):
        return 2 * super().value(P, T)


class Outside(losses.Huber):
    """A prox that forgets the cap."""

    def shrink(self, s, step):
        return s / (1 + step)


@pytest.mark.parametrize("loss", INVARIANT, ids=repr)
def test_every_loss_is_admissible(loss):
    check_admissible(loss)


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.entrywise], ids=repr)
def test_a_loss_of_the_entries_is_told_that_rotations_change_it(loss):
    with pytest.raises(ValueError, match=r"Cells.*Assumption 2, rotation invariance, does not hold.*canonical"):
        check_admissible(loss)


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        (Bent(100.0), "Assumption 1"),
        (Axes(), "Assumption 2"),
        (Mismatched(1.0), "Fenchel and Young"),
        (Outside(0.1), "leaves the domain"),
    ],
    ids=["bent", "axes", "mismatched", "outside"],
)
def test_a_loss_that_is_not_admissible_is_told_why(loss, reason):
    with pytest.raises(ValueError, match=rf"{type(loss).__name__}.*not admissible.*{reason}"):
        check_admissible(loss)


class Broken(losses.Huber):
    """Functions of one length that fail where `bad` says, by name."""

    def __init__(self, kappa=1.0, bad="profile", where=(0.3, 0.4), result=np.nan):
        super().__init__(kappa)
        self.bad, self.where, self.result = bad, where, result

    def _spoilt(self, name, x):
        values = getattr(super(), name)(x)
        return np.where((x >= self.where[0]) & (x < self.where[1]), self.result, values) if name == self.bad else values

    def phi(self, t):
        return self._spoilt("phi", t)

    def slope(self, t):
        return self._spoilt("slope", t)

    def profile(self, s):
        return self._spoilt("profile", s)

    def inverse(self, s):
        return self._spoilt("inverse", s)


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        (Broken(bad="profile"), r"profile returned NaN at s = 0.3"),
        (Broken(bad="phi"), r"phi returned NaN at t = 0.3"),
        (Broken(bad="slope", where=(0.0, 1e-9)), r"slope returned NaN at t = 0\)"),
        (Broken(bad="inverse", where=(0.0, 1e-7)), r"inverse returned NaN at s = 0\)"),
        (Broken(bad="profile", where=(1e-9, 1e-7)), r"profile returned NaN at s = 1e-08"),
        (Broken(bad="profile", where=(1.005, 9.0), result=3.0), r"profile is finite beyond its cap 1"),
    ],
    ids=["profile", "phi", "slope at zero", "inverse at zero", "profile near zero", "no end"],
)
def test_a_function_that_returns_no_number_is_named_with_the_place(loss, reason):
    with pytest.raises(ValueError, match=rf"Broken.*not admissible \({reason}"):
        check_admissible(loss)


class Rowless(losses.Huber):
    """A prox that divides by the length of its rows, a value of one number."""

    def prox(self, W, T, step):
        lengths = np.linalg.norm(W + step * T, axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            return (W + step * T) / lengths * self.shrink(lengths, step)


class Summed(losses.Huber):
    """A value that adds the rows up."""

    def value(self, P, T):
        return np.sum(super().value(P, T))


class Flat(losses.Square):
    """A profile of one number."""

    def profile(self, s):
        return np.max(s)


class Unscaled(losses.Huber):
    """A prox that is right for rows of ordinary size only."""

    def shrink(self, s, step):
        return np.where(s < 1e-3, s, super().shrink(s, step))


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        (Rowless(), "prox returned NaN for rows of lengths 0, 0"),
        (Summed(), r"value returned shape \(\) where \(12,\) was due"),
        (Flat(), r"profile returned shape \(\) for lengths"),
        (Unscaled(), "Fenchel and Young"),
    ],
    ids=["zero rows", "sum", "one number", "near zero"],
)
def test_a_loss_whose_results_are_no_rows_is_told_which(loss, reason):
    with pytest.raises(ValueError, match=rf"{type(loss).__name__}.*not admissible.*{reason}"):
        check_admissible(loss)


class Empty(losses.Radial):
    """Nothing."""


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (losses.Huber, TypeError, r"Huber is a class and is not a loss itself; pass an object of it, Huber\(...\)"),
        (losses.Power, TypeError, "Power is a class"),
        (Empty(), NotImplementedError, r"Empty must implement slope\(t\)"),
        (losses.Loss(), NotImplementedError, r"Loss must implement prox\(W, T, step\)"),
        (np.abs, TypeError, "absolute.* is not a loss; pass an object of a class that derives from hilbertine"),
    ],
    ids=["class", "class with arguments", "no functions", "no methods", "function"],
)
def test_what_is_no_loss_is_named(loss, error, message):
    with pytest.raises(error, match=message):
        check_admissible(loss)


def test_defects_are_what_projection_leaves():
    A = rng.standard_normal((6, 6))
    images = Y @ A
    expected = np.linalg.norm(images - images @ SPAN, axis=1) / np.linalg.norm(images, axis=1)
    np.testing.assert_allclose(invariance_defects(Y, images), expected, atol=1e-7)


@pytest.mark.parametrize("A", [np.eye(6), Y.T @ Y, 3 * SPAN, np.zeros((6, 6))], ids=["I", "covariance", "span", "zero"])
def test_operators_made_of_the_outputs_keep_their_span(A):
    check_invariance(Y, Y @ A)


def test_an_operator_that_leaves_the_span_names_the_approximate_dual():
    with pytest.raises(ValueError, match=r"not invariant: .* % of the norm of A y_\d.*approximate dual.*eigenvectors"):
        check_invariance(Y, Y @ np.diag(np.arange(1.0, 7.0)))


def test_enough_outputs_make_every_matrix_fit():
    filled = rng.standard_normal((9, 6))
    check_invariance(filled, filled @ np.diag(np.arange(1.0, 7.0)))


def test_elements_known_by_inner_products_are_indices():
    A = np.diag(np.arange(1.0, 7.0))
    everything = np.concatenate([Y, Y @ A])
    known = kernels.Precomputed(everything @ everything.T)
    defects = invariance_defects(np.arange(3), np.arange(3, 6), known)
    np.testing.assert_allclose(defects, invariance_defects(Y, Y @ A), atol=1e-7)


def test_the_gram_matrices_of_the_outputs_alone_cannot_tell():
    """Two operators with the same <y_i, A y_j>: one keeps the span, the other does not."""
    A = np.diag(np.arange(1.0, 7.0))
    inside = SPAN @ A @ SPAN
    np.testing.assert_allclose(Y @ A @ Y.T, Y @ inside @ Y.T)
    check_invariance(Y, Y @ inside)
    with pytest.raises(ValueError, match="not invariant"):
        check_invariance(Y, Y @ A)
