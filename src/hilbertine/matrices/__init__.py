"""Symmetric positive semi-definite n x n matrices, each of which knows how to multiply and how to solve."""

from .base import Positive
from .dense import Dense
from .held import Held
from .low_rank import LowRank
from .row_blocks import RowBlocks
from .tall import Tall
from .tiled import Factored, Tiled

__all__ = ["Dense", "Factored", "Held", "LowRank", "Positive", "RowBlocks", "Tall", "Tiled"]
