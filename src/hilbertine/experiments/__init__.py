"""The tables and figures of the paper: one module each, with `run(settings) -> result` and `draw(result)`."""

from importlib import import_module
from typing import Any

from .base import Settings

# What `hilbertine reproduce NAME` knows, in the order of `all`; modules are imported when asked for.
NAMES = {
    "yeast": "yeast",
    "yeast-paths": "yeast_paths",
    "metabolites": "metabolites",
    "autoencoder": "autoencoder",
    "lip": "lip",
    "losses": "losses_figure",
    "stability": "stability_figure",
}


def load(name: str) -> Any:
    """The module of an experiment."""
    return import_module(f".{NAMES[name]}", __name__)


__all__ = ["NAMES", "Settings", "load"]
