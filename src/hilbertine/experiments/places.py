"""From places to the metabolite table: what was chosen, means and standard errors over the folds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..store import Store
from .identification import ENOUGH, Task

RIDGE, WHOLE = "Ridge", "Ridge, whole"
TOPS = (1, 10, 20)
# lam and the name of the loss.
Part = tuple[float, str]


def named(tops: Sequence[float]) -> dict[str, float]:
    """Accuracies by the names they have in the record."""
    return {f"top{k}": float(top) for k, top in zip(TOPS, tops, strict=True)}


class Scores:
    """Scores of the parts in a store: key (fold, lam, loss), one entry for each parameter."""

    def __init__(self, task: Task, folds: Sequence[tuple[Array, Array]], store: Store, parts: Sequence[Part]):
        self.store, self.parts = store, parts
        self.sizes = [sizes[sizes > 1] for sizes in (task.sizes[test] for _, test in folds)]
        self.n_reported = sum(int(np.sum(sizes >= ENOUGH)) for sizes in self.sizes)
        if any(np.all(sizes >= ENOUGH) or np.all(sizes < ENOUGH) for sizes in self.sizes):
            raise ValueError(
                f"Every fold needs molecules with at least {ENOUGH} candidates, to report on, and some with 2 to "
                f"{ENOUGH - 1}, to choose parameters by; give more spectra, or longer and shorter lists of candidates."
            )

    def entries(self, part: Part) -> list[list[Any]]:
        """The entries of each parameter, fold by fold."""
        return [list(entries) for entries in zip(*(self.store[k, *part] for k in range(len(self.sizes))), strict=True)]

    def selection(self, part: Part) -> list[float]:
        """For each parameter the mean of 1/place over the molecules that choose."""
        return [
            float(
                np.concatenate(
                    [1.0 / np.array(e["places"])[s < ENOUGH] for e, s in zip(entries, self.sizes, strict=True)]
                ).mean()
            )
            for entries in self.entries(part)
        ]

    def chosen(self, part: Part) -> list[Any]:
        """The entries of the best parameter, fold by fold."""
        return self.entries(part)[int(np.argmax(self.selection(part)))]

    def two_lams(self) -> list[float]:
        """The best lam for ridge, and that of the best model; where it is the same, that of the best at another lam."""
        best = {(lam, name): max(self.selection((lam, name))) for lam, name in self.parts if name != WHOLE}
        ridge = max((part for part in best if part[1] == RIDGE), key=best.__getitem__)[0]
        overall = max(best, key=best.__getitem__)[0]
        others = [part for part in best if part[0] != ridge]
        if overall == ridge and others:
            overall = max(others, key=best.__getitem__)[0]
        return list(dict.fromkeys([ridge, overall]))

    def tops(self, part: Part) -> Array:
        """Top-k accuracies in percent on the molecules reported, a row for each fold."""
        pairs = zip(self.chosen(part), self.sizes, strict=True)
        places = [np.array(entry["places"])[sizes >= ENOUGH] for entry, sizes in pairs]
        return 100.0 * np.array([[np.mean(each <= k) for k in TOPS] for each in places])

    def row(self, lam: float, name: str) -> dict[str, Any]:
        """One row of the table."""
        part = (lam, name)
        tops, entries = self.tops(part), self.chosen(part)
        errors = named(_standard_error(tops))
        held = np.concatenate([entry["held"] for entry in entries])
        row = {
            "loss": name,
            "lam": lam,
            "parameter": entries[0]["parameter"],
            **named(tops.mean(axis=0)),
            **{f"{top}_error": error for top, error in errors.items()},
            "held": 100.0 * float(np.mean(held)),
            "held_error": float(_standard_error(100.0 * np.array([[np.mean(entry["held"])] for entry in entries]))[0]),
            "set_size": float(np.median(np.concatenate([entry["set_sizes"] for entry in entries]))),
            "over_ridge": None,
            "over_ridge_error": None,
            "selection": max(self.selection(part)),
            "gap": max(entry["gap"] for entry in entries),
            "truncation_gap": max(entry["truncation_gap"] for entry in entries),
            "n_components": max(entry["n_components"] for entry in entries),
            "seconds": sum(entry["seconds"] for entry in entries),
        }
        if name not in (RIDGE, WHOLE):
            over = tops - self.tops((lam, RIDGE))
            row |= {"over_ridge": float(over[:, 0].mean()), "over_ridge_error": float(_standard_error(over)[0])}
        return row

    def curve(self, name: str, lams: Sequence[float]) -> dict[str, Any]:
        """Along lam, the score that chooses and the accuracies it leads to."""
        rows = [self.row(lam, name) for lam in lams]
        kept = ("selection", "parameter", *(f"top{k}" for k in TOPS))
        return {"loss": name, "lam": list(lams), **{key: [row[key] for row in rows] for key in kept}}

    def chance(self) -> dict[str, float]:
        """Top-k accuracies in percent of a random order."""
        reported = [sizes[sizes >= ENOUGH] for sizes in self.sizes]
        return named([100.0 * np.mean([np.mean(np.minimum(k / sizes, 1.0)) for sizes in reported]) for k in TOPS])


def _standard_error(rows: Array) -> Array:
    return rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
