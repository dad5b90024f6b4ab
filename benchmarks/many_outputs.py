"""`python benchmarks/many_outputs.py [MODEL]`: 189 rows and 35,778 outputs, each fit in a process of its own."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
from large import timed
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeCV

from hilbertine import EpsilonRidge, HuberRegressor, RegressorCV, Ridge, kernels

ROWS, INPUTS, OUTPUTS, BAD = 189, 50, 35_778, 19
GAMMA = 0.01
LAMS = np.logspace(-5, -1, 9)


def data() -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((ROWS, INPUTS)), rng.standard_normal((100, INPUTS))
    A = rng.standard_normal((INPUTS, OUTPUTS)) / INPUTS**0.5
    Y = X @ A + 0.3 * rng.standard_normal((ROWS, OUTPUTS))
    Y[:BAD] *= -3.0
    return X, Y, Z, Z @ A


MODELS = {
    "scikit-learn KernelRidge": lambda: KernelRidge(alpha=1.0, kernel="rbf", gamma=GAMMA),
    "scikit-learn RidgeCV, 9 values": lambda: RidgeCV(LAMS * ROWS),
    "Ridge": lambda: Ridge(kernel=kernels.Gaussian(GAMMA), lam=1.0 / ROWS),
    "EpsilonRidge": lambda: EpsilonRidge(kernel=kernels.Gaussian(GAMMA), lam=1.0 / ROWS),
    "HuberRegressor": lambda: HuberRegressor(kernel=kernels.Gaussian(GAMMA), lam=1.0 / ROWS),
    "RegressorCV(Ridge, leave-one-out), 9 values": lambda: RegressorCV(
        Ridge(kernel=kernels.Gaussian(GAMMA)), LAMS, {}, cv="loo"
    ),
}


def measured(name: str) -> dict[str, Any]:
    X, Y, Z, clean = data()
    model = MODELS[name]()
    _, record = timed(lambda: model.fit(X, Y))
    best = getattr(model, "best_estimator_", model)
    record["gap"] = getattr(best, "dual_gap_", None)
    return record | {"error": float(np.mean((model.predict(Z) - clean) ** 2) ** 0.5)}


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
        return
    print("| model | seconds | CPU seconds | memory beside the data | duality gap | error on clean rows |")
    print("|---|---|---|---|---|---|")
    for name in MODELS:
        said = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True)
        if said.returncode:
            print(f"| {name} | {said.stderr[-300:]}")
            continue
        r = json.loads(said.stdout.splitlines()[-1])
        gap = "" if r["gap"] is None else f"{r['gap']:.0e}"
        memory = r["peak_gb"] - r["inputs_gb"]
        print(
            f"| {name} | {r['seconds']:.1f} | {r['cpu']:.1f} | {memory:.2f} GB | {gap} | {r['error']:.2f} |", flush=True
        )


if __name__ == "__main__":
    main()
