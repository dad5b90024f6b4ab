"""How often a device's numbers are waited for: each time it stands still until the processor has read them."""

import warnings
from collections import Counter

import numpy as np
import pytest

from hilbertine import HuberRegressor, kernels
from hilbertine.operator_kernels import holding
from hilbertine.solvers import Splitting

torch = pytest.importorskip("torch", reason="torch is not installed")
# What reads numbers of a tensor: `cpu` comes before each `numpy`.
READING = {"item", "tolist", "numpy", "nonzero", "__float__", "__bool__", "__int__", "__index__"}


class Reads(torch.overrides.TorchFunctionMode):
    """Counts what reads numbers, by name."""

    def __init__(self):
        super().__init__()
        self.found = Counter()

    def __torch_function__(self, act, types, args=(), kwargs=None):
        self.found[getattr(act, "__name__", "")] += getattr(act, "__name__", "") in READING
        return act(*args, **(kwargs or {}))


def reads(steps, n):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 3))
    Y = np.sin(3 * X) + 0.1 * rng.standard_normal((n, 3))
    model = HuberRegressor(0.1, kernel=kernels.Gaussian(0.5), lam=1e-5, solver=Splitting(tol=1e-30, max_iter=steps))
    with warnings.catch_warnings(), Reads() as counted:
        warnings.simplefilter("ignore")
        model.fit(torch.asarray(X), torch.asarray(Y))
    return sum(counted.found.values()), model


@pytest.mark.parametrize("n", [150, 300])
def test_a_step_reads_few_numbers_of_the_device(n):
    (few, _), (many, model) = reads(5, n), reads(15, n)
    assert model.matrix_.kind == "dense"
    assert 0 < many - few <= 10 * 4


@pytest.mark.parametrize("n", [150, 300])
def test_without_the_matrix_some_more_for_each_product(n, monkeypatch):
    monkeypatch.setattr(holding, "IN_ONE_PIECE", 100)
    monkeypatch.setattr(holding, "available", lambda like: 8 * n * n)
    (few, first), (many, second) = reads(3, n), reads(6, n)
    products = [int(model.matrix_.detail.split()[0]) for model in (first, second)]
    assert second.matrix_.kind == "tiled"
    assert 0 < many - few <= 3 * 7 + 4 * (products[1] - products[0])
