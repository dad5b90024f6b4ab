"""Rows on a cluster: the same estimators on Dask arrays, by the same lines, to the same numbers."""

import numpy as np
import pytest
from sklearn.base import clone

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Regressor, Ridge, kernels, losses, spread, waiting
from hilbertine.estimators import checkpoint, rows, suspects
from hilbertine.kernels import row_blocks
from hilbertine.matrices import RowBlocks, Tall
from hilbertine.operator_kernels import Covariance, Matrix, Separable
from hilbertine.solvers import sample
from hilbertine.spaces import centre

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
N, BLOCK = 400, 150
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3))
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1) + 0.1 * RNG.standard_normal((N, 2))
Y[::9] *= -5.0
WEIGHTS = RNG.integers(0, 3, N).astype(float)
GAPS = np.where(RNG.uniform(size=Y.shape) < 0.1, np.nan, Y)
GAPS[np.isnan(GAPS).all(axis=1)] = 0.0


@pytest.fixture(autouse=True)
def one_thread(request):
    """Dask's threads cost more than they give here; a client takes over where there is one."""
    with dask.config.set({} if "client" in request.fixturenames else {"scheduler": "synchronous"}):
        yield


def features():
    return kernels.Nystroem(kernels.Gaussian("auto"), 15)


def on_dask(A):
    return da.from_array(A, chunks=(BLOCK, *A.shape[1:]))


def both(model, y=Y, **weights):
    """The model fitted on NumPy arrays, and on Dask arrays whose blocks do not agree."""
    spread_weights = {name: on_dask(value) for name, value in weights.items()}
    local = model.fit(X, y, **weights).predict(X)
    distributed = model.fit(da.from_array(X, chunks=(97, 2)), on_dask(y), **spread_weights)
    return local, distributed


@pytest.mark.parametrize(
    "model",
    [
        Ridge(kernel=features()),
        HuberRegressor(kernel=features(), lam=1e-2, tol=1e-13),
        HuberRegressor(kappa=0.3, kernel=features(), lam=1e-2, cells=True, tol=1e-13),
        EpsilonRidge(epsilon=0.2, kernel=features(), centre="mean", tol=3e-15),
        EpsilonSVR(epsilon=0.2, kernel=kernels.Linear(), lam=1.0, tol=1e-9),
        Regressor(losses.Huber(0.3), Separable(features(), Matrix([[2.0, 0.5], [0.5, 1.0]])), lam=1e-1, tol=1e-13),
        Regressor(losses.Square(), Separable(features(), Covariance())),
    ],
    ids=repr,
)
def test_every_loss_and_operator_gives_the_numbers_of_numpy(model):
    local, distributed = both(model)
    assert distributed.converged_
    # Where a scale is found on the way the two start apart, and a gap of g leaves them the square root of g apart.
    close = 1e-6 if model._build_loss().automatic else 1e-8
    assert np.asarray(distributed.predict(on_dask(X))) == pytest.approx(local, abs=close * np.abs(Y).max())
    assert distributed.predict(X[:5]) == pytest.approx(local[:5], abs=close * np.abs(Y).max())


@pytest.mark.parametrize(("y", "weights"), [(Y, {"sample_weight": WEIGHTS}), (GAPS, {})], ids=["weights", "gaps"])
def test_weights_and_gaps(y, weights):
    # Rows without weight have no part in the model; of a kernel that learns from its points that is not asked here.
    kernel = kernels.Nystroem(kernels.Gaussian(0.5), centres=X[:15])
    model = HuberRegressor(kappa=0.3, kernel=kernel, lam=1e-2, missing="ignore", tol=1e-13)
    local, distributed = both(model, y, **weights)
    assert distributed.predict(X) == pytest.approx(local, abs=1e-7)


def test_what_has_a_row_for_each_sample_stays_there():
    model = HuberRegressor(kernel=features()).fit(on_dask(X), on_dask(Y))
    for name in ("dual_coef_", "targets_", "residual_norms_", "support_", "saturated_", "dual_gaps_"):
        assert spread.is_spread(getattr(model, name)), name
    assert spread.is_spread(model.predict(on_dask(X)))
    assert "3 blocks" in repr(model.matrix_)
    assert set(model.suspects().samples[:10].tolist()) <= set(range(0, N, 9))
    assert model.score(on_dask(X), on_dask(Y)) == pytest.approx(model.score(X, Y), abs=1e-12)


def test_blocks_of_rows_do_what_a_tall_matrix_does():
    C, R, left = RNG.standard_normal((N, 4)), RNG.standard_normal((4, 3)), RNG.uniform(size=N)
    whole = Tall(Tall.whole(C).parts, (N, 3), R).scaled(left)
    blocks = RowBlocks(on_dask(C), R).scaled(on_dask(left))
    V, B = RNG.standard_normal((N, 2)), RNG.standard_normal((3, 2))
    assert np.asarray(blocks.times(B)) == pytest.approx(whole.times(B))
    assert blocks.transposed_times(on_dask(V)) == pytest.approx(whole.transposed_times(V))
    assert blocks.section() == pytest.approx(whole.section())
    assert np.asarray(blocks.squares()) == pytest.approx(whole.squares())
    assert np.asarray(blocks.squares(B)) == pytest.approx(whole.squares(B))
    rows = np.array([3, 150, 399])
    assert blocks.restricted(rows).array() == pytest.approx(whole.restricted(rows).array())
    with pytest.raises(ValueError, match="on a cluster"):
        blocks.array()


def test_a_kernel_that_needs_a_matrix_is_refused_with_the_line_that_works():
    with pytest.raises(ValueError, match=r"few features: kernel=kernels\.Nystroem"):
        HuberRegressor().fit(on_dask(X), on_dask(Y))


def test_outputs_that_are_not_there_are_named():
    with pytest.raises(ValueError, match="NaN, first in row 7, output 1"):
        Ridge(kernel=kernels.Linear()).fit(
            on_dask(X), on_dask(np.where(np.arange(2 * N).reshape(N, 2) == 15, np.nan, Y))
        )


def test_places_of_rows_far_apart():
    rows = np.array([0, 151, 152, 399])
    found = spread.placed(np.arange(4.0)[:, None] + 1.0, rows, on_dask(Y))
    assert np.flatnonzero(np.asarray(found)[:, 0]).tolist() == rows.tolist()


@pytest.mark.parametrize("operator", [None, Matrix([[2.0, 0.5], [0.5, 1.0]])], ids=["identity", "matrix"])
def test_a_fit_that_was_cut_short_goes_on_from_p_by_m_numbers(operator, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    monkeypatch.setattr(checkpoint, "PRICE", 0.0)
    path = tmp_path / "fit.npz"
    kernel = features() if operator is None else Separable(features(), operator)
    model = Regressor(losses.Huber(0.3), kernel, lam=1e-3, tol=1e-8, checkpoint=path)
    whole = clone(model).set_params(checkpoint=None).fit(on_dask(X), on_dask(Y))

    def stop(progress):
        if progress.n_iter >= whole.n_iter_ - 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clone(model).set_params(callback=stop).fit(on_dask(X), on_dask(Y))
    with np.load(path) as file:
        assert file["state"].shape == (15, 2)
    begun = clone(model).fit(on_dask(X), on_dask(Y))
    assert begun.dual_gap_ <= 1e-8
    assert begun.n_iter_ <= whole.n_iter_ / 2
    with pytest.raises(ValueError, match="checkpoint of another fit: y has other values"):
        clone(model).fit(on_dask(X), on_dask(Y + 1.0))


def test_what_the_features_cost_is_what_numpy_says():
    model = HuberRegressor(0.3, kernel=features(), lam=1e-2)
    local = model.fit(X, Y)
    whole, some = local.approximation_gap(), local.approximation_gap(50)
    distributed = model.fit(on_dask(X), on_dask(Y))
    assert distributed.approximation_gap() == pytest.approx(whole, rel=1e-3)
    assert distributed.approximation_gap(50) == pytest.approx(some, rel=1e-3)
    assert distributed.approximation_gap(50).standard_error > 0
    covariance = Regressor(losses.Huber(0.3), Separable(features(), Covariance()), lam=1e-2)
    whole = covariance.fit(X, Y).approximation_gap()
    assert covariance.fit(on_dask(X), on_dask(Y)).approximation_gap() == pytest.approx(whole, rel=1e-3)


def test_suspects_are_those_of_numpy(monkeypatch):
    model = HuberRegressor(kernel=features(), tol=1e-9)
    local, distributed = model.fit(X, Y).suspects(), model.fit(on_dask(X), on_dask(Y)).suspects()
    assert distributed.samples[:30].tolist() == local.samples[:30].tolist()
    assert str(distributed) == str(local)
    monkeypatch.setattr(suspects, "LISTED", 30)
    few = model.suspects()
    assert few.samples.tolist() == local.samples[:30].tolist()
    assert few.counts == local.counts
    assert few.ratios == pytest.approx(local.ratios[:30], rel=1e-3)
    assert model.suspects(0.1).flagged.tolist() == [True] * 30
    assert model.suspects(0.1).counts == (40, N)


def cluster(**settings):
    distributed = pytest.importorskip("distributed")
    return distributed.LocalCluster(threads_per_worker=1, dashboard_address=None, silence_logs=50, **settings)


@pytest.fixture
def received(monkeypatch):
    """How many numbers the client has got in each wait, where some tens of rows stand for all of them."""
    from distributed import Client

    for place in (sample, row_blocks, centre):
        monkeypatch.setattr(place, "ROWS", 64)
    monkeypatch.setattr(rows, "SOME", 64)
    monkeypatch.setattr(suspects, "SAMPLE", 64)
    monkeypatch.setattr(suspects, "LISTED", 4)
    wait, found = waiting.waited, []

    def waited(client, futures):
        results = wait(client, futures)
        found.append(int(numbers_in(results)))
        return results

    monkeypatch.setattr(waiting, "waited", waited)
    with cluster(n_workers=2, processes=False) as workers, Client(workers), waiting.waiting():
        yield found


def numbers_in(results):
    return sum(map(numbers_in, results)) if isinstance(results, list | tuple) else np.size(results)


class Between:
    """A callback that takes what was received since it was called last."""

    def __init__(self, received):
        self.received, self.seen, self.steps = received, 0, []

    def __call__(self, progress):
        self.seen = len(self.received)

    def estimate(self, progress):
        self.steps.append(sum(self.received[self.seen :]))
        self.seen = len(self.received)


@pytest.mark.filterwarnings("ignore:Relay stopped|Splitting stopped|Detected different")
@pytest.mark.parametrize("name", ["newton", "splitting"])
def test_no_array_of_all_rows_reaches_the_client(name, received):
    n, p, m, k = 2000, 15, 2, 20
    inputs = RNG.standard_normal((n, 3))
    outputs = np.stack([np.sin(inputs[:, 0]), inputs[:, 1]], axis=1) * np.where(np.arange(n) % 9, 1.0, -5.0)[:, None]
    X, Y = (da.from_array(A, chunks=(1000, A.shape[1])) for A in (inputs, outputs))
    told = Between(received)
    loss = losses.Huber(0.3) if name == "newton" else losses.EpsilonInsensitive(losses.Norm(), 0.1)
    model = Regressor(loss, features(), lam=1e-3, tol=1e-3, max_iter=5, callback=told).fit(X, Y)
    assert len(told.steps) >= 2
    # F^T W and a sum; or three products, a sum for the gap, and the inner products of what is remembered.
    most = p * m + 1 if name == "newton" else 3 * p * m + 2 * k + 2 + 3
    # Before the first of them some rows came, to begin with.
    assert max(told.steps[1:]) <= most
    model.suspects()
    model.approximation_gap(50)
    model.score(X, Y)
    assert max(received) < n


@pytest.fixture(scope="module")
def client():
    from distributed import Client

    with cluster(n_workers=2) as workers, Client(workers) as found:
        yield found


def test_a_worker_that_dies_is_not_missed(client):
    killed = []

    def kill(progress):
        if not killed:
            killed.extend(client.run(lambda dask_worker: dask_worker.address))
            client.cluster.workers[0].process.process._process.kill()

    model = HuberRegressor(kappa=0.3, kernel=kernels.Linear(), lam=0.1, tol=1e-9)
    local = model.fit(X, Y).predict(X)
    assert model.set_params(callback=kill).fit(on_dask(X), on_dask(Y)).converged_
    assert killed
    assert model.predict(X) == pytest.approx(local, abs=1e-8)


def test_nobody_is_waited_for_for_ever(client, monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 1.0)
    client.cluster.scale(0)
    model = HuberRegressor(kappa=0.3, kernel=features())
    with pytest.raises(RuntimeError, match="has had no worker"):
        model.fit(on_dask(X), on_dask(Y))
    assert not hasattr(model, "function_")
