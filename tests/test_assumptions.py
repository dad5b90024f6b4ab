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
