"""The assumptions of the paper, checked numerically: admissible losses, and outputs whose span is invariant."""

from typing import Any

import numpy as np

from .arrays import Array, as_floats, eigh, namespace, product, to_numpy
from .checks import generator
from .doors import door
from .kernels import Linear, as_kernel
from .losses import Loss, Radial

# Near zero, where formulas divide by lengths; ordinary; large.
SIZES = (1e-8, 1e-4, 1e-2, 1.0, 1e2)
STEP = 0.7
ENTRYWISE = "Assumption 2, rotation invariance, does not hold: it is a loss of the entries, for canonical coordinates"


@door
def check_admissible(loss: Loss, *, tol: float = 1e-8, random_state: int = 0) -> None:
    """Assumptions 1 and 2 for a loss, and that its value, conjugate and prox belong together; a ValueError says which.

    1. l_i*(a + b) >= l_i*(a) for a in the span of the outputs and b orthogonal to it.
    2. l_i* knows the outputs by their inner products alone: a rotation of everything changes nothing.

    The identity of Fenchel and Young holds with equality at u = prox(z), p = (u - z)/step. Rows are drawn at several
    sizes, some of them zero.

    Parameters
    ----------
    loss : Loss
        The loss to be checked.
    tol : float, default=1e-08
        Tolerance of the identities, relative to their terms.
    random_state : int, default=0
        Seed of the rows that are drawn.

    Raises
    ------
    ValueError
        If an assumption or an identity fails, or a function returns NaN; the message says which and where.

    Examples
    --------
    >>> from hilbertine.losses import Huber
    >>> check_admissible(Huber(0.5))
    """
    _check_type(loss)
    rng = generator(random_state, "random_state")
    n, known, ambient = 12, 3, 6
    axes, turn = (np.linalg.qr(rng.standard_normal((ambient, ambient)))[0] for _ in range(2))
    inside, outside = axes[:, :known].T, axes[:, known:].T
    if isinstance(loss, Radial):
        _check_profile(loss)
    rows = np.arange(n)[:, None]
    for size, outputs in [*((size, 1.0) for size in SIZES), *((size, size) for size in SIZES)]:
        T = outputs * rng.standard_normal((n, known)) @ inside * (rows % 6 != 0)
        Z = size * rng.standard_normal((n, known)) @ inside * (rows % 6 > 1)
        W = _rows(loss, "prox", Z.shape, Z, T, STEP)
        if not loss.entrywise:
            _check_assumptions(loss, W, T, size * rng.standard_normal((n, ambient - known)) @ outside, turn, tol)
        _check_pairing(loss, Z, W, T, tol)
    _fail_unless(not loss.entrywise, loss, ENTRYWISE)


def _check_type(loss: Any) -> None:
    if isinstance(loss, type):
        raise TypeError(
            f"{loss.__name__} is a class and is not a loss itself; pass an object of it, {loss.__name__}(...)."
        )
    if not isinstance(loss, Loss):
        raise TypeError(f"{loss!r} is not a loss; pass an object of a class that derives from hilbertine.losses.Loss.")


def _check_profile(loss: Radial) -> None:
    """The functions of one length are numbers, one for each length, from zero on; the profile ends at the cap."""
    t = np.concatenate([[0.0], np.logspace(-8, 2, 41)])
    slopes = _numbers(loss, "slope", "t", t)
    _numbers(loss, "phi", "t", t)
    s = np.concatenate([t, slopes[np.isfinite(slopes)]])
    within = s[s <= loss.cap]
    _numbers(loss, "profile", "s", s)
    _numbers(loss, "inverse", "s", within)
    if np.isfinite(loss.cap):
        beyond = _numbers(loss, "profile", "s", np.asarray([1.01, 2.0]) * loss.cap)
        _fail_unless(np.all(np.isinf(beyond)), loss, f"profile is finite beyond its cap {loss.cap:.3g}")


def _numbers(loss: Radial, name: str, letter: str, x: Array) -> Array:
    """loss.name(x), which must be one number for each length."""
    values = np.asarray(getattr(loss, name)(x))
    _fail_unless(
        values.shape == x.shape, loss, f"{name} returned shape {values.shape} for lengths of shape {tuple(x.shape)}"
    )
    if np.any(np.isnan(values)):
        _fail_unless(False, loss, f"{name} returned NaN at {letter} = {x[np.argmax(np.isnan(values))]:.3g}")
    return values


def _check_pairing(loss: Loss, Z: Array, W: Array, T: Array, tol: float) -> None:
    """The identity of Fenchel and Young between W = prox(Z) and P = (W - Z)/step."""
    P = (W - Z) / STEP
    plain, value = (_rows(loss, *call) for call in (("conjugate", (len(T),), W, T), ("value", (len(T),), P, T)))
    pairing, room = np.sum(W * P, axis=1), _lengths(W) * (_lengths(Z) + _lengths(T))
    _fail_unless(
        np.all(np.abs(value + plain + pairing) <= tol * (np.abs(value) + np.abs(plain) + np.abs(pairing) + room)),
        loss,
        "the identity of Fenchel and Young: value, conjugate and prox do not belong to one convex function",
    )


def _check_assumptions(loss: Loss, W: Array, T: Array, across: Array, turn: Array, tol: float) -> None:
    """Assumptions 1 and 2 at the rows W, moved by rows orthogonal to the outputs, and turned."""
    plain, moved, turned = (
        _rows(loss, "conjugate", (len(T),), *rows) for rows in ((W, T), (W + across, T), (W @ turn, T @ turn))
    )
    _fail_unless(np.all(np.isfinite(plain)), loss, "prox leaves the domain of its conjugate")
    room = tol * (np.abs(plain) + _lengths(W) * _lengths(T))
    _fail_unless(
        np.all(moved >= plain - room), loss, "Assumption 1: a component orthogonal to the outputs lowers its conjugate"
    )
    _fail_unless(
        np.all(np.abs(turned - plain) <= room),
        loss,
        "Assumption 2: its conjugate depends on more than inner products, a rotation changes it",
    )


def _rows(loss: Loss, name: str, shape: tuple[int, ...], *arguments: Any) -> Array:
    """loss.name(...), which must be numbers of this shape."""
    values = np.asarray(getattr(loss, name)(*arguments))
    _fail_unless(values.shape == shape, loss, f"{name} returned shape {values.shape} where {shape} was due")
    if np.any(np.isnan(values)):
        row = int(np.argmax(np.any(np.isnan(values.reshape(len(values), -1)), axis=1)))
        lengths = ", ".join(f"{_lengths(part)[row]:.3g}" for part in arguments[:2])
        _fail_unless(False, loss, f"{name} returned NaN for rows of lengths {lengths}")
    return values


def _lengths(A: Array) -> Array:
    return np.sqrt(np.sum(A * A, axis=1))


def _fail_unless(holds: Any, loss: Loss, what: str) -> None:
    if not holds:
        raise ValueError(f"{loss!r} is not admissible ({what}); see 'add a loss' in the documentation.")


@door
def invariance_defects(outputs: Any, images: Any, kernel: Any = None) -> Array:
    """The part of A y_i outside the span of all y_j, relative to |A y_i|, for outputs y_i and their images A y_i.

    Inner products are those of `kernel`, by default of vectors. Gram matrices <y_i, A y_j> alone cannot tell: they
    see the projection of A y_j only.

    Parameters
    ----------
    outputs : array of shape (n, p), or collection
        The outputs y_i; elements known by inner products are indices into `kernels.Precomputed`.
    images : array of shape (n, p), or collection
        Their images A y_i.
    kernel : Kernel or callable, default=None
        Inner product of the outputs; None for that of vectors.

    Returns
    -------
    array of shape (n,)
        The share of the norm of each image that lies outside, between 0 and 1.
    """
    k = as_kernel(Linear() if kernel is None else kernel)
    if kernel is None:
        outputs, images = (_vectors(part) for part in (outputs, images))
        if outputs.shape != images.shape or not outputs.size:
            raise ValueError(f"There must be an image for each output: got shapes {outputs.shape} and {images.shape}.")
    K, C = k(outputs, outputs), k(outputs, images)
    xp = namespace(K)
    if not bool(xp.all(xp.isfinite(K)) & xp.all(xp.isfinite(C))):
        raise ValueError("Inner products of the outputs or of their images are NaN or infinite.")
    sigma, U = eigh(as_floats(K, K))
    kept = sigma > 1e-10 * float(xp.max(sigma))
    inverse = xp.where(kept, 1.0 / xp.where(kept, sigma, xp.ones_like(sigma)), xp.zeros_like(sigma))
    projected = product(xp.permute_dims(U, (1, 0)), C)
    squares = as_floats(k.diagonal(images), K)
    inside = xp.sum(projected * projected * inverse[:, None], axis=0)
    safe = xp.where(squares > 0, squares, xp.ones_like(squares))
    return xp.sqrt(xp.clip(1.0 - inside / safe, min=0.0)) * xp.astype(squares > 0, squares.dtype)


@door
def check_invariance(outputs: Any, images: Any, kernel: Any = None, *, tol: float = 1e-4) -> None:
    """Assumption 3: the span of the outputs y_i is invariant by A, given as its images A y_i.

    Parameters
    ----------
    outputs : array of shape (n, p), or collection
        The outputs y_i; elements known by inner products are indices into `kernels.Precomputed`.
    images : array of shape (n, p), or collection
        Their images A y_i.
    kernel : Kernel or callable, default=None
        Inner product of the outputs; None for that of vectors.
    tol : float, default=0.0001
        Largest share of the norm of an image that may lie outside.

    Raises
    ------
    ValueError
        If the span is not invariant; the message says what to use instead.

    Examples
    --------
    >>> check_invariance([[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]])
    >>> check_invariance([[1.0, 0.0]], [[2.0, 1.0]])
    Traceback (most recent call last):
        ...
    ValueError: The span of the outputs is not invariant: 45 % of the norm of A y_0 lies outside it. ...
    """
    defects = to_numpy(invariance_defects(outputs, images, kernel))
    worst = int(np.argmax(defects))
    if defects[worst] > tol:
        raise ValueError(
            f"The span of the outputs is not invariant: {100 * defects[worst]:.2g} % of the norm of A y_{worst} lies "
            "outside it. The expansion over the outputs does not hold; use the approximate dual: a space whose basis "
            "is made of eigenvectors of A (the canonical one in R^p), with A as its operator."
        )


def _vectors(values: Any) -> Array:
    try:
        return np.atleast_2d(np.asarray(to_numpy(values), dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise TypeError(f"Without a kernel, outputs and images must be vectors of numbers ({error}).") from error
