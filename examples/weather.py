"""
Weather: a forecast from a record with holes
============================================

Today's temperatures to tomorrow's, from a record with missing hours and a thermometer that fails on some days. The data
come with a package: ``pip install vega_datasets``.
"""

# %%
# Hourly temperatures of Seattle, as 365 daily curves in degrees Celsius. On 14 March the clock went forward: that curve
# has 23 values. The published temperatures change by a tenth of a degree from one day to the next, as averages over
# years do, so that "tomorrow is as today" is a hard forecast to beat; it is printed for comparison.

import sys
from typing import Any

import numpy as np

from hilbertine import FunctionalRegressor, RegressorCV, kernels, losses, spaces
from hilbertine.plotting import figure


def daily_curves() -> Any:
    """A frame of 365 days by 24 hours."""
    try:
        from vega_datasets import local_data
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("The temperatures come with a package: pip install vega_datasets.") from error
    hourly = local_data.seattle_temps()
    days = hourly.assign(day=hourly.date.dt.day_of_year, hour=hourly.date.dt.hour)
    return (days.pivot(index="day", columns="hour", values="temp") - 32) / 1.8


# %%
# The thermometer of our station is worse. One hour in ten is lost. On one day in ten it fails: it reads 8 degrees too
# much all day, or 25 degrees too much for four hours. A bad day spoils two pairs, as tomorrow of one and today of the
# next.


def spoil(curves: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """What the station wrote down, and which days are faulty."""
    record = np.array(curves)
    faulty = rng.choice(len(record), len(record) // 10, replace=False)
    for shifted, day in enumerate(faulty):
        hour = rng.integers(0, 20)
        record[day, slice(None) if shifted % 2 else slice(hour, hour + 4)] += 8.0 if shifted % 2 else 25.0
    record[rng.uniform(size=record.shape) < 0.1] = np.nan
    return record, np.isin(np.arange(len(record)), faulty)


# %%
# ``missing="least-squares"`` fits the coefficients of an output curve to the hours that were seen, and interpolates
# input curves, which ``input_grid`` says they are. Curves are measured from the median curve. All is chosen on the
# spoilt record, by the median of the held-out errors: an average that faulty days do not reach.

LOSSES: dict[str, tuple[losses.Loss, dict[str, list[float]]]] = {
    "ridge": (losses.Square(), {}),
    "Huber": (losses.Huber(), {"loss__kappa": [0.03, 0.1, 0.3]}),
}


def chosen(name: str, X: Any, Y: Any) -> FunctionalRegressor:
    loss, values = LOSSES[name]
    model = FunctionalRegressor(
        loss, kernels.Gaussian("median"), spaces.Fourier(9), grid=np.arange(24), quadrature="mean",
        missing="least-squares", input_grid=np.arange(24),
    )  # fmt: skip
    search = RegressorCV(model, np.logspace(-6, -2, 5), values, average="median").fit(X, Y)
    fitted: FunctionalRegressor = search.best_estimator_
    return fitted


# %%
# Every fourth day is held out, and the forecasts for it are compared with the true temperatures of the day after.
# Faulty days that train the model are among its largest residuals.


def main(path: str | None = None) -> dict[str, Any]:
    truth = daily_curves().to_numpy()
    record, faulty = spoil(truth, np.random.default_rng(0))
    days = np.arange(len(record) - 1)
    test, train = days[3::4], np.delete(days, days[3::4])
    # Forecasts start from days when the thermometer was sound, and are compared where tomorrow is known.
    test = test[~faulty[test] & ~np.isnan(truth[test + 1]).any(axis=1)]
    middle = np.nanmedian(record[train], axis=0)
    X, Y, asked = record[train] - middle, record[train + 1] - middle, record[test] - middle
    bad = faulty[train + 1]
    print(f"{len(train)} pairs of days to train, {bad.sum()} with a faulty tomorrow and {faulty[train].sum()} with a")
    print(f"faulty today; {np.isnan(record).mean():.0%} of the hours are missing; {len(test)} days held out\n")
    print(f"{'forecast':<12}{'error':>7}{'lam':>9}{'kappa':>7}{'dual gap':>10}{'truncation gap':>16}")
    fits, errors = {name: chosen(name, X, Y) for name in LOSSES}, {}
    for name, fit in fits.items():
        errors[name] = root_mean_square(fit.predict(asked) + middle - truth[test + 1])
        kappa = f"{fit.loss.kappa:g}" if name == "Huber" else ""
        print(f"{name:<12}{errors[name]:>7.2f}{fit.lam:>9.0e}{kappa:>7}", end="")
        print(f"{fit.dual_gap_:>10.0e}{fit.truncation_gap_:>16.2f}")
    errors["as today"] = root_mean_square(truth[test] - truth[test + 1])
    found = int(bad[np.argsort(fits["Huber"].residual_norms_)[-bad.sum() :]].sum())
    print(f"{'as today':<12}{errors['as today']:>7.2f}\nerror: root mean square in degrees")
    print(f"\nof the {bad.sum()} largest residuals of Huber, {found} belong to faulty days")
    if path:
        draw(path, fits, asked, middle, truth[test + 1], train + 1, bad)
    return {"errors": errors, "found": found, "faulty": int(bad.sum()), "fits": fits}


def root_mean_square(differences: Any) -> float:
    return float(np.sqrt(np.nanmean(differences**2)))


# %%
# The forecasts for one day of summer, and how far each day of the record is from the forecast for it.


def draw(path: str, fits: Any, asked: Any, middle: Any, truth: Any, days: Any, bad: Any) -> None:
    fig, (left, right) = figure(1, 2, width=10, height=3.6)
    day, fine = len(asked) // 2, np.linspace(0, 23, 200)
    left.plot(truth[day], "o", color="black", markersize=4, label="what came")
    left.plot(asked[day] + middle, ".", color="0.6", label="today, as recorded")
    for name, fit in fits.items():
        left.plot(
            fine, fit.predict(asked[day : day + 1], grid=fine)[0] + np.interp(fine, range(24), middle), label=name
        )
    left.set(xlabel="hour", ylabel="degrees Celsius", title="the forecast for one day of summer")
    left.legend(frameon=False, fontsize=8)
    norms = fits["Huber"].residual_norms_
    right.semilogy(days[~bad] + 1, norms[~bad], "o", color="0.6", markersize=3, label="sound")
    right.semilogy(days[bad] + 1, norms[bad], "x", color="tab:red", label="faulty")
    right.set(xlabel="day of the year", ylabel="degrees", title="Huber: distance of each day to its forecast")
    right.legend(frameon=False, fontsize=8)
    fig.savefig(path)


# %%

if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "weather.png")
