"""Ctrl-C during `learn`: the exit code is 130, and the best so far is kept where that was asked for."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import treewright as tw


@pytest.fixture
def ctrl_c(monkeypatch):
    """Press it at the n-th news of the search."""

    def press(after):
        heard = 0

        def listen(step):
            nonlocal heard
            heard += 1
            if heard == after:
                raise KeyboardInterrupt

        monkeypatch.setattr("treewright.cli.commands.learn.show_steps", lambda update, bound: listen)

    return press


METHODS = ["auto", "bounded", "hill-climbing", "knots", "separation-tree", "cutset"]


@pytest.mark.parametrize("method", METHODS)
def test_the_best_so_far_is_kept(method, asia_rows, tmp_path, ctrl_c, run_json, run):
    model = tmp_path / "m.twm"
    ctrl_c(3)
    said = run_json("learn", asia_rows, "-m", method, "-o", model, "--keep-on-interrupt", code=130)
    assert said["interrupted"] is True
    assert "the search was interrupted; this is the best that it had found" in said["notes"]
    assert len(tw.load(model).schema) == 8
    assert np.isfinite(said["log_likelihood"])
    assert run("verify", model, "-q").stdout.startswith("valid")
    assert run("score", model, asia_rows).exit_code == 0


@pytest.mark.parametrize("method", METHODS)
def test_it_is_offered_where_it_was_not_asked_for(method, asia_rows, tmp_path, ctrl_c, run):
    model = tmp_path / "m.twm"
    model.write_bytes(b"")
    ctrl_c(3)
    done = run("learn", asia_rows, "-m", method, "-o", model, code=130)
    assert done.stdout == ""
    assert done.stderr == (
        "interrupted; --keep-on-interrupt goes on with the best that the search has found\n"
    )
    assert model.read_bytes() == b""


def test_nothing_is_kept_where_there_is_nothing(asia_rows, tmp_path, run, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.cli.data.open_rows", interrupt)
    done = run("learn", asia_rows, "-o", tmp_path / "m.twm", "--keep-on-interrupt", code=130)
    assert (done.stdout, done.stderr) == ("", "interrupted\n")
    assert not (tmp_path / "m.twm").exists()


def test_resampling_may_be_interrupted(asia_rows, tmp_path, run, run_json, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.learners.edge_confidence", interrupt)
    said = ("learn", asia_rows, "-m", "chow-liu", "--bootstrap", 3, "-o", tmp_path / "m.twm")
    assert run(*said, code=130).stderr == "interrupted\n"
    assert not (tmp_path / "m.twm").exists()
    kept = run_json(*said, "--keep-on-interrupt", code=130)
    assert "resampling was interrupted, so how sure the edges are is not known" in kept["notes"]
    assert len(tw.load(tmp_path / "m.twm").schema) == 8


def seconds_worked(pid):
    """Of a processor, by a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the clock of a process is read off /proc")
def test_a_real_signal(tmp_path):
    rows, model = tmp_path / "rows.csv", tmp_path / "m.twm"
    table = tw.load_network("alarm").sample(2_000, rng=np.random.default_rng(0))
    lines = zip(*table.to_dict().values(), strict=True)
    rows.write_text("\n".join([",".join(table.schema.names), *map(",".join, lines)]))
    command = [sys.executable, "-m", "treewright", "learn", str(rows), "-o", str(model), "--json"]
    command += ["-m", "bounded", "--effort", "100000", "--keep-on-interrupt"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while seconds_worked(process.pid) < 4 and time.monotonic() < deadline:  # until it searches
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert json.loads(stdout)["width"] <= 4
    assert tw.verify(model).valid
