"""Outliers made to order: what changes, what stays, and that nonsense is refused."""

import numpy as np
import pytest

from hilbertine.datasets import make_curves, outliers

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((20, 3)), rng.standard_normal((20, 50))
LABELS = (rng.random((20, 4)) > 0.5).astype(float)
ON_CURVES = [outliers.append_flipped, outliers.add_spikes, outliers.replace_shapes]
EVERY = [*ON_CURVES, outliers.permute_outputs, outliers.flip_labels]
every_maker = pytest.mark.parametrize("maker", EVERY, ids=lambda maker: maker.__name__)


def outputs(maker):
    return LABELS if maker is outliers.flip_labels else Y


@every_maker
def test_what_is_not_marked_is_unchanged_and_what_is_marked_is_not(maker):
    before = outputs(maker)
    copies = X.copy(), before.copy()
    A, B, mask = maker(*copies, fraction=0.25, random_state=0)
    assert mask.dtype == bool
    assert mask.sum() == 5
    assert np.array_equal(copies[0], X)
    assert np.array_equal(copies[1], before)
    assert A is not copies[0]
    genuine = np.flatnonzero(~mask)
    assert np.array_equal(A[genuine], X[genuine])
    assert np.array_equal(B[genuine], before[genuine])
    assert all(np.any(B[i] != before[i % 20]) for i in np.flatnonzero(mask))


@every_maker
def test_the_seed_decides(maker):
    draw = [maker(X, outputs(maker), random_state=seed) for seed in (3, 3, 4)]
    assert all(np.array_equal(a, b) for a, b in zip(draw[0], draw[1], strict=True))
    assert not np.array_equal(draw[0][1], draw[2][1])


@every_maker
def test_indices_name_the_outliers_and_fraction_zero_makes_none(maker):
    *_, mask = maker(X, outputs(maker), indices=[4, 1], random_state=0)
    marked = np.flatnonzero(mask)
    assert marked.tolist() == ([20, 21] if maker is outliers.append_flipped else [1, 4])
    for n, fraction, expected in ((20, 0.12, 2), (20, 0.149, 3), (10, 0.3, 3)):
        assert maker(X[:n], outputs(maker)[:n], fraction=fraction, random_state=0)[2].sum() == expected
    A, B, mask = maker(X, outputs(maker), fraction=0)
    assert not mask.any()
    assert np.array_equal(A, X)
    assert np.array_equal(B, outputs(maker))


@every_maker
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fraction": -0.1}, ">= 0 and < 1"),
        ({"fraction": 1.0}, ">= 0 and < 1"),
        ({"fraction": np.nan}, "NaN"),
        ({"indices": [20, 0]}, r"0 \.\. 19"),
        ({"indices": [-1, 0]}, r"0 \.\. 19"),
        ({"indices": [1, 1]}, "different whole numbers"),
        ({"indices": [0.5, 1]}, "different whole numbers"),
    ],
)
def test_nonsense_is_refused(maker, wrong, message):
    with pytest.raises(ValueError, match=message):
        maker(X, outputs(maker), **wrong)


@every_maker
def test_inputs_and_outputs_must_be_pairs(maker):
    with pytest.raises(ValueError, match="inconsistent"):
        maker(X[:5], outputs(maker))


@pytest.mark.parametrize("maker", ON_CURVES, ids=lambda maker: maker.__name__)
def test_curves_are_rows_of_a_matrix(maker):
    with pytest.raises(ValueError, match="must be a matrix"):
        maker(X, Y[:, 0])


def test_flipped_copies_keep_their_inputs():
    A, B, mask = outliers.append_flipped(X, Y, indices=[7, 2], factor=-3.0)
    assert np.array_equal(A[mask], X[[7, 2]])
    assert np.allclose(B[mask], -3.0 * Y[[7, 2]])
    assert np.allclose(outliers.append_flipped(X, Y, indices=[7])[1][20], -1.2 * Y[7])


def test_a_small_fraction_is_one_sample():
    assert outliers.add_spikes(X, Y, fraction=1e-3)[2].sum() == 1


def test_a_spike_is_as_high_and_as_wide_as_asked():
    _, B, mask = outliers.add_spikes(X, Y, fraction=0.25, height=7.0, width=0.1, random_state=0)
    moved = np.abs(B - Y)[mask]
    assert np.all(np.isclose(moved, 7.0 * Y.std()).sum(axis=1) == 5)
    assert np.all(np.isclose(moved, 0).sum(axis=1) == 45)
    assert {round(value) for value in np.sign(B - Y)[mask].sum(axis=1)} == {-5, 5}
    assert all(np.ptp(np.flatnonzero(row > 1e-9)) == 4 for row in moved)
    for wrong in ({"width": 0.0}, {"width": 1.5}, {"height": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            outliers.add_spikes(X, Y, **wrong)


def test_shape_outliers_have_the_mean_and_size_of_the_curves_and_the_covariance_asked():
    from sklearn.gaussian_process.kernels import Matern

    many = make_curves(400, 30, random_state=0)
    mean, size = many.target.mean(axis=0), many.target.std(axis=0)
    for kernel, neighbours in ((None, np.exp(-((1 / 29 / 0.05) ** 2) / 2)), (Matern(0.1, nu=0.5), np.exp(-10 / 29))):
        _, B, mask = outliers.replace_shapes(many.data, many.target, fraction=0.9, kernel=kernel, random_state=1)
        draws = (B[mask] - mean) / size
        assert np.mean(draws**2) == pytest.approx(1.0, abs=0.1)
        assert np.mean(draws[:, 1:] * draws[:, :-1]) == pytest.approx(neighbours, abs=0.1)


def test_permuted_outputs_are_those_of_others_and_of_any_kind():
    words = [f"word {i}" for i in range(20)]
    _, B, mask = outliers.permute_outputs(X, words, fraction=0.25, random_state=0)
    assert sorted(B) == sorted(words)
    assert all((B[i] != words[i]) == mask[i] for i in range(20))
    with pytest.raises(ValueError, match="nobody to exchange"):
        outliers.permute_outputs(X, Y, indices=[3])


@pytest.mark.parametrize("columns", [50, 20, None], ids=["wide", "as many columns as rows", "series"])
def test_rows_of_data_frames_are_permuted_by_position_and_keep_their_labels(columns):
    pandas = pytest.importorskip("pandas", reason="a data frame needs pandas")
    labels = [f"sample {i}" for i in range(20)]
    values = Y[:, 0] if columns is None else Y[:, :columns]
    frame = (pandas.Series if columns is None else pandas.DataFrame)(values, index=labels)
    A, B, mask = outliers.permute_outputs(pandas.DataFrame(X, index=labels), frame, fraction=0.1, random_state=0)
    assert mask.sum() == 2
    assert np.array_equal(B, outliers.permute_outputs(X, values, fraction=0.1, random_state=0)[1])
    assert np.array_equal(B[~mask], frame[~mask])
    assert A.index.tolist() == B.index.tolist() == labels
    assert np.array_equal(frame, values)


def test_flipped_labels_have_the_other_value():
    _, B, mask = outliers.flip_labels(X, LABELS, fraction=0.25, random_state=0)
    assert np.array_equal(B[mask], 1 - LABELS[mask])
    signs = np.sign(rng.standard_normal(20))
    _, B, mask = outliers.flip_labels(X, signs, fraction=0.25, random_state=0)
    assert np.array_equal(B[mask], -signs[mask])
    with pytest.raises(ValueError, match="permute_outputs"):
        outliers.flip_labels(X, Y)
