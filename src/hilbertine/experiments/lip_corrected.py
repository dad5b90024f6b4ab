"""The Lip data scored on genuine curves: orthonormal functions, lam and kappa chosen without the curve scored."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from ..arrays import Array
from ..estimators import FunctionalRegressor, RegressorCV
from ..kernels import IntegralLaplacian, Precomputed
from ..losses import Huber
from ..metrics import squared_norms
from ..spaces import Fourier
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


class LeftOut(NamedTuple):
    """Ridge trained without outliers, ridge, Huber, then Huber for every kappa: all on the other curves."""

    errors: Array
    predicted: Array
    gap: float
    lam: float
    kappa: float


def eigenvalue(j: int) -> float:
    """1, then 1/4 twice, 1/9 twice: the authors' law for the constant and for each pair of the same frequency."""
    return 1.0 / (1 + j // 2) ** 2


def model_of(curves: Curves, n_pairs: int) -> FunctionalRegressor:
    """Ridge on the functions of the authors' pairs without the one that is zero; inputs are indices of curves."""
    kernel = Precomputed(IntegralLaplacian(7.0)(curves.X, curves.X))
    return FunctionalRegressor(None, kernel, Fourier(2 * n_pairs - 1), eigenvalue, curves.grid, tol=TOL)


def chosen(model: FunctionalRegressor, Y: Array, rows: Array, grids: Grids, robust: bool) -> tuple[Any, Iterator[Any]]:
    """The model chosen by leave-one-out on these rows, and for every kappa the model with the lam best for it."""
    grid = {"loss__kappa": grids.kappas} if robust else {}
    model = clone(model).set_params(loss=Huber() if robust else None)
    search = RegressorCV(model, grids.lams, grid, cv="loo-approximate").fit(rows, Y[rows])
    table = search.cv_results_["mean_test_score"].reshape(-1, len(grids.lams))
    settings = np.reshape(search.cv_results_["params"], table.shape)
    each = (
        clone(model).set_params(**options[row.argmax()]).fit(rows, Y[rows])
        for row, options in zip(table, settings, strict=True)
    )
    return search.best_estimator_, each


def left_out(model: FunctionalRegressor, curves: Curves, i: int, grids: Grids) -> LeftOut:
    """Everything that is trained without curve i, and its squared distance to that curve."""
    Y, others = curves.Y, np.delete(np.arange(len(curves.Y)), i)
    floor, _ = chosen(model, Y, others[~curves.outliers[others]], grids, robust=False)
    ridge, _ = chosen(model, Y, others, grids, robust=False)
    huber, each = chosen(model, Y, others, grids, robust=True)
    fitted = [floor, ridge, huber, *each]
    return LeftOut(
        errors=np.array([squared_norms(one.space_, one.embed([i]), Y[[i]])[0] for one in fitted]),
        predicted=np.concatenate([one.predict([i]) for one in fitted[:3]]),
        gap=max(one.dual_gap_ for one in fitted),
        lam=huber.lam_,
        kappa=huber.loss_.kappa,
    )


def corrected(
    curves: Curves,
    n_pairs: int,
    grids: Grids,
    jobs: int | None = None,
    told: Callable[[float], Any] = lambda done: None,
) -> tuple[Result, Array]:
    """Leave-one-out errors on the genuine curves, and the three predictions (floor, ridge, Huber) of each of them.

    The mean over the genuine curves of |y - h(x)|^2 in L2, h trained on all other curves, outliers included; lam, and
    kappa for `huber`, are chosen by leave-one-out within these. `floor` is ridge trained without the outliers.
    `capped` are, for every kappa, the curves at the bound in the model of all curves; `suspects` those at the largest
    kappa that bounds at least as many as there are outliers.
    """
    model = model_of(curves, n_pairs)
    genuine = np.flatnonzero(~curves.outliers)
    done: list[LeftOut] = []
    for one in Parallel(n_jobs=jobs, return_as="generator")(
        delayed(left_out)(model, curves, i, grids) for i in genuine
    ):
        done.append(one)
        told(len(done) / len(genuine))
    errors = np.stack([one.errors for one in done])
    floor, ridge, huber, *by_kappa = errors.mean(axis=0).tolist()
    whole = list(chosen(model, curves.Y, np.arange(len(curves.Y)), grids, robust=True)[1])
    capped = [one.saturated_.tolist() for one in whole]
    result = {
        "pairs": n_pairs,
        "n_genuine": len(genuine),
        "floor": floor,
        "ridge": ridge,
        "huber": huber,
        "gain_standard_error": float((errors[:, 1] - errors[:, 2]).std(ddof=1) / np.sqrt(len(errors))),
        "lam": float(np.median([one.lam for one in done])),
        "kappa": float(np.median([one.kappa for one in done])),
        "gap": max(one.gap for one in done),
        "truncation_gap": max(one.truncation_gap_ for one in whole),
        "suspects": next((each for each in reversed(capped) if len(each) >= curves.outliers.sum()), []),
        "capped": capped,
        "kappas": grids.kappas,
        "errors": by_kappa,
    }
    return result, np.stack([one.predicted for one in done])
