"""
Spelling: which name was meant?
===============================

Inputs and outputs are strings, the answer is a ranked list. Trains on pairs (a misspelled name, the name), then
corrects misspellings it has not seen, among these names and others.
"""

import sys
from typing import Any

import numpy as np

from hilbertine import StructuredPredictor, kernels, losses
from hilbertine.plotting import figure

NAMES = [
    "Alice", "Antoine", "Beatrice", "Bernhard", "Camille", "Charlotte", "Dominique", "Edouard", "Florence", "Frederic",
    "Gabriel", "Genevieve", "Guillaume", "Helene", "Isabelle", "Jacqueline", "Josephine", "Laurence", "Marguerite",
    "Mathilde", "Nathalie", "Philippe", "Sebastien", "Stephanie", "Theodore", "Veronique", "Victor", "Yvonne",
]  # fmt: skip
OTHERS = ["Alexandre", "Bernadette", "Caroline", "Delphine", "Francoise", "Madeleine", "Marianne", "Stanislas"]


def misspelled(name: str, rng: np.random.Generator) -> str:
    """One letter doubled, dropped, or exchanged with its neighbour."""
    i = int(rng.integers(1, len(name) - 1))
    return [name[:i] + name[i] + name[i:], name[:i] + name[i + 1 :], name[:i] + name[i + 1] + name[i] + name[i + 2 :]][
        int(rng.integers(3))
    ]


# %%
# Strings are compared by the substrings of up to three letters that they share.


def main(path: str | None = None) -> None:
    rng = np.random.default_rng(0)
    spellings = kernels.Normalised(kernels.Substrings(3))
    pairs = [(misspelled(name, rng), name) for name in NAMES for _ in range(4)]
    model = StructuredPredictor(losses.Huber(0.5), kernel=spellings, output_kernel=spellings, lam=1e-4)
    model.fit([wrong for wrong, _ in pairs], [name for _, name in pairs])
    print(f"{len(pairs)} pairs, relative duality gap {model.dual_gap_:.1e}")
    wrong = [misspelled(name, rng) for name in NAMES]
    candidates = NAMES + OTHERS
    for given, truth, ranked in list(zip(wrong, NAMES, model.rank(wrong, candidates, k=3), strict=True))[::4]:
        print(f"{given:<12} {', '.join(name for name, _ in ranked):<36} (was {truth})")
    if path:
        draw(path, model, wrong[::4], NAMES[::4], candidates)
    places = model.positions(wrong, NAMES, candidates)
    print(f"right at once: {np.mean(places == 1):.0%}, among three: {np.mean(places <= 3):.0%}")


# %%
# The five best names for each misspelling, the darker the nearer.


def draw(path: str, model: Any, given: list[str], meant: list[str], candidates: list[str]) -> None:
    fig, ax = figure(width=8, height=3.2)
    answers = model.rank(given, candidates, k=5)
    scores = np.array([[score for _, score in ranked] for ranked in answers])
    ax.imshow(scores, cmap="Blues", aspect="auto", vmin=-1.2)
    for i, ranked in enumerate(answers):
        for j, (name, score) in enumerate(ranked):
            colour = "white" if score > 0.3 else "black"
            weight = "bold" if name == meant[i] else "normal"
            ax.text(j, i, name, ha="center", va="center", fontsize=9, color=colour, fontweight=weight)
    ax.set_yticks(range(len(given)), given)
    ax.set_xticks(range(5), ["first", "second", "third", "fourth", "fifth"])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    fig.savefig(path)


# %%

if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "spelling.png")
