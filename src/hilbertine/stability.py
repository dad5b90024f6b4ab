"""Algorithmic stability: what the loss, lam and the kernel promise about new samples (Theorems 8 to 10 of the paper).

With |y| <= radius and |K(x, x)| <= gamma^2, comparing with h = 0 gives |h| <= sqrt(2 phi(radius) / lam), so that no
residual exceeds t = radius + gamma |h|: the loss stays below M = phi(t) and is C-Lipschitz with C = phi'(t).
The paper's table is these two numbers for its three losses; its epsilon-ridge row is derived for the loss without the
factor 1/2 that problem (P1) has, and its Huber row for kappa <= radius.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .checks import nonnegative, number, positive, whole
from .doors import door
from .losses import Loss, Radial


class Constants(NamedTuple):
    """The largest loss M and the Lipschitz constant C of trained models.

    Parameters
    ----------
    M : float
        No loss of a trained model exceeds it.
    C : float
        Losses change by at most C times the change of a prediction.
    """

    M: float
    C: float


@door
def function_norm(loss: Loss, lam: float, radius: float) -> float:
    """sqrt(2 phi(radius) / lam), which bounds |h| in the RKHS.

    Parameters
    ----------
    loss : Radial
        The loss.
    lam : float
        The strength of the regularisation.
    radius : float
        A bound on the norms of the outputs.

    Returns
    -------
    float
        The bound.
    """
    return math.sqrt(2.0 * _at(radial(loss).phi, nonnegative(radius, "radius")) / positive(lam, "lam", finite=True))


@door
def constants(loss: Loss, lam: float, gamma: float, radius: float) -> Constants:
    """M = phi(t) and C = phi'(t) at t = radius + gamma |h|, for any radial loss.

    Parameters
    ----------
    loss : Radial
        The loss.
    lam : float
        The strength of the regularisation.
    gamma : float
        The square root of a bound on |K(x, x)|.
    radius : float
        A bound on the norms of the outputs.

    Returns
    -------
    Constants
        M and C.

    Examples
    --------
    >>> from hilbertine.losses import EpsilonSquare
    >>> M, C = constants(EpsilonSquare(0.1), lam=0.1, gamma=1.0, radius=1.0)
    >>> round(M, 2), round(C, 2)
    (7.02, 3.75)
    """
    t = radius + nonnegative(gamma, "gamma") * function_norm(loss, lam, radius)
    return Constants(_at(radial(loss).phi, t), _at(radial(loss).slope, t))


@door
def stability(loss: Loss, lam: float, gamma: float, radius: float, n: int) -> float:
    """beta <= C^2 gamma^2 / (lam n): no loss changes by more when one of n samples is removed, lam n held fixed.

    Parameters
    ----------
    loss : Radial
        The loss.
    lam : float
        The strength of the regularisation.
    gamma : float
        The square root of a bound on |K(x, x)|.
    radius : float
        A bound on the norms of the outputs.
    n : int
        The number of training samples.

    Returns
    -------
    float
        The bound on beta.
    """
    C = constants(loss, lam, gamma, radius).C
    return C**2 * gamma**2 / (lam * whole(n, "n"))


@door
def generalisation_bound(risk: float, beta: float, M: float, n: int, delta: float = 0.05) -> float:
    """risk + 2 beta + (4 n beta + M) sqrt(log(1/delta) / (2n)): holds with probability 1 - delta.

    Parameters
    ----------
    risk : float
        The mean loss on the training samples.
    beta : float
        The stability of the model.
    M : float
        A bound on its losses.
    n : int
        The number of training samples.
    delta : float, default=0.05
        The probability with which the bound may fail.

    Returns
    -------
    float
        A bound on the expected loss of new samples.

    Examples
    --------
    >>> round(generalisation_bound(risk=0.1, beta=0.001, M=2.0, n=1000), 3)
    0.334
    """
    risk, beta, M = nonnegative(risk, "risk"), nonnegative(beta, "beta"), nonnegative(M, "M")
    if not 0 < number(delta, "delta") < 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta!r}.")
    return risk + 2 * beta + (4 * n * beta + M) * math.sqrt(math.log(1 / delta) / (2 * whole(n, "n")))


@dataclass(frozen=True)
class Report:
    """What stability says about one model; `print` it.

    Parameters
    ----------
    loss : Loss
        The loss.
    n : int
        The number of training samples.
    lam : float
        The strength of the regularisation.
    gamma : float
        |K(x, x)| is at most gamma^2.
    radius : float
        No output has a larger norm.
    M, C : float
        The largest loss, and the Lipschitz constant of the losses.
    beta : float
        No loss changes by more when one sample is removed.
    risk : float
        The mean loss on the training samples.
    delta : float
        The probability with which the bound may fail.
    bound : float
        The bound on the expected loss.
    """

    loss: Loss
    n: int
    lam: float
    gamma: float
    radius: float
    M: float
    C: float
    beta: float
    risk: float
    delta: float
    bound: float

    def __str__(self) -> str:
        lines = [
            ("loss", f"{self.loss}", ""),
            ("n", f"{self.n}", "training samples"),
            ("lam", f"{self.lam:.4g}", ""),
            ("gamma", f"{self.gamma:.4g}", "|K(x, x)| <= gamma^2"),
            ("M_Y", f"{self.radius:.4g}", "|y| <= M_Y"),
            ("M", f"{self.M:.4g}", "no loss exceeds M"),
            ("C", f"{self.C:.4g}", "Lipschitz constant of the loss on the predictions"),
            ("beta", f"{self.beta:.4g}", "no loss changes by more when one sample is removed"),
            ("risk", f"{self.risk:.4g}", "mean loss on the training set"),
            ("bound", f"{self.bound:.4g}", f"on the expected loss, with probability {1 - self.delta:g}"),
        ]
        return "\n".join(f"{name:<6}{value:<12}{meaning}".rstrip() for name, value, meaning in lines)


@door
def report(loss: Loss, lam: float, gamma: float, radius: float, n: int, risk: float, delta: float = 0.05) -> Report:
    """All numbers of the bound for a model with this mean loss on n training samples.

    Parameters
    ----------
    loss : Radial
        The loss.
    lam : float
        The strength of the regularisation.
    gamma : float
        The square root of a bound on |K(x, x)|.
    radius : float
        A bound on the norms of the outputs.
    n : int
        The number of training samples.
    risk : float
        The mean loss on them.
    delta : float, default=0.05
        The probability with which the bound may fail.

    Returns
    -------
    Report
        The numbers; `print` it.
    """
    M, C = constants(loss, lam, gamma, radius)
    beta = stability(loss, lam, gamma, radius, n)
    bound = generalisation_bound(risk, beta, M, n, delta)
    return Report(loss, n, lam, gamma, radius, M, C, beta, risk, delta, bound)


def radial(loss: Any) -> Radial:
    """The loss itself, which must be radial.

    Parameters
    ----------
    loss : object
        What should be a radial loss.

    Returns
    -------
    Radial
        The same; anything else is an error.
    """
    if not isinstance(loss, Radial):
        raise TypeError(
            f"The stability constants are those of a radial loss phi(|p - y|), and {loss!r} is none; use Huber, for "
            "instance."
        )
    return loss


def _at(function: Any, t: float) -> float:
    return float(function(np.asarray([t]))[0])
