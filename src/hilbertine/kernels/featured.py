"""Kernels that may have features: f with k(x, z) = <f(x), f(z)>."""

from collections.abc import Callable
from typing import Any

from ..arrays import Array
from ..containers import Chunks

# Rows of numbers -> what a kernel reads off them.
Represent = Callable[[Array], Any]


class Featured:
    """What a kernel says of its features; without any it says None."""

    def represent(self, X: Any) -> Any:
        """What the kernel reads off a collection, once: features, fingerprints, counts; X itself where that will do.

        Parameters
        ----------
        X : array-like or list
            Points.

        Returns
        -------
        object
            What `between`, `squares` and `coordinates` take.
        """
        return X

    def features(self, X: Any) -> Array | None:
        """Features f with k(x, z) = <f(x), f(z)>, where the kernel has some.

        Parameters
        ----------
        X : array-like or list
            n points.

        Returns
        -------
        array of shape (n, p), or None
            One row for each point.
        """
        return None if type(self).coordinates is Featured.coordinates else self.coordinates(self.represent(X))

    def coordinates(self, A: Any) -> Array | None:
        """`features` from the representation of points: those of `points_` are not read again.

        Parameters
        ----------
        A : object
            The representation of n points.

        Returns
        -------
        array of shape (n, p), or None
            One row for each point.
        """
        if type(self).features is Featured.features:
            return None
        self._must_represent_by_itself("coordinates(A), the features")
        return self.features(A)

    def over(self, X: Chunks, represent: Represent, places: Any) -> None:
        """Fitted to a sample, take all points for the training points: they are read whenever they are needed.

        Parameters
        ----------
        X : Chunks
            The points.
        represent : callable
            What is read off rows of them.
        places : array of int
            Where in X the points of the sample are.
        """
        vars(self)["points_"] = X.mapped(represent)

    @property
    def featured(self) -> bool:
        """Whether there are features."""
        return type(self).coordinates is not Featured.coordinates or type(self).features is not Featured.features

    def factors(self, A: Any) -> tuple[Array, Array | None] | None:
        """(C, R) with `coordinates` C R, where R is the same for all points; None for R is the identity.

        Parameters
        ----------
        A : object
            The representation of n points.

        Returns
        -------
        tuple of (array of shape (n, q), array of shape (q, p) or None), or None
            None where the kernel has no features.
        """
        F = self.coordinates(A)
        return None if F is None else (F, None)

    @property
    def approximate(self) -> bool:
        """Whether the features stand for another kernel, which is `exact()`."""
        return False

    def exact(self) -> Any:
        """The fitted kernel that the features are a projection of, on the same points; itself where they are exact."""
        return self

    def _must_represent_by_itself(self, what: str) -> None:
        if type(self).represent is not Featured.represent:
            raise NotImplementedError(
                f"{type(self).__name__} has a representation of its own, so it must implement {what} from the "
                "representation of X."
            )
