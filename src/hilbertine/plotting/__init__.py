"""What models and sets look like; matplotlib is imported when a figure is made."""

from .curves import plot_outliers, plot_prediction
from .figures import figure
from .residuals import plot_residuals
from .sets import plot_band, plot_coverage

__all__ = ["figure", "plot_band", "plot_coverage", "plot_outliers", "plot_prediction", "plot_residuals"]
