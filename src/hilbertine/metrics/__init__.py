"""Errors in the norm of the output space, and scorers for searches."""

from .coverage import coverage, set_size
from .errors import AVERAGES, averaged, exact_match, hamming, mean_squared_norm, r2, share_of_variance, squared_norms
from .scorers import exact_matches, mean_reciprocal_rank, neg_hamming, neg_squared_norm, rkhs_distance, top_k

__all__ = [
    "AVERAGES",
    "averaged",
    "coverage",
    "exact_match",
    "exact_matches",
    "hamming",
    "mean_reciprocal_rank",
    "mean_squared_norm",
    "neg_hamming",
    "neg_squared_norm",
    "r2",
    "rkhs_distance",
    "set_size",
    "share_of_variance",
    "squared_norms",
    "top_k",
]
