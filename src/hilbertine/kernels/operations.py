"""What + and * mean between kernels, scalar or operator-valued, and how such a formula is written."""

from numbers import Real
from typing import Any


class Algebra:
    """k + l, l k and 2.0 * k, from two hooks: `_plus(other)` and `_times(other)`, other a number or a kernel.

    A hook returns NotImplemented where the other side knows better, as an operator-valued kernel does beside a scalar.
    """

    def _plus(self, other: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must implement _plus(other).")

    def _times(self, other: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must implement _times(other).")

    def __add__(self, other: Any) -> Any:
        return self._plus(other)

    def __radd__(self, other: Any) -> Any:
        # sum([k, l]) starts from the number 0.
        return self if isinstance(other, Real) and other == 0 else self._plus(other)

    def __mul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmul__(self, other: Any) -> Any:
        return self._times(other)


class Formula:
    """A kernel written as its operands, joined by its symbol.

    scikit-learn's own repr takes twice the time for each term more.
    """

    symbol: str
    left: Any
    right: Any

    def operands(self) -> tuple[Any, Any]:
        """What stands left and right of the symbol."""
        return self.left, self.right

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f" {self.symbol} ".join(map(self._written, self.operands()))

    def _written(self, operand: Any) -> str:
        bracketed = self.symbol == "*" and isinstance(operand, Formula) and operand.symbol == "+"
        return f"({operand!r})" if bracketed else repr(operand)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self)}
