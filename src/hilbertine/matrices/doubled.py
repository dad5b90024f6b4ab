"""Blocks of numbers in single precision, read in double."""

from collections.abc import Sequence
from typing import Any

from ..arrays import Array, as_floats


class Doubled(Sequence[Array]):
    """Blocks in double precision, made when they are asked for."""

    def __init__(self, parts: Sequence[Array], like: Array):
        self.parts, self.like = parts, like

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, k: Any) -> Any:
        return as_floats(self.parts[k], self.like)
