"""Kernels on mass spectra: peaks at the same mass, and the same losses from the precursor ion."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import positive
from ..containers.spectra import MassSpectrum
from .base import Read
from .counts import Counts


class Peaks(Read):
    """k(x, z) = sum_b x_b z_b, x_b the sum of intensity^power over the peaks of x in bin b of `width` Da.

    Spectra are `MassSpectrum(precursor, peaks)` or such pairs. The cosine of two spectra is `Normalised(Peaks())`, and
    that of peaks and neutral losses together 0.5 * (Normalised(Peaks()) + Normalised(NeutralLosses())).

    Parameters
    ----------
    width : float, default=0.01
        The width of a bin in Da.
    power : float, default=0.5
        Of the intensities, before they are summed.

    Examples
    --------
    >>> x = MassSpectrum(180.06, [[60.02, 4.0], [120.04, 1.0]])
    >>> z = MassSpectrum(238.10, [[60.02, 9.0], [178.08, 9.0]])
    >>> Peaks()([x], [x, z]), NeutralLosses()([x], [z])
    (array([[5., 6.]]), array([[3.]]))
    """

    def __init__(self, width: float = 0.01, power: float = 0.5):
        self.width = width
        self.power = power

    def represent(self, X: Any) -> Counts:
        # x_b over the bins that any of the spectra reaches.
        name = type(self).__name__
        width, power = (
            positive(value, f"{name}.{what}", finite=True)
            for what, value in (("width", self.width), ("power", self.power))
        )
        rows, bins, weights = [np.empty(0, int)], [np.empty(0, int)], [np.empty(0)]
        for i, (precursor, peaks) in enumerate(checked(X, name)):
            masses = self._masses(precursor, peaks[:, 0])
            kept = np.isfinite(masses)
            bins.append(np.rint(masses[kept] / width).astype(np.int64))
            weights.append(peaks[kept, 1] ** power)
            rows.append(np.full(len(bins[-1]), i))
        return Counts.compact(np.concatenate(weights), np.concatenate(rows), np.concatenate(bins), len(rows) - 1)

    def between(self, A: Counts, B: Counts) -> Array:
        return A.dot(B)

    def squares(self, A: Counts) -> Array:
        return A.squares()

    def _masses(self, precursor: float, masses: Array) -> Array:
        """What is binned, NaN for what is left out."""
        return masses


class NeutralLosses(Peaks):
    """k(x, z) = sum_b x_b z_b as `Peaks`, where a peak lies at what it lost: precursor m/z minus its own.

    Peaks above the precursor, by more than half a bin, are no losses and are left out.

    Parameters
    ----------
    width : float, default=0.01
        The width of a bin in Da.
    power : float, default=0.5
        The power of intensities.
    """

    def _masses(self, precursor: float, masses: Array) -> Array:
        lost = precursor - masses
        return np.where(lost >= -self.width / 2, np.abs(lost), np.nan)


def checked(spectra: Any, name: str) -> Iterator[MassSpectrum]:
    """Spectra with their peaks as a matrix of two columns; one that is none is named."""
    for i, spectrum in enumerate(spectra):
        try:
            precursor, peaks = spectrum
            precursor, matrix = float(precursor), np.asarray(peaks, dtype=np.float64)
            if matrix.shape[1:] != (2,):
                # Fails unless there are no peaks at all.
                matrix = matrix.reshape(0, 2)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{name} is a kernel on spectra, and element {i} is none ({error}); give pairs (precursor m/z, peaks), "
                "the peaks as rows (m/z, intensity)."
            ) from error
        if not (np.isfinite(precursor) and np.all(np.isfinite(matrix)) and np.all(matrix >= 0)):
            raise ValueError(
                f"{name}: masses and intensities must be finite and >= 0, and those of spectrum {i} are not; drop or "
                "correct it."
            )
        yield MassSpectrum(precursor, matrix)
