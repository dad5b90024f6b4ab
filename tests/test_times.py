"""Dates and durations as points of curves: days since one origin, wherever they come from."""

import pickle
import warnings
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from hilbertine import FunctionalRegressor, kernels, spaces
from hilbertine.containers.curve_inputs import CurveInputs
from hilbertine.containers.times import read_points

rng = np.random.default_rng(0)
START = np.datetime64("2021-03-01")
DAYS = np.arange(10.0)
DATES = START + (24 * DAYS).astype(int) * np.timedelta64(1, "h")
x = np.linspace(0, 1, 12)[:, None]
CURVES = np.sin(DAYS / 3 + x) + 0.05 * rng.standard_normal((12, 10))
BASIS = spaces.Cosine(4)


def model(grid=None, **parameters):
    return FunctionalRegressor(kernel=kernels.Gaussian(1.0), basis=BASIS, grid=grid, lam=1e-2, **parameters)


NUMBERS = model(DAYS).fit(x, CURVES)


def dated_grids():
    pandas = pytest.importorskip("pandas")
    index = pandas.DatetimeIndex(DATES)
    yield from [DATES, DATES.astype("M8[ns]"), DATES.tolist(), index, list(index), index.tz_localize("UTC")]
    yield from [pandas.Series(index), index.to_period("D"), [each.date() for each in index]]
    yield [datetime(2021, 3, 1, tzinfo=UTC) + timedelta(days=float(day)) for day in DAYS]


def test_dates_are_days_since_the_first():
    for grid in dated_grids():
        fitted = model(grid).fit(x, CURVES)
        assert np.array_equal(fitted.space_.grid_, DAYS)
        assert fitted.space_.origin_ == START
        assert np.array_equal(fitted.predict(x), NUMBERS.predict(x))
        # Norms are those of days, and not of seconds since 1970.
        assert np.array_equal(fitted.residual_norms_, NUMBERS.residual_norms_)


def test_durations_are_days():
    hours = 6 * np.arange(10)
    for grid in (hours * np.timedelta64(1, "h"), [timedelta(hours=int(each)) for each in hours]):
        space = model(grid).fit(x, CURVES).space_
        assert np.array_equal(space.grid_, hours / 24)
        assert space.origin_ is None


def test_predictions_are_asked_for_at_dates_of_the_same_origin():
    fitted = pickle.loads(pickle.dumps(model(DATES).fit(x, CURVES)))
    noon = START + np.array([36, 60]) * np.timedelta64(1, "h")
    assert np.array_equal(fitted.predict(x, grid=noon), NUMBERS.predict(x, grid=[1.5, 2.5]))
    assert np.array_equal(fitted.predict(x, grid=[1.5, 2.5]), NUMBERS.predict(x, grid=[1.5, 2.5]))
    assert np.array_equal(fitted.space_.functions(noon), NUMBERS.space_.functions([1.5, 2.5]))
    with pytest.raises(ValueError, match=r"points 40 to 41 leave the interval \[0, 9\]"):
        fitted.predict(x, grid=START + np.array([40, 41]))
    with pytest.raises(ValueError, match=r"These points have dates as points, .* points that are numbers"):
        NUMBERS.predict(x, grid=noon)


def test_pairs_have_the_earliest_date_as_their_common_origin():
    # The first curve begins a day after the second.
    pairs = [(DATES[1 - k % 2 :], row[1 - k % 2 :]) for k, row in enumerate(CURVES)]
    plain = [(DAYS[1 - k % 2 :], row[1 - k % 2 :]) for k, row in enumerate(CURVES)]
    fitted, expected = model().fit(x, pairs), model().fit(x, plain)
    assert fitted.space_.origin_ == START
    assert np.array_equal(fitted.predict(x), expected.predict(x))
    # Later curves are counted from there, and not from their own first point.
    assert fitted.score(x[::2], pairs[::2]) == expected.score(x[::2], plain[::2])
    lists = [(times.tolist(), values.tolist()) for times, values in pairs]
    assert np.array_equal(model(DATES).fit(x, lists).predict(x), expected.predict(x))


def test_frames_with_dates_as_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(CURVES, columns=pandas.DatetimeIndex(DATES))
    for columns in (frame.columns, frame.columns.to_period("D"), frame.columns.date):
        fitted = model().fit(x, frame.set_axis(columns, axis=1))
        assert np.array_equal(fitted.predict(x), NUMBERS.predict(x))
    later = frame.iloc[:, 2:8]
    assert fitted.score(x, later) == NUMBERS.score(x, [(DAYS[2:8], row[2:8]) for row in CURVES])
    with pytest.raises(ValueError, match="The curves have dates as points"):
        NUMBERS.score(x, later)
    with pytest.raises(ValueError, match="The curves have dates as points"):
        model(np.arange(4.0)).fit(x, frame)


def test_columns_that_look_like_times_are_asked_about():
    pandas = pytest.importorskip("pandas")
    for names in (
        [f"{k:02d}:00" for k in range(10)],
        [f"2021-03-{k + 1:02d}" for k in range(10)],
        [f"{k + 1}.3.2021" for k in range(10)],
        [f"{k + 1}/3" for k in range(10)],
    ):
        frame = pandas.DataFrame(CURVES, columns=names)
        with pytest.raises(ValueError, match=rf"columns called '{names[0]}': is that a time\? .*pandas.to_datetime"):
            model().fit(x, frame)
        assert np.array_equal(model(DAYS).fit(x, frame).predict(x), NUMBERS.predict(x))
    numbers_and_names = ["1.5", *(f"day {k}" for k in range(9))]
    assert model().fit(x, pandas.DataFrame(CURVES, columns=numbers_and_names)).space_.grid_[-1] == 1.0


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([datetime(2021, 1, 1), 3.0], "all dates, all durations or all numbers"),
        ([datetime(2021, 1, 1), timedelta(3)], "all dates, all durations or all numbers"),
        ([timedelta(3), 4.0], "all dates, all durations or all numbers"),
        ([datetime(2021, 1, 1), datetime(2021, 1, 2, tzinfo=UTC)], "time zone"),
        (np.array(["2021-01-01", "NaT"], dtype="M8[D]"), "NaT"),
    ],
)
def test_times_that_make_no_sense_are_named(points, message):
    with pytest.raises(ValueError, match=message):
        read_points(points)


@pytest.mark.parametrize(
    ("grid", "error", "message"),
    [
        (["2021-01-01", "2021-01-02"], TypeError, "pandas.to_datetime makes of words"),
        ([1.0, 2.0j], TypeError, "complex ones have no order"),
        ([date(2021, 1, 2), date(2021, 1, 1)], ValueError, "not sorted"),
    ],
)
def test_grids_that_are_none_are_named(grid, error, message):
    with pytest.raises(error, match=message):
        model(grid).fit(x, CURVES[:, :2])


def test_curves_with_dates_beside_curves_with_numbers_are_refused():
    with pytest.raises(ValueError, match="Some curves have dates as times, and others have numbers"):
        model().fit(x[:2], [(DATES, CURVES[0]), (DAYS, CURVES[1])])
    with pytest.raises(ValueError, match="The curves have dates as points"):
        model(DAYS).fit(x, [(DATES, row) for row in CURVES])


def test_inputs_have_an_origin_of_their_own():
    pandas = pytest.importorskip("pandas")
    pairs, plain = [(DATES, row) for row in CURVES], [(DAYS, row) for row in CURVES]
    expected = model(DAYS).fit(plain, CURVES)
    fitted = model(DAYS).fit(pairs, CURVES)
    assert fitted.inputs_.origin_ == START
    assert np.array_equal(fitted.predict(pairs[3:]), expected.predict(plain[3:]))
    # New inputs that begin later are counted from the origin of `fit`.
    later = [(times[1:], values[1:]) for times, values in pairs]
    assert np.array_equal(fitted.predict(later), expected.predict([(t[1:], values[1:]) for t, values in plain]))
    frame = pandas.DataFrame(CURVES, columns=pandas.DatetimeIndex(DATES))
    slopes = kernels.Features(kernels.Derivative(), kernels.Gaussian(1.0))
    rates = FunctionalRegressor(kernel=slopes, basis=BASIS, grid=DAYS).fit(frame, CURVES)
    assert np.array_equal(rates.kernel_.scalar_.transformer_.grid_, DAYS)
    assert np.array_equal(model(DAYS, input_grid=DATES).fit(CURVES, CURVES).input_grid_, DAYS)
    with pytest.raises(ValueError, match="The input curves have dates as points"):
        expected.predict(pairs)


def test_curve_inputs_know_nothing_but_curves():
    inputs, words = CurveInputs(), ["cart", "care"]
    assert inputs.fit_read(words, vectors=False) is words
    assert inputs.fit_read(x) is x
    assert inputs.grid_ is None
    with pytest.raises(ValueError, match="points of their own, and the model was fitted on a matrix"):
        inputs.read([(DAYS, CURVES[0])])
    cube = np.stack([CURVES, -CURVES], axis=2)
    assert inputs.fit_read(cube).shape == (12, 20)
    with pytest.raises(ValueError, match="kernel has a grid, for curves with one component, and the inputs have 2"):
        inputs.fit_read(cube, gridded=True)
    with pytest.raises(ValueError, match="dates or durations; give numbers"):
        CurveInputs(DAYS).fit_read(np.broadcast_to(DATES, (3, 10)))


def test_a_fitted_fdatagrid_keeps_its_interval():
    skfda = pytest.importorskip("skfda")
    given = skfda.FDataGrid(CURVES, DAYS, domain_range=(-1.0, 12.0))
    fitted = model().fit(x, given)
    assert fitted.predict(x).domain_range == ((-1.0, 12.0),)
    assert fitted.predict(x, grid=[2.0, 3.0]).domain_range == ((-1.0, 12.0),)
    # A grid that is given may be over more than the curves were.
    wide = model(np.linspace(-3.0, 9.0, 25)).fit(x, given)
    assert wide.predict(x).domain_range == ((-3.0, 12.0),)


def cut(i, seen):
    curves = CURVES.copy()
    curves[i, seen:] = np.nan
    return curves


def test_curves_whose_points_do_not_tell_them_are_kept_and_named_once():
    basis = spaces.Cosine(6)
    holes = cut([2, 7], 4)
    with pytest.warns(
        UserWarning, match=r"2 of 12 curves .* all of their 6 coefficients, .* seen: 2, 7\. Ask"
    ) as caught:
        fitted = FunctionalRegressor(basis=basis, grid=DAYS, missing="least-squares", centre=None).fit(x, holes)
    assert len(caught) == 1
    space = fitted.space_
    whole = spaces.L2(DAYS, basis).fit(CURVES).encode(CURVES)
    others = np.delete(np.arange(12), [2, 7])
    assert np.allclose(fitted.targets_[others], whole[others])
    # What the points do tell is fitted, and noise in it grows by no more than ten.
    root = np.sqrt(space._observed(DAYS[:4]))
    A = root[:, None] * space.functions(DAYS[:4])
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    kept = s >= 0.1
    assert 0 < kept.sum() < 6
    expected = Vt[kept].T @ ((U[:, kept].T @ (root * CURVES[2, :4])) / s[kept])
    assert np.allclose(fitted.targets_[2], expected)
    assert np.linalg.norm(fitted.targets_[2]) <= 10 * np.linalg.norm(root * CURVES[2, :4])


def test_what_the_points_tell_is_not_warned_about_and_a_curve_without_points_is_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spaces.L2(DAYS, spaces.Cosine(2), missing="least-squares").fit_measure(cut([2], 8))
    with pytest.raises(ValueError, match="Curve 5 has no value at all"):
        spaces.L2(DAYS, spaces.Cosine(2), missing="least-squares").fit_measure(cut([5], 0))
    # Points of the grid that were not seen are not zero: without a basis there is nothing to fit.
    with pytest.raises(ValueError, match=r"Curve 2 was seen at 8 points.*give a basis, Fourier\(9\)"):
        spaces.L2(DAYS, missing="least-squares").fit_measure(cut([2], 8))
