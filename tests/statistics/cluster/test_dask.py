"""A real scheduler and real workers over TCP; `kill -9` is what a machine does that loses its power."""

import json
import os
import signal
import threading
import time
from collections import Counter
from functools import partial

import numpy as np
import pytest
from tests.statistics.cluster.processes import REQUIRED, Cluster, needs_dask
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.app import app
from treewright.errors import ConnectionLost, FileMissingError
from treewright.statistics import ClusterCounter
from treewright.statistics.cluster import DaskPool, Piece, as_pool, cut_into_pieces, pools, rounds
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
    return cut_into_pieces(str(folder / "piece-*.twp"))


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


def tree_of(rows):
    return tw.learn_chow_liu(tw.BIC(tw.count(rows) if isinstance(rows, tw.Table) else rows))


def fitted_tree(rows):
    counter = tw.count(rows) if isinstance(rows, tw.Table) else rows
    return tw.fit(tree_of(counter).dag, counter)


def ended_after_its_second_task(marker):
    """By a worker: it ends in its second task, the first time that somebody comes so far."""
    begun = open(f"{marker}-{os.getpid()}", "a+")  # noqa: SIM115
    begun.write("x")
    if begun.tell() == 2 and not os.path.exists(marker):
        open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    begun.close()


def tree_that_ends_workers(marker, rows):
    ended_after_its_second_task(marker)
    return tree_of(rows)


def fitted_tree_that_ends_workers(marker, rows):
    ended_after_its_second_task(marker)
    return fitted_tree(rows)


def test_resampled_rows_are_learned_from_by_workers_that_are_killed(cluster, tmp_path):
    pool = DaskPool(cluster.address)
    try:
        cluster.wait_for(pool, 2)
        pieces = ClusterCounter(pieces_in(tmp_path), pool)
        how = {"repetitions": 12, "rng": np.random.default_rng(1)}
        work = partial(tree_that_ends_workers, str(tmp_path / "ended"))
        there = tw.edge_confidence(pieces, work, **how)
        assert len(pool.workers()) == 1
        here = tw.edge_confidence(ROWS, tree_of, repetitions=12, rng=np.random.default_rng(1))
        np.testing.assert_array_equal(there.counts, here.counts)
    finally:
        pool.close()


def test_folds_of_pieces_are_judged_by_workers_that_are_killed(cluster, tmp_path):
    pool = DaskPool(cluster.address)
    try:
        cluster.wait_for(pool, 2)
        pieces = ClusterCounter(pieces_in(tmp_path), pool)
        work = partial(fitted_tree_that_ends_workers, str(tmp_path / "ended"))
        there = tw.cross_validate(work, pieces, folds=6)
        assert len(pool.workers()) == 1
        np.testing.assert_array_equal(there.logs, tw.cross_validate(fitted_tree, ROWS, folds=6).logs)
    finally:
        pool.close()


def test_knots_are_learned_by_workers(cluster, tmp_path, monkeypatch):
    """Those of the paper are tasks of their own, which ask for no rounds."""
    asked, submit = Counter(), DaskPool.submit

    def heard(self, function, *arguments, where):
        asked[function.__name__] += 1
        return submit(self, function, *arguments, where=where)

    monkeypatch.setattr(DaskPool, "submit", heard)
    table = tw.load_network("alarm").sample(2_000, rng=np.random.default_rng(0))
    for i, shard in enumerate(table.shards(3)):
        tw.pack(shard, tmp_path / f"{i}.twp")
    pool = DaskPool(cluster.address)
    try:
        cluster.wait_for(pool, 2)
        pieces = ClusterCounter(cut_into_pieces(str(tmp_path / "*.twp")), pool)
        for learn in (tw.learn_knots, tw.learners.learn_paper_knots):
            there, here = learn(pieces), learn(tw.count(table))
            assert (there.structure, there.score) == (here.structure, here.score)
        assert asked["learn_elsewhere"] == len(here.knots) > 2
    finally:
        pool.close()


def test_the_command_line_has_workers_count(cluster, tmp_path):
    def answer(*arguments):
        result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    pieces_in(tmp_path)
    tw.pack(ROWS, tmp_path / "whole.twp")
    pattern, whole, dask = tmp_path / "piece-*.twp", tmp_path / "whole.twp", ("--dask", cluster.address)
    more = ("-m", "hill-climbing", "--bootstrap", 4)
    there, here = answer("learn", pattern, *more, *dask), answer("learn", whole, *more)
    kept = ("edges", "score", "rows", "confidence")
    assert [there[key] for key in kept] == [here[key] for key in kept]
    judged = ("-m", "chow-liu", "--folds", 3)
    there = answer("cross-validate", pattern, *judged, *dask)["methods"]["chow-liu"]
    here = answer("cross-validate", whole, *judged)["methods"]["chow-liu"]
    assert (there["log_likelihood"], there["folds"]) == (here["log_likelihood"], here["folds"])


def test_the_scheduler_alone_is_killed(cluster, tmp_path, monkeypatch):
    """Workers of Dask end by themselves once their scheduler has gone; a question waits for new ones."""
    monkeypatch.setattr(rounds, "_PAUSE", 4.0)
    pool = DaskPool(cluster.address)
    try:
        cluster.wait_for(pool, 2)
        counter = ClusterCounter(pieces_in(tmp_path), pool)
        assert same(counter)
        cluster.kill("scheduler")

        def begin_again():
            cluster.start_scheduler()
            cluster.start_worker()

        helper = threading.Thread(target=begin_again)
        helper.start()
        assert same(counter)
        helper.join()
        survivors = [
            process for name, process in cluster.processes.items() if name in ("worker-0", "worker-1")
        ]
        assert [process.wait(60) for process in survivors] == [0, 0]
        assert same(counter)
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
