"""Every public class is under the laws."""

import pytest

from examples import BASES, KERNELS, LOSSES, OPERATOR_KERNELS, SOLVERS, SPACES, public_components
from hilbertine.kernels import Derivative
from hilbertine.losses import Margin
from hilbertine.operator_kernels import FromGram, Identity, PairCovariance, Separable
from hilbertine.spaces import Clamp, FromCallable, InnerProduct, LossTrick, Nearest

ENROLLED = {type(example) for example in [*BASES, *KERNELS, *LOSSES, *SPACES, *OPERATOR_KERNELS, *SOLVERS]}
# Output operators are under the laws as parts of operator-valued kernels.
ENROLLED |= {type(kernel._operator()) for kernel in OPERATOR_KERNELS if isinstance(kernel, Separable)}
# Functions of the margin are under them as parts of margin losses.
ENROLLED |= {type(loss._f()) for loss in LOSSES if isinstance(loss, Margin)}
# Identity is the operator of a kernel without one, PairCovariance that of PairAlignedWeighted; FromGram needs the
# training outputs and has a law to itself. Decoders are compared with brute force in tests/test_structured.py.
# Derivative is a transformer, for Features, and has its tests in tests/test_curve_kernels.py.
ELSEWHERE = {Derivative, Identity, FromGram, PairCovariance, Clamp, FromCallable, InnerProduct, LossTrick, Nearest}


@pytest.mark.parametrize("cls", public_components(), ids=lambda cls: cls.__name__)
def test_every_class_is_enrolled(cls):
    assert cls in ENROLLED | ELSEWHERE
