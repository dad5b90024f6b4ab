"""What was chosen, in words for people who do not know the library."""

from typing import Any

import numpy as np

from ..estimators import ConformalRegressor
from ..kernels import Features, Matern, Nystroem
from ..tables import Columns
from ..tables.choice import Choice
from ..tables.outputs import Outputs


def about(choice: Choice, found: Outputs, columns: Columns, n: int, sure: ConformalRegressor) -> list[tuple[str, str]]:
    """Questions and answers on a fit."""
    model, search = choice.model, choice.search
    tried = len(search.cv_results_["params"])
    sample = "" if choice.searched == n else f", on {choice.searched:,} rows drawn at random"
    answers = [
        ("Rows", f"{len(found.rows):,} of {n:,}" + ("" if len(found.rows) == n else "; the others have no output")),
        ("Outputs", ", ".join(found.names) if found.curves is None else " over ".join(found.curves[::-1])),
        ("Inputs", "; ".join(f"{column.name} ({column})" for column in columns.columns_)),
        ("Left out", "; ".join(f"{name} ({why})" for name, why in columns.left_out_) or "nothing"),
        ("Rows are named by", columns.names_ or "where they stand"),
        ("Kind of function", kernel_in_words(model.kernel)),
        (
            "Chosen by",
            f"predicting rows left out, {search.n_splits_} times{sample}: {tried} settings of how much to smooth "
            f"(lam = {model.lam_:.2g}), after several kinds of functions; the worst fifth of the errors did not count",
        ),
        ("Bad rows", f"pull no harder than rows {bound(model)} away from their prediction"),
        ("Sets", sets_in_words(sure, found)),
        (
            "Certificate",
            f"the fit is within {model.dual_gap_:.0e} of the best one there is, relative to what is minimised",
        ),
    ]
    return answers


def sets_in_words(sure: ConformalRegressor, found: Outputs) -> str:
    """What the ends beside predictions promise."""
    what = "all outputs of a row" if found.curves is None else "a whole curve"
    by = "every row left out in turn" if sure.method == "cv+" else "a part of the rows that was not learned from"
    clean = f", of rows that are not bad as {sure.contamination:.0%} of these seem to be" if sure.contamination else ""
    return f"low and high hold {what} as often as asked, by {by}{clean}"


def percent(share: float) -> str:
    """Whole ones, none of them -0; a dash where there is no number."""
    return "-" if np.isnan(share) else f"{round(100 * share)}%"


def held(summary: Any) -> str:
    """How often sets at 90 % held rows that nothing had seen."""
    at = int(np.argmin(np.abs(summary.reliability.levels - 0.9)))
    share = summary.reliability.covered[at]
    return f"Sets that promise to hold 90% hold {share:.0%} of {summary.held} rows not seen, suspects aside"


def bound(model: Any) -> str:
    """The bound of the loss, in units of the spread of the outputs."""
    cap = float(model.loss_.cap)
    return f"{cap:.2g} spreads" if np.isfinite(cap) else "any distance"


def kernel_in_words(kernel: Any) -> str:
    """A kernel as the functions that it makes."""
    if isinstance(kernel, Nystroem):
        return f"{kernel_in_words(kernel.kernel)}, made of {kernel.n_components} pieces since there are many rows"
    slope = " beside a straight line" if isinstance(kernel, Features) else ""
    inner = kernel.kernel if isinstance(kernel, Features) else kernel
    rough = "Matern" in repr(inner) or isinstance(inner, Matern)
    return ("functions with some roughness (Matern)" if rough else "smooth functions (Gaussian)") + slope
