"""How far solvers have to go: a change that adds to these steps says why, and writes them anew.

    python tests/test_steps.py

prints what they take now.
"""

import numpy as np
import pytest

from examples import dual_of
from hilbertine.kernels import Gaussian
from hilbertine.losses import EpsilonNorm, EpsilonSquare, ExpNorm, Huber, Norm
from hilbertine.solvers import ProximalGradient, ProximalPoint, Recipe, RowNewton, Splitting, path

rng = np.random.default_rng(3)
X = rng.standard_normal((60, 3))
Y = np.tanh(X @ rng.standard_normal((3, 2))) + 0.1 * rng.standard_normal((60, 2))
Y[:6] += 5.0
K = Gaussian(0.5)(X, X)
S = np.array([[1.0, 0.4], [0.4, 0.5]])
LOSSES = {
    "Huber": Huber(0.3), "EpsilonNorm": EpsilonNorm(0.1), "Norm": Norm(), "EpsilonSquare": EpsilonSquare(0.2),
    "ExpNorm": ExpNorm(1.0),
}  # fmt: skip
SOLVERS = {
    "Splitting": Splitting, "ProximalGradient": ProximalGradient, "RowNewton": RowNewton,
    "ProximalPoint": ProximalPoint, "auto": None,
}  # fmt: skip
# Of one output, of two, of two with an operator: steps from zero, and from the solution at three times the lam.
KNOWN = {
    "Splitting Huber one": [[7, 13], [14, 16], [29, 22]],
    "Splitting Huber two": [[7, 20], [16, 16], [32, 24]],
    "Splitting Huber mixed": [[8, 15], [17, 16], [30, 25]],
    "Splitting EpsilonNorm one": [[31, 32], [35, 35], [37, 36]],
    "Splitting EpsilonNorm two": [[19, 34], [70, 70], [59, 49]],
    "Splitting EpsilonNorm mixed": [[19, 29], [66, 72], [59, 52]],
    "Splitting Norm one": [[32, 33], [35, 35], [32, 24]],
    "Splitting Norm two": [[19, 31], [63, 77], [44, 32]],
    "Splitting Norm mixed": [[19, 36], [61, 77], [47, 35]],
    "Splitting EpsilonSquare one": [[6, 4], [18, 12], [33, 34]],
    "Splitting EpsilonSquare two": [[8, 4], [16, 15], [59, 71]],
    "Splitting EpsilonSquare mixed": [[6, 4], [12, 13], [55, 38]],
    "Splitting ExpNorm one": [[11, 10], [32, 22], [31, 22]],
    "Splitting ExpNorm two": [[9, 8], [28, 19], [38, 23]],
    "Splitting ExpNorm mixed": [[8, 8], [26, 20], [40, 28]],
    "ProximalGradient Huber one": [[10, 10], [110, 100]],
    "ProximalGradient Huber two": [[10, 10], [100, 100]],
    "ProximalGradient Huber mixed": [[10, 10], [130, 110]],
    "ProximalGradient EpsilonNorm one": [[70, 70], [640, 610]],
    "ProximalGradient EpsilonNorm two": [[60, 60], [780, 750]],
    "ProximalGradient EpsilonNorm mixed": [[50, 40], [870, 750]],
    "ProximalGradient Norm one": [[120, 110], [1110, 890]],
    "ProximalGradient Norm two": [[60, 50], [1050, 880]],
    "ProximalGradient Norm mixed": [[90, 90], [1190, 1130]],
    "ProximalGradient EpsilonSquare one": [[10, 10], [140, 130]],
    "ProximalGradient EpsilonSquare two": [[10, 10], [140, 130]],
    "ProximalGradient EpsilonSquare mixed": [[20, 20], [160, 150]],
    "RowNewton Huber one": [[4, 4], [4, 3], [5, 4]],
    "RowNewton Huber two": [[3, 4], [4, 3], [4, 4]],
    "RowNewton EpsilonSquare one": [[4, 3], [12, 5], [16, 7]],
    "RowNewton EpsilonSquare two": [[4, 3], [10, 5], [14, 6]],
    "ProximalPoint Huber one": [[3, 3], [5, 5], [7, 7]],
    "ProximalPoint Huber two": [[3, 3], [5, 5], [7, 7]],
    "ProximalPoint Huber mixed": [[3, 3], [5, 5], [7, 7]],
    "ProximalPoint EpsilonNorm one": [[4, 4], [7, 7], [10, 10]],
    "ProximalPoint EpsilonNorm two": [[4, 4], [7, 7], [9, 9]],
    "ProximalPoint EpsilonNorm mixed": [[3, 3], [7, 7], [9, 9]],
    "ProximalPoint Norm one": [[5, 5], [8, 8], [10, 10]],
    "ProximalPoint Norm two": [[4, 4], [7, 7], [9, 9]],
    "ProximalPoint Norm mixed": [[4, 4], [7, 7], [10, 10]],
    "ProximalPoint EpsilonSquare one": [[4, 4], [5, 5], [8, 8]],
    "ProximalPoint EpsilonSquare two": [[4, 4], [5, 5], [8, 8]],
    "ProximalPoint EpsilonSquare mixed": [[4, 4], [5, 5], [8, 8]],
    "ProximalPoint ExpNorm one": [[4, 4], [7, 7], [10, 10]],
    "ProximalPoint ExpNorm two": [[5, 4], [7, 7], [10, 10]],
    "auto Huber one": [[7, 13], [14, 16], [29, 22]],
    "auto Huber two": [[7, 20], [16, 16], [32, 24]],
    "auto Huber mixed": [[8, 15], [17, 16], [30, 25]],
    "auto EpsilonNorm one": [[31, 32], [35, 35], [37, 36]],
    "auto EpsilonNorm two": [[19, 34], [70, 70], [59, 49]],
    "auto EpsilonNorm mixed": [[19, 29], [66, 72], [59, 52]],
    "auto Norm one": [[32, 33], [35, 35], [32, 24]],
    "auto Norm two": [[19, 31], [63, 77], [44, 32]],
    "auto Norm mixed": [[19, 36], [61, 77], [47, 35]],
    "auto EpsilonSquare one": [[6, 4], [18, 12], [33, 34]],
    "auto EpsilonSquare two": [[8, 4], [16, 15], [59, 71]],
    "auto EpsilonSquare mixed": [[6, 4], [12, 13], [55, 38]],
    "auto ExpNorm one": [[11, 10], [32, 22], [31, 22]],
    "auto ExpNorm two": [[9, 8], [28, 19], [38, 23]],
    "auto ExpNorm mixed": [[8, 8], [26, 20], [40, 28]],
}  # fmt: skip
# Steps of a path of 28 points.
KNOWN_PATH = 249
OUTPUTS = ("one", "two", "mixed")
LAMS = (1e-1, 1e-3, 1e-5)


def steps(solver, loss, outputs, lam):
    """Steps from zero, and from the solution at three times the lam."""

    def dual(lam):
        T = Y[:, :1] if outputs == "one" else Y
        return dual_of(K, LOSSES[loss], T, lam, S if outputs == "mixed" else None)

    settings = {"tol": 1e-6, "max_iter": 20_000}
    recipe = Recipe(**settings) if SOLVERS[solver] is None else Recipe(SOLVERS[solver](), **settings)
    near = recipe.solve(dual(3.0 * lam))
    return recipe.solve(dual(lam)).n_iter, recipe.solve(dual(lam), near.W / 3.0, near.predictions).n_iter


def printed():
    for words in (f"{solver} {loss} {outputs}" for solver in SOLVERS for loss in LOSSES for outputs in OUTPUTS):
        lams = LAMS[:2] if "ProximalGradient" in words else LAMS
        try:
            print(f'    "{words}": {[list(steps(*words.split(), lam)) for lam in lams]},')
        except ValueError:
            # Not every solver takes every problem.
            continue


@pytest.mark.parametrize("words", KNOWN)
def test_no_more_steps_than_they_took(words):
    for lam, known in zip(LAMS, KNOWN[words], strict=False):
        # Rounding may turn a test; a tenth of the steps is no change of a solver.
        assert np.all(np.array(steps(*words.split(), lam)) <= 1.1 * np.array(known) + 2)


def test_a_path_is_shorter_than_its_points():
    dual = dual_of(K, Huber(0.3), Y, 0.1)
    settings = {"lams": np.logspace(-4, -1, 7), "losses": [Huber(kappa) for kappa in (0.3, 0.5, 0.8, 1.3)]}
    solved = list(path(dual, **settings))
    alone = sum(Recipe().solve(dual.at(settings["lams"][i], settings["losses"][j])).n_iter for i, j, _ in solved)
    assert sum(solution.n_iter for *_, solution in solved) <= 1.1 * KNOWN_PATH
    assert alone > 1.3 * KNOWN_PATH


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_solution_is_a_better_start_than_none(loss):
    dual = dual_of(K, loss, Y, 1e-3)
    near = Splitting(tol=1e-6).solve(dual)
    further = Splitting(tol=1e-7).solve(dual, near.W, near.predictions).n_iter
    assert further < 0.7 * Splitting(tol=1e-7).solve(dual).n_iter


if __name__ == "__main__":
    printed()
