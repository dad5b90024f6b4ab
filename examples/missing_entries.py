"""
Missing entries: must I drop the row?
=====================================

Outputs with gaps are the rule where several laboratories measure. Dropping incomplete rows wastes what they have,
filling gaps with means invents data. ``missing="ignore"`` does neither: each row is learned from the entries it has.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.impute import SimpleImputer

from hilbertine import Ridge

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (700, 3))
Y = np.sin(X @ rng.standard_normal((3, 5)) * 1.5) + 0.1 * rng.standard_normal((700, 5))
train, test = slice(0, 300), slice(300, 700)

# %%
# The same table with ever more gaps, and three ways to live with them. With 60 % of the entries gone hardly one row in
# a hundred is complete.

shares = [0.0, 0.2, 0.4, 0.6]
scores = {"rows without gaps": [], "gaps filled with means": [], 'missing="ignore"': []}
for share in shares:
    gappy = np.where(rng.random(Y[train].shape) < share, np.nan, Y[train])
    # A row must have something.
    gappy[np.isnan(gappy).all(axis=1), 0] = Y[train][np.isnan(gappy).all(axis=1), 0]
    whole = ~np.isnan(gappy).any(axis=1)
    fits = (
        Ridge(lam=1e-5).fit(X[train][whole], gappy[whole]),
        Ridge(lam=1e-5).fit(X[train], SimpleImputer().fit_transform(gappy)),
        Ridge(lam=1e-5, missing="ignore").fit(X[train], gappy),
    )
    for kept, fit in zip(scores.values(), fits, strict=True):
        kept.append(fit.score(X[test], Y[test]))
    print(f"{share:4.0%} missing, {whole.sum():3} complete rows, gap {fits[-1].dual_gap_:.0e}")

fig, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for name, kept in scores.items():
    ax.plot([100 * share for share in shares], kept, "o-", label=name)
ax.set(xlabel="missing entries (%)", ylabel="R² on complete test rows", ylim=(0, 1))
ax.legend(frameon=False, loc="lower left")
plt.show()

# %%
# The same word works for :class:`~hilbertine.HuberRegressor` and every other loss. Curves have their own
# :doc:`missing= </curves>`, and gaps in the inputs are for you to impute.
