"""What losses promise beyond the laws: lengths that are "auto", cells, scales far from one, errors at the door."""

import importlib

import mpmath
import numpy as np
import pytest

from examples import LOSSES
from hilbertine.losses import (
    Ball,
    Cells,
    EpsilonInsensitive,
    EpsilonNorm,
    EpsilonSquare,
    ExpNorm,
    Hinge,
    Huber,
    InfConv,
    LogNorm,
    Margin,
    MaxMargin,
    Norm,
    PaschHausdorff,
    Power,
    Square,
)
from hilbertine.losses.robust import Known
from hilbertine.losses.roots import increasing_root

rng = np.random.default_rng(0)
P, T = rng.standard_normal((2, 6, 4))


@pytest.mark.parametrize(
    ("loss", "there"),
    [
        (Huber("auto"), Huber(2.0)),
        (EpsilonSquare("auto"), EpsilonSquare(0.6)),
        (EpsilonNorm("auto"), EpsilonNorm(0.6)),
        (Ball("auto"), Ball(0.6)),
        (EpsilonInsensitive(Huber(5.0), "auto"), EpsilonInsensitive(Huber(5.0), 0.6)),
        (EpsilonInsensitive(Huber("auto"), 0.1), EpsilonInsensitive(Huber(2.0), 0.1)),
        (PaschHausdorff(EpsilonSquare("auto"), "auto"), PaschHausdorff(EpsilonSquare(0.6), 2.0)),
        (InfConv(Ball("auto"), Power(3.0)), InfConv(Ball(0.6), Power(3.0))),
        (Cells(Huber("auto")), Cells(Huber(2.0))),
    ],
    ids=repr,
)
def test_automatic_lengths_are_multiples_of_the_scale(loss, there):
    before = repr(loss)
    assert loss.automatic
    assert repr(loss.at_scale(2.0)) == repr(there)
    assert not there.automatic
    assert repr(loss) == before
    name = "|".join(name.split("__")[-1] for name, value in loss.get_params().items() if value == "auto")
    with pytest.raises(ValueError, match=rf'({name})="auto" is set by `fit` from the residuals; give a number'):
        loss.value(P, T)
    with pytest.raises(ValueError, match=rf'({name})="auto" is set by `fit`'):
        loss.check_trainable()


def test_only_lengths_are_automatic():
    assert not Power("auto").automatic
    with pytest.raises(TypeError, match="eta must be a number"):
        Power("auto").at_scale(2.0).value(P, T)


@pytest.mark.parametrize("scale", [0.0, np.inf, -1.0])
def test_a_scale_is_positive(scale):
    with pytest.raises(ValueError, match="scale must be finite and > 0"):
        Huber("auto").at_scale(scale)


@pytest.mark.parametrize("inner", [Huber(0.3), EpsilonSquare(0.3), Power(1.5), Norm(2.0)], ids=repr)
def test_cells_are_the_columns_one_by_one(inner):
    loss, columns = Cells(inner), [slice(j, j + 1) for j in range(4)]
    np.testing.assert_allclose(loss.value(P, T), sum(inner.value(P[:, j], T[:, j]) for j in columns))
    W = loss.prox(P, T, 0.4)
    np.testing.assert_allclose(W, np.column_stack([inner.prox(P[:, j], T[:, j], 0.4) for j in columns]))
    np.testing.assert_allclose(loss.conjugate(W, T), sum(inner.conjugate(W[:, j], T[:, j]) for j in columns))
    assert loss.curvature == inner.curvature
    assert loss.cell_cap == inner.cap
    assert loss.cap == np.inf
    assert loss.coefficients is None
    assert loss.entrywise
    assert not inner.entrywise


def test_cells_of_squares_are_the_square():
    np.testing.assert_allclose(Cells(Square()).value(P, T), Square().value(P, T))


@pytest.mark.parametrize("inner", [Hinge(), Margin(MaxMargin()), Cells(Huber()), "huber", Huber], ids=repr)
def test_cells_take_radial_losses(inner):
    for use in (lambda loss: loss.value(P, T), lambda loss: loss.check_trainable()):
        with pytest.raises(TypeError, match=r"Cells takes a radial loss.*is none; pass a loss such as Huber"):
            use(Cells(inner))


def test_a_ball_in_every_cell_is_not_trained_alone():
    with pytest.raises(ValueError, match="cannot be trained alone"):
        Cells(Ball(0.3)).check_trainable()


ROBUST = [Square(), EpsilonSquare(0.3), Huber(0.7), EpsilonNorm(0.3), Norm(2.0), Ball(0.3), Square().flat()]
ROBUST += [Norm(1e9), Huber(1e-9), Huber(1e300), Known((1e-200, 0.0, np.inf)), Known((1e100, 1.0, 1e9))]


@pytest.mark.parametrize("size", [1e-150, 1e-9, 1.0, 1e9, 1e150, 1e200])
@pytest.mark.parametrize("loss", ROBUST, ids=lambda loss: repr(loss.coefficients))
@np.errstate(over="ignore")
def test_the_three_numbers_at_every_scale(loss, size):
    x = size * np.array([0.0, 0.3, 1.0, 7.0])
    a, b, c = (mpmath.mpf(number) for number in loss.coefficients)

    def truth(t):
        d = max(mpmath.mpf(t) - b, 0)
        s = min(d / a, c) if a else (c if d else mpmath.mpf(0))
        return float(s), float(s * d - a * s * s / 2 if d and mpmath.isfinite(s) else (mpmath.inf if d else 0))

    slopes, values = np.transpose([truth(t) for t in x])
    np.testing.assert_allclose(loss.slope(x), slopes, rtol=1e-14)
    np.testing.assert_allclose(loss.phi(x), values, rtol=1e-14, atol=1e-305)
    assert loss.phi(np.array([np.inf])) == np.inf
    s = [min(mpmath.mpf(number), c) for number in x]
    inside = [float(a * u * u / 2 + b * u) if number <= c else np.inf for u, number in zip(s, x, strict=True)]
    np.testing.assert_allclose(loss.profile(x), inside, rtol=1e-14, atol=1e-305)
    np.testing.assert_allclose(loss.inverse(x[x <= float(c)]), [float(a * u + b) for u in x[x <= float(c)]], rtol=1e-14)
    for step in (size, 1.0, 1 / size):
        shrunk = [float(min(max((mpmath.mpf(t) - step * b) / (1 + step * a), 0), c)) for t in x]
        np.testing.assert_allclose(loss.shrink(x, step), shrunk, rtol=1e-13, atol=1e-305)


@pytest.mark.parametrize("size", [1e-150, 1e150])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@np.errstate(over="ignore")
def test_no_matrix_of_tiny_or_huge_rows_gives_nan(loss, size):
    W = loss.prox(size * P, size * T, 0.5)
    for numbers in (W, loss.value(size * P, size * T), loss.conjugate(W, size * T), loss.conjugate(P, size * T)):
        assert not np.any(np.isnan(numbers))


def exact(loss, t):
    """phi(t) in many digits."""
    if isinstance(loss, ExpNorm):
        return loss.scale * mpmath.expm1(t)
    if isinstance(loss, LogNorm):
        return loss.scale * (t * mpmath.log(t) + 1 / mpmath.e) if t * mpmath.e > 1 else mpmath.mpf(0)
    if isinstance(loss, Power):
        return loss.scale * t ** mpmath.mpf(loss.eta) / mpmath.mpf(loss.eta)
    return t * t / 2 if t < loss.kappa else loss.kappa * (t - mpmath.mpf(loss.kappa) / 2)


def exact_convolution(f, g, t):
    """min over 0 <= u <= t of f(t - u) + g(u), by thirds."""
    low, high = mpmath.mpf(0), mpmath.mpf(t)
    for _ in range(90):
        one, two = (2 * low + high) / 3, (low + 2 * high) / 3
        left = exact(f, t - one) + exact(g, one) <= exact(f, t - two) + exact(g, two)
        low, high = (low, two) if left else (one, high)
    return min(exact(f, t - u) + exact(g, u) for u in (mpmath.mpf(0), low, mpmath.mpf(t)))


@pytest.mark.parametrize("g", [ExpNorm(2.0), LogNorm(0.5), Power(4.0, 0.3), Huber(0.5), Huber(1e3)], ids=repr)
@pytest.mark.parametrize("f", [ExpNorm(0.3), ExpNorm(1e-6), LogNorm(3.0), Power(1.5), Power(1.05)], ids=repr)
def test_infimal_convolutions_over_hundreds_of_decades(f, g):
    t = np.array([1e-6, 1e-2, 0.5, 1.0, 7.0, 140.0, 160.0, 600.0, 650.0])
    loss = InfConv(f, g)
    with mpmath.workdps(40):
        truth = np.array([float(exact_convolution(f, g, number)) for number in t])
    # The value is the difference of slope * t and the profile; thirds end where the minimum is flat.
    assert np.all(np.abs(loss.phi(t) - truth) <= 1e-13 * (truth + loss.slope(t) * t) + 1e-30)


@np.errstate(over="ignore", invalid="ignore")
def test_where_a_part_overflows_the_convolution_may_not():
    loss = InfConv(ExpNorm(0.3), ExpNorm(2.0))
    with mpmath.workdps(40):
        truth = float(exact_convolution(loss.f, loss.g, 1300.0))
    values = loss.phi(np.array([800.0, 1300.0, 1500.0, np.inf]))
    np.testing.assert_allclose(values[1:], [truth, np.inf, np.inf])
    assert values[0] < values[1]


def counted(function):
    calls = []

    def counting(x):
        calls.append(x)
        return function(x)

    return counting, calls


@pytest.mark.parametrize("loss", [ExpNorm(), LogNorm(), LogNorm(0.5), Power(1.5), Power(3.0)], ids=repr)
@pytest.mark.parametrize("step", [0.01, 1.0, 100.0])
def test_a_proximal_map_takes_few_newton_steps(loss, step, monkeypatch):
    counting, calls = counted(loss.inverse)
    monkeypatch.setattr(loss, "inverse", counting)
    loss.shrink(10 ** np.random.default_rng(0).uniform(-3, 2, 200), step)
    # Two for the bracket, then two a step.
    assert len(calls) <= 2 + 2 * 7


def test_a_newton_step_that_does_not_halve_the_error_gives_way_to_bisection():
    # Newton steps on a square root of either sign jump from side to side of the root, for ever.
    function, calls = counted(lambda x: 3.0 + np.sign(x - 1.7) * np.sqrt(np.abs(x - 1.7)))
    root = increasing_root(function, np.array([3.0]), np.array([0.0]), np.array([3.0]))
    np.testing.assert_allclose(root, 1.7, rtol=1e-14)
    assert len(calls) < 180


@pytest.mark.parametrize("root", [1e-200, 1e-9, 0.4, 1e9, 1e200])
@np.errstate(over="ignore", invalid="ignore")
def test_a_root_is_found_from_zero_as_from_below(root):
    def jump(x):
        return np.where(x < root, x / root / 4, 2.0 + x / root)

    for lower in (0.0, root / 1e3):
        found = increasing_root(jump, np.array([1.0]), np.array([lower]), np.array([1e300]))
        np.testing.assert_allclose(found, root, rtol=1e-13)


def test_the_end_of_the_bracket_where_the_level_is_not_reached():
    levels, one = np.array([-1.0, 3.0, np.inf, np.nan]), np.ones(4)
    np.testing.assert_array_equal(increasing_root(lambda x: x, levels, 0 * one, 2 * one), [0.0, 2.0, 2.0, 2.0])


def test_a_flat_stretch_far_below_the_level_holds_no_root():
    def jump(x):
        return np.where(x < 10.0, np.exp(np.minimum(x, 10.0)), 1e20 * (1.0 + x))

    root = increasing_root(jump, np.array([1e20]), np.array([0.5]), np.array([700.0]))
    np.testing.assert_allclose(root, 10.0, rtol=1e-12)


class Falling(Power):
    """An inverse that is NaN between its ends."""

    def inverse(self, s):
        return np.where((s > 1.2) & (s < 1.4), np.nan, np.where(s <= 1.2, 0.0, 9.0))


def test_a_root_that_is_not_there_is_an_error_that_names_the_loss():
    with pytest.raises(ArithmeticError, match=r"EpsilonInsensitive.*Falling.*no root was found at level 2 .*`inverse`"):
        EpsilonInsensitive(Falling(2.0), 0.5).phi(np.array([2.0]))


@pytest.mark.parametrize("part", [Hinge(), Margin(MaxMargin()), Cells(Huber()), "huber", Huber, None], ids=repr)
@pytest.mark.parametrize(
    "use",
    [
        lambda loss: loss.coefficients,
        lambda loss: loss.cap,
        lambda loss: loss.check_trainable(),
        lambda loss: loss.value(P, T),
    ],
    ids=["coefficients", "cap", "check", "value"],
)
@pytest.mark.parametrize("left", [True, False])
def test_infimal_convolutions_take_radial_losses(part, use, left):
    with pytest.raises(TypeError, match=r"InfConv combines radial losses.*is none; pass losses such as"):
        use(InfConv(part, Huber()) if left else InfConv(Huber(), part))


def test_exponentials_are_finite_up_to_their_largest_exponent():
    with mpmath.workdps(30):
        truth = float(mpmath.expm1(689))
    np.testing.assert_allclose(ExpNorm().phi(np.array([689.0])), truth, rtol=1e-12)
    np.testing.assert_allclose(LogNorm(2.0).profile(np.array([2 * 689.0])), 2 * truth / np.e, rtol=1e-12)


@pytest.mark.parametrize("eta", [1.0, 1, 0.5])
def test_powers_exceed_one(eta):
    with pytest.raises(ValueError, match=r"Power needs eta > 1.*for eta = 1 use Norm"):
        Power(eta).check_trainable()


WRONG = {
    "lists": (P.tolist(), T.tolist()),
    "a list": (P, T.tolist()),
    "vectors": (P[:, 0], T[:, 0]),
    "fewer rows": (P[:-1], T),
    "one row": (P, T[:1]),
    "transposed": (P, T.T),
    "a tensor": (P[None], T[None]),
    "a number": (0.0, T),
    "nothing": (None, T),
}


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("loss", [Huber(), Power(3.0), Hinge(), Margin(MaxMargin()), Cells(Huber())], ids=repr)
def test_what_is_no_pair_of_matrices_is_described_at_the_door(loss, arguments):
    shapes = [str(getattr(part, "shape", type(part).__name__)) for part in arguments]
    for call in (loss.value, loss.conjugate, lambda A, B: loss.prox(A, B, 0.5)):
        with pytest.raises(ValueError, match=rf"{type(loss).__name__}.*takes two matrices of one shape") as error:
            call(*arguments)
        assert all(shape in str(error.value) for shape in shapes)


def test_data_frames_are_described_at_the_door():
    frame = importlib.import_module("pandas").DataFrame(P)
    with pytest.raises(ValueError, match=r"Huber.*got DataFrame of shape \(6, 4\) and ndarray.*np.asarray"):
        Huber().value(frame, T)


@pytest.mark.parametrize("f", [MaxMargin, "hinge", None, np.abs], ids=repr)
def test_a_margin_takes_a_function_of_one_variable(f):
    for use in (lambda loss: loss.value(P, T), lambda loss: loss.check_trainable()):
        with pytest.raises(TypeError, match="Margin needs a convex function of one variable"):
            use(Margin(f))
