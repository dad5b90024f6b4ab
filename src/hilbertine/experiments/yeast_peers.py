"""What one would pick instead on YEAST: classifiers of scikit-learn, on the same split."""

import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.utils import Bunch

from ..metrics import exact_match, hamming

SEED = 0


def peers(quick: bool) -> dict[str, tuple[Any, dict[str, list[Any]]]]:
    """Each peer: a classifier of label sets and the grid it is chosen from; without a grid it is taken as it stands."""
    coarse = {"estimator__C": [1.0, 3.0], "estimator__gamma": [1.0, 2.0]}
    fine = {"estimator__C": [0.3, 1.0, 3.0, 10.0], "estimator__gamma": [0.5, 1.0, 2.0, 4.0]}
    trees: dict[str, list[Any]] = {"max_features": ["sqrt", 0.3], "min_samples_leaf": [1, 3]}
    return {
        "SVC per label": (MultiOutputClassifier(SVC(gamma=1.0)), coarse if quick else fine),
        # A link learns from held-out answers of the links before it: those are what it will be given.
        "SVC chain": (ClassifierChain(SVC(gamma=1.0), cv=5), {} if quick else coarse),
        "random forest": (RandomForestClassifier(200, max_features=0.3, random_state=SEED), {} if quick else trees),
        "neighbours": (KNeighborsClassifier(), {"n_neighbors": [10, 20, 40], "weights": ["uniform", "distance"]}),
        "MLP": (
            MLPClassifier((300,), max_iter=500, early_stopping=True, n_iter_no_change=20, random_state=SEED),
            {"alpha": [0.1, 1.0] if quick else [0.01, 0.03, 0.1, 0.3, 1.0]},
        ),
    }


def measured(model: Any, grid: dict[str, list[Any]], train: Bunch, test: Bunch, jobs: int | None) -> dict[str, Any]:
    """The record of one peer: chosen by its 5-fold Hamming error on the training set, fitted, tested."""
    best: dict[str, Any] = {}
    if grid:
        folds = KFold(5, shuffle=True, random_state=SEED)
        search = GridSearchCV(model, grid, scoring=_score, cv=folds, n_jobs=jobs, refit=False)
        best = search.fit(train.data, train.target).best_params_
    fitted, figures = tested(clone(model).set_params(**best), train, test)
    chosen = {key.removeprefix("estimator__"): value for key, value in best.items()}
    return {**figures, "parameters": chosen, "estimator": " ".join(repr(fitted).split())}


def _score(model: Any, X: Any, Y: Any) -> float:
    return -float(hamming(Y, model.predict(X)).mean())


def tested(model: Any, train: Bunch, test: Bunch) -> tuple[Any, dict[str, float]]:
    """The model fitted to the training set, and its figures on the test set; the clock runs over fit and predict."""
    start = time.perf_counter()
    fitted = clone(model).fit(train.data, train.target)
    predicted = fitted.predict(test.data)
    seconds = time.perf_counter() - start
    errors = hamming(test.target, predicted)
    return fitted, {
        "hamming": 100 * float(errors.mean()),
        "standard_error": 100 * float(errors.std(ddof=1) / np.sqrt(len(errors))),
        "exact_match": 100 * float(exact_match(test.target, predicted).mean()),
        "seconds": seconds,
    }
