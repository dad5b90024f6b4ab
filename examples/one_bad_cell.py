"""
One bad cell: a sensor fails here, another there
================================================

Five sensors, and in six rows of ten one of them, never the same, is stuck at 20. Most rows have a bad entry, so that
there is no majority of good rows; but of the 2,000 entries fewer than one in eight is bad. A loss that looks at entries
rather than rows can use the other four of each row.
"""

import matplotlib.pyplot as plt
import numpy as np

from hilbertine import HuberRegressor, Ridge

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (800, 3))
truth = np.sin(X @ rng.standard_normal((3, 5)) * 1.5)
Y = truth[:400] + 0.1 * rng.standard_normal((400, 5))
stuck = (rng.random(400) < 0.6)[:, None] & (np.arange(5) == rng.integers(5, size=400)[:, None])
Y[stuck] = 20.0
print(f"{stuck.any(axis=1).mean():.0%} of the rows have a bad entry, {stuck.mean():.0%} of the entries are bad")

# %%
# ``cells=True`` bounds the pull of each entry by itself. The other two models believe the stuck sensors, each in its
# own way: ridge takes the mean, and Huber on rows holds every row back alike.

models = {
    "Ridge": Ridge(lam=1e-5),
    "HuberRegressor": HuberRegressor(lam=1e-5),
    "HuberRegressor(cells=True)": HuberRegressor(lam=1e-5, cells=True),
}
scores = {}
fig, axes = plt.subplots(1, 3, figsize=(9, 3.3), layout="constrained", sharex=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    predicted = model.fit(X[:400], Y).predict(X[400:])
    scores[name] = model.score(X[400:], truth[400:])
    ax.plot(truth[400:].ravel(), predicted.ravel(), ".", markersize=2)
    ax.axline((0, 0), slope=1, color="black", linewidth=0.8)
    ax.set(title=f"{name}\nR² {scores[name]:.2f}", xlabel="true value", ylim=(-2, 20))
axes[0].set_ylabel("predicted value")
axes[2].set_ylim(-2, 2)
plt.show()

# %%
# Where whole rows are bad instead, leave ``cells`` alone: see :doc:`bad_rows`, and :doc:`/choosing` for both in one
# table. With ``cells=True`` one kappa serves all outputs: bring outputs of different units to one scale first.
