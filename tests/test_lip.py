"""Lip: the data, the authors' protocol to four decimals, and the experiment from data to record."""

import json
import os
import sys
from hashlib import sha256

import numpy as np
import pytest
from scipy.integrate import trapezoid
from sklearn.base import clone
from typer.testing import CliRunner

from hilbertine import FunctionalRegressor, Regressor, RegressorCV, cli, datasets, kernels, losses, spaces
from hilbertine import operator_kernels as ok
from hilbertine.datasets import files, make_curves, outliers
from hilbertine.experiments import lip, lip_authors, lip_corrected
from hilbertine.metrics import squared_norms
from hilbertine.plotting import figure

needs_data = pytest.mark.skipif(
    "HILBERTINE_DATA" not in os.environ, reason="HILBERTINE_DATA does not name a folder with the Lip data"
)
LINE = b"1.0,2.0\n"


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No folder of the user's, an empty cache, no network."""
    import pooch

    def refuse(*args, **kwargs):
        raise ConnectionError("no network")

    monkeypatch.delenv("HILBERTINE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(pooch, "retrieve", refuse)
    return tmp_path


def fetch(data=None, digest=None):
    return files.fetch("lip/small.csv", "https://example.org/small.csv", digest or sha256(LINE).hexdigest(), data)


@needs_data
def test_the_data_are_32_pairs_of_curves():
    data = datasets.load_lip()
    assert data.data.shape == data.target.shape == (32, 641)
    assert np.allclose(data.grid, np.linspace(0, 1, 641))
    assert "say bob again" in data.DESCR
    assert (data.data.mean(), data.target.std()) == pytest.approx((0.6496, 0.9591), abs=1e-4)


def test_without_data_the_error_says_what_was_tried_and_what_to_do(nowhere):
    with pytest.raises(FileNotFoundError) as error:
        datasets.load_lip(nowhere / "mine")
    for part in ("EMGmatlag.csv", "mine", "cache", "raw.githubusercontent.com", "internet", "HILBERTINE_DATA"):
        assert part in str(error.value)


def test_without_pooch_the_error_names_the_extra(nowhere, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(FileNotFoundError, match=r"pip install 'hilbertine\[paper\]'"):
        datasets.load_lip()


@pytest.mark.parametrize("place", ["mine/lip", "mine", "cache/hilbertine/lip"])
def test_a_file_is_found_in_the_folder_given_in_its_own_folder_and_in_the_cache(nowhere, place):
    path = nowhere / place / "small.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(LINE)
    assert fetch(nowhere / "mine") == path
    path.write_bytes(b"changed")
    with pytest.raises(ValueError, match="SHA-256"):
        fetch(nowhere / "mine")


def test_a_download_goes_to_the_cache_with_its_checksum(nowhere, monkeypatch):
    import pooch

    def retrieve(address, known_hash, fname, path):
        assert (address, known_hash) == ("https://example.org/small.csv", sha256(LINE).hexdigest())
        path.mkdir(parents=True)
        (path / fname).write_bytes(LINE)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    assert fetch() == nowhere / "cache" / "hilbertine" / "lip" / "small.csv"
    monkeypatch.setattr(pooch, "retrieve", None)
    assert fetch().read_bytes() == LINE


def test_the_command_line_names_a_wrong_file_in_one_line(nowhere):
    (nowhere / "EMGmatlag.csv").write_bytes(LINE)
    outcome = CliRunner().invoke(cli._app(), ["reproduce", "lip", "--data", str(nowhere), "--out", str(nowhere)])
    assert outcome.exit_code == 1
    assert isinstance(outcome.exception, SystemExit)
    assert "EMGmatlag.csv is not the file" in outcome.output


def test_a_download_of_something_else_is_named(nowhere, monkeypatch):
    import pooch

    def retrieve(address, known_hash, fname, path):
        raise ValueError("SHA256 hash of downloaded file does not match")

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    with pytest.raises(files.WrongFileError, match=r"example\.org/small\.csv gives is not the file"):
        fetch()


def test_synthetic_curves_are_those_of_the_seed_and_have_the_shape_of_the_data():
    data = make_curves(random_state=3)
    assert data.data.shape == data.target.shape == (32, 641)
    assert np.array_equal(data.target, make_curves(random_state=3).target)
    assert not np.array_equal(data.target, make_curves(random_state=4).target)
    quiet = make_curves(20, 80, noise=0.0, random_state=0)
    noise = make_curves(20, 80, noise=0.3, random_state=0).target - quiet.target
    assert noise.std() == pytest.approx(0.3, abs=0.05)
    with pytest.raises(ValueError, match="noise"):
        make_curves(noise=-1.0)


def test_synthetic_outputs_are_a_function_of_the_inputs():
    data = make_curves(200, 60, noise=0.0, random_state=0)
    model = FunctionalRegressor(kernel=kernels.IntegralLaplacian(7.0), lam=1e-5, centre=None).fit(
        data.data[50:], data.target[50:]
    )
    error = np.mean((model.predict(data.data[:50]) - data.target[:50]) ** 2)
    assert error < 0.3 * data.target[:50].var(axis=0).mean()


def test_the_authors_pairs_are_not_orthonormal():
    basis, eigenvalues = lip_authors.pairs(3, np.linspace(0, 1, 1001))
    gram = basis @ basis.T / 1001
    assert np.allclose(gram, np.diag([2, 0, 1, 1, 1, 1]), atol=5e-3)
    assert np.allclose(eigenvalues, [1, 1, 1 / 4, 1 / 4, 1 / 9, 1 / 9])


def test_the_authors_protocol_is_refitting_without_each_curve():
    data = make_curves(12, 40, random_state=0)
    X, Y, _ = outliers.append_flipped(data.data, data.target, indices=[2, 5])
    result = lip_authors.leave_one_out(X, Y, data.grid, 3, [0.2, 0.6, 50.0])
    basis, eigenvalues = lip_authors.pairs(3, data.grid)
    kernel = ok.Separable(kernels.IntegralLaplacian(7.0), ok.Matrix(np.diag(eigenvalues)))

    def error(loss):
        left = []
        for i in range(len(X)):
            others = np.delete(np.arange(len(X)), i)
            model = Regressor(loss, kernel, lam=result["lam"], tol=1e-10, centre=None).fit(
                X[others], Y[others] @ basis.T / 40
            )
            left.append(np.mean((Y[i] - model.predict(X[i : i + 1]) @ basis) ** 2))
        return np.mean(left)

    assert result["ridge"] == pytest.approx(error(losses.Square()), rel=1e-9)
    assert result["errors"] == pytest.approx([error(losses.Huber(kappa)) for kappa in (0.2, 0.6, 50.0)], rel=1e-4)
    assert result["errors"][2] == pytest.approx(result["ridge"], rel=1e-4)
    assert result["huber"] == min(result["errors"])
    assert result["gap"] <= 1e-8


@needs_data
@pytest.mark.parametrize("n_pairs", lip_authors.SAVED)
def test_the_authors_numbers_to_four_decimals(n_pairs):
    data = datasets.load_lip()
    X, Y, _ = outliers.append_flipped(data.data, data.target, factor=lip_authors.FACTOR, indices=lip_authors.OUTLIERS)
    ridge, huber, kappa = lip_authors.SAVED[n_pairs]
    near = lip_authors.KAPPAS[np.abs(lip_authors.KAPPAS - kappa) < 0.1]
    result = lip_authors.leave_one_out(X, Y, data.grid, n_pairs, near)
    assert result["lam"] == pytest.approx(0.01)
    assert result["ridge"] == pytest.approx(ridge, abs=5e-5)
    assert result["huber"] == pytest.approx(huber, abs=5e-5)
    assert result["kappa"] == pytest.approx(kappa, abs=5e-4)
    assert result["gap"] <= 1e-8


@pytest.fixture(scope="module")
def curves():
    data = make_curves(14, 40, random_state=0)
    X, Y, mask = outliers.append_flipped(data.data, data.target, indices=[2, 5])
    return lip_corrected.Curves(X, Y, data.grid, mask)


def test_the_corrected_protocol_scores_genuine_curves_alone(curves):
    lam = 0.003
    records, predicted = lip_corrected.corrected(curves, 4, lip_corrected.Grids([lam], [0.1, 50.0]))
    result = records["mean"]
    genuine = lip_corrected.Curves(*(part[:14] for part in (curves.X, curves.Y)), curves.grid, curves.outliers[:14])
    search = RegressorCV(lip_corrected.model_of(genuine, 4), [lam], {}, cv="loo").fit(np.arange(14), genuine.Y)
    assert result["floor"] == pytest.approx(-search.best_score_, rel=1e-6)
    assert result["errors"][1] == pytest.approx(result["ridge"], rel=1e-4)
    assert result["floor"] < result["ridge"]
    error = []
    for i in range(14):
        others = np.delete(np.arange(16), i)
        kernel = ok.Separable(
            kernels.IntegralLaplacian(7.0), ok.Spectrum([1, 1 / 4, 1 / 4, 1 / 9, 1 / 9, 1 / 16, 1 / 16])
        )
        model = Regressor(losses.Huber(0.1), kernel, spaces.L2(curves.grid, spaces.Fourier(7)), lam=lam, centre=None)
        model.fit(curves.X[others], curves.Y[others])
        error.append(squared_norms(model.space_, model.embed(curves.X[[i]]), curves.Y[[i]])[0])
    assert result["errors"][0] == pytest.approx(np.mean(error), rel=1e-3)
    assert predicted.shape == (14, 3, 40)
    distances = trapezoid((predicted - curves.Y[:14, None]) ** 2, curves.grid, axis=2).mean(axis=0)
    assert distances == pytest.approx([result["floor"], result["ridge"], result["huber"]])
    assert result["ridge"] > result["huber"] > result["floor"]
    assert result["gap"] <= 1e-8


def test_the_flipped_curves_are_bounded_first(curves):
    grids = lip_corrected.Grids([1e-3, 1e-2], np.geomspace(0.3, 2, 6).tolist())
    result = lip_corrected.corrected(curves, 5, grids)[0]["mean"]
    assert result["suspects"] == result["farthest"] == [14, 15]
    assert result["huber"] < result["ridge"]
    assert result["kappa"] in grids.kappas


def test_every_kappa_has_the_lam_that_is_best_for_it(curves):
    grids, model, rows = (
        lip_corrected.Grids([1e-5, 1e-3, 1e-2], [0.1, 2.0]),
        lip_corrected.model_of(curves, 4),
        range(16),
    )
    both = lip_corrected.chosen(model, curves.Y, np.array(rows), grids, robust=True)
    best, found = both.best["mean"], {one.loss_.kappa: one.lam_ for one in both.each}
    for kappa in grids.kappas:
        huber = FunctionalRegressor(**{**model.get_params(deep=False), "loss": losses.Huber(kappa)})
        search = RegressorCV(huber, grids.lams, {}, cv="loo-approximate", average="mean").fit(np.array(rows), curves.Y)
        assert found[kappa] == search.best_params_["lam"]
    assert grids.lams[0] not in found.values()
    assert found[best.loss_.kappa] == best.lam_


@pytest.mark.parametrize("average", ["mean", "median", "trimmed"])
def test_every_average_chooses_what_a_search_by_it_chooses(curves, average):
    grids, rows = lip_corrected.Grids([1e-5, 1e-3, 1e-2], [0.1, 2.0]), np.arange(16)
    model = lip_corrected.model_of(curves, 4)
    found = lip_corrected.chosen(model, curves.Y, rows, grids, robust=True)
    robust = clone(model).set_params(loss=losses.Huber())
    grid = {"loss__kappa": grids.kappas}
    search = RegressorCV(robust, grids.lams, grid, cv="loo-approximate", average=average).fit(rows, curves.Y)
    best = found.best[average]
    assert {"lam": best.lam_, "loss__kappa": best.loss_.kappa} == search.best_params_
    assert found.gap >= max(search.cv_results_["max_dual_gap"].max(), *(one.dual_gap_ for one in found.each))


@pytest.mark.parametrize("worst", [0, 1, 2, 42], ids=["floor", "ridge", "Huber", "all curves"])
def test_gaps_are_those_of_all_searches(curves, monkeypatch, worst):
    gaps = []

    def chosen(*args, **kwargs):
        gaps.append(0.5 if len(gaps) == worst else 1e-3)
        return search(*args, **kwargs)._replace(gap=gaps[-1])

    search = lip_corrected.chosen
    monkeypatch.setattr(lip_corrected, "chosen", chosen)
    records, _ = lip_corrected.corrected(curves, 3, lip_corrected.Grids([1e-2], [0.3]))
    assert len(gaps) == 3 * 14 + 1
    assert [record["gap"] for record in records.values()] == [0.5] * 3
    # With nothing to choose every average chooses the same.
    assert len({(record["ridge"], record["huber"], record["kappa"]) for record in records.values()}) == 1


def test_gaps_of_the_authors_protocol_are_those_of_ridge_as_well(curves, monkeypatch):
    path = lip_authors.ridge_path
    monkeypatch.setattr(lip_authors, "ridge_path", lambda *args: ((0.9 * W, E) for W, E in path(*args)))
    assert lip_authors.leave_one_out(curves.X, curves.Y, curves.grid, 3, [50.0])["gap"] > 1e-3


def test_predictions_are_drawn_under_their_names():
    flat = lip_corrected.Curves(np.zeros((30, 40)), np.zeros((30, 40)), np.linspace(0, 1, 40), np.zeros(30, bool))
    drawn = lip._drawn(flat, np.tile(np.array([1.0, 2.0, 3.0])[None, :, None], (30, 1, 40)))
    _, ax = figure()
    lip._draw_curves(ax, drawn["grid"], drawn["panels"][0])
    shown = {line.get_label(): line.get_ydata()[0] for line in ax.lines}
    assert shown == {"truth": 0.0, "ridge without outliers": 1.0, "ridge": 2.0, "Huber": 3.0}


def test_shares_at_the_bound_are_of_genuine_and_of_flipped_curves(monkeypatch):
    monkeypatch.setattr(lip, "OUTLIERS", (0, 1))
    _, ax = figure()
    honest = {"pairs": 4, "n_genuine": 3, "kappas": [0.1, 1.0], "capped": [[2, 3, 4], [3]], "suspects": [2, 3, 4]}
    lip._draw_capped(ax, honest)
    shown = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert shown == {"flipped copies": [1.0, 0.5], "genuine curves": [1 / 3, 0.0]}
    assert "curves 2, 3, 4" in ax.get_title()
    assert "lam chosen" in ax.get_xlabel()


def test_without_data_the_experiment_runs_on_synthetic_curves_and_says_so(nowhere, monkeypatch):
    monkeypatch.setattr(lip, "PAIRS", (3,))
    monkeypatch.setattr(lip, "OUTLIERS", (2, 5))
    monkeypatch.setattr(lip, "DRAWN", (2, 3, 4))
    monkeypatch.setattr(lip, "grids", lambda quick: ([0.3, 0.6], lip_corrected.Grids([1e-2], [0.3, 1.0])))
    monkeypatch.setattr(lip, "make_curves", lambda random_state: make_curves(9, 48, random_state=random_state))
    with pytest.warns(UserWarning, match="Synthetic curves stand in"):
        outcome = CliRunner().invoke(cli._app(), ["reproduce", "lip", "--out", str(nowhere)])
    assert outcome.exit_code == 0, outcome.output
    assert "Synthetic curves" in outcome.output
    assert (nowhere / "lip.png").stat().st_size > 0
    saved = json.loads((nowhere / "lip.json").read_text())
    assert saved["settings"]["data"] == "synthetic"
    assert [row["pairs"] for row in saved["authors"]] == [row["pairs"] for row in saved["corrected"]] == [3]
    assert [row["protocol"] for row in saved["rows"]] == ["authors", "corrected", "median", "trimmed"]
    assert all({"pairs", "ridge", "huber", "kappa", "gap"} <= set(row) for row in saved["rows"])
    assert not any(isinstance(value, list) for row in saved["rows"] for value in row.values())
    assert all(row["gap"] <= 1e-8 for row in saved["rows"])
    head, body = lip.columns(saved)
    assert all(len(row) == len(head) for row in body)
    assert not any("0.8414" in row for row in body)
    assert "lam chosen" in lip.draw(saved).axes[1].get_xlabel()
