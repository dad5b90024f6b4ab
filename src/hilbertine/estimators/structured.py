"""Structured prediction: outputs are objects with a kernel, answers are objects, ranked."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..arrays import Array, as_sequence, blocks, count, is_array, to_numpy
from ..checks import whole
from ..losses import Loss, Margin
from ..solvers import Progress
from ..spaces import RKHS, Space
from ..spaces.decoding import BLOCK, Decoder, InnerProduct, Nearest, as_decoder, check_candidates, pick
from .base import Regressor


class StructuredPredictor(Regressor):
    """f(x) = argmin_z l(phi(z), h(x)), h trained in the RKHS of an output kernel k(y, z) = <phi(y), phi(z)>.

    Parameters
    ----------
    loss, kernel, lam, solver, tol, max_iter, warm_start, callback : as for `Regressor`
    output_kernel : a kernel on the outputs, or a function of two collections; None is `kernels.Linear()`. Outputs known
        by their Gram matrix are indices, with `kernels.Precomputed(gram)`
    candidates : what `predict` chooses from; None is the training outputs
    decoder : a `spaces.Decoder`, or a function (space, C, candidates) -> scores of points and candidates, the highest
        wins; None is the pre-image of the loss, `Nearest` or for margins `InnerProduct`
    n_components : keep so many coordinates of the outputs; `truncation_gap_` says what that costs

    Wherever candidates are asked for, a list of lists (or of 2-d arrays) is one collection for each sample; outputs
    that are sequences themselves must be tuples.

    >>> words = ["cart", "care", "dogs"]
    >>> from hilbertine.kernels import Gaussian, Normalised, Substrings
    >>> model = StructuredPredictor(kernel=Gaussian(1.0), output_kernel=Normalised(Substrings(2)), lam=1e-3)
    >>> model.fit([[0.0], [1.0], [2.0]], words).predict([[1.2]])
    ['care']
    >>> [word for word, score in model.rank([[1.9]], ["dots", "card", "dogs"], k=2)[0]]
    ['dogs', 'dots']
    """

    def __init__(
        self,
        loss: Loss | None = None,
        kernel: Any = None,
        output_kernel: Any = None,
        candidates: Any = None,
        decoder: Any = None,
        lam: float = 1e-3,
        n_components: int | None = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        callback: Callable[[Progress], Any] | None = None,
    ):
        super().__init__(
            loss=loss, kernel=kernel, lam=lam, solver=solver, tol=tol, max_iter=max_iter, warm_start=warm_start,
            callback=callback,
        )  # fmt: skip
        self.output_kernel = output_kernel
        self.candidates = candidates
        self.decoder = decoder
        self.n_components = n_components

    def _make_space(self, y: Any) -> Space:
        return RKHS(self.output_kernel, self.n_components)

    def predict(self, X: Any, candidates: Any = None) -> Any:
        """The best candidate for each sample."""
        C, decoder = self.embed(X), self._decoder()
        given, each_its_own = self._candidates(candidates)
        if not each_its_own:
            return decoder.decode(self.space_, C, given)
        check_consistent_length(X, given)
        return [pick(decoder.decode(self.space_, C[i : i + 1, :], each), [0])[0] for i, each in enumerate(given)]

    def decision_function(self, X: Any, candidates: Any = None) -> Any:
        """The scores of the candidates, highest for the best: a matrix, or a list of vectors for lists per sample."""
        scores = [row for row, _ in self._scored(X, candidates)]
        return scores if self._candidates(candidates)[1] else np.stack(scores)

    def rank(self, X: Any, candidates: Any = None, k: int = 10) -> list[list[tuple[Any, float]]]:
        """The k best candidates of each sample with their scores, best first."""
        ranked = []
        k = whole(k, "k")
        for row, each in self._scored(X, candidates):
            order = np.argsort(-row, kind="stable")[:k]
            ranked.append(list(zip(pick(each, order), row[order].tolist(), strict=True)))
        return ranked

    def positions(self, X: Any, y: Any, candidates: Any = None) -> Array:
        """The place of the true output among the candidates, from 1; infinite where it is not among them.

        Candidates with the same score as the truth count as better: a constant score earns nothing.
        """
        check_consistent_length(X, y)
        places, y = [], as_sequence(y)
        for i, (row, each) in enumerate(self._scored(X, candidates)):
            true = np.array([same(each[j], y[i]) for j in range(count(each))])
            better = np.sum(row[~true] >= row[true].max()) if true.any() else np.inf
            places.append(1.0 + better)
        return np.asarray(places)

    def score(self, X: Any, y: Any) -> float:
        """The fraction of exact answers."""
        check_consistent_length(X, y)
        predicted, y = self.predict(X), as_sequence(y)
        return float(np.mean([same(predicted[i], y[i]) for i in range(count(y))]))

    def _scored(self, X: Any, candidates: Any) -> Iterator[tuple[Any, Any]]:
        """(scores, candidates) for each sample, scores of common candidates in blocks of samples."""
        given, each_its_own = self._candidates(candidates)
        C, decoder = self.embed(X), self._decoder()
        if each_its_own:
            check_consistent_length(X, given)
            for i, each in enumerate(given):
                check_candidates(each)
                yield to_numpy(decoder.scores(self.space_, C[i : i + 1, :], each))[0], each
            return
        check_candidates(given)
        for part in blocks(C, max(1, BLOCK // count(given))):
            for row in to_numpy(decoder.scores(self.space_, part, given)):
                yield row, given

    def _candidates(self, candidates: Any) -> tuple[Any, bool]:
        """What there is to choose from, and whether it is a collection for each sample."""
        check_is_fitted(self)
        given = self.candidates if candidates is None else candidates
        if given is None:
            return self.space_.outputs_, False
        given = as_sequence(given)
        return given, per_sample(given)

    def _decoder(self) -> Decoder:
        if self.decoder is None:
            return InnerProduct() if isinstance(self.loss_, Margin) else Nearest()
        return as_decoder(self.decoder)


def per_sample(candidates: Any) -> bool:
    """Whether these are collections of candidates, one for each sample."""
    return (
        isinstance(candidates, list)
        and len(candidates) > 0
        and all(isinstance(each, list) or (hasattr(each, "ndim") and each.ndim == 2) for each in candidates)
    )


def same(left: Any, right: Any) -> bool:
    """Whether two outputs are equal, arrays element by element."""
    if is_array(left) or is_array(right) or hasattr(left, "todense"):
        return bool(np.array_equal(np.squeeze(_dense(left)), np.squeeze(_dense(right))))
    return bool(left == right)


def _dense(value: Any) -> Any:
    return np.asarray(value.todense()) if hasattr(value, "todense") else to_numpy(value)
