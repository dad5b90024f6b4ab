"""What the callback of a solver is told, and whether it wants to hear more."""

from typing import Any

from ..dual import Dual


def tell(callback: Any, dual: Dual, solution: Any) -> bool:
    """Tell a callback of a certificate: True where it, or its method `reached`, asks for an end."""
    if callback is None:
        return False
    asked, reached = callback(solution.history[-1]) is True, getattr(callback, "reached", None)
    return (reached is not None and reached(dual, solution) is True) or asked


def guess(callback: Any, progress: Any) -> bool:
    """Tell a callback that wants to know of a step without a certificate: True where it asks for an end."""
    hears = getattr(callback, "estimate", None)
    return hears is not None and hears(progress) is True
