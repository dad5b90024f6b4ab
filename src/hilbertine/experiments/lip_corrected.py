"""The Lip data scored on genuine curves: orthonormal functions, lam and kappa chosen without the curve scored."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import delayed

from ..arrays import Array
from ..estimators import FunctionalRegressor, RegressorCV
from ..kernels import IntegralLaplacian, Precomputed
from ..losses import Huber
from ..metrics import AVERAGES, averaged, squared_norms
from ..spaces import Fourier
from ..store import Store
from .base import Result
from .lip_authors import TOL


class Curves(NamedTuple):
    """Pairs of curves on one grid, and the mask of those that are outliers."""

    X: Array
    Y: Array
    grid: Array
    outliers: Array


class Grids(NamedTuple):
    """What is chosen from."""

    lams: list[float]
    kappas: list[float]


class Chosen(NamedTuple):
    """Models trained on the same curves: the best by each average of the left-out errors, and of each kappa."""

    best: dict[str, FunctionalRegressor]
    each: list[FunctionalRegressor]
    gap: float


class LeftOut(NamedTuple):
    """Everything that is trained without one curve: errors on it by name, three predictions of it, lam and kappa."""

    errors: dict[str, float]
    predicted: Array
    gap: float
    lam: dict[str, float]
    kappa: dict[str, float]


def eigenvalue(j: int) -> float:
    """1, then 1/4 twice, 1/9 twice: the authors' law for the constant and for each pair of the same frequency."""
    return 1.0 / (1 + j // 2) ** 2


def model_of(curves: Curves, n_pairs: int) -> FunctionalRegressor:
    """Ridge on the functions of the authors' pairs without the one that is zero; inputs are indices of curves."""
    kernel = Precomputed(IntegralLaplacian(7.0)(curves.X, curves.X))
    return FunctionalRegressor(None, kernel, Fourier(2 * n_pairs - 1), eigenvalue, curves.grid, tol=TOL, centre=None)


def chosen(model: FunctionalRegressor, Y: Array, rows: Array, grids: Grids, robust: bool) -> Chosen:
    """Models chosen by leave-one-out on these rows, outliers included.

    `best` takes lam and kappa by the mean, the median or the trimmed mean of the left-out errors; `each` has for every
    kappa the lam best for it by the mean. `gap` is the largest of all fits, those of the search included.
    """
    grid = {"loss__kappa": grids.kappas} if robust else {}
    model = clone(model).set_params(loss=Huber() if robust else None)
    results = RegressorCV(model, grids.lams, grid, cv="loo-approximate", average="mean").fit(rows, Y[rows]).cv_results_
    errors = -np.array([results[f"split{k}_test_score"] for k in range(len(rows))])

    @cache
    def fitted(index: int) -> FunctionalRegressor:
        one: FunctionalRegressor = clone(model).set_params(**results["params"][index]).fit(rows, Y[rows])
        return one

    best = {average: fitted(int(averaged(errors, average).argmin())) for average in AVERAGES}
    starts = range(0, errors.shape[1], len(grids.lams))
    each = [fitted(k + int(errors[:, k : k + len(grids.lams)].mean(axis=0).argmin())) for k in starts]
    gap = max(results["max_dual_gap"].max(), *(one.dual_gap_ for one in [*best.values(), *each]))
    return Chosen(best, each, float(gap))


def left_out(model: FunctionalRegressor, curves: Curves, i: int, grids: Grids) -> LeftOut:
    """Everything that is trained without curve i, and its squared distance to that curve."""
    Y, others = curves.Y, np.delete(np.arange(len(curves.Y)), i)
    floor = chosen(model, Y, others[~curves.outliers[others]], grids, robust=False)
    ridge, huber = (chosen(model, Y, others, grids, robust) for robust in (False, True))
    fitted = {"floor": floor.best["mean"]}
    fitted |= {f"ridge {average}": one for average, one in ridge.best.items()}
    fitted |= {f"huber {average}": one for average, one in huber.best.items()}
    fitted |= {f"kappa {k}": one for k, one in enumerate(huber.each)}
    return LeftOut(
        errors={name: float(squared_norms(one.space_, one.embed([i]), Y[[i]])[0]) for name, one in fitted.items()},
        predicted=np.concatenate(
            [fitted[name].predict([i]) for name in ("floor", "ridge mean", "huber mean")]
        ).tolist(),
        gap=max(floor.gap, ridge.gap, huber.gap),
        lam={average: one.lam_ for average, one in huber.best.items()},
        kappa={average: one.loss_.kappa for average, one in huber.best.items()},
    )


def corrected(
    curves: Curves,
    n_pairs: int,
    grids: Grids,
    jobs: int | None = None,
    told: Callable[[float], Any] = lambda done: None,
    store: Store | None = None,
) -> tuple[dict[str, Result], Array]:
    """Errors on the genuine curves by the average that chooses, and three predictions (floor, ridge, Huber) of each.

    An error is the mean over the genuine curves of |y - h(x)|^2 in L2, h trained on all other curves, outliers
    included; lam, and kappa for `huber`, are chosen by leave-one-out within these, by an average of errors to which the
    outliers contribute. `floor` is ridge trained without the outliers. For the mean, `capped` are for every kappa the
    curves at the bound in the model of all curves, `suspects` those at the largest kappa that bounds at least as many
    as there are outliers, `farthest` as many as there are outliers with the largest residuals of the model chosen.
    """
    model = model_of(curves, n_pairs)
    genuine = np.flatnonzero(~curves.outliers)
    store = Store() if store is None else store
    done: list[LeftOut] = []
    tasks = {("corrected", n_pairs, int(i)): delayed(left_out)(model, curves, i, grids) for i in genuine}
    for _, part in store.filled(tasks, jobs):
        one = LeftOut(*part)
        done.append(one._replace(predicted=np.array(one.predicted)))
        told(len(done) / len(genuine))
    errors = {name: np.array([one.errors[name] for one in done]) for name in done[0].errors}
    whole = chosen(model, curves.Y, np.arange(len(curves.Y)), grids, robust=True)
    gap = max(whole.gap, *(one.gap for one in done))
    records: dict[str, Result] = {}
    for average in AVERAGES:
        ridge, huber = errors[f"ridge {average}"], errors[f"huber {average}"]
        records[average] = {
            "pairs": n_pairs,
            "ridge": float(ridge.mean()),
            "huber": float(huber.mean()),
            "gain_standard_error": float((ridge - huber).std(ddof=1) / np.sqrt(len(genuine))),
            "lam": float(np.median([one.lam[average] for one in done])),
            "kappa": float(np.median([one.kappa[average] for one in done])),
            "gap": gap,
        }
    capped = [one.saturated_.tolist() for one in whole.each]
    n_outliers = int(curves.outliers.sum())
    records["mean"] |= {
        "n_genuine": len(genuine),
        "floor": float(errors["floor"].mean()),
        "truncation_gap": max(one.truncation_gap_ for one in whole.each),
        "suspects": next((each for each in reversed(capped) if len(each) >= n_outliers), []),
        "farthest": np.sort(np.argsort(whole.best["mean"].residual_norms_)[-n_outliers:]).tolist(),
        "capped": capped,
        "kappas": grids.kappas,
        "errors": [float(errors[f"kappa {k}"].mean()) for k in range(len(grids.kappas))],
    }
    return records, np.stack([one.predicted for one in done])
