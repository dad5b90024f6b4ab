"""`hilbertine predict` and `hilbertine inspect`: what a kept model says."""

from pathlib import Path
from typing import Any

from ..files import load
from ..tables import TableModel, as_table
from .predictions import predicted_rows, write_rows


def predict(model: Path, path: Path, out: Path, delimiter: str | None = None, level: float = 0.9) -> int:
    """Write the predictions of a table, with sets; how many rows there are."""
    found = load(model)
    if not isinstance(found, TableModel):
        raise ValueError(
            f"{model} holds a {type(found).__name__} that was fitted to arrays and knows no columns; use it in Python, "
            "hilbertine.load(path).predict(X)."
        )
    table = as_table(path, delimiter)
    assert found.columns is not None
    ends = found.interval(table, level)
    write_rows(out, predicted_rows(found.columns.row_names(table), found.predict(table), found, ends))
    return len(table.rows)


def inspect(path: Path) -> list[str]:
    """What a file holds, line by line."""
    found = load(path)
    if isinstance(found, TableModel):
        return [f"{question}: {answer}" for question, answer in found.notes or []]
    last: Any = found[-1] if hasattr(found, "steps") else found
    last = getattr(last, "best_estimator_", last)
    lines = [repr(found)]
    if hasattr(last, "dual_coef_"):
        n, m = last.dual_coef_.shape
        lines += [f"Fitted to {n:,} samples of {m} coordinates", f"Certificate: duality gap {last.dual_gap_:.1e}"]
    return [*lines, "Fitted" if len(lines) > 1 else "Not fitted"][: max(len(lines), 2)]
