"""Names to their nearest spelling: inputs and outputs are strings, the answer is a ranked list.

Trains on pairs (a misspelled name, the name), then corrects misspellings it has not seen, among these names and others.
"""

import numpy as np

from hilbertine import StructuredPredictor, kernels, losses

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


def main() -> None:
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
    places = model.positions(wrong, NAMES, candidates)
    print(f"right at once: {np.mean(places == 1):.0%}, among three: {np.mean(places <= 3):.0%}")


if __name__ == "__main__":
    main()
