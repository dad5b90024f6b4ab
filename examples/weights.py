"""
Weights: some rows count more
=============================

A row that stands for fifty measurements is worth more than one that stands for a single one. ``sample_weight`` says so:
a row of weight two counts as the row twice, a row of weight zero not at all.
"""

import matplotlib.pyplot as plt
import numpy as np

from hilbertine import Ridge, kernels

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 1, 60))
counts = np.where(rng.random(60) < 0.5, 1, 50)
truth = np.sin(2 * np.pi * x)
y = truth + rng.standard_normal(60) / np.sqrt(counts)

# %%
# Each point is a mean of ``counts`` measurements with noise of standard deviation one. ``lam`` is chosen for each model
# by the error on the truth, so that neither is at a disadvantage.

at = np.linspace(0, 1, 300)[:, None]
lams = np.logspace(-7, -1, 25)


def best(**weights):
    """The model whose lam comes nearest to the truth, and its error there."""
    fits = [Ridge(lam=lam, kernel=kernels.Gaussian(20.0)).fit(x[:, None], y, **weights) for lam in lams]
    errors = [np.sqrt(np.mean((fit.predict(at) - np.sin(2 * np.pi * at[:, 0])) ** 2)) for fit in fits]
    return fits[int(np.argmin(errors))], min(errors)


fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.scatter(x, y, s=np.where(counts > 1, 26, 8), color="0.6", label="small: one measurement, large: mean of fifty")
ax.plot(at, np.sin(2 * np.pi * at), "k--", linewidth=1, label="truth")
errors = {}
for name, weights in {"all alike": {}, "by their counts": {"sample_weight": counts}}.items():
    model, errors[name] = best(**weights)
    ax.plot(at, model.predict(at), label=f"{name}: error {errors[name]:.3f}")
ax.set_ylim(-2.4, 3.6)
ax.legend(frameon=False, fontsize=8, ncols=2, loc="upper right")
plt.show()

# %%
# Weights are frequencies, exactly: a row of weight three is the row three times.

three = Ridge(lam=1e-3).fit(x[:, None], y, sample_weight=np.r_[3, np.ones(59)])
copies = Ridge(lam=1e-3).fit(np.r_[x[[0, 0]], x][:, None], np.r_[y[[0, 0]], y])
print(f"largest difference {np.abs(three.predict(at) - copies.predict(at)).max():.0e}")
