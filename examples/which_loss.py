"""
Which loss? Four of them on one picture
=======================================

The same kernel, the same ``lam``, the same forty points, four of which are wrong. What differs is how a residual is
punished: by its square without bound, beyond a bound no harder, inside a tube not at all.
"""

import matplotlib.pyplot as plt
import numpy as np

from hilbertine import EpsilonRidge, EpsilonSVR, HuberRegressor, Ridge, kernels

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 1, 40))
y = np.sin(2 * np.pi * x) + 0.1 * rng.standard_normal(40)
wrong = np.array([6, 7, 26, 31])
y[wrong] += [2.5, 2.0, 2.5, 2.5]

shared = {"lam": 1e-3, "kernel": kernels.Gaussian(10.0)}
models = {
    "Ridge": Ridge(**shared),
    "EpsilonRidge": EpsilonRidge(epsilon=0.2, **shared),
    "HuberRegressor": HuberRegressor(kappa=0.2, **shared),
    "EpsilonSVR": EpsilonSVR(epsilon=0.2, **shared),
}

# %%
# Each row has a dual coefficient, which is how hard it pulls. Ridge lets every row pull as hard as it is off; with a
# tube, rows inside do not pull and predictions do not depend on them (``support_`` are the others); with a bound, the
# wrong ones pull no harder than the next (``saturated_``).

at = np.linspace(0, 1, 300)
errors = {}
fig, axes = plt.subplots(2, 4, figsize=(11, 5), layout="constrained", sharex=True, sharey="row")
for (top, bottom), (name, model) in zip(axes.T, models.items(), strict=True):
    model.fit(x[:, None], y)
    errors[name] = float(np.sqrt(np.mean((model.predict(at[:, None]) - np.sin(2 * np.pi * at)) ** 2)))
    top.plot(x, y, ".", color="0.6")
    top.plot(x[wrong], y[wrong], "x", color="C3")
    top.plot(at, np.sin(2 * np.pi * at), "k--", linewidth=0.8)
    top.plot(at, model.predict(at[:, None]))
    top.set_title(f"{name}\nerror {errors[name]:.2f}, {len(model.support_)} rows kept")
    bottom.vlines(x, 0, np.abs(model.dual_coef_[:, 0]), color="0.6")
    bottom.vlines(x[wrong], 0, np.abs(model.dual_coef_[wrong, 0]), color="C3")
axes[0, 0].set_ylabel("y")
axes[1, 0].set_ylabel("how hard a row pulls")
plt.show()

# %%
# Clean data: Ridge. Bad rows: HuberRegressor. A small model: one with a tube. Any other loss, your own included:
# :doc:`add_a_loss`. In words and with numbers: :doc:`/choosing`.
