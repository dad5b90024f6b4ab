"""What a file may name: public classes and functions of hilbertine, and a few of scikit-learn, SciPy and grakel."""

import inspect
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from scipy import sparse

from .. import (
    conformal,
    containers,
    datasets,
    estimators,
    kernels,
    losses,
    matrices,
    metrics,
    operator_kernels,
    solvers,
    spaces,
)
from ..estimators.descent import Iterate
from ..estimators.predictors import LeftOut, Predictor
from ..function import Expansion
from ..kernels.counts import Counts
from ..kernels.graphs import Company
from ..metrics import scorers
from ..operator_kernels.combined import WeightedTerms
from ..tables import Columns, TableModel
from ..tables.columns import Day, Number, Words

# The first that exports a class gives it its name in files.
MODULES = (estimators, kernels, losses, spaces, operator_kernels, solvers, matrices, containers, conformal)
INSIDE = (
    Expansion, Counts, Company, WeightedTerms, Iterate, Predictor, LeftOut, TableModel, Columns, Number, Day, Words,
)  # fmt: skip
SPARSE = {name: getattr(sparse, name) for name in ("csr_array", "csr_matrix", "csc_array", "csc_matrix")}
# Their state is numbers, words and arrays.
STRANGERS = {
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": (
        "FunctionTransformer", "MaxAbsScaler", "MinMaxScaler", "Normalizer", "PolynomialFeatures", "PowerTransformer",
        "QuantileTransformer", "RobustScaler", "StandardScaler",
    ),
    "sklearn.decomposition": ("PCA", "TruncatedSVD"),
    "sklearn.impute": ("SimpleImputer",),
    "sklearn.feature_selection": ("VarianceThreshold",),
    "sklearn.neighbors": ("KNeighborsRegressor",),
    "sklearn.kernel_approximation": ("Nystroem", "RBFSampler"),
    "sklearn.model_selection": (
        "GroupKFold", "KFold", "LeaveOneOut", "LeaveOneGroupOut", "ShuffleSplit", "TimeSeriesSplit",
    ),
    "grakel": ("EdgeHistogram", "ShortestPath", "VertexHistogram", "WeisfeilerLehman"),
}  # fmt: skip


def _public(module: ModuleType) -> Mapping[str, Any]:
    return {name: getattr(module, name) for name in module.__all__}


def name_in_files(thing: Any, module: ModuleType) -> str:
    """kernels.Gaussian, whatever file the class lies in: files are to outlive the tree."""
    return f"{module.__name__.removeprefix('hilbertine.')}.{thing.__name__}"


@cache
def classes() -> dict[str, type]:
    """Every class of hilbertine that a file may hold, by the name it has there."""
    found = {
        name_in_files(thing, module): thing
        for module in MODULES
        for thing in _public(module).values()
        if inspect.isclass(thing)
    }
    return found | {f"inside.{cls.__name__}": cls for cls in INSIDE}


@cache
def functions() -> dict[str, Any]:
    """Every function that a file may name: the public ones of metrics and datasets, and what scorers are made of."""
    private = (scorers._top_k, scorers._mean_reciprocal_rank)
    found = {
        name_in_files(thing, module): thing
        for module in (metrics, datasets)
        for thing in _public(module).values()
        if inspect.isfunction(thing)
    }
    return found | {f"metrics.{each.__name__}": each for each in private}


@cache
def _names(table: Any) -> dict[Any, str]:
    return {thing: name for name, thing in reversed(table().items())}


def name_of_class(cls: type) -> str | None:
    """The name of a class in files; None where none may hold it."""
    origin = cls.__module__.split(".")
    for home, names in STRANGERS.items():
        if origin[0] == home.split(".")[0] and cls.__name__ in names and _stranger(home, cls.__name__) is cls:
            return f"{home}.{cls.__name__}"
    return _names(classes).get(cls)


def made_from(cls: type) -> tuple[str, ...] | None:
    """What objects are made again from, by their constructor: those that have read graphs read them again."""
    if cls is Company:
        return ("graphs", "kernel")
    params: Any = getattr(cls, "_get_param_names", tuple)
    return tuple(params()) if cls.__module__.startswith("grakel.") else None


def name_of_function(function: Any) -> str | None:
    """The name of a function in files; None where none may name it."""
    try:
        return _names(functions).get(function)
    except TypeError:
        return None


def _stranger(home: str, name: str) -> Any:
    return getattr(import_module(home), name, None)


def class_of(name: Any) -> type | None:
    """The class that a name in a file stands for; None for any other name."""
    home, _, last = str(name).rpartition(".")
    if last not in STRANGERS.get(home, ()):
        return classes().get(str(name))
    try:
        found: type | None = _stranger(home, last)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"The model uses {name}, of the package {error.name!r}, which is not installed; install it with: "
            "pip install 'hilbertine[graphs]'"
        ) from error
    return found


def skops_types() -> list[str]:
    """The types to trust when skops reads a model of this library: `skops.io.load(path, trusted=skops_types())`.

    Returns
    -------
    list of str
        Names with their modules, as `skops.io.get_untrusted_types` gives them.

    Examples
    --------
    >>> "hilbertine.estimators.regression.Ridge" in skops_types()
    True
    """
    things = [*classes().values(), *functions().values()]
    return sorted({f"{thing.__module__}.{thing.__qualname__}" for thing in things})
