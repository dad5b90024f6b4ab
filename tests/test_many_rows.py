"""Very many rows: how often features are read, in which precision, and on which paths."""

import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from hilbertine import EpsilonRidge, HuberRegressor
from hilbertine.arrays import beside
from hilbertine.kernels import Gaussian, Matern, Nystroem
from hilbertine.losses import Huber
from hilbertine.matrices import LowRank, Tall
from hilbertine.solvers import path, sample, sampled_newton
from hilbertine.threads import each

rng = np.random.default_rng(0)
N, P, M = 400, 12, 3
C = rng.standard_normal((N, P)).astype(np.float32)
R = np.triu(rng.standard_normal((P, 9)))
B, V = rng.standard_normal((9, M)), rng.standard_normal((N, M))


class Counted(Sequence):
    """Blocks of 50 rows that know how often they were asked for."""

    def __init__(self):
        self.asked = 0

    def __len__(self):
        return N // 50

    def __getitem__(self, k):
        self.asked += 1
        if not 0 <= k < len(self):
            raise IndexError(k)
        return C[50 * k : 50 * k + 50]


@pytest.mark.parametrize("left", [1.0, 0.5, np.linspace(0.0, 2.0, N)], ids=["one", "half", "rows"])
@pytest.mark.parametrize("workers", [1, 2])
def test_one_pass_gives_both_products_and_reads_each_block_once(left, workers):
    F = Tall(Counted(), (N, 9), R).scaled(left)
    exact = np.broadcast_to(left, N)[:, None] * (C.astype(float) @ R)
    with threadpool_limits(workers, user_api="blas"):
        before = F.parts.asked
        found, turned, total = F.there_and_back(B, lambda P, V: (np.cos(P) + V, np.sum(P)), [V])
        # One of them tells the library and the device.
        assert F.parts.asked - before <= 2 * len(F.parts)
    assert np.allclose(found, np.cos(exact @ B) + V, rtol=1e-12, atol=1e-12)
    assert np.allclose(turned, exact.T @ found, rtol=1e-11, atol=1e-11)
    assert total == pytest.approx(np.sum(exact @ B))


def test_features_in_single_precision_lose_nothing_of_what_they_meet():
    F, exact = Tall.whole(C), C.astype(float)
    thin = 1.0 + 1e-9 * rng.standard_normal((N, 1))
    assert np.allclose(F.transposed_times(thin), exact.T @ thin, rtol=1e-12, atol=1e-11)
    assert np.allclose(F.times(thin[:P]), exact @ thin[:P], rtol=1e-12, atol=1e-13)


def test_sums_of_squares_are_in_double_precision_where_a_steep_factor_follows():
    steep = R * np.logspace(0, 4, 9)[None, :]
    exact = C.astype(float) @ steep
    S = Tall(Tall.whole(C).parts, (N, 9), steep).section()
    assert np.allclose(S, exact.T @ exact, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("gamma", [0.4, [0.1, 0.4, 0.0], "auto"], ids=str)
@pytest.mark.parametrize(("dtype", "close"), [("float32", 1e-6), ("float64", 1e-14)])
def test_values_for_features_are_those_of_the_kernel_up_to_rounding(gamma, dtype, close):
    X = (rng.standard_normal((300, 3)) + 5.0).astype(dtype)
    kernel = Gaussian(gamma).fit(X)
    K = kernel.towards(X, X[:40])
    assert K.dtype == dtype
    assert np.abs(K - kernel.between(X.astype(float), X[:40].astype(float))).max() < close
    assert K.max() <= 1.0
    assert np.array_equal(Matern().fit(X).towards(X, X[:4]), Matern().fit(X).between(X, X[:4]))


def test_workers_leave_the_interpreter_to_each_other():
    with threadpool_limits(2, user_api="blas"):
        assert all(each(lambda k: getattr(beside, "others", False), range(5)))
    assert not getattr(beside, "others", False)


@pytest.fixture
def many(monkeypatch):
    """Rows that count as very many, inputs of a steep kernel, one row in ten far off."""
    monkeypatch.setattr(sample, "ROWS", 1000)
    X = np.random.default_rng(1).standard_normal((6000, 2))
    Y = np.sin(X @ np.ones((2, 2)) + np.array([0.0, 1.0])) + 0.1 * np.random.default_rng(2).standard_normal((6000, 2))
    Y[::10] *= -3.0
    return X, Y


def features(dtype, gamma=0.3):
    return Nystroem(Gaussian(gamma), 60, random_state=0, dtype=dtype)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("gamma", [0.05, 3.0], ids=["smooth", "rough"])
@pytest.mark.parametrize("maker", [HuberRegressor, EpsilonRidge])
def test_single_precision_features_converge_at_every_lam(many, scale, gamma, maker):
    X, Y = many
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = maker(0.3, kernel=features("float32", gamma), lam=scale / len(X), tol=1e-6, max_iter=40).fit(X, Y)
    assert model.dual_gap_ <= 1e-6
    # Its own features, exactly: W is as good as the certificate says.
    F = model.kernel_.scalar_.factors(model.kernel_.scalar_.represent(X))
    K = LowRank(F[0].astype(float) @ F[1])
    assert np.allclose((K @ model.dual_coef_) / scale + model.centre_, model.predict(X), atol=1e-4 * np.abs(Y).max())


def test_a_path_solves_its_sample_once_and_each_point_from_its_neighbours(many, monkeypatch):
    X, Y = many
    model = HuberRegressor(kernel=features("float32"), tol=1e-6)
    posed, calls = model._pose(X, Y), dict.fromkeys(("restricted", "there_and_back", "section", "_from_sample"), 0)

    def counted(owner, name):
        inner = getattr(owner, name)

        def outer(*given):
            calls[name] += 1
            return inner(*given)

        monkeypatch.setattr(owner, name, outer)

    for name in ("restricted", "there_and_back", "section"):
        counted(Tall, name)
    counted(sampled_newton, "_from_sample")
    lams, losses = np.logspace(-1, 1, 4) / len(X), [Huber(kappa) for kappa in (0.2, 0.4, 0.8)]
    found = {(i, j): solution for i, j, solution in path(posed.dual, lams, losses, model._recipe())}
    passes = calls["there_and_back"]
    assert len(found) == 12
    assert all(solution.gap <= 1e-6 for solution in found.values())
    # One curvature for each point and one matrix of the sample, which is read and solved once.
    assert (calls["restricted"], calls["_from_sample"]) == (1, 1)
    assert calls["section"] <= 1 + 12
    assert passes <= 11 * 12
    for (i, j), solution in found.items():
        here = posed.dual.at(lams[i], losses[j])
        alone = model._recipe().solve(here)
        values = [float(here.primal(each.W, each.predictions)) for each in (solution, alone)]
        assert values[0] == pytest.approx(values[1], rel=2e-6)
    assert passes < 0.95 * (calls["there_and_back"] - passes)
