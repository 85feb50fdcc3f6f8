"""`learn --checkpoint` that is killed or interrupted, and run again: the same bytes."""

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.statistics.cluster.processes import Cluster, needs_dask

import treewright as tw
from treewright.statistics import KeptCounter

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")


def begun(*arguments):
    command = [sys.executable, "-m", "tests.cli.learning.kept_run", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT)


def n_counted(process):
    """What a run that ends says that it counted."""
    _, said = process.communicate(timeout=240)
    assert process.returncode == 0, said.decode()
    return int(re.search(r"counted (\d+)", said.decode())[1])


def n_kept(path):
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as file:
            return file.execute("SELECT count(*) FROM tables").fetchone()[0]
    except sqlite3.OperationalError:  # it is not there yet
        return 0


def kill_at(process, path, n):
    """End a process without warning once so many tables are safe."""
    deadline = time.monotonic() + 240
    while n_kept(path) < n:
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.fixture
def rows(tmp_path):
    table = tw.load_network("alarm").sample(4_000, rng=np.random.default_rng(0))
    tw.pack(table, tmp_path / "rows.twp")
    return tmp_path / "rows.twp"


def kill_ten_times(source, folder, *more):
    """Ten runs that are killed, each with another part of its tables, and begun again: the same bytes."""

    def learn(name):
        model, kept = folder / f"{name}.twm", folder / f"{name}.twc"
        learning = ("learn", source, "-m", "hill-climbing", "-o", model, "--force", *more)
        return begun(*learning, "--checkpoint", kept), model, kept

    process, model, kept = learn("whole")
    n_tables, expected = n_counted(process), model.read_bytes()
    assert n_kept(kept) == n_tables > 300
    chance = random.Random(20)
    for i in range(10):
        process, model, kept = learn(f"run-{i}")
        kill_at(process, kept, chance.randrange(1, int(0.9 * n_tables)))
        assert not list(folder.glob("*.part"))
        assert not model.exists()
        assert 0 < (n_safe := n_kept(kept)) < n_tables
        again, _, _ = learn(f"run-{i}")
        assert n_counted(again) == n_tables - n_safe
        assert model.read_bytes() == expected


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_random_kills_ten_identical_files(rows, tmp_path):
    kill_ten_times(rows, tmp_path)


@needs_dask
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_kills_of_the_client_of_a_cluster(tmp_path):
    table = tw.load_network("child").sample(2_000, rng=np.random.default_rng(0))
    for i, shard in enumerate(table.shards(2)):
        tw.pack(shard, tmp_path / f"piece-{i}.twp")
    cluster = Cluster(tmp_path, 2)
    try:
        kill_ten_times(tmp_path / "piece-*.twp", tmp_path, "--dask", cluster.address)
    finally:
        cluster.close()


class Killed(BaseException):
    """What nobody catches."""


def test_a_run_that_ends_anywhere_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.statistics.kept._SECONDS", 0.0)
    counter = tw.count(tw.load_network("asia").sample(1_000, rng=np.random.default_rng(0)))
    expected = tw.learn_hill_climbing(tw.BIC(counter))

    class Dying(KeptCounter):
        def counts_many(self, scopes):
            found = super().counts_many(scopes)
            if self.n_counted > most:
                self._pending.clear()  # what was not made safe is lost
                raise Killed
            return found

    chance = random.Random(3)
    for i in range(10):
        path, n_kept = tmp_path / f"{i}.twc", 0
        for _ in range(3):
            most = chance.randrange(1, 60)
            try:
                tw.learn_hill_climbing(tw.BIC(Dying(counter, path)))
            except Killed:
                with sqlite3.connect(path) as file:
                    before, n_kept = n_kept, file.execute("SELECT count(*) FROM tables").fetchone()[0]
                    assert n_kept >= before
        with KeptCounter(counter, path) as kept:
            learned = tw.learn_hill_climbing(tw.BIC(kept))
        assert (learned.structure, learned.score) == (expected.structure, expected.score)


def test_ctrl_c_leaves_a_valid_checkpoint(run, run_json, rows, tmp_path, monkeypatch):
    kept, heard = tmp_path / "run.twc", 0

    def listen(step):
        nonlocal heard
        heard += 1
        if heard == 2:
            raise KeyboardInterrupt

    plain = run_json("learn", rows, "-m", "hill-climbing")
    monkeypatch.setattr("treewright.cli.commands.learn.show_steps", lambda update, bound: listen)
    run("learn", rows, "-m", "hill-climbing", "--checkpoint", kept, code=130)
    with sqlite3.connect(kept) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert file.execute("SELECT count(*) FROM tables").fetchone()[0] > 0
    monkeypatch.undo()
    again = run_json("learn", rows, "-m", "hill-climbing", "--checkpoint", kept)
    assert (again["edges"], again["score"]) == (plain["edges"], plain["score"])


def test_ctrl_c_leaves_no_packed_part(run, tmp_path, monkeypatch):
    def press(*_):
        raise KeyboardInterrupt

    (tmp_path / "a.csv").write_text("a,b\n" + "x,1\ny,2\n" * 500)
    monkeypatch.setattr("treewright.tables.packing.PackedWriter._write_block", press)
    run("pack", tmp_path / "a.csv", "-o", tmp_path / "a.twp", code=130)
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


def test_new_shards_are_read_alone(tmp_path, monkeypatch):
    """Extending a checkpoint asks nothing of the rows that it is made from."""
    table = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(1))
    before, after = (tw.pack(shard, tmp_path / f"{i}.twp") for i, shard in enumerate(table.shards(2)))
    kept = KeptCounter(tw.count(before), tmp_path / "run.twc")
    tw.learn_chow_liu(tw.BIC(kept))
    asked = []
    real = tw.statistics.WholeCounter.counts_many

    def listen(self, scopes):
        asked.append(self.table.digest)
        return real(self, scopes)

    monkeypatch.setattr(tw.statistics.WholeCounter, "counts_many", listen)
    grown = kept.extended([tw.count(after)])
    assert set(asked) == {after.digest}
    found = tw.learn_chow_liu(tw.BIC(grown))
    assert set(asked) == {after.digest}
    monkeypatch.undo()
    assert found.structure == tw.learn_chow_liu(tw.BIC(tw.count(table))).structure


def test_the_command_extends_its_checkpoint_and_reads_only_what_is_new(run_json, tmp_path):
    """Shards of before are damaged in between: whoever looked at one of their rows would be told so."""
    table = tw.load_network("asia").sample(6_000, rng=np.random.default_rng(2))
    names = [str(tmp_path / f"{i}.twp") for i in range(3)]
    for shard, name in zip(table.shards(3), names, strict=True):
        tw.pack(shard, name)
    how = ("-m", "chow-liu", "--checkpoint", tmp_path / "run.twc")
    run_json("learn", *names[:2], *how)
    for name in names[:2]:
        with open(name, "r+b") as file:
            size = len(file.read())
            file.seek(size // 2)
            file.write(b"\xff" * (size - size // 2))
        with pytest.raises(tw.errors.FormatError, match="is damaged"):
            tw.count(tw.open_table(name)).counts((0, 7))
    found = run_json("learn", *names, *how)
    assert "the checkpoint was of 4,000 rows; 2,000 new ones were counted and added" in found["notes"]
    for shard, name in zip(table.shards(3), names, strict=True):
        tw.pack(shard, name, replace=True)
    plain = run_json("learn", *names, "-m", "chow-liu")
    assert (found["edges"], found["score"]) == (plain["edges"], plain["score"])
    assert found["log_likelihood"] == pytest.approx(plain["log_likelihood"], rel=1e-12)
    again = run_json("learn", names[2], names[0], names[1], *how)  # in whatever order
    assert not any("new ones" in note for note in again["notes"])


def test_a_checkpoint_grows_from_one_file_and_refuses_others(run, run_json, refused, tmp_path):
    table = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(3))
    names = [str(tmp_path / f"{i}.twp") for i in range(3)]
    for shard, name in zip(table.shards(3), names, strict=True):
        tw.pack(shard, name)
    how = ("-m", "hill-climbing", "--checkpoint", tmp_path / "run.twc")
    run("learn", names[0], *how)
    run("learn", *names[:2], *how)
    grown = run_json("learn", *names, *how)
    plain = run_json("learn", *names, "-m", "hill-climbing")
    assert (grown["edges"], grown["score"]) == (plain["edges"], plain["score"])
    said = refused("learn", *names[1:], *how)
    assert "is the checkpoint of other rows" in said
    assert "packed files as they were with new ones beside them" in said
