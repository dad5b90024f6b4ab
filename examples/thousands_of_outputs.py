"""
Thousands of outputs: 189 rows of 35,778 numbers
================================================

Maps, images, spectra, brain activity: a few hundred samples, tens of thousands of outputs. One factorisation of the
189 x 189 kernel matrix serves all of them, and the robust loss sees each map as one row. Here each sample is a map of
134 x 267 values made by ten numbers, and one map in seven is upside down.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from hilbertine import HuberRegressor, Ridge, kernels

rng = np.random.default_rng(0)
height, width = 134, 267
rows, columns = np.linspace(0, 1, height)[:, None], np.linspace(0, 2, width)
patterns = np.stack([np.sin(np.pi * (k + 1) * rows) * np.cos(np.pi * k * columns) for k in range(10)]).reshape(10, -1)
X = rng.standard_normal((229, 10))
maps = X @ patterns + 0.5 * np.sin(X[:, :1]) * patterns[:1] ** 2
train, test = slice(0, 189), slice(189, 229)
Y = maps[train] + 0.3 * rng.standard_normal((189, height * width))
bad = np.sort(rng.choice(189, 27, replace=False))
Y[bad] = -Y[bad]

# %%
# Two fits, 35,778 outputs each. Memory stays near that of the outputs themselves.

kernel = kernels.Linear() + kernels.Gaussian("median")
errors, predicted = {}, {}
for name, model in {"ridge": Ridge(1e-3, kernel), "Huber": HuberRegressor(lam=1e-3, kernel=kernel)}.items():
    start = time.perf_counter()
    model.fit(X[train], Y)
    seconds = time.perf_counter() - start
    predicted[name] = model.predict(X[test])
    errors[name] = float(np.mean((predicted[name] - maps[test]) ** 2) / np.mean(maps[test] ** 2))
    print(f"{name}: {seconds:.1f} s, relative error {errors[name]:.3f}, duality gap {model.dual_gap_:.0e}")

# %%
# The maps that are upside down, by name:

found = model.suspects()
suspects = np.sort(found.samples[found.flagged])
print(f"{np.isin(bad, suspects).sum()} of {len(bad)} inverted maps are among the {len(suspects)} suspects")

fig, axes = plt.subplots(1, 3, figsize=(10, 2.2), layout="constrained")
shown = {"the map to come": maps[test][0], "ridge": predicted["ridge"][0], "Huber": predicted["Huber"][0]}
for ax, (name, one) in zip(axes, shown.items(), strict=True):
    limit = np.abs(maps[test][0]).max()
    ax.imshow(one.reshape(height, width), cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.set(title=name, xticks=[], yticks=[])
plt.show()
