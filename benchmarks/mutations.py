"""Which small wrong steps in the numerical core would the tests not see?

    python benchmarks/mutations.py --out results/mutations --jobs 16 --minutes 8

First every test runs once and notes which functions it enters (`tests.jsonl`); then mutants are drawn at random and
each is put before the tests that enter its function, the quickest first (`mutants.jsonl`), in a copy of the tree for
each process. What is in these two files already is not done again. `--report` only counts, and lists the survivors.
The sample is what was drawn first, up to the first that is not settled: that the slow ones end last biases nothing.
Among the mutants stand controls that change nothing: a control that is killed says that the campaign is wrong.
"""

import argparse
import ctypes
import json
import math
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

# Imported before processes fork: each mutant then pays for the library and the tests alone.
import numpy as np  # noqa: F401
import pytest
import scipy.linalg  # noqa: F401
import sklearn.base
import sklearn.model_selection  # noqa: F401
from mutants import Mutant, applied, mutants

ROOT = Path(__file__).resolve().parents[1]
CORE = ("dual.py", "function.py", "risk", "losses", "solvers", "spaces", "matrices")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "results", "build", "dist")
PYTEST = ["-p", "no:cacheprovider", "-q", "-o", "addopts=", "--doctest-modules", "--import-mode=importlib"]
# A mutant meets tests that take so many seconds together, and is stuck where they take four times as long.
PATIENCE = 30.0
SLOWEST_FILE = 150.0
MEMORY = 8 << 30
# One control for so many mutants.
CONTROLS = 25
# The first stage of the tests of a mutant.
FIRST_FILES, FIRST_TESTS = 3, 150
# What pytest says where tests fail, or cannot be begun; a usage error and no tests at all are no kill.
KILLED = (1, 2, 3)


def targets() -> list[str]:
    found = [path for name in CORE for path in sorted((ROOT / "src/hilbertine" / name).rglob("*.py"))]
    single = [ROOT / "src/hilbertine" / name for name in CORE if name.endswith(".py")]
    return sorted({str(path.relative_to(ROOT)) for path in found + single})


class Recorder:
    """Notes of each test that passes its duration and the functions of the core that it entered."""

    def __init__(self, out: Path):
        self.out, self.entered, self.prefix = out, set(), str(Path.cwd() / "src") + os.sep

    def trace(self, frame, event, argument):
        code = frame.f_code
        if code.co_filename.startswith(self.prefix):
            self.entered.add(("src/" + code.co_filename[len(self.prefix) :], code.co_firstlineno))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        self.entered, self.start = set(), time.perf_counter()
        sys.settrace(self.trace)
        threading.settrace(self.trace)
        yield
        sys.settrace(None)
        threading.settrace(None)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            with self.out.with_suffix(".failed").open("ab", buffering=0) as file:
                file.write(f"{report.nodeid}: {str(report.longrepr)[-200:]!r}\n".encode())
        if report.when == "call" and report.passed:
            entered = sorted(
                entry for entry in self.entered if entry[0].removeprefix("src/hilbertine/").startswith(CORE)
            )
            line = json.dumps({"test": report.nodeid, "seconds": round(report.duration, 3), "entered": entered})
            # One write without a buffer: lines of several processes do not mix.
            with self.out.open("ab", buffering=0) as file:
                file.write(line.encode() + b"\n")


class Chosen:
    """Only these tests, in this order."""

    def __init__(self, wanted: list[str]):
        self.place = {name: k for k, name in enumerate(wanted)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda item: self.place[item.nodeid])


def forked(tree: Path, arguments: list[str], plugin, limit: float) -> int:
    """The exit code of pytest in a copy of the tree, 124 where it does not end."""
    child = os.fork()
    if child == 0:
        os.setpgrp()
        # It ends with the process that began it.
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        os.chdir(tree)
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        places = [str(tree / "src"), str(tree / "tests"), str(tree)]
        sys.path[:] = places + [each for each in sys.path if not each.startswith(str(ROOT)) or "site" in each]
        os.environ["PYTHONPATH"] = os.pathsep.join([*places[:2], os.environ.get("PYTHONPATH", "")])
        code = 70
        try:
            code = int(pytest.main([*PYTEST, *arguments], plugins=[plugin(tree) if callable(plugin) else plugin]))
        finally:
            os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 124


def initialise(folder: str) -> None:
    """A copy of the tree for this process."""
    global TREE
    TREE = Path(folder) / str(os.getpid())
    shutil.copytree(ROOT, TREE, ignore=LEFT_OUT)


def observe(task: tuple[str, str]) -> str:
    name, out = task
    forked(TREE, [name], lambda tree: Recorder(Path(out)), SLOWEST_FILE)
    return name


def challenge(task: tuple[str, tuple, list[str], float]) -> dict:
    """A mutant before its tests: killed, survived, or met by none."""
    name, mutant, tests, seconds = task
    record = {"file": name, **mutant._asdict(), "tests": len(tests)}
    if not tests:
        return record | {"result": "no test"}
    path, source = TREE / name, (ROOT / name).read_text()
    path.write_text(applied(source, mutant))
    try:
        code = 0
        for stage in stages(tests):
            # Most mutants die in a few files, and to collect many costs more than to run them.
            files = list(dict.fromkeys(test.split("::")[0] for test in stage))
            code = code or forked(TREE, ["-x", *files], Chosen(stage), 4.0 * seconds + 30.0)
    finally:
        path.write_text(source)
    return record | {"result": ending(code), "code": code}


def stages(tests: list[str]) -> list[list[str]]:
    """First what stands in few files and is quick, then the rest."""
    often = [name for name, _ in Counter(test.split("::")[0] for test in tests).most_common(FIRST_FILES)]
    first = [test for test in tests if test.split("::")[0] in often][:FIRST_TESTS]
    rest = [test for test in tests if test not in set(first)]
    return [first, rest] if rest else [first]


def ending(code: int) -> str:
    if code in (0, 124):
        return "survived" if code == 0 else "killed: stuck"
    return "killed" if code in KILLED or code < 0 else "no test"


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def relevant(known: list[dict], name: str, function: int) -> tuple[list[str], float]:
    """The quickest tests that enter a function, or the file where the line is in none, and their time together."""
    met = [each for each in known if any(f == name and function in (0, line) for f, line in each["entered"])]
    chosen, seconds = [], 0.0
    for each in sorted(met, key=lambda each: each["seconds"]):
        if seconds + each["seconds"] <= PATIENCE or not chosen:
            chosen.append(each["test"])
            seconds += each["seconds"]
    return chosen, seconds


def key(record: dict) -> tuple:
    return record["file"], record["line"], record["start"], record["text"]


def report(out: Path, drawn: list[tuple[str, Mutant]]) -> None:
    settled = {key(record): record for record in read(out / "mutants.jsonl")}
    found = [settled.get(key({"file": name, **mutant._asdict()})) for name, mutant in drawn]
    controls = [each for each in found if each and not each["what"]]
    first = found.index(None) if None in found else len(found)
    records = [each for each in found[:first] if each["what"]]
    for record in sorted(records, key=key):
        if not killed([record]):
            print(f"{record['result']:9s} {record['file']}:{record['line']}: {record['what']}")
    for name in sorted({record["file"] for record in records}):
        of = [record for record in records if record["file"] == name]
        print(f"{name}: {killed(of)} of {len(of)} killed")
    count = max(len(records), 1)
    share = killed(records) / count
    error = math.sqrt(share * (1.0 - share) / count)
    print(f"{killed(controls)} of {len(controls)} controls killed; {len(settled) - first} settled beyond the sample")
    print(f"{killed(records)} of {len(records)} mutants killed, {100.0 * share:.1f} +- {100.0 * error:.1f} %")


def killed(records: list[dict]) -> int:
    return sum(record["result"].startswith("killed") for record in records)


def draw(files: list[str], seed: int, most: int | None) -> list[tuple[str, Mutant]]:
    """Mutants of the files in random order, and controls among them."""
    sources = {name: (ROOT / name).read_text() for name in files}
    found = [(name, mutant) for name in files for mutant in mutants(sources[name])]
    random.Random(seed).shuffle(found)
    found = found[:most]
    for k in range(len(found) - len(found) % CONTROLS, -1, -CONTROLS):
        if k < len(found):
            name, mutant = found[k]
            same = sources[name].encode()[mutant.start : mutant.end].decode()
            found.insert(k, (name, mutant._replace(text=same, what="")))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=1e4)
    parser.add_argument("--most", type=int, default=None, help="at most so many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", nargs="*", default=None, help="mutate these files only")
    parser.add_argument("--tests", nargs="*", default=None, help="know these files of tests only")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    options.out.mkdir(parents=True, exist_ok=True)
    out, drawn = options.out.resolve(), draw(options.files or targets(), options.seed, options.most)
    if not options.report:
        os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        fork = multiprocessing.get_context("fork")
        with tempfile.TemporaryDirectory() as folder, fork.Pool(options.jobs, initialise, (folder,)) as pool:
            campaign(pool, out, options, drawn, end)
            pool.terminate()
            pool.join()
    report(out, drawn)


def campaign(pool, out: Path, options, drawn: list[tuple[str, Mutant]], end: float) -> None:
    done = out / "tests.done"
    if not done.exists():
        (out / "tests.jsonl").unlink(missing_ok=True)
        suites = options.tests or [str(each.relative_to(ROOT)) for each in ROOT.glob("tests/**/test_*.py")] + targets()
        suites.sort(key=lambda name: -(ROOT / name).stat().st_size)
        for name in pool.imap_unordered(observe, [(each, str(out / "tests.jsonl")) for each in suites]):
            print(f"{end - time.monotonic():6.0f} s left, observed {name}", flush=True)
        done.touch()
    known, settled = read(out / "tests.jsonl"), {key(record) for record in read(out / "mutants.jsonl")}
    print(f"{len(known)} tests, {len(drawn)} mutants and controls, {len(settled)} of them settled", flush=True)
    waiting = [each for each in drawn if key({"file": each[0], **each[1]._asdict()}) not in settled]
    tasks = ((name, mutant, *relevant(known, name, mutant.function)) for name, mutant in waiting)
    with (out / "mutants.jsonl").open("a") as file:
        results = pool.imap_unordered(challenge, tasks)
        while time.monotonic() < end:
            try:
                record = results.next(timeout=max(0.1, end - time.monotonic()))
            except (StopIteration, multiprocessing.TimeoutError):
                break
            file.write(json.dumps(record) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
