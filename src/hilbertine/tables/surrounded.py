"""How sure a chosen model is: sets about its predictions, and how often they hold rows that nothing had seen."""

import numpy as np
from sklearn.base import clone

from ..arrays import Array
from ..conformal import Reliability
from ..estimators import ConformalRegressor
from .choice import Choice, quiet
from .outputs import Outputs

# Beyond so many rows some are spared for calibration alone; below, every row does both.
CROSSED = 2000
LEVEL = 0.9


def surrounded(choice: Choice, X: Array, found: Outputs) -> ConformalRegressor:
    """The model with sets; rows that it does not believe are taken for bad ones, which do not widen them."""
    share = float(np.mean(choice.model.suspects().flagged))
    score = "box" if found.curves is None else "band"
    method = "cv+" if X.shape[0] <= CROSSED else "split"
    model = clone(choice.model).set_params(verbose=0)
    sets = ConformalRegressor(model, LEVEL, method, score=score, contamination=share)
    with quiet():
        return sets.fit_conformalize(X, found.values)


def coverage(choice: Choice, X: Array, found: Outputs) -> tuple[Reliability, int]:
    """What sets made without a third of the rows hold of that third, suspects aside, and of how many."""
    order = np.random.default_rng(1).permutation(X.shape[0])
    test, train = np.sort(order[: len(order) // 3]), np.sort(order[len(order) // 3 :])
    bad = choice.model.suspects()
    test = np.setdiff1d(test, bad.samples[bad.flagged])
    part = found._replace(values=found.values[train])
    with quiet():
        alone = clone(choice.model).set_params(verbose=0).fit(X[train], part.values)
        smaller = surrounded(choice._replace(model=alone), X[train], part)
        return smaller.coverage_curve(X[test], found.values[test]), len(test)
