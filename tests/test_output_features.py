"""Output kernels with few features: the same coordinates, and no matrix of all pairs of outputs."""

import tracemalloc

import numpy as np
import pytest

from hilbertine import StructuredPredictor, kernels, spaces

rng = np.random.default_rng(0)
Y, NEW = rng.standard_normal((80, 6)), rng.standard_normal((9, 6))
KERNELS = [
    kernels.Linear(),
    2.0 * kernels.Linear() + kernels.Constant(3.0),
    kernels.Nystroem(kernels.Gaussian(0.1), 15),
    kernels.RandomFourier(kernels.Gaussian(0.1), 20),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("kept", [None, 4])
def test_coordinates_are_those_of_the_matrix(kernel, kept):
    space = spaces.RKHS(kernel, kept)
    T = space.fit_measure(Y)[0]
    # The same values, as a matrix that has no features.
    K = kernel(Y, Y) if kernel.domain == "vectors" and not hasattr(kernel, "n_components") else space.kernel_.gram()
    other = spaces.RKHS(kernels.Precomputed(K), kept)
    expected = other.fit_measure(np.arange(80)[:, None])[0]
    assert T.shape == expected.shape
    assert space.span_ is not None
    assert getattr(other, "span_", None) is None
    assert np.allclose(T @ T.T, expected @ expected.T, atol=1e-8)
    assert np.allclose(T, space.encode(Y), atol=1e-8)
    assert np.allclose(space.inner(space.encode(NEW), Y), space.encode(NEW) @ T.T, atol=1e-8)


def test_no_matrix_of_all_pairs_is_made():
    n, m = 6000, 12
    X = rng.standard_normal((n, 3))
    Z = (X @ rng.standard_normal((3, m)) > 0).astype(float)
    model = StructuredPredictor(kernel=kernels.Nystroem(kernels.Gaussian(0.3), 30), output_kernel=kernels.Linear())
    tracemalloc.start()
    model.fit(X, Z)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n / 4
    assert np.mean(np.asarray(model.predict(X[:50], candidates=Z[:200])) == Z[:50]) > 0.9
