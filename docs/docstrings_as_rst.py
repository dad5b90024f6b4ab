"""Docstrings are written for terminals; what reStructuredText would take for markup in them is made safe here."""

import re
from typing import Any

# Code in backticks is left as it is.
CODE = re.compile(r"(``.*?``|`.*?`)")
STARS = re.compile(r"(?<!\\)([*|])")
# A word that ends in an underscore, which would be a link.
TRAILING = re.compile(r"(?<=\w)_(?=[^\w(]|$)")


def escape(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Norms |y|, conjugates phi*, attributes kappa_: outside of code each is what it looks like."""
    example = False
    for k, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        # An entry of a section is read by numpydoc, which escapes its name.
        if not example and not line.startswith(" " * 8 + ">>>"):
            lines[k] = escaped(line)


def escaped(line: str) -> str:
    parts = CODE.split(line)
    return "".join(part if k % 2 else TRAILING.sub(r"\\_", STARS.sub(r"\\\1", part)) for k, part in enumerate(parts))
