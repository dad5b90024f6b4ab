"""Symmetric positive semi-definite n x n matrices, each of which knows how to multiply and how to solve."""

from .base import Positive
from .dense import Dense
from .low_rank import LowRank
from .tall import Tall

__all__ = ["Dense", "LowRank", "Positive", "Tall"]
