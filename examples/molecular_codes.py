"""Properties of molecules from codes of 20 numbers: those of a kernel autoencoder against those of kernel PCA.

The codes are learned from the Tanimoto kernel alone, without the properties. A ridge regression reads them linearly, the
eight nearest neighbours read them locally; R^2 on molecules that neither the codes nor the readers have seen.
"""

from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from hilbertine import KernelAutoencoder, kernels, losses
from hilbertine.datasets import load_drugs
from hilbertine.spaces import RKHS

PROPERTIES = ["logP", "molecular weight", "polar surface", "rings"]
LENGTH = 20


def codes(kernel: Any, train: Any, everything: Any) -> dict[str, Any]:
    """Codes of all molecules, learned from some; kernel PCA as it is and with columns of equal variance."""
    principal = RKHS(kernel, LENGTH).fit(train)
    model = KernelAutoencoder(LENGTH, losses.EpsilonSquare(0.2), kernel, lam=1e-4, inner_lam=1e-6, tol=0.02).fit(train)
    scaler = StandardScaler().fit(principal.encode(train))
    return {
        "kernel PCA": principal.encode(everything),
        "kernel PCA, scaled": scaler.transform(principal.encode(everything)),
        "autoencoder": model.transform(everything),
    }
