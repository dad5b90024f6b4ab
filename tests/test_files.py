"""Models in files: what comes back is what went in, and nothing else is written or read."""

import inspect
import io
import json
import re
import zipfile
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import hilbertine
import kept
from examples import BASES, KERNELS, LOSSES, OPERATOR_KERNELS
from hilbertine import (
    FunctionalRegressor,
    HuberRegressor,
    Regressor,
    RegressorCV,
    Ridge,
    StructuredPredictor,
    datasets,
    kernels,
    load,
    losses,
    operator_kernels,
    save,
    spaces,
)
from hilbertine.files import skops_types
from hilbertine.files.archive import FORMAT, TEXT
from hilbertine.files.decode import BadFileError

X, Y, NEW = kept.X, kept.Y, kept.NEW
FIXTURES = sorted(kept.FOLDER.glob("format_*/*.hil"))


@pytest.fixture
def again(tmp_path):
    """What a file gives back, which would make the same file."""

    def through(model):
        save(model, tmp_path / "model.hil")
        copy = load(tmp_path / "model.hil")
        save(copy, tmp_path / "again.hil")
        assert (tmp_path / "again.hil").read_bytes() == (tmp_path / "model.hil").read_bytes()
        return copy

    return through


def fitted(name):
    model, inputs, outputs, new = kept.CASES[name]
    if "molecules" in name:
        pytest.importorskip("grakel")
    return clone(model, safe=False).fit(inputs, outputs), new


def assert_same(found, expected):
    """Equal bit by bit, and of one type."""
    assert type(found) is type(expected)
    if isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif hasattr(expected, "shape"):
        assert found.dtype == expected.dtype
        assert_array_equal(found, expected)
    else:
        assert found == expected


@pytest.mark.parametrize("name", kept.CASES)
def test_a_model_answers_as_before(name, again):
    model, new = fitted(name)
    expected = kept.answers(model, new)
    copy = again(model)
    found = kept.answers(copy, new)
    assert found.keys() == expected.keys()
    for key in expected:
        assert_same(found[key], expected[key])


def test_every_estimator_is_among_the_cases():
    estimators = {each for each in vars(hilbertine).values() if inspect.isclass(each)}
    assert estimators <= {type(model) for model, *_ in kept.CASES.values()}


def test_what_a_fit_published_is_there(again):
    model, _ = fitted("huber")
    copy = again(model)
    assert vars(copy).keys() == model.__getstate__().keys()
    assert copy.history_ == model.history_
    assert_array_equal(copy.suspects().ratios, model.suspects().ratios)
    assert copy.stability_report().bound == model.stability_report().bound
    assert copy.score(X, Y[:, 0]) == model.score(X, Y[:, 0])
    assert copy.loss_.kappa == model.kappa_
    # Parts that were one object are one object.
    assert (copy.function_.kernel is copy.kernel_) == (model.function_.kernel is model.kernel_)
    assert_array_equal(copy.fit(X, Y).predict(NEW), model.fit(X, Y).predict(NEW))


def test_a_model_that_is_not_fitted_is_kept_too(again):
    copy = again(kept.CASES["parts"][0])
    assert repr(copy) == repr(kept.CASES["parts"][0])
    assert not hasattr(copy, "dual_coef_")


def test_what_ranks_and_searches_keep(again):
    model, new = fitted("words")
    copy = again(model)
    assert copy.rank(new, k=3) == model.rank(new, k=3)
    assert copy.rank(new, ["carts", "dot"]) == model.rank(new, ["carts", "dot"])
    search, _ = fitted("ranked")
    copy = again(search)
    assert copy.score(X, kept.WORDS) == search.score(X, kept.WORDS)
    for name, column in search.cv_results_.items():
        assert_same(list(copy.cv_results_[name]), list(column))


TAKES_VECTORS = [kernel for kernel in KERNELS if kernel.domain == "vectors" and "allable" not in type(kernel).__name__]
WITHOUT_FUNCTIONS = [
    kernel
    for kernel in OPERATOR_KERNELS
    if not any(callable(value) and not isinstance(value, BaseEstimator) for value in kernel.get_params().values())
]


@pytest.mark.parametrize("kernel", [*TAKES_VECTORS, *WITHOUT_FUNCTIONS], ids=repr)
def test_every_kernel_is_kept(kernel, again):
    inputs = np.abs(X)
    model = Ridge(kernel=kernel, lam=1.0).fit(inputs, np.hstack([Y, X[:, :1]]))
    assert_array_equal(again(model).predict(inputs + 0.1), model.predict(inputs + 0.1))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_every_loss_is_kept(loss, again):
    copy = again(Regressor(loss)).loss
    assert repr(copy) == repr(loss)
    assert_array_equal(copy.value(X, X / 3), loss.value(X, X / 3))


@pytest.mark.parametrize("basis", [*BASES, None], ids=repr)
def test_every_basis_is_kept(basis, again):
    curves = np.sin(np.linspace(0.0, 3.0, 16) + X[:, :1])
    model = FunctionalRegressor(basis=basis).fit(X, curves)
    copy = again(model)
    assert_array_equal(copy.predict(NEW), model.predict(NEW))
    assert_array_equal(copy.predict(NEW, grid=[0.1, 0.5]), model.predict(NEW, grid=[0.1, 0.5]))


def test_curves_come_back_in_their_container(again):
    skfda = pytest.importorskip("skfda")
    curves = skfda.FDataGrid(kept.CURVES, kept.GRID, argument_names=["day"], coordinate_names=["height"])
    model = FunctionalRegressor(basis=spaces.Cosine(3)).fit(X, curves)
    found = again(model).predict(NEW)
    assert isinstance(found, skfda.FDataGrid)
    assert found.equals(model.predict(NEW))
    inputs = FunctionalRegressor().fit(curves, Y)
    assert_array_equal(again(inputs).predict(curves), inputs.predict(curves))


def test_dates_names_and_frames(again):
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2020-01-01", periods=6)
    frame = pandas.DataFrame(X, columns=["left", "right"])
    model = FunctionalRegressor(grid=days).fit(frame, pandas.DataFrame(kept.CURVES, columns=days))
    copy = again(model)
    assert_array_equal(copy.predict(frame, grid=days[1:3]), model.predict(frame, grid=days[1:3]))
    assert_same(copy.feature_names_in_, model.feature_names_in_)
    assert_same(copy.space_.origin_, model.space_.origin_)


def test_smiles_through_fingerprints(again):
    chem = pytest.importorskip("rdkit.Chem")
    kernel = kernels.Features(datasets.fingerprints, kernels.Tanimoto())
    smiles = ["CCO", "CCN", "CCCO", "c1ccccc1"]
    model = StructuredPredictor(output_kernel=kernel).fit(X[:4], smiles)
    copy = again(model)
    assert copy.predict(NEW) == model.predict(NEW)
    assert copy.rank(NEW, ["CCCN", "CO"]) == model.rank(NEW, ["CCCN", "CO"])
    model.candidates_ = [chem.MolFromSmiles(each) for each in smiles]
    written = [chem.MolToSmiles(each) for each in again(model).predict(NEW)]
    assert written == [chem.MolToSmiles(each) for each in model.predict(NEW)]


def test_tensors_become_arrays(again):
    torch = pytest.importorskip("torch")
    model = HuberRegressor(kernel=kernels.Gaussian(0.5), kappa=0.3).fit(torch.asarray(X), torch.asarray(Y))
    copy = again(model)
    assert type(copy.dual_coef_) is np.ndarray
    np.testing.assert_allclose(copy.predict(NEW), model.predict(torch.asarray(NEW)).numpy(), rtol=1e-12)
    assert type(model.dual_coef_) is torch.Tensor


def test_with_features_the_training_inputs_stay_out(tmp_path):
    many = np.random.default_rng(0).standard_normal((400, 30))
    for kernel in (kernels.Linear(), kernels.Nystroem(n_components=10), kernels.Gaussian(0.1)):
        save(Ridge(kernel=kernel).fit(many, many[:, 0]), tmp_path / f"{type(kernel).__name__}.hil")
    sizes = {path.stem: path.stat().st_size for path in tmp_path.iterdir()}
    assert sizes["Linear"] < sizes["Nystroem"] < 40_000 < many.nbytes < sizes["Gaussian"]


def test_a_file_is_the_same_on_any_day(tmp_path):
    for name in "ab":
        save(fitted("labels")[0], tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


class OfMine(losses.Huber):
    """A loss of the user's."""


def alike(A, B):
    return A @ B.T


REFUSED = {
    "model.kernel is": Ridge(kernel=alike),
    "model.callback is": Ridge(callback=print),
    r"model.loss is a \S*OfMine": Regressor(OfMine(1.0)),
    r"model.candidates is": StructuredPredictor(candidates=lambda X: [["a"]]),
    r"model.candidates\[1\] is a \S*Event": StructuredPredictor(candidates=["a", Event()]),
    "model.kernel.left.transformer is": Ridge(kernel=kernels.Features(np.abs, kernels.Linear()) + kernels.Linear()),
    r"model.estimator.loss.loss is a \S*OfMine": RegressorCV(Regressor(losses.Cells(OfMine(1.0)))),
    r"model.steps\[0\]\[1\].kernel is": make_pipeline(Ridge(kernel=alike)),
    "model.kernel.random_state is": Ridge(kernel=kernels.Nystroem(random_state=np.random.RandomState(0))),
    "model is a sklearn.model_selection.*save its best_estimator_": GridSearchCV(Ridge(), {"lam": [0.1, 1.0]}, cv=2),
}


@pytest.mark.parametrize("named", REFUSED)
def test_what_cannot_be_kept_is_refused_by_name_before_anything_is_written(named, tmp_path):
    model = REFUSED[named]
    if "best_estimator_" in named:
        model = clone(model).fit(X, Y)
    with pytest.raises(TypeError, match=f"{named}.*nothing was written|{named}"):
        save(model, tmp_path / "model.hil")
    assert list(tmp_path.iterdir()) == []


def test_no_model_is_no_model(tmp_path):
    with pytest.raises(TypeError, match="is no model; give an estimator"):
        save({"lam": 1.0}, tmp_path / "model.hil")


def test_a_file_that_was_there_survives_a_failed_write(tmp_path, monkeypatch):
    path = tmp_path / "model.hil"
    save(Ridge(), path)
    before = path.read_bytes()
    monkeypatch.setattr("numpy.lib.format.write_array", lambda *args, **settings: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(fitted("ridge")[0], path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.hil"]


def test_files_of_older_versions_are_read():
    assert {path.parent.name for path in FIXTURES} == {f"format_{k + 1}" for k in range(FORMAT)}
    assert {path.stem for path in FIXTURES} >= set(kept.CASES)
    assert max(path.stat().st_size for path in FIXTURES) < 20_000


def close(found, expected):
    """Numbers up to rounding, words exactly."""
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    return found == pytest.approx(expected, rel=1e-9, abs=1e-12) if isinstance(expected, float) else found == expected


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_a_file_of_an_older_version_answers_as_it_did(path):
    if path.stem == "molecules":
        pytest.importorskip("grakel")
    expected = json.loads(path.with_suffix(".json").read_text())
    found = kept.answers(load(path), kept.CASES[path.stem][3])
    for name, value in expected.items():
        assert close(kept.as_json(found[name]), value), name


def altered(path, change):
    """The file with its text changed, or an array of it."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = json.loads(members[TEXT])
    change(text, members)
    members[TEXT] = json.dumps(text).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def as_array(values, **settings):
    file = io.BytesIO()
    np.save(file, values, **settings)
    return file.getvalue()


def put(name, value, of=0):
    def change(text, members):
        text["objects"][of]["state"][name] = value

    return change


def replaced(name, values, **settings):
    def change(text, members):
        members[f"arrays/{text['objects'][0]['state'][name]['array']}.npy"] = as_array(values, **settings)

    return change


def without(name):
    def change(text, members):
        del text["objects"][0]["state"][name]

    return change


ALTERED = {
    "newer": (lambda text, members: text.update(format=FORMAT + 1, hilbertine="9.9"), "hilbertine 9.9.*--upgrade"),
    "class": (lambda text, members: text["objects"][0].update({"class": "os.system"}), "os.system"),
    "no registered class": (
        lambda text, members: text["objects"][0].update({"class": "sklearn.ensemble.RandomForestRegressor"}),
        "RandomForestRegressor",
    ),
    "function": (put("callback", {"function": "os.system"}), "os.system"),
    "call": (put("callback", {"call": 999}), "damaged|altered"),
    "kind": (put("lam", {"eval": "1"}), "eval"),
    "record": (put("history_", [{"record": ["estimators.Ridge", []]}]), "no record"),
    "made": (put("callback", {"made": ["estimators.Ridge", {}]}), "not made again"),
    "method": (put("predict", 1.0), "has methods called predict"),
    "parameter": (put("lamda", 1.0), "Ridge knows nothing of lamda"),
    "lacking": (without("lam"), "Ridge lacks lam"),
    "word for a function": (put("function_", "a word"), "function_ is a str"),
    "pickle": (replaced("dual_coef_", np.array([[print]]), allow_pickle=True), "allow_pickle"),
    "rows": (replaced("tails_", np.zeros(4)), "tails_ has 4 rows or columns where"),
    "axes": (replaced("dual_gaps_", np.zeros((10, 1))), "dual_gaps_ is no array of 1 axes"),
    "numbers": (replaced("dual_coef_", np.full((10, 2), "a")), "dual_coef_ is no array|coefficients"),
    "width": (replaced("dual_coef_", np.zeros((9, 2))), "where"),
    "cut": (lambda text, members: members.update({"arrays/0.npy": members["arrays/0.npy"][:-8]}), "damaged"),
    "missing": (lambda text, members: members.pop("arrays/0.npy"), "numbered"),
    "more": (lambda text, members: members.update({"code.py": b"print()"}), "numbered"),
    "objects": (lambda text, members: text.update(objects=3), "objects"),
    "text": (lambda text, members: text.clear(), "format"),
    "depth": (put("callback", [[]] * 3), None),
}


@pytest.mark.parametrize("case", ALTERED)
def test_a_file_that_was_altered_is_refused_with_words(case, tmp_path):
    change, words = ALTERED[case]
    path = tmp_path / "model.hil"
    save(fitted("ridge")[0], path)
    altered(path, change)
    if words is None:
        assert load(path).callback == [[], [], []]
        return
    with pytest.raises(BadFileError, match=words) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_a_damaged_or_foreign_file_is_refused_with_words(tmp_path):
    path = tmp_path / "model.hil"
    save(fitted("ridge")[0], path)
    whole = bytearray(path.read_bytes())
    for content in (whole[: len(whole) // 2], b"", b"lam = 3", whole[:900] + bytes([whole[900] ^ 1]) + whole[901:]):
        path.write_bytes(content)
        with pytest.raises(BadFileError, match=r"model\.hil"):
            load(path)
    np.savez(tmp_path / "arrays.npz", X=X)
    with pytest.raises(BadFileError, match=r"lacks model\.json"):
        load(tmp_path / "arrays.npz")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere.hil")


def test_any_flipped_byte_gives_the_model_or_an_error_in_words(tmp_path):
    path = tmp_path / "model.hil"
    model, new = fitted("huber")
    save(model, path)
    whole, random = path.read_bytes(), np.random.default_rng(0)
    for at in random.integers(0, len(whole), 150):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ int(random.integers(1, 256))]) + whole[at + 1 :])
        try:
            copy = load(path)
        except BadFileError:
            continue
        assert_array_equal(copy.predict(new), model.predict(new))


def test_another_version_of_scikit_learn_is_said(tmp_path):
    path = tmp_path / "model.hil"
    save(fitted("pipeline")[0], path)
    altered(path, lambda text, members: text["made with"].update(sklearn="1.0"))
    with pytest.warns(InconsistentVersionWarning, match=r"1\.0"):
        load(path)


def test_the_page_on_keeping_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parent.parent / "docs/keeping.md").read_text()
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.S)), {})
    assert "hilbertine." in capsys.readouterr().out
    assert (tmp_path / "squares.hil").exists()


# skops keeps neither dictionaries whose keys are tuples, nor methods that a class inherits.
NOT_FOR_SKOPS = {"molecules", "autoencoder", "layers"}


def test_skops_reads_models_with_the_types_that_are_shipped(tmp_path):
    skops = pytest.importorskip("skops.io")
    for name in kept.CASES.keys() - NOT_FOR_SKOPS:
        model, new = fitted(name)
        path = tmp_path / f"{name}.skops"
        skops.dump(model, path)
        # grakel's and scikit-learn's types are not ours to trust.
        strange = set(skops.get_untrusted_types(file=path)) - set(skops_types())
        assert not [each for each in strange if each.startswith("hilbertine")], strange
        copy = skops.load(path, trusted=sorted(strange | set(skops_types())))
        for key, value in kept.answers(model, new).items():
            assert_same(kept.answers(copy, new)[key], value)


def test_the_classes_that_files_know_are_public_or_parts_of_models():
    from hilbertine.files.registry import class_of, classes, name_of_class

    for name, cls in classes().items():
        assert class_of(name_of_class(cls)) is cls, name
    assert operator_kernels.Sum is class_of("operator_kernels.Sum") is not class_of("kernels.Sum")


def flipped(content, rng):
    """The same bytes but one to three, or without the end."""
    found = np.frombuffer(content, dtype=np.uint8).copy()
    found[rng.integers(len(found), size=rng.integers(1, 4))] = rng.integers(256)
    return found[: len(found) if rng.random() < 0.8 else rng.integers(len(found))].tobytes()


@pytest.mark.filterwarnings("ignore")
def test_damaged_bytes_end_in_one_kind_of_error(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "model.hil"
    files = [each.read_bytes() for each in FIXTURES if each.stem != "molecules"]
    refused = 0
    for content in [*files, *files, *files]:
        path.write_bytes(flipped(content, rng))
        try:
            load(path)
        except BadFileError:
            refused += 1
    assert refused > len(files)
    # Where the list of members says that they begin before the file does.
    damaged = bytearray(files[0])
    place = damaged.rindex(b"PK\x05\x06")
    damaged[place + 16 : place + 20] = (2**31).to_bytes(4, "little")
    path.write_bytes(bytes(damaged))
    with pytest.raises(BadFileError, match="is no model that can be read"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere.hil")


def test_pipelines_with_imputers_are_kept(tmp_path):
    gaps = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    model = make_pipeline(SimpleImputer(), Ridge()).fit(gaps, Y)
    save(model, tmp_path / "model.hil")
    assert np.array_equal(load(tmp_path / "model.hil").predict(gaps), model.predict(gaps))
