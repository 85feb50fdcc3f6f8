"""A real scheduler and real workers over TCP; `kill -9` is what a machine does that loses its power."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from tests.statistics.cluster.processes import REQUIRED, Cluster, needs_dask

import treewright as tw
from treewright.errors import ConnectionLost, FileMissingError
from treewright.statistics import ClusterCounter
from treewright.statistics.cluster import DaskPool, Piece, as_pool, pieces_of, pools, rounds
from treewright.statistics.cluster.rounds import Rounds

pytestmark = [
    needs_dask,
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
ROWS = tw.load_network("asia").sample(3000, rng=np.random.default_rng(0))
PAIRS = [(u, v) for v in range(8) for u in range(v)]


@pytest.fixture
def cluster(tmp_path):
    with_two = Cluster(tmp_path, 2)
    yield with_two
    with_two.close()


def pieces_in(folder):
    for i, shard in enumerate(ROWS.shards(4)):
        tw.pack(shard, folder / f"piece-{i}.twp")
    return pieces_of(str(folder / "piece-*.twp"))


def same(counter):
    whole = tw.count(ROWS)
    found, expected = counter.counts_many(PAIRS), whole.counts_many(PAIRS)
    return all((one == other).all() for one, other in zip(found, expected, strict=True))


def test_dask_is_there_where_it_is_required():
    import distributed

    assert distributed.__version__
    assert REQUIRED or "TREEWRIGHT_DASK_REQUIRED" not in os.environ


def slow_sum(pieces, seconds):
    """A question that is killed while it is answered: the first worker that gets the first piece ends."""
    marker = pieces[0][1]
    if pieces[0][0] == 0 and not os.path.exists(marker):
        open(marker, "w").close()
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(number for number, _ in pieces)


def test_workers_come_and_are_killed(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(rounds, "_LOOK_AGAIN", 0.0)
    pool = DaskPool(cluster.address)
    try:
        cluster.wait_for(pool, 2)
        counter = ClusterCounter(pieces_in(tmp_path), pool)
        assert same(counter)
        learned = tw.learn_hill_climbing(tw.BIC(counter))
        assert learned.structure == tw.learn_hill_climbing(tw.BIC(tw.count(ROWS))).structure
        with pytest.raises(FileMissingError, match=r"there is no file .*nowhere"):  # what a worker says
            ClusterCounter([Piece((str(tmp_path / "nowhere.twp"),))], pool)
        # inside a request
        ask = Rounds(pool, [1] * 6, timeout=60.0, retries=3)
        numbered = [(i, str(tmp_path / "begun")) for i in range(6)]
        assert sum(ask.ask(slow_sum, numbered, 0.3)) == 15
        # between requests, and before the first of a counter
        cluster.start_worker()
        cluster.wait_for(pool, 2)
        assert same(counter)
        last = max(name for name in cluster.processes if name.startswith("worker"))
        cluster.kill(last)
        assert same(counter)
        # nobody is left, somebody comes
        for name in [name for name in cluster.processes if name.startswith("worker")]:
            if cluster.processes[name].poll() is None:
                cluster.kill(name)
        helper = threading.Thread(target=cluster.start_worker)
        helper.start()
        monkeypatch.setattr(rounds, "_PAUSE", 4.0)
        assert same(counter)
        helper.join()
    finally:
        pool.close()


def test_the_scheduler_is_killed_and_begun_again(cluster, tmp_path, monkeypatch):
    pool = DaskPool(cluster.address)
    try:
        cluster.wait_for(pool, 2)
        counter = ClusterCounter(pieces_in(tmp_path), pool, retries=1)
        assert same(counter)
        cluster.kill("scheduler")
        for name in list(cluster.processes):
            cluster.kill(name)
        cluster.start_scheduler()
        cluster.start_worker()
        cluster.wait_for(pool, 1)
        assert same(counter)
        monkeypatch.setattr(rounds, "_PAUSE", 0.0)
        monkeypatch.setattr(pools, "_CONNECT", 1)
        for name in list(cluster.processes):
            cluster.kill(name)
        with pytest.raises(ConnectionLost, match="4 of 4 pieces could not be counted after 2 attempts"):
            same(counter)
    finally:
        pool.close()
    with pytest.raises(ConnectionLost, match=r"no Dask scheduler answers at 'tcp://127"):
        as_pool(cluster.address)
