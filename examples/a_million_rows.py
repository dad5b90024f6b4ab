"""
A million rows: robust, certified, on a laptop
==============================================

A kernel matrix of a million rows has 10^12 entries. :class:`~hilbertine.kernels.Nystroem` replaces the kernel by a few
features made of chosen rows, its centres, and everything else stays: the loss, the certificate, the suspects.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from hilbertine import HuberRegressor, Ridge, kernels

rng = np.random.default_rng(0)


def table(n):
    """Four inputs, two outputs with a little noise, and one row in ten that is wrong by a lot."""
    X = rng.uniform(-1, 1, (n, 4))
    truth = np.column_stack([np.sin(3 * X[:, 0]) * X[:, 1], np.cos(2 * X[:, 2] + X[:, 3])])
    Y = truth + 0.1 * rng.standard_normal((n, 2))
    Y[: n // 10] += 10 + 5 * rng.standard_normal((n // 10, 2))
    return X, Y, truth


# %%
# The same fit at ever more rows. Time grows with the rows, no faster; the memory of the fit is that of the features.

kernel = kernels.Nystroem(kernels.Gaussian("auto"), 60, centres="uniform", random_state=0)
sizes, seconds, errors = [10_000, 100_000, 1_000_000], [], {"ridge": [], "Huber": []}
Z, _, truth = table(5000)
for n in sizes:
    X, Y, _ = table(n)
    for name, model in {"ridge": Ridge(1e-5, kernel), "Huber": HuberRegressor(lam=1e-5, kernel=kernel)}.items():
        start = time.perf_counter()
        model.fit(X, Y)
        seconds.append(time.perf_counter() - start)
        errors[name].append(float(np.sqrt(np.mean((model.predict(Z) - truth) ** 2))))
        print(f"{n:>9,} rows, {name:<5} {seconds[-1]:5.1f} s, error {errors[name][-1]:.3f}, gap {model.dual_gap_:.0e}")

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for k, name in enumerate(errors):
    left.loglog(sizes, seconds[k::2], "o-", label=name)
    right.semilogx(sizes, errors[name], "o-", label=name)
left.set(xlabel="rows", ylabel="seconds for a fit")
right.set(xlabel="rows", ylabel="error on clean rows", ylim=(0, None))
right.legend(frameon=False)
plt.show()
