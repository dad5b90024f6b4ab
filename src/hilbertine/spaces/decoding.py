"""From points of an RKHS back to outputs: scores of candidates, the highest wins (Problem 7 of the paper)."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import Array, as_floats, blocks, count, device_of, is_array, namespace, outer, product, to_numpy
from ..doors import Doors
from ..losses import Radial, Square
from ..memory import rows_of
from ..site import Linked
from .rkhs import RKHS

# Outputs on which a kernel is asked whether it is the linear one.
FEW = 20


class Decoder(Doors, Linked, BaseEstimator):
    """scores[i, j], how well candidate j stands for point i. Must implement `scores`.

    `chooses` is False for decoders whose `decode` makes outputs of its own, and `apart` for those whose score of a
    candidate may depend on which others there are.
    """

    DOORS: ClassVar = ("decode",)

    chooses = True
    apart = True

    def scores(self, space: RKHS, C: Array, candidates: Any) -> Array:
        """The scores of all candidates for all points.

        Parameters
        ----------
        space : RKHS
            The fitted space of the outputs.
        C : array of shape (n, m)
            Predicted points, in coordinates.
        candidates : array-like or list
            What to choose from.

        Returns
        -------
        array of shape (n, n_candidates)
            The scores; the highest wins.
        """
        return self.scorer(space, candidates)(C)

    def scorer(self, space: RKHS, candidates: Any) -> Callable[[Array], Array]:
        """C -> the scores of candidates that are read once, for one block of points after another.

        Parameters
        ----------
        space : RKHS
            The fitted space of the outputs.
        candidates : array-like or list
            What to choose from.

        Returns
        -------
        callable
            `scores` as a function of the points alone.
        """
        if type(self).scores is Decoder.scores:
            raise NotImplementedError(f"{type(self).__name__} must implement scores(space, C, candidates).")
        return lambda C: self.scores(space, C, candidates)

    def decode(self, space: RKHS, C: Array, candidates: Any) -> Any:
        """The best candidate for each point, a block of points at a time.

        Parameters
        ----------
        space : RKHS
            The fitted space of the outputs.
        C : array of shape (n, m)
            Predicted points, in coordinates.
        candidates : array-like or list
            What to choose from.

        Returns
        -------
        array or list of length n
            The candidates chosen.
        """
        check_candidates(candidates)
        parts, score = blocks(C, rows_of(count(candidates), 0.5)), self.scorer(space, candidates)
        best = [to_numpy(namespace(C).argmax(score(part), axis=1)) for part in parts]
        return pick(candidates, np.concatenate(best))


class Nearest(Decoder):
    """argmin_z |h(x) - phi(z)|^2: 2 <h(x), phi(z)> - k(z, z), the pre-image for every radial loss.

    A radial loss grows with the distance, so that its argmin_z l(phi(z), h(x)) is the nearest candidate; in the tube of
    an epsilon-insensitive loss, where all are equal, it is the nearest by choice.
    """

    def scorer(self, space: RKHS, candidates: Any) -> Callable[[Array], Array]:
        images = space.images(candidates)
        return lambda C: 2.0 * images.inner(C) - as_floats(images.squares, C)[None, :]


class InnerProduct(Decoder):
    """<h(x), phi(z)>: the pre-image for a margin loss, whose f falls with the margin."""

    def scorer(self, space: RKHS, candidates: Any) -> Callable[[Array], Array]:
        return space.images(candidates).inner


class LossTrick(Decoder):
    """argmin_z sum_i a_i(x) l(phi(z), phi(y_i)), where h(x) = sum_i a_i(x) phi(y_i): decoding by losses alone.

    For the square loss that is |phi(z)|^2 sum_i a_i - 2 <h(x), phi(z)>, which agrees with `Nearest` where k(z, z) is
    constant or the weights sum to one; elsewhere they are two decoders.

    Parameters
    ----------
    loss : Radial, default=None
        The loss; None is `losses.Square()`.
    """

    def __init__(self, loss: Radial | None = None):
        self.loss = loss

    def scorer(self, space: RKHS, candidates: Any) -> Callable[[Array], Array]:
        loss = Square() if self.loss is None else self.loss
        if not isinstance(loss, Radial):
            raise TypeError(f"LossTrick needs a radial loss such as losses.Huber(1.0), got {loss!r}.")
        kernel, read = space.kernel_, space.images(candidates)
        cross, own = kernel.between(kernel.points_, read.read), kernel.squares(kernel.points_)
        xp = namespace(cross)
        losses = loss.phi(xp.sqrt(xp.clip(own[:, None] + read.squares[None, :] - 2.0 * cross, min=0.0)))
        return lambda C: (
            -product(product(C, namespace(C).permute_dims(as_floats(space.axes_, C), (1, 0))), as_floats(losses, C))
        )


class Clamp(Decoder):
    """Label sets as 0/1 vectors under the linear kernel: h(x) is a vector, and a label is set above the threshold.

    Parameters
    ----------
    threshold : float, default=0.5
        Labels are set above it.
    """

    chooses = False

    def __init__(self, threshold: float = 0.5):
        self.threshold = threshold

    def scores(self, space: RKHS, C: Array, candidates: Any) -> Array:
        return Nearest().scores(space, C, candidates)

    def decode(self, space: RKHS, C: Array, candidates: Any) -> Any:
        Y = space.outputs_.toarray() if hasattr(space.outputs_, "toarray") else space.outputs_
        few = as_floats(Y[:FEW, ...], C) if is_array(Y) else None
        if few is None or not np.allclose(to_numpy(space.kernel_(few, few)), to_numpy(outer(few))):
            raise ValueError(
                f"Clamp reads labels off vectors, for which k(y, z) = <y, z>, and {space.kernel_!r} is another kernel "
                "on these outputs; use decoder=None, which chooses among candidates."
            )
        xp = namespace(C)
        axes = product(xp.permute_dims(as_floats(Y, C), (1, 0)), as_floats(space.axes_, C))
        return xp.astype(product(C, xp.permute_dims(axes, (1, 0))) > self.threshold, C.dtype)


class FromCallable(Decoder):
    """scores[i, j] = function(space, C, candidates)_ij for any function: point i has the coordinates C[i].

    `space.encode(candidates)` holds the coordinates of the candidates and `space.norms(candidates)` their norms; a
    score of minus infinity rules a candidate out. A pre-image that does not choose among candidates is a subclass of
    `Decoder` with a `decode` of its own, as `Clamp` is.

    Parameters
    ----------
    function : callable
        (space, C, candidates) -> the matrix of scores.

    Examples
    --------
    >>> import numpy as np
    >>> from hilbertine.spaces import RKHS
    >>> Y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> space = RKHS().fit(Y)
    >>> city_block = FromCallable(lambda space, C, Z: -np.abs(C[:, None] - space.encode(Z)[None]).sum(axis=2))
    >>> city_block.decode(space, space.encode([[0.9, 0.2]]), Y)
    array([[1., 0.]])
    """

    apart = False

    def __init__(self, function: Callable[[Any, Array, Any], Any]):
        self.function = function

    def scores(self, space: RKHS, C: Array, candidates: Any) -> Array:
        returned = self.function(space, C, candidates)
        expected = (int(C.shape[0]), count(candidates))
        try:
            S = as_floats(returned, C)
        except (TypeError, ValueError) as error:
            raise self._wrong(f"what is no matrix of numbers ({error})", expected) from error
        if tuple(S.shape) != expected:
            raise self._wrong(f"shape {tuple(S.shape)}", expected)
        if bool(namespace(S).any(namespace(S).isnan(S))):
            raise self._wrong("NaN", expected)
        return S

    def _wrong(self, returned: str, expected: tuple[int, int]) -> ValueError:
        name = getattr(self.function, "__name__", self.function)
        return ValueError(
            f"The decoder function {name!r} returned {returned} for {expected[0]} points and {expected[1]} candidates; "
            f"it must return the matrix of all scores, here {expected}, the highest for the best candidate of a point."
        )


def as_decoder(decoder: Any) -> Decoder:
    """A Decoder from a Decoder or a function (space, C, candidates) -> scores."""
    if isinstance(decoder, Decoder):
        return decoder
    if callable(decoder) and not isinstance(decoder, type):
        return FromCallable(decoder)
    raise TypeError(
        f"{decoder!r} is not a decoder; pass an object of hilbertine.spaces such as Nearest(), or a function "
        "(space, C, candidates) -> scores."
    )


def check_candidates(candidates: Any) -> None:
    """There must be something to choose from."""
    if count(candidates) == 0:
        raise ValueError("Decoding needs at least one candidate; the candidate list is empty.")


def pick(candidates: Any, chosen: Any) -> Any:
    """The candidates at these places, as the kind of collection they came in."""
    if is_array(candidates):
        xp = namespace(candidates)
        return xp.take(candidates, xp.asarray(chosen, device=device_of(candidates)), axis=0)
    return candidates[chosen] if hasattr(candidates, "shape") else [candidates[i] for i in chosen]
