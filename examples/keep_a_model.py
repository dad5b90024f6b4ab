"""
Keep a model: one file, no pickle
=================================

A model that is worth fitting is worth keeping. ``hilbertine.save`` writes one file of JSON and arrays, ``load`` reads
it and runs nothing that it holds: files may come from people you do not know.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import hilbertine
from hilbertine import HuberRegressor, kernels

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (4000, 20))
Y = np.sin(X @ rng.standard_normal((20, 10)))

# %%
# Three models of the same table. A kernel with features, as Nystroem's, predicts without the training inputs, and its
# file holds none of them.

models = {
    "exact": HuberRegressor(lam=1e-5),
    "Nystroem, 100": HuberRegressor(lam=1e-5, kernel=kernels.Nystroem(kernels.Gaussian("auto"), 100)),
    "linear": HuberRegressor(lam=1e-5, kernel=kernels.Linear()),
}
sizes = {}
with tempfile.TemporaryDirectory() as folder:
    for name, model in models.items():
        path = Path(folder) / "model.hil"
        hilbertine.save(model.fit(X, Y), path)
        again = hilbertine.load(path)
        assert np.array_equal(again.predict(X), model.predict(X))
        sizes[name] = path.stat().st_size / 1e3
        print(f"{name:<14} {sizes[name]:6.0f} kB, the same predictions to the last bit")

# %%
# What a file cannot keep is refused by name, before anything is written.

try:
    hilbertine.save(HuberRegressor(kernel=lambda A, B: A @ B.T), "never.hil")
except (TypeError, ValueError) as error:
    print(error)

fig, ax = plt.subplots(figsize=(6, 2.2), layout="constrained")
bars = ax.barh(list(sizes), list(sizes.values()), height=0.6)
ax.bar_label(bars, fmt="%.0f kB", padding=3)
ax.set(xlabel="size of the file (kB)", xlim=(0, 1.2 * max(sizes.values())))
ax.invert_yaxis()
plt.show()

# %%
# What is kept, and what the format promises to the next versions: :doc:`/keeping`.
