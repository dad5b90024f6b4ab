"""The tables and figures of the paper: one module each, an `Experiment`."""

from importlib import import_module

from .base import Experiment, Settings

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


def load(name: str) -> Experiment:
    """The module of an experiment."""
    module = import_module(f".{NAMES[name]}", __name__)
    if not isinstance(module, Experiment):
        raise TypeError(f"{module.__name__} is no experiment; it needs TITLE, NOTE, run, columns and draw.")
    return module


__all__ = ["NAMES", "Experiment", "Settings", "load"]
