"""Do long runs lose or mix anything that was finished, whatever ends them?

    python benchmarks/interruptions.py --rounds 50 --out results/interruptions.json

A round takes one sweep of `hilbertine reproduce`, on few samples, or a search with two jobs, and an accident: killed
once or several times at random moments, two processes on one folder with one of them killed, a finished part cut
short between two runs, a disk on which no file may grow beyond 2000 bytes, a disk that is full (a file system of 16 kB,
which only the superuser may mount). Then the same command runs to its end, and its record must be that of a run without
accidents, but for times. A folder that cannot be written must be refused at once, and a disk that is mounted read-only.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from hilbertine import HuberRegressor, RegressorCV, cli, kernels
from hilbertine.datasets import load_yeast, make_spectra
from hilbertine.experiments import autoencoder, lip, metabolites, stability_figure, yeast, yeast_paths

ACCIDENTS = ("killed", "killed often", "two processes", "damaged", "no large files", "full disk")
SWEEPS = ("stability", "lip", "autoencoder", "yeast-paths", "yeast", "metabolites", "search")
TIMES = ("seconds", "search_seconds", "versions")


def shrink() -> None:
    """Every sweep on few samples: some seconds, and many finished parts."""
    few = {name: load_yeast(name) for name in ("train", "test")}
    few = {name: Bunch(data=d.data[:120], target=d.target[:120]) for name, d in few.items()}
    for module in (yeast, yeast_paths):
        module.load_yeast = few.__getitem__
        module.grids = lambda quick: ([1e-3, 1e-2], [0.1, 0.5], [0.1, 1.0])
    yeast.peers = lambda quick: {}
    autoencoder.sizes = lambda quick: (60, 2, 5, 20)
    autoencoder.MAX_ITER = 5
    lip.PAIRS = (4,)
    lip.OUTLIERS = lip.OUTLIERS[:2]
    spectra = make_spectra(120)
    metabolites._data = lambda settings: (spectra, None)
    metabolites.grid = lambda quick: metabolites.Grid([1e-4, 1e-3], [0.3], [3000.0], 20, 1e-3)
    stability_figure.sample = lambda n, original=stability_figure.sample: original(12)


def search(out: Path) -> None:
    """A search whose folds run in two processes, and its table in one file."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 3))
    Y = np.tanh(X @ rng.standard_normal((3, 2)))
    model = HuberRegressor(kernel=kernels.Gaussian(0.5))
    found = RegressorCV(model, np.logspace(-5, -1, 8), {"kappa": [0.1, 0.3, 1.0]}, n_jobs=2).fit(X, Y).cv_results_
    scores = {key: np.asarray(value).tolist() for key, value in found.items() if "time" not in key and key != "params"}
    cli_record(scores, out / "search.json")


def cli_record(scores: dict, path: Path) -> None:
    from hilbertine.store import write_whole

    write_whole(path, json.dumps(scores, default=str))


def begin(name: str, out: Path, largest: int | None = None) -> int:
    """A child process that runs the sweep; its id."""
    child = os.fork()
    if child:
        return child
    os.setpgrp()
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    warnings.simplefilter("ignore")
    code = 1
    try:
        if largest is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        if name == "search":
            search(out)
        else:
            cli._app()(["reproduce", name, "--quick", "--out", str(out), "--jobs", "1"], standalone_mode=False)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    finally:
        os._exit(code)


def ended(child: int, after: float | None = None) -> int:
    """The exit code, killed by then where a moment is given."""
    end = time.monotonic() + (1e9 if after is None else after)
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextlib.contextmanager
def mounted(folder: Path, options: str):
    """A file system of its own, gone afterwards with all it holds."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def timeless(value):
    """A record without what a clock says."""
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in TIMES}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def suffer(name: str, accident: str, out: Path, length: float, rng: random.Random) -> int:
    """The accident; how many finished parts it left."""
    parts = out / f"{name}.parts"
    if accident == "no large files":
        ended(begin(name, out, 2000))
    elif accident == "full disk":
        with mounted(out, "size=16k"):
            ended(begin(name, out))
            found = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        for path, data in found.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    elif accident == "two processes":
        one, other = begin(name, out), begin(name, out)
        ended(one, rng.uniform(0.0, length))
        ended(other)
    else:
        for _ in range(3 if accident == "killed often" else 1):
            # To damage a part, there must be one.
            least = 0.3 if accident == "damaged" else 0.0
            ended(begin(name, out), rng.uniform(least, 1.0) * length)
    left = sorted(parts.glob("*.json")) if parts.exists() else []
    if accident == "damaged" and left:
        chosen = rng.choice(left)
        chosen.write_bytes(chosen.read_bytes()[: rng.randrange(len(chosen.read_bytes()))])
    return len(left)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1e4)
    parser.add_argument("--sweeps", nargs="+", default=SWEEPS)
    parser.add_argument("--accidents", nargs="+", default=ACCIDENTS, choices=ACCIDENTS)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    multiprocessing.set_start_method("fork", force=True)
    end, rng, records, straight = time.monotonic() + 60 * options.minutes, random.Random(options.seed), [], {}
    shrink()
    possible = [each for each in options.accidents if each != "full disk" or os.geteuid() == 0]
    with tempfile.TemporaryDirectory() as folder:
        for k in range(options.rounds):
            if time.monotonic() > end:
                break
            name = options.sweeps[k % len(options.sweeps)]
            accident = possible[(k // len(options.sweeps)) % len(possible)]
            if name not in straight:
                start = time.monotonic()
                code = ended(begin(name, Path(folder) / "straight"))
                record = Path(folder) / "straight" / f"{name}.json"
                straight[name] = timeless(json.loads(record.read_text())), time.monotonic() - start
                assert code == 0
            expected, length = straight[name]
            out = Path(folder) / str(k)
            left = suffer(name, accident, out, length, rng)
            code = ended(begin(name, out))
            same = code == 0 and timeless(json.loads((out / f"{name}.json").read_text())) == expected
            clean = not (out / f"{name}.parts").exists()
            records.append({"sweep": name, "accident": accident, "parts": left, "same": same, "clean": clean})
            print(f"{k + 1}: {name}, {accident}, {left} finished: {'the same record' if same else 'ANOTHER RECORD'}"
                  f"{'' if clean else ', PARTS LEFT BEHIND'}", flush=True)  # fmt: skip
    refused = ended(begin("stability", Path("/proc/hilbertine"))) == 1
    if os.geteuid() == 0:
        with tempfile.TemporaryDirectory() as folder, mounted(Path(folder), "ro"):
            refused = refused and ended(begin("stability", Path(folder))) == 1
    wrong = [record for record in records if not (record["same"] and record["clean"])]
    print(f"{len(records)} accidents, {len(wrong)} with another record; a folder that cannot be written is "
          f"{'refused' if refused else 'NOT REFUSED'}")  # fmt: skip
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(records))
    sys.exit(bool(wrong) or not refused)


if __name__ == "__main__":
    main()
