"""What there is: the estimators of the library, for tests, tables and tools that go through all of them."""

import inspect

from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin

from . import estimators


def all_estimators(type_filter: str | None = None) -> list[tuple[str, type[BaseEstimator]]]:
    """Every public estimator by name, as scikit-learn's function of that name lists its own.

    Parameters
    ----------
    type_filter : {"regressor", "transformer"}, default=None
        Only those of one kind; None is all.

    Returns
    -------
    list of (str, type)
        Names and classes, by name.

    Examples
    --------
    >>> [name for name, _ in all_estimators("transformer")]
    ['KernelAutoencoder']
    """
    kinds = {None: BaseEstimator, "regressor": RegressorMixin, "transformer": TransformerMixin}
    if type_filter not in kinds:
        raise ValueError(f"type_filter must be None, 'regressor' or 'transformer', got {type_filter!r}.")
    found = [(name, getattr(estimators, name)) for name in estimators.__all__]
    return sorted((name, cls) for name, cls in found if inspect.isclass(cls) and issubclass(cls, kinds[type_filter]))
