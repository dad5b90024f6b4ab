"""Structured prediction: outputs are objects with a kernel, answers are objects, ranked."""

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..arrays import Array
from ..checks import whole
from ..containers.identity import distinct, identities
from ..dual import Dual
from ..losses import Loss, Margin
from ..solvers import Progress, Solution
from ..spaces import RKHS, Space
from ..spaces.decoding import Decoder, InnerProduct, Nearest, as_decoder, pick
from .base import Regressor
from .candidates import numbered, place, read_candidates, scored, warn_of_unreachable
from .parts import store
from .posed import Posed


class StructuredPredictor(Regressor):
    """f(x) = argmin_z l(phi(z), h(x)), h trained in the RKHS of an output kernel k(y, z) = <phi(y), phi(z)>.

    Wherever candidates are asked for, a list of lists (or of 2-d arrays) is one collection for each sample, one level
    deeper where outputs are lists themselves.

    Parameters
    ----------
    output_kernel : kernel or callable, default=None
        How alike two outputs are; None is `kernels.Linear()`. Outputs known by their Gram matrix are indices, with
        `kernels.Precomputed(gram)`.
    candidates : list, list of lists or callable, default=None
        What `predict` chooses from; None is the distinct training outputs. A function X -> list of lists, a collection
        for each input, goes through cross-validation.
    decoder : spaces.Decoder or callable, default=None
        How to choose: a decoder, or a function (space, C, candidates) -> scores of points and candidates, the highest
        wins. None is the pre-image of the loss, `Nearest` or for margins `InnerProduct`.
    n_components : int, default=None
        Keep so many coordinates of the outputs; `truncation_gap_` says what that costs.

    Attributes
    ----------
    candidates_ : list or callable
        What `predict` chooses from.

    Examples
    --------
    >>> words = ["cart", "care", "dogs"]
    >>> from hilbertine.kernels import Gaussian, Normalised, Substrings
    >>> model = StructuredPredictor(kernel=Gaussian(1.0), output_kernel=Normalised(Substrings(2)), lam=1e-3)
    >>> model.fit([[0.0], [1.0], [2.0]], words).predict([[1.2]])
    ['care']
    >>> [word for word, score in model.rank([[1.9]], ["dots", "card", "dogs"], k=2)[0]]
    ['dogs', 'dots']
    """

    LOSS_PARAMETERS: ClassVar[tuple[str, ...]] = ("loss",)

    missing = None

    def __init__(
        self,
        loss: Loss | None = None,
        kernel: Any = None,
        output_kernel: Any = None,
        candidates: Any = None,
        decoder: Any = None,
        lam: float = 1e-3,
        centre: str | None = "median",
        n_components: int | None = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        callback: Callable[[Progress], Any] | None = None,
        verbose: int = 0,
        checkpoint: str | PathLike[str] | None = None,
    ):
        store(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Candidates are objects, and so are their scores.
        tags.array_api_support = False
        return tags

    def _make_space(self, y: Any) -> Space:
        if self.decoder is not None:
            as_decoder(self.decoder)
        return RKHS(self.output_kernel, self.n_components)

    def _publish(self, problem: Posed, dual: Dual, solution: Solution) -> Self:
        super()._publish(problem, dual, solution)
        outputs = self.space_.outputs_
        self.candidates_ = pick(outputs, distinct(outputs)) if self.candidates is None else self.candidates
        return self

    def predict(self, X: Any, candidates: Any = None) -> Any:
        """The predicted outputs, one for each input: the candidate that stands nearest to the predicted point.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            New inputs.
        candidates : list, list of lists or callable, default=None
            What to choose from; None is what the model has.

        Returns
        -------
        array or list of length n_new
            Outputs of the kind that `fit` took.
        """
        C, decoder = self.embed(X), self._decoder()
        if not decoder.chooses and not (candidates is None and self.candidates is None):
            raise ValueError(f"{decoder!r} makes outputs of its own and chooses among no candidates; leave them out.")
        given, each_its_own = self._candidates(X, candidates)
        if not each_its_own:
            return self.space_.as_given(decoder.decode(self.space_, C, given))
        if type(decoder).decode is not Decoder.decode:
            return [pick(decoder.decode(self.space_, C[i : i + 1, :], each), [0])[0] for i, each in enumerate(given)]
        rows = scored(self.space_, decoder, C, given, each_its_own)
        return [pick(each, [int(np.argmax(row))])[0] for row, each in rows]

    def decision_function(self, X: Any, candidates: Any = None) -> Any:
        """The scores of the candidates, highest for the best.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            New inputs.
        candidates : list, list of lists or callable, default=None
            What to choose from; None is what the model has.

        Returns
        -------
        array of shape (n_new, n_candidates), or list of arrays
            A list where each input has candidates of its own.
        """
        given, each_its_own = self._candidates(X, candidates)
        scores = [row for row, _ in scored(self.space_, self._decoder(), self.embed(X), given, each_its_own)]
        return scores if each_its_own else np.stack(scores)

    def rank(self, X: Any, candidates: Any = None, k: int = 10) -> list[list[tuple[Any, float]]]:
        """The best candidates of each sample with their scores, best first.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            New inputs.
        candidates : list, list of lists or callable, default=None
            What to choose from; None is what the model has.
        k : int, default=10
            How many to return.

        Returns
        -------
        list of lists of tuples (candidate, score)
            One list for each input.
        """
        ranked = []
        k = whole(k, "k")
        for row, each in scored(self.space_, self._decoder(), self.embed(X), *self._candidates(X, candidates)):
            order = np.argsort(-row, kind="stable")[:k]
            ranked.append(list(zip(pick(each, order), row[order].tolist(), strict=True)))
        return ranked

    def positions(self, X: Any, y: Any, candidates: Any = None) -> Array:
        """The place of the true output among the distinct candidates, from 1; infinite where it is not among them.

        Candidates with the same score as the truth, up to rounding, count as better: a constant score earns nothing.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            Inputs.
        y : array-like or list
            The true outputs.
        candidates : list, list of lists or callable, default=None
            What to choose from; None is what the model has.

        Returns
        -------
        array of shape (n,)
            One place for each sample.
        """
        check_consistent_length(X, y)
        given, each_its_own = self._candidates(X, candidates)
        named = None if each_its_own else numbered(self.space_.read(given))
        places = []
        rows = scored(self.space_, self._decoder(), self.embed(X), given, each_its_own)
        for key, (row, each) in zip(identities(self.space_.read(y)), rows, strict=True):
            names, codes = named or numbered(self.space_.read(each))
            places.append(place(row, codes, names.get(key, -1)))
        return np.asarray(places)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The fraction of exact answers.

        Parameters
        ----------
        X : array-like, or what the kernel takes
            Inputs.
        y : array-like or list
            The true outputs.
        sample_weight : array-like of shape (n,), default=None
            How often each sample counts.

        Returns
        -------
        float
            Between zero and one; the more the better.
        """
        check_consistent_length(X, y)
        truths = identities(self.space_.read(y))
        if self._decoder().chooses:
            warn_of_unreachable(self.space_, truths, *self._candidates(X, None))
        pairs = zip(identities(self.space_.read(self.predict(X))), truths, strict=True)
        return float(np.average([predicted == true for predicted, true in pairs], weights=sample_weight))

    def _candidates(self, X: Any, candidates: Any) -> tuple[Any, bool]:
        """What there is to choose from, and whether it is a collection for each sample."""
        check_is_fitted(self)
        return read_candidates(self.candidates_ if candidates is None else candidates, X, self.space_)

    def _decoder(self) -> Decoder:
        if self.decoder is None:
            return InnerProduct() if isinstance(self.loss_, Margin) else Nearest()
        return as_decoder(self.decoder)
