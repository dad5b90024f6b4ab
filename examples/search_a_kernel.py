"""
Search a kernel: which width, which smoothness, which lam?
==========================================================

:class:`~hilbertine.RegressorCV` does what ``GridSearchCV`` does, on kernel matrices and factorisations that all values
of ``lam`` share, each fit starting where its neighbour ended. Without arguments it brings its own kernels and widths.
"""

import matplotlib.pyplot as plt
import numpy as np

from hilbertine import HuberRegressor, RegressorCV, kernels

rng = np.random.default_rng(0)
X = rng.uniform(0, 1, (200, 2))
Y = np.column_stack([np.abs(X[:, 0] - 0.5), np.sin(6 * X[:, 1])]) + 0.05 * rng.standard_normal((200, 2))
Y[::10] += 3 * rng.standard_normal((20, 2))

# %%
# Four kernels and seven values of ``lam``, five folds. One row in ten is noise, held-out rows as well: the average over
# them is trimmed, because the loss says that rows may be bad.

choices = {
    "Gaussian, wide": kernels.Gaussian("0.1 median"),
    "Gaussian": kernels.Gaussian("median"),
    "Gaussian, narrow": kernels.Gaussian("10 median"),
    "Matern 1.5": kernels.Matern(1.5, "median"),
}
lams = np.logspace(-7, -1, 7)
search = RegressorCV(HuberRegressor(), lams, {"kernel": list(choices.values())}).fit(X, Y)
print("chosen:", search.best_params_, f"(average: {search.average_})")

# %%
# The whole search is in ``cv_results_``, keyed as scikit-learn's. ``GridSearchCV`` works as well; it
# fits each point by itself, and takes a plain mean over held-out rows, bad ones included.

results = search.cv_results_
fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for name, kernel in choices.items():
    rows = [k for k, params in enumerate(results["params"]) if params["kernel"] is kernel]
    curve = sorted((results["params"][k]["lam"], -results["mean_test_score"][k]) for k in rows)
    ax.loglog(*zip(*curve, strict=True), "o-", markersize=3, label=name)
ax.plot(search.best_params_["lam"], -search.best_score_, "*", color="black", markersize=12, label="chosen")
ax.set(xlabel="lam", ylabel="held-out squared error, trimmed")
ax.legend(frameon=False, fontsize=8)
plt.show()

# %%
# ``RegressorCV()`` without arguments brings kernels, widths and values of ``lam`` of its own.
