"""How sure a chosen model is: sets about its predictions, and how often they hold rows that nothing had seen."""

from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from ..arrays import Array
from ..conformal import Reliability
from ..estimators import ConformalRegressor
from .choice import EXACT, Choice, held_out, quiet
from .outputs import Outputs

# Beyond so many rows some are spared for calibration alone; below, every row does both.
CROSSED = 2000
LEVEL = 0.9


def surrounded(choice: Choice, X: Array, found: Outputs, share: float | None = None) -> ConformalRegressor:
    """The model with sets; the share of rows that it does not believe is taken for bad, which do not widen them."""
    share = float(np.mean(choice.model.suspects().flagged)) if share is None else share
    score = "box" if found.curves is None else "band"
    method = "cv+" if X.shape[0] <= CROSSED else "split"
    model = clone(choice.model).set_params(verbose=0)
    sets = ConformalRegressor(model, LEVEL, method, score=score, contamination=share)
    with quiet():
        return sets.fit_conformalize(X, found.values)


class Trial(NamedTuple):
    """What models say of rows that they had not seen.

    reliability : how often sets hold such rows
    held : of how many rows that is
    tested : rows that were predicted so
    predicted : what was said of them
    """

    reliability: Reliability
    held: int
    tested: Array
    predicted: Array


def tried(choice: Choice, X: Array, found: Outputs) -> Trial:
    """Sets made without a third of the rows, tried on that third, suspects aside; predictions of all rows by folds.

    Of many rows it is the third alone that is predicted, and the suspects are those of the fit to all rows.
    """
    order, many = np.random.default_rng(1).permutation(X.shape[0]), X.shape[0] > EXACT
    test, train = np.sort(order[: len(order) // 3]), np.sort(order[len(order) // 3 :])
    bad = choice.model.suspects()
    clean = np.setdiff1d(test, bad.samples[bad.flagged])
    part = found._replace(values=found.values[train])
    with quiet():
        share = float(np.isin(train, bad.samples[bad.flagged]).mean()) if many else None
        alone = choice.model if many else clone(choice.model).set_params(verbose=0).fit(X[train], part.values)
        smaller = surrounded(choice._replace(model=alone), X[train], part, share)
        known = smaller.coverage_curve(X[clean], found.values[clean])
        if many:
            return Trial(known, len(clean), test, np.asarray(smaller.predict(X[test])))
    rows, predicted = zip(*held_out(choice, X, found), strict=True)
    return Trial(known, len(clean), np.concatenate(rows), np.concatenate([np.asarray(each) for each in predicted]))
