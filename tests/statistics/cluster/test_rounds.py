import os
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.statistics.cluster.pools import HerePool

from treewright.errors import ConnectionLost, SchemaError
from treewright.statistics.cluster import LocalPool, each_on, rounds
from treewright.statistics.cluster.pools import Pool, WorkerLost
from treewright.statistics.cluster.rounds import Deal, Rounds

WORKERS = st.sets(st.sampled_from("abcdef"), min_size=1).map(sorted)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(rounds, "_PAUSE", 0.0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.lists(WORKERS, min_size=1, max_size=5))
def test_every_piece_has_one_worker_and_stays_where_it_can(sizes, comings_and_goings):
    deal, before = Deal(sizes), {}
    for workers in comings_and_goings:
        shares = deal.shares(workers, range(len(sizes)))
        homes = {piece: where for where, pieces in shares.items() for piece in pieces}
        assert sorted(homes) == list(range(len(sizes)))
        assert set(homes.values()) <= set(workers)
        assert deal.shares(workers, range(len(sizes))) == shares
        load = {where: sum(sizes[i] for i in shares.get(where, ())) for where in workers}
        largest = max(sizes)
        assert max(load.values()) <= min(load.values()) + max(largest, 1)
        if before and set(workers) == set(before.values()):
            assert homes == before
        before = homes


def total(pieces, more):
    return sum(pieces) + more


def test_one_task_a_worker():
    pool = HerePool("a", "b", "c")
    ask = Rounds(pool, [1, 1, 1, 1, 1, 1, 1], timeout=1.0, retries=0)
    assert sum(ask.ask(total, [1, 2, 3, 4, 5, 6, 7], 0)) == 28
    assert sorted(pool.calls) == ["a", "b", "c"]
    assert ask.n_rounds == 1


@settings(max_examples=40, deadline=None)
@given(st.sets(st.integers(0, 8), max_size=4), st.booleans())
def test_what_is_lost_is_asked_again_and_only_that(lost, takes):
    pool = HerePool("a", "b", "c", "d", "e", "f", lost=lost, takes=takes)
    pieces = list(range(10))
    ask = Rounds(pool, [1] * 10, timeout=1.0, retries=5)
    answered = ask.ask(list, pieces)
    assert sorted(piece for part in answered for piece in part) == pieces


def test_nobody_is_there_in_the_end():
    with pytest.raises(
        ConnectionLost, match=r"3 of 3 pieces could not be counted after 3 attempts: no worker"
    ):
        Rounds(HerePool("a", lost={0}), [1, 1, 1], timeout=1.0, retries=2).ask(list, [1, 2, 3])
    silent = HerePool("a", "b", lost=set(range(99)), takes=False)
    with pytest.raises(ConnectionLost, match=r"2 workers are there and do not answer; start workers"):
        Rounds(silent, [1, 1, 1], timeout=1.0, retries=2).ask(list, [1, 2, 3])
    assert len(silent.calls) <= 2 * 3
    assert issubclass(ConnectionLost, ConnectionError)


@pytest.mark.parametrize("retries", [0, 1, 4])
def test_pauses_grow_and_attempts_end(monkeypatch, retries):
    waited = []
    monkeypatch.setattr(rounds, "_PAUSE", 0.5)
    monkeypatch.setattr(rounds.time, "sleep", waited.append)
    silent = HerePool("a", lost=set(range(99)), takes=False)
    with pytest.raises(ConnectionLost, match=f"after {retries + 1} attempts"):
        Rounds(silent, [1], timeout=1.0, retries=retries).ask(list, [1])
    assert waited == [0.5 * 2**k for k in range(retries)]
    assert len(silent.calls) == retries + 1
    once = HerePool("a", lost=set(range(retries)), takes=False)
    assert Rounds(once, [1], timeout=1.0, retries=retries).ask(list, [1]) == [[1]]


def test_homes_are_dealt_in_the_order_of_names():
    for workers in (["c", "a", "b"], ["b", "c", "a"]):
        assert Deal([1, 1, 1]).shares(workers, range(3)) == {"a": [0], "b": [1], "c": [2]}


def test_whoever_is_there_is_looked_up_now_and_then(monkeypatch):
    monkeypatch.setattr(rounds, "_LOOK_AGAIN", 1e3)
    pool = HerePool("a")
    ask = Rounds(pool, [1, 1], timeout=1.0, retries=0)
    ask.ask(list, [1, 2])
    pool.names.append("b")
    ask.ask(list, [1, 2])  # at once: nobody looks again
    assert pool.calls == ["a", "a"]


def fails(*_):
    raise SchemaError("said by a worker")


def test_errors_of_the_work_are_raised_and_nothing_is_waited_for():
    pool = HerePool("a", "b")
    with pytest.raises(SchemaError, match="said by a worker"):
        Rounds(pool, [1, 1], timeout=1.0, retries=3).ask(fails, [1, 2])
    assert (len(pool.calls), pool.waiting) == (2, 2)
    with pytest.raises(SchemaError, match="said by a worker"):
        each_on(HerePool("a"), fails, [(1,), (2,)])


def test_somebody_who_joins_gets_pieces(monkeypatch):
    monkeypatch.setattr(rounds, "_LOOK_AGAIN", -1.0)
    pool = HerePool("a")
    ask = Rounds(pool, [4, 3, 2, 1], timeout=1.0, retries=0)
    ask.ask(list, [1, 2, 3, 4])
    pool.names.append("b")
    assert len(ask.ask(list, [1, 2, 3, 4])) == 2
    assert pool.calls == ["a", "a", "b"]


@settings(max_examples=20, deadline=None)
@given(st.sets(st.integers(0, 12), max_size=5))
def test_tasks_are_all_done(lost):
    pool = HerePool("a", "b", "c", "d", "e", "f", "g", lost=lost)
    assert each_on(pool, divmod, [(i, 3) for i in range(9)], retries=9) == [divmod(i, 3) for i in range(9)]


def test_tasks_that_nobody_does():
    with pytest.raises(ConnectionLost, match="2 of 2 tasks could not be done after 2 attempts"):
        each_on(HerePool("a", lost={0}), divmod, [(1, 1), (2, 2)], retries=1)


def ended():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
def test_processes_of_this_machine_may_be_killed():
    with LocalPool(2) as pool:
        assert isinstance(pool, Pool)
        first, second = pool.workers()
        with pytest.raises(WorkerLost):
            pool.submit(ended, where=first).result(60.0)
        assert pool.workers() == (second,)
        ask = Rounds(pool, [1, 1], timeout=60.0, retries=0)
        assert sum(ask.ask(total, [1, 2], 0)) == 3
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0, where=second).result(60.0)
        with pytest.raises(WorkerLost):
            pool.submit(divmod, 1, 1, where=first).result(60.0)
