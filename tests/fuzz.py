"""Odd calls of everything public: each ends in a result or in an error that we meant, and never from the inside.

    python tests/fuzz.py --calls 100000 --jobs 2 --seed 0

draws so many calls and prints each kind of fault once, with the call that shows it. The suite draws a few hundred.
"""

import argparse
import ast
import contextlib
import functools
import io
import math
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from scipy import sparse

import hilbertine
from calls import CALLS
from hilbertine.doors import TOLD

TESTS = str(Path(__file__).parent)
SOURCE = str(Path(hilbertine.__file__).parent)
# What other packages say to their callers by intent, and well.
MEANT = ("sklearn/utils/validation.py", "sklearn/utils/_param_validation.py", "sklearn/base.py",
         "sklearn/model_selection/_split.py", "sklearn/utils/_array_api.py", "sklearn/utils/metaestimators.py",
         "sklearn/utils/_indexing.py", "sklearn/utils/__init__.py", "click/", "typer/")  # fmt: skip
SHORTEST, PATIENCE = 20, 60


class Verdict(NamedTuple):
    """How a call ended: "result", "error" (one that we meant), or a fault; "told" is one from the inside, at a door."""

    ending: str
    detail: str = ""


@functools.cache
def raises(path: str) -> frozenset[int]:
    """The lines of a file that belong to a `raise`, with what these lines call for its words."""
    tree = ast.parse(Path(path).read_text())
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Raise) or is_exit(node)]
    return frozenset(line for node in found for line in range(node.lineno, node.end_lineno + 1))


def is_exit(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "sys.exit"


def judged(call) -> Verdict:
    """The ending of a call."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(PATIENCE)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), silent():
            warnings.simplefilter("ignore")
            found = call()
    except TimeoutError:
        return Verdict("hang")
    except (Exception, SystemExit) as error:
        return of_error(error)
    finally:
        signal.alarm(0)
    return Verdict("NaN") if holds_nan(found) else Verdict("result")


@contextlib.contextmanager
def silent():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _too_long(number, frame):
    raise TimeoutError


def of_error(error: BaseException) -> Verdict:
    frames = traceback.extract_tb(error.__traceback__)
    if type(error).__module__.split(".")[0] in ("click", "typer"):
        # What the command line says of its own arguments.
        return Verdict("error")
    last, words = frames[-1], str(error)
    asked = [f.filename for f in frames if f.filename.startswith((SOURCE, TESTS))]
    if asked[-1].endswith(("examples.py", "odd.py")) and Path(asked[-1]).parent == Path(TESTS):
        # A function of the caller failed, and says so itself.
        return Verdict("error")
    ours = last.filename.startswith(SOURCE) and last.lineno in raises(last.filename)
    ours = ours or any(part in last.filename for part in MEANT)
    home = next((f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames) if f.filename.startswith(SOURCE)), "?")
    detail = f"{type(error).__name__} at {home}: {words[:150]!r}"
    if not ours or isinstance(error, AssertionError):
        return Verdict("error from the inside", detail)
    if len(words) < SHORTEST and not isinstance(error, SystemExit):
        return Verdict("error without words", detail)
    if TOLD in words:
        # What a door had to tell was met inside: it says what was given, and may hide a mistake of ours.
        return Verdict("told", of_error(error.__cause__).detail)
    return Verdict("error", detail)


def holds_nan(found: Any) -> bool:
    """Whether there is NaN among the numbers of a result."""
    if isinstance(found, Mapping):
        return any(map(holds_nan, found.values()))
    if isinstance(found, tuple | list):
        return any(map(holds_nan, found))
    if sparse.issparse(found):
        found = found.data
    if isinstance(found, float):
        return math.isnan(found)
    if hasattr(found, "dtype") and getattr(found.dtype, "kind", "") in "fc":
        return bool(np.isnan(np.asarray(found)).any())
    return False


@st.composite
def odd_calls(draw):
    """A call of something public, as (words, function without arguments)."""
    return draw(st.sampled_from(CALLS))(draw)


def drawn(count: int, number: int) -> Iterator[tuple[str, Verdict]]:
    """So many calls and how they ended."""
    found: list[tuple[str, Verdict]] = []

    @seed(number)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(odd_calls())
    def run(one):
        words, call = one
        found.append((words, judged(call)))

    # Files that are written on the way belong nowhere.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run()
    return iter(found)


# Calls of one task of a process.
SIZE = 100
FINE = ("result", "error")


def batch(number: int) -> list[tuple[str, Verdict]]:
    os.environ["HILBERTINE_DATA"] = os.devnull
    return list(drawn(SIZE, number))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1e4, help="report after so long, whatever is left")
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    endings: Counter[str] = Counter()
    shown: dict[str, list[Any]] = {}
    numbers = range(1000 * options.seed, 1000 * options.seed + max(1, options.calls // SIZE))
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool:
        for found in pool.imap_unordered(batch, numbers):
            if time.monotonic() > end:
                break
            endings.update(verdict.ending for _, verdict in found)
            for words, verdict in found:
                if verdict.ending not in FINE:
                    kind = f"{verdict.ending}: {verdict.detail[:90] or words[:30]}"
                    entry = shown.setdefault(kind, [0, words])
                    entry[0] += 1
                    entry[1] = min(entry[1], words, key=len)
    for kind, (count, words) in sorted(shown.items(), key=lambda item: -item[1][0]):
        print(f"{count:5d}  {kind}\n         {words}")
    print(", ".join(f"{count} x {ending}" for ending, count in endings.most_common()))
    sys.exit(bool(shown))


if __name__ == "__main__":
    main()
