"""The YEAST figures: error and sparsity or saturation against lam, for each value of epsilon or kappa."""

from typing import Any

import numpy as np
from sklearn.model_selection import KFold, ShuffleSplit

from ..datasets import load_yeast
from ..estimators import RegressorCV
from .base import Result, Settings
from .yeast import SEED, grids, models

TITLE = "YEAST: cross-validated error along lam and epsilon or kappa"
NOTE = (
    "Best mean squared error (squared norm per gene, summed over the 14 labels) and where it is reached. discarded: "
    "training genes without a coefficient; capped: those at its bound; gap: the largest of all fits."
)
# Best errors of the authors' released runs on the reduced protocol (first 300 rows, 3 splits).
AUTHORS = {"Ridge": 2.1029, "epsilon-Ridge": 2.1045}


def run(settings: Settings) -> Result:
    """Every model over its whole grid, by cross-validation on the training set or on the authors' 300 rows."""
    X, Y, folds = _data(settings)
    lams, epsilons, kappas = grids(settings.quick)
    table, n_train = models(epsilons, kappas), len(folds[0][0])
    rows, panels = [], []
    store = settings.store("yeast-paths", X, Y, *(part for fold in folds for part in fold))
    for k, (name, (model, grid)) in enumerate(table.items()):

        def tell(done: int, total: int, k: int = k, name: str = name) -> None:
            settings.progress(k + done / total, len(table), f"{name}: fold {done} of {total}")

        def searched(name: str = name, model: Any = model, grid: Any = grid, tell: Any = tell) -> Any:
            search = RegressorCV(model, lams, grid, cv=folds, n_jobs=settings.jobs, callback=tell, average="mean")
            search.fit(X, Y)
            panel = _panel(name, search, n_train, (-1, len(lams)))
            return panel | {"parameters": next(iter(grid.values()), [None])}, _row(name, search, n_train)

        panel, row = store.kept(name, searched)
        panels.append(panel)
        rows.append(row | {"authors": AUTHORS.get(name) if settings.authors else None})
    protocol = "first 300 rows, 3 random splits (authors)" if settings.authors else "5 folds of the training set"
    return {
        "experiment": "yeast-paths",
        "settings": {"quick": settings.quick, "protocol": protocol, "lams": lams, "seed": SEED, "n_train": n_train},
        "rows": rows,
        "panels": panels,
    }


def _data(settings: Settings) -> tuple[Any, Any, list[Any]]:
    """Genes, labels and folds."""
    if settings.authors:
        data = load_yeast("all")
        X, Y = data.data[:300], data.target[:300]
        # Three splits, each the first of its own seed, as the authors draw them.
        folds = [next(ShuffleSplit(1, test_size=1 / 3, random_state=seed).split(X)) for seed in range(3)]
    else:
        data = load_yeast("train")
        X, Y = data.data, data.target
        folds = list(KFold(5, shuffle=True, random_state=SEED).split(X))
    return X, Y, folds


def _panel(name: str, search: RegressorCV, n_train: int, shape: tuple[int, int]) -> Result:
    """Every point of the grid, a row for each value of the parameter."""
    results = search.cv_results_
    tables = {
        "mse": -results["mean_test_score"],
        "discarded": n_train - results["mean_support"],
        "capped": results["mean_saturated"],
        "gap": results["max_dual_gap"],
    }
    return {"loss": name} | {key: table.reshape(shape).tolist() for key, table in tables.items()}


def _row(name: str, search: RegressorCV, n_train: int) -> Result:
    """The best point of the grid."""
    results, best = search.cv_results_, search.best_index_
    return {
        "loss": name,
        "lam": search.best_params_["lam"],
        "parameter": next((value for key, value in search.best_params_.items() if key != "lam"), None),
        "mse": -search.best_score_,
        "discarded": float(n_train - results["mean_support"][best]),
        "capped": float(results["mean_saturated"][best]),
        "gap": float(results["max_dual_gap"].max()),
    }


def columns(result: Result) -> tuple[list[str], list[list[str]]]:
    """The best point of each panel as text."""
    head = ["model", "lam", "param", "MSE", "authors", "discarded", "capped", "gap"]
    body = [
        [
            row["loss"],
            f"{row['lam']:.2g}",
            "" if row["parameter"] is None else f"{row['parameter']:.2g}",
            f"{row['mse']:.4f}",
            "" if row["authors"] is None else f"{row['authors']:.4f}",
            f"{row['discarded']:.0f}",
            f"{row['capped']:.0f}",
            f"{row['gap']:.0e}",
        ]
        for row in result["rows"]
    ]
    return head, body


def draw(result: Result) -> Any:
    """Six panels: errors above, discarded or capped training genes below; plain ridge dashed in each error panel."""
    from matplotlib import colormaps

    from ..plotting import figure

    lams = result["settings"]["lams"]
    ridge, *robust = result["panels"]
    fig, axes = figure(2, 3, width=11, height=6)
    for column, panel in enumerate(robust):
        colours = colormaps["viridis"](np.linspace(0, 0.9, len(panel["parameters"])))
        counted = "capped" if panel["loss"] == "Huber" else "discarded"
        letter = "kappa" if panel["loss"] == "Huber" else "epsilon"
        for k, (value, colour) in enumerate(zip(panel["parameters"], colours, strict=True)):
            # The colours run evenly: three names tell them all, and leave the curves visible.
            named = k in (0, len(colours) // 2, len(colours) - 1)
            label = f"{letter} = {value:.2g}" if named else None
            axes[0, column].semilogx(lams, panel["mse"][k], color=colour, linewidth=1.2, label=label)
            axes[1, column].semilogx(lams, panel[counted][k], color=colour, linewidth=1.2)
        axes[0, column].semilogx(lams, ridge["mse"][0], "k--", linewidth=1.2, label="ridge")
        axes[0, column].set_ylim(0.98 * min(map(min, (p["mse"][0] for p in result["panels"]))), 3.2)
        axes[0, column].set_title(panel["loss"], fontsize=10)
        axes[1, column].set_xlabel("lam")
        axes[1, column].set_ylim(bottom=0)
        axes[1, column].set_ylabel(f"{counted} training genes")
        axes[0, column].legend(fontsize=7, frameon=False, loc="upper left")
    axes[0, 0].set_ylabel("mean squared error")
    return fig
