"""Cross-validation: what it selects, what it reports, and that it is only GridSearchCV made cheap."""

from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, LeaveOneOut, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilbertine import (
    EpsilonRidge,
    EpsilonSVR,
    FunctionalRegressor,
    HuberRegressor,
    Regressor,
    RegressorCV,
    Ridge,
    kernels,
    losses,
    metrics,
    operator_kernels,
    solvers,
    spaces,
)

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (45, 2))
Y = np.stack([np.sin(2 * X[:, 0]), X[:, 0] * X[:, 1]], axis=1) + 0.1 * rng.standard_normal((45, 2))
LAMS = [1e-4, 1e-3, 1e-1]
FOLDS = KFold(4, shuffle=True, random_state=0)


def minus_squared_norm(model, X, y):
    return -np.mean(np.sum((model.predict(X) - y) ** 2, axis=1))


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (Ridge(centre=None), {}),
        (EpsilonRidge(centre=None), {"epsilon": [0.0, 0.1, 0.5]}),
        (HuberRegressor(centre=None), {"kappa": [0.05, 0.5]}),
        (EpsilonSVR(centre=None), {"epsilon": [0.05, 0.5]}),
        (HuberRegressor(kernel=kernels.Gaussian(), centre=None), {"kappa": [0.05, 0.5], "kernel__gamma": [0.1, 1.0]}),
        (Regressor(losses.Huber(), centre=None), {"loss__kappa": [0.05, 0.5]}),
    ],
    ids=lambda value: str(value),
)
def test_selects_what_grid_search_selects(model, grid):
    model = clone(model).set_params(tol=1e-9)
    ours = RegressorCV(model, lams=LAMS, grid=grid, cv=FOLDS, average="mean").fit(X, Y)
    theirs = GridSearchCV(model, {"lam": LAMS, **grid}, cv=FOLDS, scoring=minus_squared_norm).fit(X, Y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-4)
    assert np.allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    by_params = {str(sorted(p.items())): s for p, s in zip(*(theirs.cv_results_[k] for k in KEYS), strict=True)}
    for p, s in zip(*(ours.cv_results_[k] for k in KEYS), strict=True):
        assert s == pytest.approx(by_params[str(sorted(p.items()))], rel=1e-4)


KEYS = ("params", "mean_test_score")


def test_results_have_the_columns_of_scikit_learn_and_the_gaps():
    search = RegressorCV(HuberRegressor(centre=None), lams=LAMS, grid={"kappa": [0.1, 1.0]}, cv=3, average="mean").fit(
        X, Y
    )
    results = search.cv_results_
    names = {"params", "param_lam", "param_kappa", "mean_test_score", "std_test_score", "rank_test_score"}
    assert names | {f"split{k}_test_score" for k in range(3)} | {
        "max_dual_gap",
        "mean_support",
        "mean_saturated",
    } == set(results)
    assert all(len(column) == 6 for column in results.values())
    assert np.all(results["max_dual_gap"] <= 1e-6)
    assert np.all(results["mean_support"] == 30)
    assert np.all(results["mean_saturated"][:3] >= results["mean_saturated"][3:])
    assert results["rank_test_score"][search.best_index_] == 1
    splits = np.array([results[f"split{k}_test_score"] for k in range(3)])
    assert np.allclose(results["mean_test_score"], splits.mean(0))


@pytest.mark.parametrize(
    "model",
    [Ridge(centre=None), EpsilonRidge(centre=None), HuberRegressor(centre=None), EpsilonSVR(centre=None)],
    ids=repr,
)
def test_automatic_grids_find_a_good_model(model):
    search = RegressorCV(model, cv=3, average="mean").fit(X, Y)
    assert search.best_estimator_.score(X, Y) > 0.8
    assert search.best_estimator_.dual_gap_ <= 1e-6


def test_any_scorer_will_do():
    search = RegressorCV(Ridge(centre=None), lams=LAMS, cv=FOLDS, scoring="r2", average="mean").fit(X, Y)
    theirs = GridSearchCV(Ridge(centre=None), {"lam": LAMS}, cv=FOLDS, scoring="r2").fit(X, Y)
    assert search.best_score_ == pytest.approx(theirs.best_score_, rel=1e-6)
    assert search.score(X, Y) == pytest.approx(theirs.score(X, Y), rel=1e-6)


def test_precomputed_gram_is_sliced():
    K = kernels.Gaussian(1.0)(X, X)
    ours = RegressorCV(Ridge(kernel="precomputed", centre=None), lams=LAMS, cv=FOLDS, average="mean").fit(K, Y)
    plain = RegressorCV(Ridge(kernel=kernels.Gaussian(1.0), centre=None), lams=LAMS, cv=FOLDS, average="mean").fit(X, Y)
    assert np.allclose(ours.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_outputs_known_by_a_gram_are_scored_in_their_own_norm():
    index = np.arange(len(Y))
    gram = RegressorCV(
        Ridge(space=spaces.RKHS(kernels.Precomputed(Y @ Y.T)), centre=None), lams=LAMS, cv=FOLDS, average="mean"
    ).fit(X, index)
    plain = RegressorCV(Ridge(centre=None), lams=LAMS, cv=FOLDS, average="mean").fit(X, Y)
    assert np.allclose(gram.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_folds_in_parallel_give_the_same_numbers():
    one = RegressorCV(HuberRegressor(centre=None), lams=LAMS, cv=FOLDS, average="mean").fit(X, Y)
    two = RegressorCV(HuberRegressor(centre=None), lams=LAMS, cv=FOLDS, n_jobs=2, average="mean").fit(X, Y)
    assert np.array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


def test_groups_reach_the_splitter():
    groups = np.arange(45) // 3
    search = RegressorCV(Ridge(centre=None), lams=LAMS, cv=GroupKFold(5), average="mean").fit(X, Y, groups=groups)
    assert search.n_splits_ == 5


def test_clones_and_shows_nested_parameters():
    search = RegressorCV(HuberRegressor(kernel=kernels.Gaussian(1.0), centre=None), lams=LAMS, average="mean")
    assert clone(search).get_params()["estimator__kernel__gamma"] == 1.0


def test_bad_grids_are_named():
    with pytest.raises(ValueError, match="empty grid"):
        RegressorCV(Ridge(centre=None), lams=[], average="mean").fit(X, Y)
    with pytest.raises(ValueError, match="lams"):
        RegressorCV(Ridge(centre=None), lams=[-1.0], average="mean").fit(X, Y)
    with pytest.raises(ValueError, match="not in the grid"):
        RegressorCV(Ridge(centre=None), lams=LAMS, grid={"lam": [1.0]}, average="mean").fit(X, Y)
    with pytest.raises(TypeError, match="GridSearchCV"):
        RegressorCV("ridge", average="mean").fit(X, Y)
    with pytest.raises(ValueError, match="kappa"):
        RegressorCV(Ridge(centre=None), lams=LAMS, grid={"kappa": [1.0]}, average="mean").fit(X, Y)


@pytest.mark.parametrize(
    ("model", "n_lams"),
    [
        (Ridge(kernel=kernels.Gaussian(1.0), centre=None), 2),
        (Ridge(kernel=kernels.Gaussian(1.0), centre=None), 8),
        (HuberRegressor(0.3, kernel=kernels.Gaussian(1.0), centre=None), 2),
        (
            Ridge(kernel=operator_kernels.Separable(kernels.Gaussian(1.0), operator_kernels.Covariance()), centre=None),
            2,
        ),
        (Ridge(kernel=operator_kernels.Sum(kernels.Gaussian(1.0), kernels.Linear()), centre=None), 2),
        (Ridge(kernel=kernels.Gaussian(1.0), space=spaces.RKHS(kernels.Linear()), centre=None), 2),
    ],
    ids=repr,
)
def test_leave_one_out_is_that_of_scikit_learn(model, n_lams):
    model, lams = clone(model).set_params(tol=1e-9), np.logspace(-3, -1, n_lams)
    x, y = X[:14], Y[:14]
    fast = RegressorCV(model, lams, grid={}, cv="loo", average="mean").fit(x, y)
    slow = RegressorCV(model, lams, grid={}, cv=LeaveOneOut(), average="mean").fit(x, y)
    assert np.allclose(fast.cv_results_["mean_test_score"], slow.cv_results_["mean_test_score"], rtol=1e-4)
    assert np.allclose(fast.cv_results_["split3_test_score"], slow.cv_results_["split3_test_score"], rtol=1e-3)
    assert fast.n_splits_ == 14
    assert np.array_equal(fast.cv_results_["mean_support"] > 12, slow.cv_results_["mean_support"] > 12)
    assert fast.cv_results_["max_dual_gap"].max() <= 1e-9


def test_approximate_leave_one_out_selects_a_model_as_good():
    grid = {"kappa": [0.05, 0.3]}
    exact = RegressorCV(HuberRegressor(centre=None), lams=LAMS, grid=grid, cv="loo", average="mean").fit(X, Y)
    quick = RegressorCV(HuberRegressor(centre=None), lams=LAMS, grid=grid, cv="loo-approximate", average="mean").fit(
        X, Y
    )
    chosen = quick.cv_results_["params"].index(quick.best_params_)
    assert exact.cv_results_["mean_test_score"][chosen] >= 1.1 * exact.best_score_


def test_leave_one_out_says_what_it_cannot_do():
    with pytest.raises(ValueError, match="loo-approximate"):
        RegressorCV(Ridge(centre=None), lams=LAMS, cv="jackknife", average="mean").fit(X, Y)
    with pytest.raises(ValueError, match="LeaveOneOut"):
        RegressorCV(Ridge(centre=None), lams=LAMS, cv="loo", scoring="r2", average="mean").fit(X, Y)
    learned = operator_kernels.Separable(kernels.Gaussian(1.0), operator_kernels.Covariance())
    with pytest.raises(ValueError, match="refits"):
        RegressorCV(Ridge(kernel=learned, centre=None), lams=LAMS, cv="loo-approximate", average="mean").fit(X, Y)


def test_solver_settings_in_the_grid_reach_the_folds():
    model = HuberRegressor(0.3, solver="proximal_gradient", kernel=kernels.Gaussian(1.0), centre=None)
    with pytest.warns(ConvergenceWarning):
        search = RegressorCV(model, lams=[1e-4], grid={"max_iter": [1, 5000]}, cv=3, average="mean").fit(X, Y)
    assert search.cv_results_["max_dual_gap"][0] > 1e-3
    assert search.cv_results_["max_dual_gap"][1] <= 1e-6


def test_a_solver_object_keeps_its_own_tolerance_in_the_folds():
    model = HuberRegressor(0.3, solver=solvers.Splitting(tol=1e-11), centre=None)
    search = RegressorCV(model, lams=[1e-2], grid={}, cv=3, average="mean").fit(X, Y)
    assert search.cv_results_["max_dual_gap"].max() <= 1e-11


def test_lists_and_integers_are_inputs_as_good_as_any():
    points = np.random.default_rng(0).integers(0, 5, (20, 2))
    model = Ridge(kernel=kernels.Laplacian(1.0), centre=None)
    ours = RegressorCV(model, lams=LAMS, cv=3, average="mean").fit(points.tolist(), Y[:20].tolist())
    plain = RegressorCV(model, lams=LAMS, cv=3, average="mean").fit(points.astype(float), Y[:20])
    assert ours.best_score_ == pytest.approx(plain.best_score_)


def test_leave_one_out_refits_where_the_basis_is_learned():
    model = Ridge(kernel=kernels.Gaussian(1.0), space=spaces.RKHS(n_components=1), centre=None)
    fast = RegressorCV(model, lams=[1e-2], grid={}, cv="loo", average="mean").fit(X[:12], Y[:12])
    slow = RegressorCV(model, lams=[1e-2], grid={}, cv=LeaveOneOut(), average="mean").fit(X[:12], Y[:12])
    assert fast.best_score_ == pytest.approx(slow.best_score_)


def test_automatic_lams_follow_the_scale_of_the_operator():
    kernel = operator_kernels.Separable(kernels.Gaussian(1.0), operator_kernels.Covariance())
    small, large = (
        RegressorCV(Ridge(kernel=kernel, centre=None), cv=3, average="mean").fit(X, scale * Y) for scale in (1.0, 100.0)
    )
    assert large.best_params_["lam"] == pytest.approx(1e4 * small.best_params_["lam"])


def test_outputs_that_are_all_zero_still_have_a_grid():
    assert (
        RegressorCV(HuberRegressor(centre=None), cv=3, average="mean").fit(X, np.zeros(45)).predict(X).tolist()
        == [0.0] * 45
    )


def test_gaps_and_counts_are_those_of_the_fits_on_the_folds():
    model = HuberRegressor(0.3, lam=1e-3, tol=1e-3, centre=None)
    results = RegressorCV(model, [1e-3], {}, cv=FOLDS, average="mean").fit(X, Y).cv_results_
    fits = [clone(model).fit(X[train], Y[train]) for train, _ in FOLDS.split(X)]
    assert results["max_dual_gap"][0] == pytest.approx(max(fit.dual_gap_ for fit in fits))
    assert results["mean_support"][0] == np.mean([len(fit.support_) for fit in fits])
    assert results["mean_saturated"][0] == np.mean([len(fit.saturated_) for fit in fits]) > 0


@pytest.fixture
def counted(monkeypatch):
    """How often an n x n matrix, n = 45, is decomposed."""
    from scipy.linalg import lapack

    from hilbertine import arrays

    counts = Counter()

    def counting(home, name):
        original = getattr(home, name)

        def count(A, *args, **kwargs):
            counts[name] += len(A) == len(X)
            return original(A, *args, **kwargs)

        monkeypatch.setattr(home, name, count)

    counting(arrays.scipy.linalg, "eigh")
    counting(arrays.scipy.linalg, "cho_factor")
    counting(lapack, "dpotrf")
    return counts


@pytest.mark.parametrize(
    ("operator", "n_lams", "expected"),
    [
        (None, 1, {"dpotrf": 1, "cho_factor": 1}),
        (None, 12, {"eigh": 1, "cho_factor": 1}),
        (operator_kernels.Matrix(np.diag([1.0, 0.3])), 12, {"eigh": 1}),
    ],
    ids=["one lam", "many lams", "operator"],
)
def test_leave_one_out_of_the_square_loss_costs_little_more_than_one_fit(counted, operator, n_lams, expected):
    grams = []

    class Counted(kernels.Gaussian):
        def between(self, A, B):
            grams.append(len(A))
            return super().between(A, B)

    model = Ridge(kernel=operator_kernels.Separable(Counted(1.0), operator), centre=None)
    RegressorCV(model, np.logspace(-4, -1, n_lams), cv="loo", average="mean").fit(X, Y)
    assert {name: times for name, times in counted.items() if times} == expected
    assert grams == [len(X)]


@pytest.mark.parametrize(
    ("search", "decided"),
    [
        (RegressorCV(Ridge(kernel=kernels.Gaussian("median"), centre=None), cv=3, average="mean"), 12),
        (
            RegressorCV(
                HuberRegressor(tol=1e-10, centre=None),
                LAMS,
                {"kappa": [0.1, 0.3]},
                cv="loo-approximate",
                average="mean",
            ),
            6,
        ),
        (
            RegressorCV(
                Ridge(centre=None),
                None,
                {"kernel": [kernels.Gaussian(1.0), kernels.Linear()]},
                cv="loo",
                average="mean",
            ),
            24,
        ),
    ],
    ids=["folds", "leave-one-out", "other kernels"],
)
def test_the_model_chosen_is_the_one_that_its_own_fit_gives(search, decided):
    best = search.fit(X, Y).best_estimator_
    alone = clone(best).fit(X, Y)
    assert len(search.cv_results_["params"]) == decided
    assert {**best.get_params(), **search.best_params_} == best.get_params()
    assert set(vars(best)) == set(vars(alone))
    assert np.allclose(best.dual_coef_, alone.dual_coef_)
    assert np.allclose(best.predict(X[:5] + 0.1), alone.predict(X[:5] + 0.1))


def test_square_and_robust_losses_share_a_leave_one_out_grid():
    grid = {"loss": [losses.Huber(0.3), losses.Square(), losses.Huber(1.0), losses.EpsilonSquare(0.0)]}
    search = RegressorCV(
        Regressor(kernel=kernels.Gaussian(1.0), centre=None), LAMS, grid, cv="loo", average="mean"
    ).fit(X[:20], Y[:20])
    scores = search.cv_results_["mean_test_score"].reshape(4, 3)
    for loss, row in zip(grid["loss"], scores, strict=True):
        alone = RegressorCV(
            Regressor(loss, kernels.Gaussian(1.0), centre=None), LAMS, {}, cv="loo", average="mean"
        ).fit(X[:20], Y[:20])
        assert np.allclose(row, alone.cv_results_["mean_test_score"], rtol=1e-4)
    assert np.array_equal(scores[1], scores[3])


@pytest.mark.parametrize("average", ["median", "trimmed"])
def test_robust_averages_are_over_the_samples_of_all_folds(average):
    spoilt = Y.copy()
    spoilt[[3, 11, 20]] += 50.0
    model = Ridge(kernel=kernels.Gaussian(1.0), centre=None)
    one, each = (RegressorCV(model, LAMS, {}, cv=cv, average=average).fit(X, spoilt) for cv in ("loo", LeaveOneOut()))
    assert np.allclose(each.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"])
    search = RegressorCV(model, [1e-3], {}, cv=FOLDS, average=average).fit(X, spoilt)
    held_out, by_fold = [], []
    for train, test in FOLDS.split(X):
        fold = clone(model).set_params(lam=1e-3).fit(X[train], spoilt[train])
        errors = np.sum((fold.predict(X[test]) - spoilt[test]) ** 2, axis=1)
        held_out.append(errors)
        by_fold.append(-metrics.averaged(errors, average))
    assert search.best_score_ == pytest.approx(-metrics.averaged(np.concatenate(held_out), average))
    assert [search.cv_results_[f"split{k}_test_score"][0] for k in range(4)] == pytest.approx(by_fold)


def test_the_mean_is_over_folds_of_unequal_size_as_that_of_scikit_learn():
    halves = PredefinedSplit(np.arange(45) < 5)
    ours = RegressorCV(Ridge(centre=None), LAMS, {}, cv=halves, average="mean").fit(X, Y)
    theirs = GridSearchCV(Ridge(centre=None), {"lam": LAMS}, cv=halves, scoring=minus_squared_norm).fit(X, Y)
    assert np.allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (Regressor(losses.Huber(), centre=None), ["loss__kappa"]),
        (Regressor(losses.EpsilonSquare(), centre=None), ["loss__epsilon"]),
        (FunctionalRegressor(losses.Huber(), basis=spaces.Cosine(2), centre=None), ["loss__kappa"]),
        (Regressor(losses.EpsilonInsensitive(losses.Huber(), 0.1), centre=None), ["loss__epsilon"]),
        (HuberRegressor(1.0, centre=None), ["kappa"]),
        (HuberRegressor(centre=None), []),
        (Ridge(centre=None), []),
        (Regressor(centre=None), []),
    ],
    ids=repr,
)
def test_the_default_grid_varies_the_parameters_of_the_loss(model, names):
    search = RegressorCV(model, [1e-3], cv=3, average="mean").fit(X[:15], Y[:15])
    kernel = [] if isinstance(model, FunctionalRegressor) else ["kernel"]
    assert list(search.best_params_) == [*kernel, *names, "lam"]
    middle = np.sort(np.linalg.norm(search.best_estimator_.targets_, axis=1))[7]
    for name in names:
        values = [point[name] for point in search.cv_results_["params"]]
        low, high = (1e-3, 0.5) if "epsilon" in name else (3e-3, 3.0)
        assert (len(values), values[0], values[-1]) == pytest.approx((6, low * middle, high * middle))


def test_gross_errors_do_not_move_the_default_grid():
    """Four of 45 outputs at a million: anchored on the largest, no value of kappa would be of use."""
    spoilt = Y.copy()
    spoilt[:4] = 1e6
    model = Regressor(losses.Huber(1.0), kernels.Gaussian(1.0))
    values = [RegressorCV(model, [1e-3], cv=3).fit(X, y).cv_results_["param_loss__kappa"] for y in (Y, spoilt)]
    assert np.all(values[1] < 1.5 * values[0])


def test_a_value_at_the_edge_of_its_grid_is_named():
    with pytest.warns(UserWarning, match=r"best lam, .* at the end of the values tried.*larger.*lams"):
        RegressorCV(Ridge(kernel=kernels.Gaussian(1.0)), [1e-9, 1e-8, 1e-7]).fit(X, np.random.default_rng(0).random(45))


def test_a_subclass_whose_kappa_is_a_width_is_scored_for_each_width():
    class Wide(Regressor):
        def __init__(self, kappa=1.0, lam=1e-3):
            super().__init__(lam=lam)
            self.kappa = kappa

        def _make_kernel(self, space):
            return operator_kernels.Separable(kernels.Gaussian(self.kappa))

    search = RegressorCV(Wide(), [1e-3], {"kappa": [0.01, 10.0]}, cv=FOLDS).fit(X, Y)
    alone = [
        RegressorCV(Ridge(kernel=kernels.Gaussian(width)), [1e-3], {}, cv=FOLDS).fit(X, Y).best_score_
        for width in (0.01, 10.0)
    ]
    assert search.cv_results_["mean_test_score"] == pytest.approx(alone)


def test_a_pipeline_is_chosen_as_by_grid_search():
    pipeline = make_pipeline(StandardScaler(), Ridge(kernel=kernels.Gaussian(0.5)))
    ours = RegressorCV(pipeline, LAMS, {"ridge__centre": ["median", None]}, cv=FOLDS).fit(X, Y)
    grid = {"ridge__lam": LAMS, "ridge__centre": ["median", None]}
    theirs = GridSearchCV(pipeline, grid, cv=FOLDS, scoring=minus_squared_norm).fit(X, Y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert np.allclose(ours.predict(X[:3]), theirs.predict(X[:3]))


def test_weights_of_a_search_are_repetitions():
    weights = np.r_[np.full(20, 2.0), np.ones(25)]
    rows = np.repeat(np.arange(45), weights.astype(int))
    train, test = np.arange(5, 45), np.arange(5)
    split = [(train, test), (np.r_[0:30], np.r_[30:45])]
    places = [tuple(np.flatnonzero(np.isin(rows, part)) for part in pair) for pair in split]
    model = HuberRegressor(0.3, kernel=kernels.Gaussian(1.0), tol=1e-10)
    for average in ("mean", "trimmed"):
        one = RegressorCV(model, [1e-2], {}, cv=split, average=average).fit(X, Y, sample_weight=weights)
        two = RegressorCV(model, [1e-2], {}, cv=places, average=average).fit(
            X[rows], Y[rows], sample_weight=np.ones(65)
        )
        assert one.best_score_ == pytest.approx(two.best_score_, rel=2e-2 if average == "trimmed" else 1e-4)


def test_without_arguments_kernel_and_lam_are_chosen_in_any_units():
    rng = np.random.default_rng(0)
    inputs = rng.uniform(-2, 2, (120, 3)) * [1.0, 1e4, 1e-4]
    targets = np.stack([np.sin(2 * inputs[:, 0]), 1e-4 * inputs[:, 1]], axis=1)
    targets[:6] += 30.0
    search = RegressorCV().fit(inputs, targets)
    assert search.average_ == "trimmed"
    assert search.best_estimator_.score(inputs[6:], targets[6:]) > 0.97


@pytest.mark.parametrize(
    "kernel",
    [kernels.Gaussian(1.0), operator_kernels.Separable(kernels.Gaussian(1.0), operator_kernels.Covariance())],
    ids=["closed form", "refits"],
)
def test_leave_one_out_tells_how_far_it_is(kernel):
    told = []
    model = HuberRegressor(kernel=kernel, centre=None)
    grid = {"kappa": [0.3, np.inf]}
    RegressorCV(model, [1e-2, 1e-1], grid, cv="loo", callback=lambda *at: told.append(at), average="mean").fit(
        X[:10], Y[:10]
    )
    assert {total for _, total in told} == {40}
    steps = np.diff([0, *(done for done, _ in told)])
    assert np.all(steps > 0)
    assert len(told) > 3
    assert told[-1] == (40, 40)


def test_leave_one_out_of_one_sample_is_refused():
    with pytest.raises(ValueError, match="at least two"):
        RegressorCV(Ridge(centre=None), lams=LAMS, cv="loo", average="mean").fit(X[:1], Y[:1])


@pytest.mark.parametrize("model", [HuberRegressor(), EpsilonRidge(), HuberRegressor(cells=True)], ids=repr)
@pytest.mark.parametrize("cv", ["loo", "loo-approximate"])
def test_leave_one_out_takes_lengths_that_are_automatic(model, cv):
    model = clone(model).set_params(lam=1e-3, tol=1e-9)
    name = "epsilon" if isinstance(model, EpsilonRidge) else "kappa"
    length = getattr(clone(model).fit(X[:20], Y[:20]), f"{name}_")
    found = [
        RegressorCV(each, [1e-3], {}, cv=cv, average="mean").fit(X[:20], Y[:20]).best_score_
        for each in (model, clone(model).set_params(**{name: length}))
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4)


def test_what_does_not_belong_together_is_refused_before_any_fold():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[45, 20\]"):
        RegressorCV().fit(X, Y[:20])
    with pytest.raises(ValueError, match="RegressorCV requires y"):
        RegressorCV().fit(X, None)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(10,\)"):
        RegressorCV().fit(X, Y, sample_weight=np.ones(10))


def test_a_search_knows_the_suspects_of_its_best_model():
    outputs = Y.copy()
    outputs[3] += 50.0
    search = RegressorCV(HuberRegressor(), lams=[1e-3, 1e-2], cv=2).fit(X, outputs)
    assert search.suspects().samples[0] == 3
    piped = RegressorCV(make_pipeline(StandardScaler(), HuberRegressor()), lams=[1e-3, 1e-2], cv=2).fit(X, outputs)
    assert piped.suspects().samples[0] == 3
