"""Synthetic data: what a stranger can run without any file."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from ..checks import nonnegative, whole
from ..doors import door
from .outliers import gaussian_process

# Where four bursts of muscle activity lie, and how a lip answers: a damped oscillation.
BURSTS = (0.1, 0.3, 0.62, 0.8)
FREQUENCY, DECAY, GAIN = 4.0, 0.12, 30.0
DESCRIPTION = """Synthetic function-to-function data in the likeness of the Lip data.

data: muscle activity, bursts whose time, width and strength vary from record to record.
target: acceleration, a saturated damped oscillation driven by the bursts, plus smooth noise.
grid: the times, equally spaced on [0, 1].
"""


@door
def make_curves(n_samples: int = 32, n_points: int = 641, noise: float = 0.2, random_state: Any = None) -> Bunch:
    """Curves from curves, of the shape of the Lip data: y = 2 tanh(r * x) + noise, r a damped oscillation.

    * is the convolution over the past.

    Parameters
    ----------
    n_samples : int, default=32
        How many pairs of curves.
    n_points : int, default=641
        The number of points in [0, 1].
    noise : float, default=0.2
        The standard deviation of the noise, which is smooth.
    random_state : int or RandomState, default=None
        Seed.

    Returns
    -------
    Bunch
        `data` (n_samples, n_points), `target` of the same shape, `grid` and `DESCR`.

    Examples
    --------
    >>> curves = make_curves(n_samples=5, n_points=100, random_state=0)
    >>> curves.data.shape, curves.target.shape, curves.grid[[0, -1]].tolist()
    ((5, 100), (5, 100), [0.0, 1.0])
    """
    n, points = whole(n_samples, "n_samples"), whole(n_points, "n_points")
    noise = nonnegative(noise, "noise")
    rng = check_random_state(random_state)
    grid = np.linspace(0.0, 1.0, points)
    shape = (n, len(BURSTS), 1)
    centres = np.array(BURSTS)[None, :, None] + 0.03 * rng.standard_normal(shape)
    widths, strengths = rng.uniform(0.025, 0.045, shape), np.exp(0.4 * rng.standard_normal(shape))
    X = 0.2 + np.sum(strengths * np.exp(-(((grid - centres) / widths) ** 2) / 2), axis=1)
    response = np.exp(-grid / DECAY) * np.sin(2 * np.pi * FREQUENCY * grid)
    driven = np.stack([np.convolve(x - 0.2, response)[:points] for x in X]) / points
    return Bunch(
        data=X,
        target=2 * np.tanh(GAIN * driven) + noise * gaussian_process(grid, n, None, rng),
        grid=grid,
        DESCR=DESCRIPTION,
    )
