"""
How sure is it?
===============

A prediction is a point; a set says how sure it is. :class:`~hilbertine.ConformalRegressor` puts a set around the
predictions of any regressor, and the sets hold the true output as often as asked, whatever the data are like. For
vectors a set is a ball, an ellipsoid or a box for all outputs at once; for curves a band that holds the whole curve;
for objects a list of candidates.
"""

import matplotlib.pyplot as plt
import numpy as np

from hilbertine import ConformalRegressor, FunctionalRegressor, HuberRegressor, kernels, losses, spaces
from hilbertine.datasets import make_curves

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (1500, 1))
Y = np.hstack([np.sin(2 * X), np.cos(X)]) + 0.1 * rng.standard_normal((1500, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
train, test = slice(0, 500), slice(500, 1500)

# %%
# Two outputs whose errors go together. ``fit_conformalize`` trains on some rows and measures on the others, which the
# model has not seen, how far outputs are from predictions.

model = ConformalRegressor(HuberRegressor(), confidence_level=0.9, score="ellipsoid")
model.fit_conformalize(X[train], Y[train])
print(model.predict_set(X[test]))
print(f"{model.contains(X[test], Y[test]).mean():.1%} of the test outputs are in their sets")

# %%
# Nine in ten were promised for both outputs together. Two models with nine in ten each would hold both less often:

apart = [ConformalRegressor(HuberRegressor()).fit_conformalize(X[train], y) for y in Y[train].T]
both = np.all([each.contains(X[test], y) for each, y in zip(apart, Y[test].T, strict=True)], axis=0)
print(f"{both.mean():.1%} by one set for each output")

# %%
# Curves get a band that holds the whole curve, not nine points in ten of it.

curves = make_curves(200, n_points=60, random_state=0)
forecast = FunctionalRegressor(losses.Huber("auto"), kernels.Gaussian("median"), spaces.Cosine(21), grid=curves.grid)
band = ConformalRegressor(forecast, score="band").fit_conformalize(curves.data[:150], curves.target[:150])

# %%
# Promised against found, at every level: the grey range is what chance allows where nothing is amiss. Where new samples
# are of another kind than those that calibrated, the line leaves it.

fig, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.5), layout="constrained")
left.plot(*(Y[test] - model.predict(X[test])).T, ".", markersize=3, color="0.6")
inside = model.contains(X[test], Y[test])
left.plot(*(Y[test] - model.predict(X[test]))[~inside].T, ".", markersize=4, color="C3", label="outside its set")
left.set(xlabel="error of the first output", ylabel="error of the second", title="one ellipsoid for both")
left.legend(frameon=False, fontsize=8)
band.plot_band(curves.data[150:], curves.target[150:], which=[3], ax=middle)
middle.set_title("a band for a whole curve")
model.plot_coverage(X[test], Y[test], ax=right)
plt.show()
