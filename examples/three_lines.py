"""
A table in three lines: what do I get?
======================================

Measurements of 442 patients as they came, units and all, from which three kinds of cholesterol are predicted. One row
in seven was typed in mmol/l, the others are in mg/dl. Nobody says which.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from hilbertine import HuberRegressor

data = load_diabetes(scaled=False).data
X, Y = data[:, [0, 1, 2, 3, 7, 8, 9]], data[:, 4:7].copy()
Y[::7] /= 38.67

# %%
# These are the lines, with the import above. There is nothing to scale and no parameter to set: inputs get a width for
# each feature, and the bound of the loss follows the residuals.

model = HuberRegressor().fit(X, Y)
print(model.predict(X[:2]).round(0))

# %%
# What comes with it: rows that the model does not believe, worst first, and a certificate. The duality gap bounds how
# far the model is from the best one there is, relative to the objective.

found = model.suspects()
print(found)
print(f"duality gap {model.dual_gap_:.0e}")

# %%
# All the rows that were typed in mmol/l are among the suspects.

bad = np.arange(0, len(Y), 7)
print(f"{np.isin(bad, found.samples[found.flagged]).sum()} of {len(bad)} bad rows are suspects")

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
model.plot_residuals(ax)
plt.show()
