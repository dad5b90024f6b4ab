"""The gallery: the order of its pages, and pictures that examples save rather than show."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

ORDER = [
    "three_lines", "bad_rows", "bad_sensors", "one_bad_cell", "missing_entries", "weights", "which_loss",
    "search_a_kernel", "how_sure", "thousands_of_outputs", "a_million_rows", "keep_a_model", "emg_to_acceleration",
    "weather", "scalar_on_function", "molecules", "label_sets", "spelling", "molecular_codes", "add_a_loss",
    "add_an_operator_valued_kernel",
]  # fmt: skip
PICTURE = Path(tempfile.gettempdir()) / "hilbertine_gallery.png"


def place(name: str) -> int:
    """Where the page of a file stands."""
    return ORDER.index(Path(name).stem)


def arguments(conf: Any, variables: dict[str, Any]) -> list[str]:
    """Examples are given the name of the picture that they are to write."""
    return [str(PICTURE)]


def saved(block: Any, variables: dict[str, Any], conf: dict[str, Any]) -> str:
    """The picture that a block of an example has written."""
    from sphinx_gallery.scrapers import figure_rst

    if not PICTURE.exists():
        return ""
    target = next(variables["image_path_iterator"])
    shutil.move(PICTURE, target)
    return figure_rst([target], conf["src_dir"])
