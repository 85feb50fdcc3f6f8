"""`learn --checkpoint` that is killed or interrupted, and run again: the same bytes."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

import treewright as tw
from treewright.statistics import KeptCounter

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")


def begun(*arguments):
    command = [sys.executable, "-m", "treewright", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def ended(process):
    _, said = process.communicate(timeout=240)
    assert process.returncode == 0, said.decode()


@pytest.fixture
def rows(tmp_path):
    table = tw.load_network("alarm").sample(4_000, rng=np.random.default_rng(0))
    tw.pack(table, tmp_path / "rows.twp")
    return tmp_path / "rows.twp"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_random_kills_ten_identical_files(rows, tmp_path):
    def learn(model):
        kept = tmp_path / f"{model}.twc"
        learning = ("learn", rows, "-m", "hill-climbing", "-o", tmp_path / f"{model}.twm", "--force")
        return begun(*learning, "--checkpoint", kept)

    started = time.monotonic()
    ended(learn("whole"))
    seconds = time.monotonic() - started
    expected = (tmp_path / "whole.twm").read_bytes()
    chance, n_killed = random.Random(20), 0
    for i in range(10):
        process = learn(f"run-{i}")
        time.sleep(chance.uniform(0.3, 1.0) * seconds)
        process.kill()
        process.communicate()
        n_killed += process.returncode == -signal.SIGKILL
        assert not list(tmp_path.glob("*.part"))
        ended(learn(f"run-{i}"))
        assert (tmp_path / f"run-{i}.twm").read_bytes() == expected
    assert n_killed > 0


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
        assert list(tmp_path.glob("*.part"))
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
