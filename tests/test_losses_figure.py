"""The figure of the losses: what the command writes, and its numbers against formulas by hand."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from hilbertine import cli
from hilbertine.experiments import Settings, losses_figure


@pytest.fixture(scope="module")
def result():
    return losses_figure.run(Settings(quick=True))


@pytest.fixture
def row(result):
    return {row["loss"]: row for row in result["rows"]}.__getitem__


def test_the_command_writes_a_table_a_figure_and_a_record(tmp_path):
    outcome = CliRunner().invoke(cli._app(), ["reproduce", "losses", "--quick", "--out", str(tmp_path)])
    assert outcome.exit_code == 0, outcome.output
    assert "2.080" in outcome.output
    assert (tmp_path / "losses.png").stat().st_size > 0

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    saved = json.loads((tmp_path / "losses.json").read_text(), parse_constant=refuse)
    assert len(saved["rows"]) == 9
    assert "hilbertine" in saved["versions"]


@pytest.mark.parametrize(
    ("loss", "numbers", "values"),
    [
        ("norm", (0, 0, 1), (1, 3, 1)),
        ("square", (1, 0, None), (0.5, 4.5, 3)),
        ("epsilon-SVR", (0, 2, 1), (0, 1, 1)),
        ("epsilon-ridge", (1, 1.5, None), (0, 1.125, 1.5)),
        ("Huber", (1, 0, 0.8), (0.8 * 0.6, 0.8 * (3 - 0.4), 0.8)),
        ("t^eta / eta", (None, None, None), (2 / 3, 3**1.5 / 1.5, 3**0.5)),
        ("t log t + 1/e", (None, None, None), (np.exp(-1), 3 * np.log(3) + np.exp(-1), np.log(3) + 1)),
        ("exp t - 1", (None, None, None), (np.e - 1, np.e**3 - 1, np.e**3)),
        ("epsilon-insensitive exp", (None, None, None), (np.e**0.5 - 1, np.e**2.5 - 1, np.e**2.5)),
    ],
)
def test_numbers_of_a_loss(row, loss, numbers, values):
    assert tuple(row(loss)[key] for key in "abc") == numbers
    assert [row(loss)[key] for key in ("phi(1)", "phi(3)", "slope(3)")] == pytest.approx(values)


# phi of the standard and of the robust loss, and the two profiles on [0, c].
HANDS = {
    "epsilon-SVR": (
        lambda t: t, lambda t: np.maximum(t - 2, 0), lambda s: 0 * s, lambda s: 2 * s,
    ),
    "epsilon-ridge": (
        lambda t: t**2 / 2, lambda t: np.maximum(t - 1.5, 0) ** 2 / 2, lambda s: s**2 / 2, lambda s: s**2 / 2 + 1.5 * s,
    ),
    "Huber": (
        lambda t: t**2 / 2, lambda t: np.where(t < 0.8, t**2 / 2, 0.8 * (t - 0.4)),
        lambda s: s**2 / 2, lambda s: s**2 / 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("k", range(3))
def test_a_pair_holds_both_curves_and_the_surface(result, k):
    pair = result["pairs"][k]
    phi, robust_phi, profile, robust_profile = HANDS[pair["robust"]["loss"]]
    for row, by_hand, dual in ((pair["standard"], phi, profile), (pair["robust"], robust_phi, robust_profile)):
        assert np.allclose(row["value"], by_hand(np.abs(row["residual"])))
        assert np.allclose(row["profile"], dual(np.array(row["s"])))
        assert row["s"][-1] == (2.0 if row["c"] is None else row["c"])
    x, y = np.meshgrid(pair["grid"], pair["grid"])
    assert np.allclose(pair["surface"], robust_phi(np.hypot(x, y)))


def test_the_figure_shows_both_curves_of_every_pair(result):
    axes = np.reshape(losses_figure.draw(result).axes, (4, 3))
    for (line, plane, dual), pair in zip(axes, result["pairs"], strict=False):
        for ax, key in ((line, "value"), (dual, "profile")):
            robust, standard = ax.get_lines()
            assert np.array_equal(robust.get_ydata(), pair["robust"][key])
            assert np.array_equal(standard.get_ydata(), pair["standard"][key])
            assert standard.get_linestyle() == "--"
        assert len(plane.texts) > 1
    assert all(len(ax.get_lines()) == len(result["others"]) == 4 for ax in axes[3])
    assert all(ax.get_xlabel() and ax.get_ylabel() and ax.get_title() for ax in axes.flat)


def test_the_table_is_rectangular_and_leaves_blank_what_a_loss_has_not(result):
    head, body = losses_figure.columns(result)
    assert {len(row) for row in body} == {len(head)}
    assert body[2] == ["epsilon-SVR", "2", "0", "2", "1", "0.000", "1.000", "1.000"]
    assert body[1][:5] == ["square", "", "1", "0", "inf"]
    assert body[-1][:5] == ["epsilon-insensitive exp", "0.5", "", "", ""]
