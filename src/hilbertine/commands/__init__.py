"""What `hilbertine fit`, `predict`, `inspect` and `identify` do."""

from .fit import fit
from .identify import identify
from .use import inspect, predict

__all__ = ["fit", "identify", "inspect", "predict"]
