"""The autoencoder figure: reconstruction of unseen molecules and discarded ones along epsilon and kappa."""

import json
import time
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import delayed
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from ..datasets import load_drugs
from ..estimators import KernelAutoencoder
from ..kernels import Precomputed, Tanimoto
from ..losses import EpsilonSquare, Huber, Loss, Square
from ..spaces import RKHS
from .base import Result, Settings

TITLE = "Autoencoders of molecules: mean squared distance between unseen molecules and their reconstructions"
NOTE = (
    "± is one standard error over the folds. contaminated: a fifth of the training molecules have random fingerprints, "
    "the test molecules do not. discarded: training molecules without a coefficient; capped: those at its bound; gap: "
    "the largest relative duality gap of the decoding layers. Kernel PCA is uncentred, with codes of the same length. "
    "The molecules are a public stand-in; authors: their recorded figures, on molecules that are not published."
)
# Error of the authors' square loss, of their best epsilon, and where all points are discarded, on their own molecules.
RECORDED = {0.0: 0.6485, 0.4: 0.5685, 1.0: 1.0}
LAM = 1e-6
# Where a step gains as little as this the test error no longer moves.
TOL, MAX_ITER = 1e-4, 100
# The problem as the paper prints it, without a centre.
PRINTED: dict[str, Any] = {"lam": LAM, "inner_lam": LAM, "centre": None, "inner_tol": 1e-10, "tol": TOL}
SEED = 0
COLOUR_BY = "logP"


def sizes(quick: bool) -> tuple[int, int, int, int]:
    """Molecules, folds, the length of codes, and molecules on the map."""
    return (450, 3, 80, 300) if quick else (2303, 5, 200, 800)


def grids(quick: bool, n_train: int) -> tuple[list[float], list[float]]:
    """epsilon up to the norm of the molecules, and kappa around lam n, the size of dual rows that reconstruct all."""
    epsilons = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] if quick else [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
    kappas = LAM * n_train * np.geomspace(0.5, 4.0, 4 if quick else 7)
    return epsilons, kappas.tolist()


def contaminated(data: Any, fraction: float = 0.2) -> tuple[Any, Any]:
    """All fingerprints and below them some copies with as many bits in random places; where each molecule's copy is."""
    rng = np.random.default_rng(SEED)
    n, width = data.shape
    bad = np.sort(rng.choice(n, int(fraction * n), replace=False))
    counts = np.diff(data.indptr)[bad]
    columns = np.concatenate([rng.choice(width, count, replace=False) for count in counts])
    ends = np.concatenate([[0], np.cumsum(counts)])
    copies = sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(bad), width))
    places = np.arange(n)
    places[bad] = n + np.arange(len(bad))
    return sparse.vstack([data, copies], format="csr"), places


def trial(gram: Any, train: Any, test: Any, n_components: int, loss: Loss | None) -> Result:
    """One fit and its error on the test molecules; without a loss, uncentred kernel PCA."""
    start = time.perf_counter()
    if loss is None:
        space = RKHS(Precomputed(gram), n_components).fit(train)
        error = float(np.mean(space.tails(test, space.encode(test)) ** 2))
        return {"error": error, "seconds": time.perf_counter() - start}
    model = KernelAutoencoder(n_components, loss, Precomputed(gram), max_iter=MAX_ITER, **PRINTED)
    with warnings.catch_warnings():
        # The slope that was reached is in the record.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(train)
    return {
        "error": model.reconstruction_error(test), "discarded": len(train) - len(model.support_),
        "capped": len(model.saturated_), "gap": model.dual_gap_, "slope": model.history_[-1].slope,
        "steps": model.n_iter_, "seconds": time.perf_counter() - start,
    }  # fmt: skip


def run(settings: Settings) -> Result:
    """Every loss on every fold, then maps of the molecules in two dimensions."""
    n, n_folds, p, n_map = sizes(settings.quick)
    drugs = load_drugs(n)
    everything, places = contaminated(drugs.data)
    gram = Tanimoto()(everything, everything)
    folds = list(KFold(n_folds, shuffle=True, random_state=SEED).split(np.arange(n)))
    epsilons, kappas = grids(settings.quick, len(folds[0][0]))
    points: list[tuple[str, str, float | None, Loss | None]] = [
        ("kernel PCA", "clean", None, None),
        # Molecules have norm one up to rounding: a tube of that width is to hold them all.
        *(("epsilon-KAE", "clean", epsilon, EpsilonSquare(epsilon * (1 + 1e-12))) for epsilon in epsilons),
        ("kernel PCA", "contaminated", None, None),
        ("square-KAE", "contaminated", None, Square()),
        *(("Huber-KAE", "contaminated", kappa, Huber(kappa)) for kappa in kappas),
    ]
    store = settings.store("autoencoder", gram, json.dumps([p, n_map, PRINTED, TOL, MAX_ITER]))
    jobs = {
        (name, data, value, k): delayed(trial)(gram, train if data == "clean" else places[train], test, p, loss)
        for name, data, value, loss in points
        for k, (train, test) in enumerate(folds)
    }
    results = (result for _, result in store.filled(jobs, settings.jobs))
    rows = []
    for k, (name, data, value, _) in enumerate(points):
        settings.progress(k, len(points) + 1, f"{name}, {data}" + ("" if value is None else f": {value:.2g}"))
        rows.append({"loss": name, "data": data, "parameter": value, **_mean(results, n_folds)})
    settings.progress(len(points), len(points) + 1, "map")
    colours = drugs.target[:n_map, drugs.target_names.index(COLOUR_BY)]
    return {
        "experiment": "autoencoder",
        "settings": {
            "quick": settings.quick, "molecules": n, "folds": n_folds, "n_components": p, "lam": LAM, "inner_lam": LAM,
            "kernel": "Tanimoto on path fingerprints, then Gaussian (median)", "tol": TOL, "seed": SEED,
            "n_train": len(folds[0][0]), "contaminated": int(np.sum(places >= n)),
        },
        "rows": rows,
        "recorded": [{"parameter": epsilon, "error": error} for epsilon, error in RECORDED.items()],
        "map": store.kept("map", partial(_map, gram[:n_map, :n_map], colours)),
    }  # fmt: skip


def _mean(results: Iterator[Result], n_folds: int) -> Result:
    """One point of a curve: means over the folds, the largest gap and slope."""
    each = [next(results) for _ in range(n_folds)]
    errors = [one["error"] for one in each]
    means = {
        key: float(np.mean([one[key] for one in each])) if key in each[0] else None
        for key in ("discarded", "capped", "steps", "seconds")
    }
    worst = {key: max(one[key] for one in each) if key in each[0] else None for key in ("gap", "slope")}
    spread = float(np.std(errors, ddof=1) / np.sqrt(n_folds))
    return {"error": float(np.mean(errors)), "standard_error": spread, **means, **worst}


def _map(gram: Any, colours: Any) -> Result:
    """Codes of length two by the autoencoder and by kernel PCA."""
    indices = np.arange(len(gram))
    model = KernelAutoencoder(2, EpsilonSquare(0.4), Precomputed(gram), max_iter=300, **{**PRINTED, "lam": 1e-4})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        codes = model.fit_transform(indices)
    principal = RKHS(Precomputed(gram), 2).fit(indices).encode(indices)
    shown = {"autoencoder": codes, "kernel PCA": principal}
    return {
        "property": COLOUR_BY, "colours": np.round(colours, 3).tolist(), "gap": model.dual_gap_,
        **{name: np.round(points, 4).tolist() for name, points in shown.items()},
    }  # fmt: skip


def columns(result: Result) -> tuple[list[str], list[list[str]]]:
    """Every point as text, and the authors' recorded figures at last."""

    def shown(row: Result, key: str, form: str) -> str:
        return "" if row[key] is None else format(row[key], form)

    head = ["model", "data", "param", "error", "discarded", "capped", "gap"]
    forms = {"discarded": ".0f", "capped": ".0f", "gap": ".0e"}
    body = [
        [
            row["loss"],
            row["data"],
            shown(row, "parameter", ".2g"),
            f"{row['error']:.4f} ± {row['standard_error']:.4f}",
            *(shown(row, key, form) for key, form in forms.items()),
        ]
        for row in result["rows"]
    ]
    recorded = [["authors", "others", f"{row['parameter']:g}", f"{row['error']:.4f}"] for row in result["recorded"]]
    return head, body + [row + [""] * 3 for row in recorded]


def draw(result: Result) -> Any:
    """Errors with discarded or capped molecules along epsilon and kappa; the authors' figures apart; two maps."""
    from ..plotting import figure

    fig, axes = figure(2, 3, width=12, height=7)
    n_train = result["settings"]["n_train"]
    panels = (
        (axes[0, 0], "epsilon-KAE", "clean", "discarded", "epsilon"),
        (axes[0, 1], "Huber-KAE", "contaminated", "capped", "kappa"),
    )
    for ax, name, data, counted, letter in panels:
        rows = [row for row in result["rows"] if row["loss"] == name]
        base = next(row for row in result["rows"] if row["loss"] == "kernel PCA" and row["data"] == data)
        x = [row["parameter"] for row in rows]
        ax.errorbar(
            x, [row["error"] for row in rows], [row["standard_error"] for row in rows], fmt="o-", markersize=4,
            capsize=3, label="autoencoder, ± one standard error",
        )  # fmt: skip
        ax.plot(x, [row[counted] / n_train for row in rows], "s:", color="grey", markersize=3, label=f"part {counted}")
        ax.axhline(base["error"], color="black", linestyle="--", linewidth=1, label="kernel PCA")
        for square in (row for row in result["rows"] if row["loss"] == "square-KAE" and row["data"] == data):
            ax.axhline(square["error"], color="tab:red", linestyle=":", linewidth=1, label="square loss")
        ax.set(xlabel=letter, xscale="log" if letter == "kappa" else "linear", ylim=(-0.03, 1.08))
        if letter == "kappa":
            ax.set_xticks(x[::2], [f"{value:.1e}" for value in x[::2]])
            ax.minorticks_off()
        ax.set_title(f"{name}, {data} molecules", fontsize=10)
        ax.legend(fontsize=7, frameon=False, loc="lower left" if letter == "kappa" else "upper left")
    axes[0, 0].set_ylabel("squared distance to unseen molecules")
    axes[0, 2].plot(*zip(*RECORDED.items(), strict=True), "x", color="black")
    axes[0, 2].set(xlabel="epsilon", ylim=(-0.03, 1.08))
    axes[0, 2].set_title("recorded by the authors: other molecules", fontsize=10)
    drawn = result["map"]
    gaps = [row["gap"] for row in result["rows"] if row["gap"] is not None]
    fig.suptitle(f"{TITLE} (duality gaps at most {max([*gaps, drawn['gap']]):.0e})", fontsize=10)
    # A few extreme molecules would take all the colours.
    limits = dict(zip(("vmin", "vmax"), np.percentile(drawn["colours"], [2, 98]), strict=True))
    for ax, name in zip(axes[1], ("autoencoder", "kernel PCA"), strict=False):
        dots = ax.scatter(*np.array(drawn[name]).T, c=drawn["colours"], s=8, cmap="viridis", **limits)
        ax.set_title(f"codes of length two: {name}", fontsize=10)
        ax.set(xticks=[], yticks=[])
    axes[1, 2].set_axis_off()
    fig.colorbar(dots, ax=axes[1, 2], location="left", label=drawn["property"])
    return fig
