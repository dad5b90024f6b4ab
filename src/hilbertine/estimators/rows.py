"""Rows of outputs: which entries were seen, which losses may look at entries, and what a fit says of its bounds."""

import math
import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from ..arrays import Array, count, device_of, namespace, sample_rows, to_numpy
from ..containers import Chunks
from ..doors import caller
from ..losses import Loss
from ..spaces import L2, Euclidean, Points, Space
from ..spread import is_spread, sample_of

# The share of rows at the bound that is worth a word: where it is a number, and where it follows the residuals.
MOST = {False: 0.5, True: 0.75}
# What to do about a tube that holds no row, and about one whose radius comes from a robust fit.
WIDER = "Raise it, or use 'auto'."
MANY = "Many rows are bad, see suspects(), or lam is too large for what the outputs do: choose it by RegressorCV."
# Of residuals on a cluster so many give their median.
SOME = 20_000
FOLLOWED = "A robust fit has smaller residuals: bad rows may have this one, try HuberRegressor or EpsilonSVR."


def observed_entries(T: Array) -> Array | None:
    """Where the entries are numbers; None where all are."""
    seen = ~namespace(T).isnan(T)
    return None if bool(namespace(T).all(seen)) else seen


def check_entrywise(loss: Loss, space: Space) -> None:
    """A loss of entries needs coordinates that mean something: those of R^p, or points of a grid."""
    canonical = isinstance(space, Euclidean) or (isinstance(space, L2) and isinstance(space.basis_, Points))
    if loss.entrywise and not canonical:
        raise ValueError(
            f"{loss!r} looks at the entries of the outputs, and those of {space!r} are coefficients; use it with "
            "outputs in R^p or curves kept point by point (basis=None), or take the loss of whole rows."
        )


def warn_of_bounds(model: Any) -> None:
    """Say once, with numbers, where a robust loss holds back most rows, or a tube holds none."""
    n, held, kept = count(model.targets_), count(model.saturated_), count(model.support_)
    known = model.loss_.coefficients
    if known is None:
        return
    automatic = model._build_loss().automatic
    if held > MOST[automatic] * n and known.a > 0 and math.isfinite(known.c):
        raised = f"Raise the bound, say above {_median(model.residual_norms_):.3g}, or use 'auto'."
        warnings.warn(
            f"{held} of {n} rows are at the bound {known.c:.3g} of {model.loss_!r}, as outliers would be: the typical "
            f"residual is larger. {MANY if automatic else raised}",
            UserWarning,
            stacklevel=caller(),
        )
    if known.b > 0 and kept == n and n > 1:
        warnings.warn(
            f"No row lies inside the tube of {model.loss_!r}: its radius {known.b:.3g} is below all residuals, and "
            f"does nothing. {FOLLOWED if automatic else WIDER}",
            UserWarning,
            stacklevel=caller(),
        )


def _median(norms: Array) -> float:
    norms = sample_of(norms, sample_rows(count(norms), SOME)) if is_spread(norms) else norms
    ordered = namespace(norms).sort(norms)
    return float(ordered[count(norms) // 2])


def counted_rows(sample_weight: Any, X: Any) -> Any:
    """The samples whose weight is not zero; None where that is all of them, or where weights are to be refused."""
    if isinstance(X, Chunks) or is_spread(sample_weight):
        return None
    try:
        weights = None if sample_weight is None else np.asarray(to_numpy(sample_weight), dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if weights is None or weights.shape != (_num_samples(X),) or not np.all(weights >= 0) or not weights.any():
        return None
    kept = np.flatnonzero(weights > 0)
    return None if kept.size == weights.size else kept


def put_back(model: Any, kept: Any, n: int) -> None:
    """Attributes for all n samples where those without weight were left out: zero coefficients, residuals unknown."""
    xp = namespace(model.dual_coef_)
    places = np.full(n, len(kept))
    places[kept] = np.arange(len(kept))
    at = xp.asarray(places, device=device_of(model.dual_coef_))

    def spread(values: Array, fill: float) -> Array:
        last = xp.zeros_like(values[:1, ...]) + fill
        return xp.take(xp.concat([values, last]), at, axis=0)

    model.dual_coef_, model.dual_gaps_ = spread(model.dual_coef_, 0.0), spread(model.dual_gaps_, 0.0)
    for name in ("targets_", "tails_", "residual_norms_"):
        setattr(model, name, spread(getattr(model, name), math.nan))
    rows = xp.asarray(kept, device=device_of(model.dual_coef_))
    model.support_, model.saturated_ = xp.take(rows, model.support_), xp.take(rows, model.saturated_)


def publish_lengths(model: Any) -> None:
    """kappa_ and epsilon_ where the estimator has such a parameter: "auto" is a number now."""
    found = model.loss_.get_params()
    for name in ("kappa", "epsilon"):
        if name in model.get_params(deep=False):
            setattr(model, f"{name}_", found.get(name, found.get(f"loss__{name}")))
