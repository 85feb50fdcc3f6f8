"""A limit of time: what it refuses, that it interrupts work, that it never fires afterwards."""

import signal
import threading
import time

import numpy as np
import pytest

import treewright as tw
from treewright.automatic import clock as clocks
from treewright.automatic import search
from treewright.automatic.clock import Clock
from treewright.errors import SettingError


@pytest.fixture(scope="module")
def rows():
    return tw.load_network("alarm").sample(300, rng=np.random.default_rng(0))


def wait():
    """Work that goes on for ten seconds, unless somebody stops it."""
    for _ in range(1_000):
        time.sleep(0.01)
    raise AssertionError("nobody stopped this")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "seconds= is a time above 0, or None; found 0"),
        (-1.0, "seconds= is a time above 0, or None; found -1.0"),
        (float("nan"), "seconds= of learn is a finite number, at most 1,000,000,000; found nan"),
        (float("inf"), "seconds= of learn is a finite number, at most 1,000,000,000; found inf"),
    ],
)
def test_a_limit_is_a_time_above_nothing(rows, seconds, words):
    with pytest.raises(SettingError) as refusal:
        tw.learn(rows, seconds=seconds)
    assert str(refusal.value) == words


def test_time_enough_changes_nothing(rows):
    free, limited = tw.learn(rows), tw.learn(rows, seconds=1e4)
    assert limited.dag == free.dag
    assert limited.trace.stopped_by == ""
    assert limited.model.provenance["settings"]["seconds"] == 1e4


def test_a_signal_stops_work_and_the_handler_that_was_there_comes_back():
    before = signal.getsignal(clocks._SIGNAL)
    clock = Clock(0.05)
    with pytest.raises(KeyboardInterrupt, match="out of time"), clock.interrupting():
        wait()
    assert clock.ran_out
    assert signal.getsignal(clocks._SIGNAL) == before


def test_time_that_is_left_has_not_run_out():
    assert not Clock(0.9).ran_out
    assert not Clock(None).ran_out


def test_whoever_listens_is_interrupted_only_where_there_is_a_limit():
    heard = []
    assert Clock(None).listening(None) is None
    assert Clock(None).listening(heard.append) == heard.append
    listen = Clock(1e-9).listening(heard.append)
    with pytest.raises(KeyboardInterrupt, match="out of time"):
        listen("a step")
    assert heard == ["a step"]
    Clock(1e4).listening(None)("another step")


def test_work_done_in_time_is_left_alone():
    with Clock(0.02).interrupting():
        pass
    time.sleep(0.05)


def searching(monkeypatch, *steps):
    """Searches that take their time."""
    monkeypatch.setattr(search, "searches", lambda *_: (step() for step in steps))


def test_the_best_so_far_counts_when_the_time_is_over(rows, monkeypatch):
    counter = tw.count(rows)
    first = tw.learn_knots(counter)

    searching(monkeypatch, lambda: first, wait)
    result = tw.learn(rows, seconds=0.1)
    assert result.dag.edges() == first.structure.edges()
    assert result.trace.stopped_by == "seconds"
    assert (
        result.notes[-1] == "the clock ended the search, so another run may end elsewhere; seconds= sets it"
    )


def test_without_a_network_in_time_there_is_a_tree(rows, monkeypatch):
    searching(monkeypatch, wait)
    result = tw.learn(rows, seconds=0.05)
    tree = tw.learn_chow_liu(tw.SparseQNML(tw.count(rows)))
    assert result.dag.skeleton() == tree.structure.skeleton()
    assert (result.width, result.trace.stopped_by) == (1, "seconds")


def test_ctrl_c_within_the_time_is_no_clock(rows, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    searching(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        tw.learn(rows, seconds=100)


def test_in_another_thread_phases_are_where_it_stops(rows):
    found = []
    work = threading.Thread(target=lambda: found.append(tw.learn(rows, seconds=1e-6)))
    work.start()
    work.join()
    assert found[0].trace.stopped_by == "seconds"
    assert found[0].dag.n_edges > 0


def test_progress_still_hears_every_step(rows):
    heard = []
    tw.learn(rows, seconds=1e4, progress=heard.append)
    assert len(heard) > 5
