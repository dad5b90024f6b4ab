"""hilbertine: the solver that `auto` picks, on the Gram matrix given."""

from hilbertine.dual import Dual
from hilbertine.losses import Coefficients
from hilbertine.losses.robust import Robust
from hilbertine.operator_kernels import Kronecker
from hilbertine.risk import Risk
from hilbertine.solvers import choose

NAME = "hilbertine"


class Profile(Robust):
    """The loss of an instance by its three numbers."""

    def __init__(self, a: float = 1.0, b: float = 0.0, c: float = float("inf")):
        self.a, self.b, self.c = a, b, c

    @property
    def coefficients(self) -> Coefficients:
        return Coefficients(self.a, self.b, self.c)


def supports(instance) -> bool:
    return True


def solve(instance, tol):
    loss = Profile(instance.a, instance.b, instance.c)
    dual = Dual(Kronecker.dense(instance.K, instance.T.shape[1]), Risk(loss, instance.T), instance.lam)
    return choose("auto", dual).set_params(tol=tol).solve(dual).W
