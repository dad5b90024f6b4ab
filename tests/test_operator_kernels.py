"""Operator-valued kernels against their printed formulas, written as full arrays of operators."""

from itertools import permutations

import numpy as np
import pytest

from examples import FAMILY, applied, family, rotating, three
from hilbertine import HuberRegressor, Regressor, RegressorCV, Ridge, kernels, losses, spaces
from hilbertine import operator_kernels as ok
from hilbertine.operator_kernels import families
from hilbertine.operator_kernels.combined import alignment_weights

N, M = 8, 3
rng = np.random.default_rng(0)
X, T, NEW = rng.standard_normal((N, 2)), rng.standard_normal((N, M)), rng.standard_normal((3, 2))
W = rng.standard_normal((N, M))
MU, MU2 = rng.uniform(0, 1, N), rng.uniform(0, 1, (N, N))
GAUSSIAN = kernels.Gaussian(0.5)


def outer(v):
    return np.outer(v, v)


def aligned(s, t, number):
    """K(s, t) of the appendix's proposition, for one pair of inputs."""
    k = GAUSSIAN(s, t)[0, 0]
    samples, pairs = range(N), [(i, j) for i in range(N) for j in range(N)]
    if number == "i":
        return sum(family(i)(s, t)[0, 0] * outer(T[i]) for i in samples)
    if number == "ii":
        return sum(MU[i] * k * outer(T[i]) for i in samples)
    if number == "iii":
        return sum(GAUSSIAN(s, X)[0, i] * GAUSSIAN(t, X)[0, i] * outer(T[i]) for i in samples)
    if number == "iv":
        return sum(family(i, j)(s, t)[0, 0] * outer(T[i] + T[j]) for i, j in pairs)
    if number == "v":
        return sum(MU2[i, j] * k * outer(T[i] + T[j]) for i, j in pairs)
    return sum(three(s, X[[i]], X[[j]])[0, 0] * three(t, X[[i]], X[[j]])[0, 0] * outer(T[i] + T[j]) for i, j in pairs)


ALIGNED = {
    "i": ok.AlignedFamily(family),
    "ii": ok.AlignedWeighted(GAUSSIAN, MU),
    "iii": ok.AlignedAnchored(GAUSSIAN),
    "iv": ok.PairAlignedFamily(family),
    "v": ok.PairAlignedWeighted(GAUSSIAN, MU2),
    "vi": ok.PairAlignedAnchored(three),
}


FORMS = {"terms": ok.Separable(GAUSSIAN), "map": ALIGNED["iii"], "dense": ok.Tensor(rotating)}
every_form = pytest.mark.parametrize("kernel", FORMS.values(), ids=FORMS)


def expected(operator, left):
    """sum_j K(s, x_j) w_j, by the function of two points."""
    return np.stack([sum(operator(s[None], x[None]) @ w for x, w in zip(X, W, strict=True)) for s in left])


@pytest.mark.parametrize("number", ALIGNED)
@pytest.mark.parametrize("inputs", [X, NEW], ids=["training", "new"])
def test_an_aligned_kernel_is_its_formula(number, inputs):
    np.testing.assert_allclose(
        applied(ALIGNED[number], inputs, X, T, W), expected(lambda s, t: aligned(s, t, number), inputs), rtol=1e-10
    )


@pytest.mark.parametrize("number", ALIGNED)
def test_an_aligned_kernel_trains_and_predicts(number):
    model = HuberRegressor(0.5, kernel=ALIGNED[number], lam=0.1, centre=None).fit(X, T)
    assert model.converged_
    expected_values = expected(lambda s, t: aligned(s, t, number), NEW)
    scale = np.linalg.norm(expected_values) / np.linalg.norm(W)
    by_hand = np.stack(
        [sum(aligned(s[None], x[None], number) @ w for x, w in zip(X, model.dual_coef_, strict=True)) for s in NEW]
    ) / (0.1 * N)
    np.testing.assert_allclose(model.predict(NEW), by_hand, atol=1e-10 * scale)


def test_lists_of_kernels_are_families_too():
    one = applied(ok.AlignedFamily([family(i) for i in range(N)]), NEW, X, T, W)
    two = applied(ok.PairAlignedFamily([[family(i, j) for j in range(N)] for i in range(N)]), NEW, X, T, W)
    np.testing.assert_allclose(one, applied(ALIGNED["i"], NEW, X, T, W))
    np.testing.assert_allclose(two, applied(ALIGNED["iv"], NEW, X, T, W))
    with pytest.raises(ValueError, match=r"3 kernels for 8 training samples"):
        ok.AlignedFamily(FAMILY).fit(X, T).gram()


def test_a_streamed_operator_computes_again_what_it_cannot_keep(monkeypatch):
    kept = ALIGNED["i"].fit(X, T).gram()
    monkeypatch.setattr(families, "KEPT", 0)
    streamed = ALIGNED["i"].fit(X, T).gram()
    assert kept.kept is not None
    assert streamed.kept is None
    np.testing.assert_allclose(streamed @ W, kept @ W)


def test_families_of_pairs_refuse_before_they_take_forever(monkeypatch):
    monkeypatch.setattr(families, "MOST_VALUES", 100)
    with pytest.raises(ValueError, match=r"PairAlignedFamily would evaluate 3 kernels of 64 values.*share"):
        ok.PairAlignedFamily(family).fit(X, T).gram()


@pytest.mark.parametrize("kernel", [ok.AlignedWeighted(weights=-MU), ok.PairAlignedWeighted(weights=-MU2)], ids=repr)
def test_negative_weights_are_refused(kernel):
    with pytest.raises(ValueError, match=r"weights must be >= 0"):
        kernel.fit(X, T).gram()


def test_a_tensor_is_the_separable_kernel_it_was_made_of():
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    tensor = ok.Tensor(lambda x, z: np.exp(-0.5 * np.sum((x - z) ** 2)) * A)
    separable = ok.Separable(GAUSSIAN, ok.Matrix(A))
    for inputs in (X, NEW):
        np.testing.assert_allclose(applied(tensor, inputs, X, T, W), applied(separable, inputs, X, T, W))
    fits = [
        Regressor(losses.Huber(0.3), kernel, lam=0.05, tol=1e-13, centre=None).fit(X, T)
        for kernel in (tensor, separable)
    ]
    np.testing.assert_allclose(fits[0].predict(NEW), fits[1].predict(NEW), atol=1e-6)


def test_a_tensor_of_order_four_trains_outputs_known_by_their_gram():
    M4 = np.einsum("ij,kl->ijkl", GAUSSIAN(X, X), T @ T.T)
    space = spaces.RKHS(kernels.Precomputed(T @ T.T))
    by_tensor = Ridge(0.1, ok.Tensor(M4), space, tol=1e-12, centre=None).fit(X, np.arange(N))
    separable = Ridge(0.1, GAUSSIAN, spaces.RKHS(kernels.Precomputed(T @ T.T)), centre=None).fit(X, np.arange(N))
    np.testing.assert_allclose(by_tensor.dual_coef_, separable.dual_coef_, atol=1e-5)
    with pytest.raises(ValueError, match=r"cannot predict; give it a function"):
        by_tensor.predict(NEW)


def test_a_tensor_that_does_not_fit_is_refused_before_it_is_allocated():
    calls = []
    kernel = ok.Tensor(lambda x, z: calls.append(1), limit=1e-9)
    with pytest.raises(ValueError, match=r"8 x 8 operators of 3 x 3 numbers.*GiB.*limit"):
        kernel.fit(X, T).gram()
    assert not calls


@pytest.mark.parametrize(
    ("function", "message"),
    [(lambda x, z: np.eye(2), r"returned shape \(2, 2\).*3 x 3"), (lambda x, z: -np.eye(3), r"positive semi-definite")],
    ids=["shape", "negative"],
)
def test_a_tensor_of_wrong_operators_is_named(function, message):
    with pytest.raises(ValueError, match=message):
        ok.Tensor(function).fit(X, T).gram()


@pytest.mark.parametrize(
    "kernel", [ok.Separable(GAUSSIAN), ALIGNED["iii"], ok.Tensor(rotating)], ids=["terms", "map", "dense"]
)
def test_multiples_products_and_sums_act_as_such(kernel):
    plain = applied(kernel, NEW, X, T, W)
    units = [[np.eye(N)[:, [j]] * e for e in np.eye(M)] for j in range(N)]
    blocks = np.stack([[applied(kernel, NEW, X, T, unit) for unit in row] for row in units])
    k = kernels.Laplacian(0.4)(NEW, X)
    times = np.einsum("sj,jasb,ja->sb", k, blocks, W)
    np.testing.assert_allclose(applied(kernels.Laplacian(0.4) * kernel, NEW, X, T, W), times, atol=1e-12)
    np.testing.assert_allclose(applied(2.5 * kernel, NEW, X, T, W), 2.5 * plain)
    other = ok.Separable(kernels.Linear(), ok.Covariance())
    for both in (kernel + other, other + kernel):
        np.testing.assert_allclose(applied(both, NEW, X, T, W), plain + applied(other, NEW, X, T, W))


@pytest.mark.parametrize(
    "kernel", [ok.Separable(GAUSSIAN), ALIGNED["iii"], ok.Tensor(rotating)], ids=["terms", "map", "dense"]
)
def test_restriction_leaves_the_other_samples_out(kernel):
    gram, rows = kernel.fit(X, T).gram(), np.array([7, 1, 2])
    full = np.zeros((N, M))
    full[rows] = W[:3]
    np.testing.assert_allclose(gram.restricted(rows) @ W[:3], (gram @ full)[rows], atol=1e-12)


@pytest.mark.parametrize(
    "kernel", [*ALIGNED.values(), ok.Tensor(rotating), ok.Separable(GAUSSIAN, ok.Covariance())], ids=repr
)
def test_the_operator_norm_is_that_of_the_largest_block(kernel):
    gram = kernel.fit(X, T).gram()
    blocks = [np.stack([(gram @ np.outer(np.eye(N)[i], e))[i] for e in np.eye(M)]) for i in range(N)]
    assert gram.operator_norm() == pytest.approx(max(np.linalg.eigvalsh(block)[-1] for block in blocks))


def curl_free(x, z, gamma=0.5):
    """-Hessian of exp(-gamma |x - z|^2)."""
    d = x - z
    return 2 * gamma * (np.eye(len(d)) - 2 * gamma * np.outer(d, d)) * np.exp(-gamma * d @ d)


def test_random_fourier_features_approach_a_curl_free_kernel():
    Y = rng.standard_normal((N, 2))
    exact = applied(ok.Tensor(curl_free), NEW, X, Y, W[:, :2])
    errors = [
        np.linalg.norm(applied(ok.RandomFourier(lambda w: np.outer(w, w), 0.5, D), NEW, X, Y, W[:, :2]) - exact)
        for D in (100, 10_000)
    ]
    assert errors[1] < 0.05 * np.linalg.norm(exact)
    assert errors[1] < errors[0] / 3


def test_random_frequencies_are_those_of_the_fit():
    kernel = ok.RandomFourier(n_terms=30, random_state=np.random.RandomState(0))
    model = Ridge(0.1, kernel, centre=None).fit(X, T)
    np.testing.assert_array_equal(model.predict(NEW), model.predict(NEW))
    with pytest.raises(ValueError, match=r"density returned shape \(2, 2\) for outputs of 3"):
        Ridge(0.1, ok.RandomFourier(lambda w: np.outer(w, w)), centre=None).fit(X, T)
    with pytest.raises(ValueError, match=r"not symmetric positive"):
        Ridge(0.1, ok.RandomFourier(lambda w: -np.eye(3)), centre=None).fit(X, T)


def cosine(K, L):
    return np.sum(K * L) / np.linalg.norm(K) / np.linalg.norm(L)


def test_alignment_weights_maximise_the_cosine_with_the_outputs():
    rng = np.random.default_rng(3)
    inputs = rng.standard_normal((30, 3))
    targets = np.stack([np.sin(2 * inputs[:, 0]), inputs[:, 0] ** 2], axis=1)
    parts = [kernels.Gaussian(2.0), kernels.Linear(), kernels.Laplacian(0.5), kernels.Gaussian(50.0)]
    kernel = ok.WeightedSum(parts[0] + parts[1] + parts[2] + parts[3], "alignment").fit(inputs, targets)
    C = np.eye(30) - 1 / 30
    grams = np.stack([C @ k(inputs, inputs) @ C for k in parts])
    best = cosine(np.tensordot(kernel.weights_, grams, 1), targets @ targets.T)
    assert kernel.weights_.sum() == pytest.approx(1.0)
    others = np.concatenate([rng.dirichlet(np.full(4, 0.3), 300), np.eye(4)])
    near = np.clip(kernel.weights_ + 1e-3 * rng.standard_normal((300, 4)), 0, None)
    for mu in [*others, *near]:
        assert cosine(np.tensordot(mu, grams, 1), targets @ targets.T) <= best + 1e-12


def test_alignment_does_not_depend_on_the_scales_of_the_kernels():
    rng = np.random.default_rng(3)
    inputs = rng.standard_normal((30, 3))
    targets = np.stack([np.sin(2 * inputs[:, 0]), inputs[:, 1], inputs[:, 2] ** 2], axis=1)
    parts = (kernels.Gaussian(2.0), kernels.Linear(), kernels.Laplacian(0.5))
    grams = [kernel(inputs[:, [i]], inputs[:, [i]]) for i, kernel in enumerate(parts)]
    expected = alignment_weights(grams, targets)
    assert expected.min() > 0.01
    for order in permutations((1e-3, 1.0, 1e3)):
        scales = np.array(order)
        weights = alignment_weights([s * K for s, K in zip(scales, grams, strict=True)], 1e-2 * targets)
        # The same combination of matrices, up to its own scale.
        np.testing.assert_allclose(weights * scales / np.sum(weights * scales), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_nothing_is_aligned_with_outputs_that_are_constant(scale):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((30, 3))
    kernel = ok.WeightedSum(kernels.Gaussian(0.5) + kernels.Linear() + kernels.Laplacian(), "alignment")
    rounded = np.nextafter(0.1, rng.integers(0, 2, (30, 1)))
    for y in (np.full((30, 1), 0.1), np.tile([1 / 3, -0.7], (30, 1)), rounded):
        with pytest.raises(ValueError, match="aligned with the outputs"):
            Ridge(0.1, kernel, centre=None).fit(inputs, scale * y)
    # What is left of outputs far from zero still counts.
    near, far = (
        Ridge(0.1, kernel, centre=None).fit(inputs, scale * (shift + np.sin(inputs[:, :1]))).kernel_.weights_
        for shift in (0, 1e5)
    )
    np.testing.assert_allclose(near, far, atol=1e-6)


def test_a_kernel_at_a_right_angle_to_the_outputs_is_not_aligned():
    y, v = np.random.default_rng(0).standard_normal((2, 30))
    v = v - v.mean()
    v -= (v @ (y - y.mean())) / (y @ (y - y.mean())) * (y - y.mean())
    with pytest.raises(ValueError, match="aligned with the outputs"):
        alignment_weights([np.outer(v, v)], y[:, None])


def test_weights_are_learned_in_each_fit_and_serve_its_predictions():
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((40, 2))
    first, second = inputs[:, :1], inputs[:, 1:]
    views = [kernels.Gaussian(1.0)(view, view) for view in (first, second)]
    both = kernels.Precomputed(views[0]) + kernels.Precomputed(views[1])
    model = Regressor(kernel=ok.WeightedSum(both, "alignment"), lam=1e-3, centre=None)
    index = np.arange(40)
    for view in (0, 1):
        target = np.sin(3 * inputs[:, view : view + 1])
        weights = model.fit(index[:30], target[:30]).kernel_.weights_
        assert weights[view] > 0.8
        by_hand = kernels.Precomputed(weights[0] * views[0] + weights[1] * views[1])
        expected = Regressor(kernel=by_hand, lam=1e-3, centre=None).fit(index[:30], target[:30]).predict(index[30:])
        assert np.allclose(model.predict(index[30:]), expected)
    uniform = Regressor(kernel=ok.WeightedSum(both), lam=1e-3, centre=None).fit(index, target).predict(index)
    half = Regressor(
        kernel=0.5 * (kernels.Precomputed(views[0]) + kernels.Precomputed(views[1])), lam=1e-3, centre=None
    )
    assert np.allclose(uniform, half.fit(index, target).predict(index))
    search = RegressorCV(
        Regressor(kernel=ok.WeightedSum(both), centre=None), [1e-3], {"kernel__weights": ["uniform", "alignment"]}
    )
    assert search.fit(index, target).best_params_["kernel__weights"] == "alignment"


def test_nonsense_weights_are_named():
    inputs = np.ones((3, 1))
    for weights, message in (
        ("best", "'uniform', 'alignment'"),
        ([1.0], "2 finite numbers"),
        ([0.0, 0.0], "not all zero"),
    ):
        with pytest.raises(ValueError, match=message):
            ok.WeightedSum(kernels.Linear() + kernels.Constant(), weights).fit(inputs, inputs).gram()
    with pytest.raises(ValueError, match="aligned with the outputs"):
        ok.WeightedSum(kernels.Constant() + kernels.Constant(), "alignment").fit(inputs, inputs).gram()


def test_both_kinds_of_kernels_share_one_algebra():
    k, K = GAUSSIAN, ok.Separable(kernels.Linear(), ok.Covariance())
    for total in (k + K, K + k, sum([K, k])):
        assert repr(total) == "Separable(operator=Covariance(), scalar=Linear()) + Gaussian(gamma=0.5)"
    assert repr(k * (K + k)) == repr((K + k) * k) == f"Gaussian(gamma=0.5) * ({K!r} + Gaussian(gamma=0.5))"
    assert repr(2.0 * K) == repr(K * 2.0) == f"2.0 * {K!r}"
    # What is written grows with the number of terms, not with its power.
    assert len(repr(sum([K] * 12))) == 12 * len(repr(K)) + 11 * len(" + ")
