"""Finished parts of long runs: nothing finished is lost, nothing is mixed, and the record is that of a straight run."""

import errno
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from joblib import delayed
from typer.testing import CliRunner

from hilbertine import cli, store
from hilbertine.experiments import stability_figure
from hilbertine.store import Store, digest, forget, write_whole

ROOT = Path(store.__file__).parents[2]


def square(x):
    return x * x


def test_parts_are_found_again_by_the_same_run_alone(tmp_path):
    Store(tmp_path, "one").put((0, 1e-4, "Ridge"), [0.1, math.inf])
    assert Store(tmp_path, "one")[0, 1e-4, "Ridge"] == [0.1, math.inf]
    assert (0, 1e-4, "Ridge") not in Store(tmp_path, "two")
    assert (0, 1e-4, "Huber") not in Store(tmp_path, "one")
    with pytest.raises(KeyError):
        Store(tmp_path, "two")[0, 1e-4, "Ridge"]


@pytest.mark.parametrize("spoil", ["", "{", "[]", '{"sum": "", "part": "{}"}', None, "changed"])
def test_a_file_that_is_not_what_was_written_is_no_part(spoil, tmp_path):
    Store(tmp_path, "one").put("key", 1.5)
    (path,) = tmp_path.iterdir()
    whole = path.read_text()
    if spoil is None:
        path.write_bytes(b"\x80\x00")
    else:
        path.write_text(whole.replace("1.5", "2.5") if spoil == "changed" else spoil)
    again = Store(tmp_path, "one")
    assert "key" not in again
    assert again.kept("key", lambda: 1.5) == 1.5
    assert path.read_text() == whole


def test_a_part_without_a_value_is_none(tmp_path):
    Store(tmp_path, "one").put("key", 1.5)
    (path,) = tmp_path.iterdir()
    part = json.dumps({"run": "one", "key": "key"})
    path.write_text(json.dumps({"sum": digest(part), "part": part}))
    assert "key" not in Store(tmp_path, "one")


def test_what_is_missing_is_made_in_order_and_once(tmp_path):
    Store(tmp_path, "run").put(["square", 3], "kept")
    tasks = {("square", x): delayed(square)(x) for x in (4, 3, 2)}
    assert [value for _, value in Store(tmp_path, "run").filled(tasks, 1)] == [16, "kept", 4]
    assert [value for _, value in Store(tmp_path, "run").filled(dict.fromkeys(tasks), 1)] == [16, "kept", 4]


def test_two_processes_share_what_is_finished(tmp_path):
    one, two = Store(tmp_path, "run"), Store(tmp_path, "run")
    one.put("a", 1)
    assert two.kept("a", lambda: 2) == 1
    forget(tmp_path)
    two.put("b", 3)
    assert (one["a"], two["a"], Store(tmp_path, "run")["b"]) == (1, 1, 3)


def test_a_full_disk_is_said_once_and_stops_nothing(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    kept = Store(tmp_path, "run")
    kept.put("a", 1)
    monkeypatch.setattr(store, "write_whole", full)
    with pytest.warns(UserWarning, match=r"No space left.*would begin again"):
        kept.put("b", 2)
    kept.put("c", 3)
    assert [kept[key] for key in "abc"] == [1, 2, 3]
    assert [key in Store(tmp_path, "run") for key in "abc"] == [True, False, False]


def test_a_file_is_whole_or_as_it_was(tmp_path):
    path = tmp_path / "record.json"
    write_whole(path, "old")

    def interrupted(beside):
        beside.write(b"ha")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, interrupted)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_named_before_anything_is_computed(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(stability_figure, "run", None)
    outcome = CliRunner().invoke(cli._app(), ["reproduce", "stability", "--out", str(tmp_path / "file")])
    assert outcome.exit_code == 1
    assert "Nothing can be written in the folder" in str(outcome.exception) + outcome.output


def test_a_record_that_finds_no_room_leaves_what_is_finished(tmp_path):
    # No file may grow beyond 2000 bytes: parts fit, the record does not.
    command = [sys.executable, "-c", "from hilbertine.cli import main; main()"]
    arguments = ["reproduce", "stability", "--quick", "--out", str(tmp_path)]

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    outcome = subprocess.run(
        command + arguments, env=environment, preexec_fn=small, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 1
    assert "goes on from there" in outcome.stderr
    assert not (tmp_path / "stability.json").exists()
    assert len(list((tmp_path / "stability.parts").iterdir())) == 24


def test_a_run_that_is_killed_continues_to_the_same_record(tmp_path):
    command = [sys.executable, "-c", "from hilbertine.cli import main; main()", "reproduce", "stability", "--quick"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    straight, killed = (tmp_path / name for name in ("straight", "killed"))
    run = subprocess.Popen([*command, "--out", str(killed)], env=environment, stdout=subprocess.DEVNULL)
    parts = killed / "stability.parts"
    while run.poll() is None and not (parts.exists() and len(list(parts.iterdir())) >= 5):
        time.sleep(0.005)
    run.kill()
    run.wait()
    for out in (straight, killed):
        subprocess.run([*command, "--out", str(out)], env=environment, check=True, stdout=subprocess.DEVNULL)
    assert (straight / "stability.json").read_text() == (killed / "stability.json").read_text()
    assert not parts.exists()
