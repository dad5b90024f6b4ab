"""What once went wrong in use, and does not any more: one test for each, by what was seen."""

import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_predict

import hilbertine
from hilbertine import (
    FunctionalRegressor,
    HuberRegressor,
    Regressor,
    RegressorCV,
    Ridge,
    StructuredPredictor,
    kernels,
    losses,
    metrics,
    operator_kernels,
    solvers,
    spaces,
)
from hilbertine.solvers.rounding import rounding
from hilbertine.spaces.coordinates import off_by

rng = np.random.default_rng(0)
X = rng.standard_normal((50, 3))
Y = np.tanh(X @ rng.standard_normal((3, 2)))


def test_an_infimal_convolution_of_exponentials_far_from_zero():
    loss = losses.InfConv(losses.ExpNorm(0.3), losses.ExpNorm(2.0))
    np.testing.assert_allclose(loss.phi(np.array([140.0, 160.0, 600.0])), [3.897e30, 8.583e34, 3.009e130], rtol=1e-3)
    model = Regressor(loss, kernels.Gaussian(1.0), lam=1e-2, centre=None).fit(X[:20], 150.0 + Y[:20])
    assert np.abs(model.predict(X[:20]) - 150.0).max() < 10.0


@pytest.mark.parametrize("centre", ["median", None])
def test_tails_beside_a_large_mean(centre):
    t = np.linspace(0, 1, 301)
    curves = 1e6 + 0.2 * np.sin(30 * np.pi * t)[None] + 0.0 * X[:30, :1]
    model = FunctionalRegressor(losses.Norm(), kernels.Constant(), spaces.Cosine(3), grid=t, centre=centre, lam=1e-12)
    np.testing.assert_allclose(model.fit(X[:30], curves).residual_norms_, 0.1413, rtol=1e-3)
    assert model.truncation_gap_ > 0.2


@pytest.mark.parametrize("size", [1e6, 1e7])
def test_direct_stops_where_refining_adds_rounding(size):
    kernel = operator_kernels.Separable(kernels.Linear(), operator_kernels.Covariance())
    outputs = size * (1.0 + 0.01 * rng.standard_normal((50, 2)))
    assert Ridge(kernel=kernel, lam=2.0).fit(X, outputs).dual_gap_ < 1e-6
    with pytest.warns(ConvergenceWarning, match="rounding alone may leave"):
        model = Ridge(kernel=kernel, lam=2.0, centre=None, tol=1e-9).fit(X, outputs)
    assert model.n_iter_ < 10
    assert np.isfinite(model.predict(X)).all()


def test_rounding_bounds_what_a_product_is_off_by():
    kernel = kernels.Gaussian(0.01)
    gram = operator_kernels.Kronecker.dense(kernel(X, X), 2)
    dual = hilbertine.dual.Dual(gram, hilbertine.risk.Risk(losses.Square(), Y), 1e-9)
    W = rng.standard_normal((50, 2))
    exact = (kernel(X, X).astype(np.longdouble) @ W) / dual.scale
    off = float(np.abs(np.sum(W * dual.predict(W)) - np.sum(W * exact)))
    primal = abs(float(dual.primal(W)))
    assert 0.0 < off / primal < rounding(dual, W, primal) < 1e-8


INPUTS = {
    "Gaussian": (kernels.Gaussian(0.5), lambda: X.copy()),
    "callable": (lambda A, B: np.asarray(A) @ np.asarray(B).T, lambda: X.copy()),
    "aligned": (operator_kernels.AlignedAnchored(kernels.Gaussian(0.5)), lambda: X.copy()),
    "curves": (kernels.IntegralLaplacian(1.0), lambda: X.copy()),
    "precomputed": ("precomputed", lambda: X @ X.T),
    "objects": (lambda A, B: [[float(sum(a) * sum(b)) for b in B] for a in A], lambda: [list(x) for x in X]),
}


@pytest.mark.parametrize("name", INPUTS)
def test_a_model_does_not_change_with_what_it_was_fitted_to(name):
    kernel, make = INPUTS[name]
    inputs, outputs = make(), Y.copy()
    model = Ridge(kernel=kernel).fit(inputs, outputs)
    before = model.predict(make()[:5])
    for row in inputs:
        row[:] = [7.0 * value for value in row]
    outputs *= 3.0
    np.testing.assert_array_equal(model.predict(make()[:5]), before)


def test_a_structured_model_does_not_change_with_its_outputs():
    outputs = Y.copy()
    model = StructuredPredictor(output_kernel=kernels.Gaussian(0.5)).fit(X, outputs)
    before = np.array(model.predict(X[:5]))
    outputs *= 5.0
    np.testing.assert_array_equal(np.array(model.predict(X[:5])), before)


DAYS = np.datetime64("2020-01-01") + np.arange(50).astype("m8[D]")


@pytest.mark.parametrize("inputs", [DAYS[:, None], DAYS[:, None] - DAYS[0], X + 1j])
def test_dates_and_complex_numbers_are_no_inputs(inputs):
    with pytest.raises((TypeError, ValueError), match=r"dates or durations|Complex data not supported"):
        HuberRegressor().fit(inputs, Y)
    with pytest.raises((TypeError, ValueError), match=r"dates or durations|Complex data not supported"):
        HuberRegressor().fit(X[:, :1], Y).predict(inputs)


@pytest.mark.parametrize("outputs", [DAYS, DAYS - DAYS[0]])
@pytest.mark.parametrize("model", [HuberRegressor(), StructuredPredictor()])
def test_dates_are_no_outputs(model, outputs):
    with pytest.raises(TypeError, match="dates or durations"):
        clone(model).fit(X, outputs)


def test_kernel_functions_that_lose_something_are_refused():
    with pytest.raises(ValueError, match="Complex"):
        Ridge(kernel=lambda A, B: np.exp(1j * (np.asarray(A) @ np.asarray(B).T))).fit(X, Y)
    bad = Ridge(kernel=lambda A, B: np.full((len(A), len(B)), np.nan if len(A) < 50 else 1.0)).fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        bad.predict(X[:3])


def test_a_search_speaks_of_its_gaps_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RegressorCV(HuberRegressor(kernel=kernels.Gaussian(0.5), max_iter=1), lams=[1e-4, 1e-2], cv=3).fit(X, Y)
    said = [str(each.message) for each in caught if issubclass(each.category, ConvergenceWarning)]
    # One of the search, one of the last fit.
    assert len(said) == 2
    assert "points of the grid a fit stopped above tol" in said[0]


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(ConvergenceWarning) as caught:
        HuberRegressor(max_iter=1, kappa=0.1, solver="proximal_gradient").fit(X, Y)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: HuberRegressor(callback=3).fit(X, Y), "callback"),
        (lambda: HuberRegressor(max_iter=10**400).fit(X, Y), "max_iter"),
        (lambda: RegressorCV(Ridge(), n_jobs=0).fit(X, Y), "n_jobs"),
        (lambda: FunctionalRegressor(spectrum={"a": 1}).fit(X, Y), "Spectrum.values"),
        (lambda: spaces.L2(quadrature={"a": 1}).fit(Y), "quadrature"),
        (lambda: list(solvers.path(3, [0.1], [losses.Square()])), "dual = 3"),
        (lambda: metrics.hamming(X, object()), "P = object"),
    ],
)
def test_the_parameter_that_is_wrong_is_named(make, name):
    with pytest.raises((TypeError, ValueError), match=name.replace(".", r"\.")):
        make()


def test_eight_threads_get_the_same_numbers():
    def fitted(seed):
        model = HuberRegressor(kernel=kernels.Gaussian(0.5)).fit(X, np.roll(Y, seed, axis=0))
        return model.predict(X), model.dual_coef_

    alone = [fitted(seed) for seed in range(8)]
    shared = HuberRegressor(kernel=kernels.Gaussian(0.5)).fit(X, Y)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(fitted, range(8)))
        predictions = list(pool.map(lambda k: shared.predict(X), range(8)))
    for one, other in zip(alone, together, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)
    for each in predictions:
        np.testing.assert_array_equal(each, predictions[0])


NUMBERS = """
import numpy as np
from hilbertine import EpsilonSVR, HuberRegressor, KernelAutoencoder, RegressorCV, Ridge, kernels
rng = np.random.default_rng(0)
X = rng.standard_normal((300, 3))
Y = np.tanh(X @ rng.standard_normal((3, 2)))
found = [E().fit(X, Y).predict(X[:20]).ravel() for E in (HuberRegressor, EpsilonSVR, Ridge)]
search = RegressorCV(Ridge(kernel=kernels.Gaussian(0.5)), [1e-4, 1e-2], cv=3, n_jobs={jobs}).fit(X, Y)
found += [search.cv_results_["mean_test_score"], KernelAutoencoder(2).fit(X).transform(X[:5]).ravel()]
print(*(repr(float(value)) for value in np.concatenate(found)))
"""


def test_numbers_do_not_depend_on_threads_and_jobs():
    def numbers(threads, jobs):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        environment["PYTHONPATH"] = str(Path(hilbertine.__file__).parents[1])
        command = [sys.executable, "-W", "ignore", "-c", NUMBERS.replace("{jobs}", str(jobs))]
        out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        return np.array(out.split(), dtype=float)

    first = numbers("1", 1)
    # At the default tolerance: where a gap is asked for that rounding decides, so does it when to stop.
    for other in (numbers("2", 1), numbers("8", 2)):
        np.testing.assert_allclose(other, first, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Linear() + kernels.Linear(), kernels.Polynomial(2)])
def test_one_gross_output_hides_none_of_the_others(kernel):
    outputs = np.tanh(X[:20] @ rng.standard_normal((3, 3)))
    clean = spaces.RKHS(kernel).fit(outputs)
    outputs[3] *= 1e8 / np.linalg.norm(outputs[3])
    T, tails = (space := spaces.RKHS(kernel)).fit_measure(outputs)
    assert space.rank_ == clean.rank_
    np.testing.assert_allclose(T @ T.T, kernel(outputs, outputs), rtol=1e-6)
    np.testing.assert_allclose(space.encode(outputs), T, rtol=1e-6, atol=1e-6)
    assert tails.max() == 0.0


def test_trusted_samples_named_twice_count_once():
    model = Ridge(kernel=kernels.Gaussian(0.5), centre=None)
    once, twice = (
        RegressorCV(model, [1e-2], {}, cv="loo", trusted=trusted).fit(X, Y).best_score_
        for trusted in ([0, 1], [0, 0, 1])
    )
    assert once == twice


def test_a_kernel_is_written_once_however_many_terms_it_has():
    kernel = kernels.Gaussian(0.1)
    for k in range(23):
        kernel = kernel + kernels.Gaussian(0.1 * k + 0.2)
    assert len(repr(kernel)) < 2000
    assert len(kernel._repr_html_()) < 300_000


def test_a_few_outputs_in_other_units_do_not_move_the_default_grid():
    outputs = Y.copy()
    clean = RegressorCV(Regressor(losses.Huber(1.0), kernels.Gaussian(0.3)), [1e-3], cv=3).fit(X, Y)
    outputs[:2] += 1e6
    search = RegressorCV(Regressor(losses.Huber(1.0), kernels.Gaussian(0.3)), [1e-3], cv=3).fit(X, outputs)
    kappas = [[point["loss__kappa"] for point in each.cv_results_["params"]] for each in (clean, search)]
    np.testing.assert_allclose(kappas[1], kappas[0], rtol=0.2)


def common_letters(calls):
    def kernel(A, B):
        calls.append((len(A), len(B)))
        return np.array([[float(len(set(a) & set(b)) + 2 * (a == b)) for b in B] for a in A])

    return kernel


@pytest.mark.parametrize("decoder", [None, spaces.InnerProduct(), spaces.LossTrick()])
def test_candidates_of_each_sample_are_compared_once_for_all_samples(decoder):
    random, calls = np.random.default_rng(3), []
    words = ["".join(random.choice(list("abcdef"), 5)) for _ in range(40)]
    lists = [[words[j] for j in random.choice(40, 4, replace=False)] for _ in range(30)]
    model = StructuredPredictor(output_kernel=common_letters(calls), decoder=decoder).fit(X[:40], words)
    alone = [model.predict(X[i : i + 1], [each])[0] for i, each in enumerate(lists)]
    places = [model.positions(X[i : i + 1], words[i : i + 1], [each])[0] for i, each in enumerate(lists)]
    for ask in (model.predict, model.rank, model.decision_function, lambda x, c: model.positions(x, words[:30], c)):
        calls.clear()
        answers = ask(X[:30], lists)
        # One against the training outputs, and some for k(z, z); list by list they are sixty.
        assert len(calls) <= 12
        assert len(answers) == 30
    assert model.predict(X[:30], lists) == alone
    np.testing.assert_array_equal(model.positions(X[:30], words[:30], lists), places)


def test_a_score_that_depends_on_the_other_candidates_sees_those_of_its_own_sample():
    words = ["ab", "bc", "cd", "de", "ef"] * 4
    seen = []
    decoder = spaces.FromCallable(lambda space, C, Z: seen.append(len(Z)) or np.ones((len(C), len(Z))))
    model = StructuredPredictor(output_kernel=common_letters([]), decoder=decoder).fit(X[:20], words)
    model.predict(X[:3], [["ab"], ["bc", "cd"], ["de", "ef", "ab"]])
    assert seen == [1, 2, 3]


def test_leave_one_out_learns_the_mean_of_features_again():
    inputs = X[:20, :1] + 3.0
    outputs = np.sin(inputs[:, 0])
    for kernel in (
        kernels.Centred(kernels.Linear()),
        kernels.Constant() + 0.5 * kernels.Centred(kernels.Gaussian(1.0)),
    ):
        model = Ridge(kernel=kernel, centre=None, lam=1e-2)
        refits = [
            model.fit(np.delete(inputs, i, axis=0), np.delete(outputs, i)).predict(inputs[i : i + 1])[0] - outputs[i]
            for i in range(20)
        ]
        found = RegressorCV(model, [1e-2], {}, cv="loo").fit(inputs, outputs).best_score_
        assert found == pytest.approx(-np.mean(np.square(refits)), rel=1e-4)


def test_integrals_over_points_that_do_not_carry_the_basis_are_said_to_be_off():
    t, basis = np.linspace(0, 1, 20), spaces.Cosine(6)
    full = spaces.L2(t, basis).fit(np.ones((1, 20)))
    T = np.random.default_rng(7).standard_normal((30, 6))
    curves = np.asarray(full.decode(T))
    space = spaces.L2(t, basis, missing="quadrature").fit(curves)
    late = np.where(t < 0.3, np.nan, curves)
    with pytest.warns(UserWarning, match=r"30 of 30 curves .* off by half or more.*missing='least-squares'"):
        found = space.encode(late)
    off = off_by(space.functions(t[t >= 0.3]), space._observed(t[t >= 0.3]))
    errors = np.linalg.norm(found - T, axis=1)
    assert off > 0.5
    assert 0.3 * np.linalg.norm(T, axis=1).mean() < errors.mean()
    assert np.all(errors <= off * np.linalg.norm(T, axis=1) * (1 + 1e-12))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # One point in ten missing does little, and a basis of points has no other functions.
        curves[:, 7] = np.nan
        space.encode(curves)
        spaces.L2(t, missing="quadrature").fit(late)
        spaces.L2(t, spaces.Cosine(3), missing="least-squares").fit(late)


def test_saturated_rows_are_those_of_the_optimum_at_the_default_tolerance():
    """At a loose one they are known up to the gap, as `saturated_` says; at the default hardly one in hundreds is."""
    assert "known up to the gap" in " ".join((Regressor.__doc__ or "").split())
    missed = {1e-2: 0, 1e-6: 0}
    for seed in range(5):
        random = np.random.default_rng(seed)
        inputs = random.standard_normal((80, 3))
        outputs = np.sin(inputs @ random.standard_normal((3, 2))) + 0.1 * random.standard_normal((80, 2))
        outputs[:10] *= -3
        model = Regressor(losses.Huber(0.2), kernels.Gaussian(0.3), lam=1e-3)
        exact = set(clone(model).set_params(tol=1e-11).fit(inputs, outputs).saturated_)
        for tol in missed:
            missed[tol] += len(exact ^ set(clone(model).set_params(tol=tol).fit(inputs, outputs).saturated_))
    assert missed[1e-6] <= 1 <= missed[1e-2]


@pytest.mark.parametrize(
    "kernel",
    [
        operator_kernels.Separable(kernels.Gaussian(0.5), operator_kernels.Covariance()),
        operator_kernels.AlignedWeighted(kernels.Gaussian(0.5)),
        operator_kernels.Separable(kernels.Gaussian(0.5))
        + 0.5 * operator_kernels.Separable(kernels.Gaussian(1.0), operator_kernels.Covariance()),
    ],
    ids=["covariance", "aligned", "sum"],
)
def test_no_bound_is_claimed_where_the_operator_leaves_the_basis(kernel):
    t = np.linspace(0, 1, 21)
    curves = np.sin(2 * np.pi * t[None] * (1 + 0.2 * X[:, :1])) + X[:, 1:2] * np.cos(9 * t)[None]
    model = FunctionalRegressor(kernel=kernel, basis=spaces.Cosine(3), grid=t)
    assert np.isnan(model.fit(X, curves).truncation_gap_)
    # Nothing is left out, or the operator stays in the basis.
    whole = model.set_params(basis=None).fit(X, curves)
    assert whole.truncation_gap_ == pytest.approx(whole.dual_gap_, abs=1e-9)
    centred = kernels.Centred(kernels.Gaussian(0.5))
    assert model.set_params(basis=spaces.Cosine(3), kernel=centred).fit(X, curves).truncation_gap_ > 0.01


def test_folds_in_parallel_share_what_folds_in_turn_share(tmp_path):
    """Points of the grid that differ in the loss alone share a kernel matrix in every process."""

    def searched(jobs):
        calls = tmp_path / f"{jobs}.txt"

        def kernel(A, B):
            with open(calls, "a") as file:
                file.write(f"{len(A)} {len(B)}\n")
            return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(2))

        grid = {"kappa": [0.1, 0.3, 1.0], "kernel": [kernel]}
        search = RegressorCV(HuberRegressor(tol=1e-3), [1e-4, 1e-3, 1e-2], grid, cv=3, n_jobs=jobs).fit(X, Y)
        return search.cv_results_["mean_test_score"], len(calls.read_text().splitlines())

    (one, calls), (two, more) = searched(1), searched(2)
    np.testing.assert_array_equal(one, two)
    # For each fold one matrix and one of the rows held out, and the last fit; not one for each kappa.
    assert calls == more <= 3 * 2 + 2


def test_curves_of_scikit_fda_that_scikit_learn_has_taken_apart_are_put_together_again():
    """cross_val_predict joins what `predict` returns by NumPy, which knows containers as sequences of their curves."""
    skfda = pytest.importorskip("skfda")
    t = np.linspace(0, 2, 21)
    curves = skfda.FDataGrid(np.sin(t[None] * (1 + X[:, :1] ** 2)), t, domain_range=(0, 3))
    model = FunctionalRegressor(kernel=kernels.Gaussian(0.5), basis=spaces.Cosine(9))
    parts = cross_val_predict(model, X, curves, cv=3)
    assert parts.dtype == object
    joined = parts[0].concatenate(*parts[1:])
    plain = clone(model).set_params(grid=t)
    expected = cross_val_predict(plain, X, curves.data_matrix[:, :, 0], cv=3)
    np.testing.assert_allclose(joined.data_matrix[:, :, 0], expected)
    assert joined.domain_range == curves.domain_range
    assert "concatenate" in (Path(__file__).parents[1] / "docs" / "curves.md").read_text()


def test_an_order_given_for_the_grid_of_a_derivative_is_pointed_out():
    with pytest.raises(ValueError, match=r"Derivative\(order=2\)"):
        kernels.Derivative(2).fit(X)
