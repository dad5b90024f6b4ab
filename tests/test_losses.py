"""What losses promise beyond the laws: lengths that are "auto", cells."""

import numpy as np
import pytest

from hilbertine.losses import (
    Ball,
    Cells,
    EpsilonInsensitive,
    EpsilonNorm,
    EpsilonSquare,
    Hinge,
    Huber,
    InfConv,
    Margin,
    MaxMargin,
    Norm,
    PaschHausdorff,
    Power,
    Square,
)

rng = np.random.default_rng(0)
P, T = rng.standard_normal((2, 6, 4))


@pytest.mark.parametrize(
    ("loss", "there"),
    [
        (Huber("auto"), Huber(3.0)),
        (EpsilonSquare("auto"), EpsilonSquare(0.6)),
        (EpsilonNorm("auto"), EpsilonNorm(0.6)),
        (Ball("auto"), Ball(0.6)),
        (EpsilonInsensitive(Huber(5.0), "auto"), EpsilonInsensitive(Huber(5.0), 0.6)),
        (EpsilonInsensitive(Huber("auto"), 0.1), EpsilonInsensitive(Huber(3.0), 0.1)),
        (PaschHausdorff(EpsilonSquare("auto"), "auto"), PaschHausdorff(EpsilonSquare(0.6), 3.0)),
        (InfConv(Ball("auto"), Power(3.0)), InfConv(Ball(0.6), Power(3.0))),
        (Cells(Huber("auto")), Cells(Huber(3.0))),
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
