import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting.counting import random_counter

import treewright as tw
from treewright.errors import CheckpointError, WeightError
from treewright.statistics import KeptCounter
from treewright.statistics.kept import decoded, encoded
from treewright.statistics.rows import digest_of_counter


@pytest.fixture
def slow():
    return random_counter(0, [2, 3, 2, 4], 500)


@given(st.dictionaries(st.integers(0, 2**62), st.integers(1, 2**62), max_size=80))
def test_cells_come_back(cells):
    codes = np.array(sorted(cells), dtype=np.int64)
    counts = np.array([cells[code] for code in sorted(cells)], dtype=np.int64)
    for one, other in zip(decoded(encoded(codes, counts)), (codes, counts), strict=True):
        np.testing.assert_array_equal(one, other)


SCOPES = st.lists(st.lists(st.integers(0, 3), unique=True).map(tuple), max_size=12)


@given(SCOPES, SCOPES)
@settings(max_examples=20, deadline=None)
def test_kept_tables_are_those_of_the_counter(tmp_path_factory, first, second):
    slow = random_counter(0, [2, 3, 2, 4], 100)
    path = tmp_path_factory.mktemp("kept") / "run.twc"
    for scopes in (first, second, [*first, *second]):
        with KeptCounter(slow, path) as kept:
            for scope, found in zip(scopes, kept.counts_many(scopes), strict=True):
                np.testing.assert_array_equal(found, slow.counts(scope))
            for scope, cells in zip(scopes, kept.sparse_counts_many(scopes), strict=True):
                expected = slow.sparse_counts(scope)
                np.testing.assert_array_equal(cells.codes, expected.codes)
                np.testing.assert_array_equal(cells.counts, expected.counts)
                assert cells.shape == expected.shape
    assert kept.n_counted == 0


def test_a_run_is_replayed_without_counting(tmp_path):
    table = tw.load_network("asia").sample(3000, rng=np.random.default_rng(0))
    counter = tw.count(table)
    found = []
    for _ in range(2):
        with KeptCounter(counter, tmp_path / "run.twc") as kept:
            learned = tw.learn_hill_climbing(tw.BIC(kept))
            found.append((learned.structure, learned.score, kept.n_counted))
    native = tw.learn_hill_climbing(tw.BIC(counter))
    assert found[0][:2] == found[1][:2] == (native.structure, native.score)
    assert found[0][2] > 0
    assert found[1][2] == 0


def test_other_rows_are_refused(tmp_path, slow):
    path = tmp_path / "run.twc"
    KeptCounter(slow, path).close()
    with pytest.raises(CheckpointError, match=r"is the checkpoint of other rows; choose another file"):
        KeptCounter(random_counter(1, [2, 3, 2, 4], 500), path)
    with pytest.raises(CheckpointError, match=r"of other rows: it was made from 500 rows, and there are 400"):
        KeptCounter(random_counter(1, [2, 3, 2, 4], 400), path)
    with pytest.raises(CheckpointError, match=r"of other columns or states"):
        KeptCounter(random_counter(1, [2, 3, 2], 500), path)


def test_other_files_are_refused(tmp_path, slow):
    path = tmp_path / "run.twc"
    path.write_text("no database at all, but long enough to be looked at as one\n" * 20)
    with pytest.raises(CheckpointError, match=r"cannot be used as a checkpoint: file is not a database"):
        KeptCounter(slow, path)
    with sqlite3.connect(tmp_path / "other.twc") as file:
        file.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT)")
        file.execute("INSERT INTO meta VALUES ('format', 'something else')")
    with pytest.raises(CheckpointError, match=r"is no checkpoint of this version"):
        KeptCounter(slow, tmp_path / "other.twc")


def test_a_full_disk_keeps_what_is_kept(tmp_path):
    counter = tw.count(tw.load_network("alarm").sample(2_000, rng=np.random.default_rng(0)))
    pairs = [(u, v) for v in range(37) for u in range(v)]
    with KeptCounter(counter, tmp_path / "run.twc") as kept:
        kept.counts_many(pairs[:20])
        kept.commit()
        kept._file.execute("PRAGMA max_page_count = 1")  # no page more than there are

        def keep_more():  # the first makes safe, too, where the last time is long ago
            kept.counts_many(pairs)
            kept.commit()

        said = r"database or disk is full; make room and run again, which goes on from"
        with pytest.raises(CheckpointError, match=said):
            keep_more()
        kept._file.execute("PRAGMA max_page_count = 1000000")
    with KeptCounter(counter, tmp_path / "run.twc") as again:
        again.counts_many(pairs)
        assert again.n_counted == 0


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    counter = tw.count(tw.read_table({"a": [0, 1]}))
    with pytest.raises(CheckpointError, match=r"unable to open .*; choose a file that can be written$"):
        KeptCounter(counter, tmp_path)


def test_damaged_cells_are_told(tmp_path, slow):
    path = tmp_path / "run.twc"
    with KeptCounter(slow, path) as kept:
        kept.counts((0, 1, 3))
    with sqlite3.connect(path) as file:
        ((cells,),) = file.execute("SELECT cells FROM tables")
        for at in range(len(cells)):
            changed = bytearray(cells)
            changed[at] ^= 1
            file.execute("UPDATE tables SET cells = ?", (bytes(changed),))
            file.commit()
            with KeptCounter(slow, path) as kept, pytest.raises(CheckpointError, match="is damaged: a table"):
                kept.counts((0, 1, 3))


@pytest.mark.parametrize(
    "cells",
    ["text", 7, None, b"", encoded(np.array([10**6]), np.array([1])), encoded(*[np.array([1])] * 2) + b"x"],
)
def test_cells_of_another_kind_are_told(tmp_path, slow, cells):
    """Behind a sum that fits, cells that the table does not have; and what no checkpoint writes."""
    path = tmp_path / "run.twc"
    with KeptCounter(slow, path) as kept:
        kept.counts((0, 1, 3))
        expected = kept.counts((0, 1))
    with sqlite3.connect(path) as file:
        file.execute("UPDATE tables SET cells = ? WHERE scope = '0,1,3'", (cells,))
    with KeptCounter(slow, path) as kept:
        assert (kept.counts((0, 1)) == expected).all()
        if cells is None:  # as if it had not been kept
            assert (kept.counts((0, 1, 3)) == slow.counts((0, 1, 3))).all()
        else:
            with pytest.raises(CheckpointError, match="is damaged: a table of 3 variables"):
                kept.counts((0, 1, 3))


def test_damaged_names_are_told(tmp_path, slow):
    path = tmp_path / "run.twc"
    with KeptCounter(slow, path) as kept:
        kept.counts((0, 1))
    path.write_bytes(path.read_bytes().replace(b"format", b"for\xe5at"))
    with pytest.raises(CheckpointError, match=r"cannot be used as a checkpoint|is no checkpoint of this"):
        KeptCounter(slow, path)


def test_real_weights_are_refused(tmp_path):
    with pytest.raises(WeightError, match="a checkpoint keeps whole counts"):
        KeptCounter(random_counter(0, [2, 3], 5, weights=np.full(5, 0.5)), tmp_path / "run.twc")


def test_more_rows_are_counted_alone(tmp_path):
    table = tw.load_network("asia").sample(4000, rng=np.random.default_rng(0))
    before, after = table.shards(2)
    kept = KeptCounter(tw.count(before), tmp_path / "run.twc")
    tw.learn_hill_climbing(tw.BIC(kept))
    kept.sparse_counts((0, 1, 2))
    grown = kept.extended([tw.count(after)])
    whole = tw.count(table)
    assert grown.n_rows == 4000
    np.testing.assert_array_equal(
        grown.sparse_counts((0, 1, 2)).counts, whole.sparse_counts((0, 1, 2)).counts
    )
    pairs = [(a, b) for a in range(8) for b in range(a)]
    for one, other in zip(grown.counts_many(pairs), whole.counts_many(pairs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert grown.n_counted == 0
    learned = tw.learn_hill_climbing(tw.BIC(grown))
    assert learned.structure == tw.learn_hill_climbing(tw.BIC(whole)).structure
    grown.close()
    shards = tw.ShardedCounter([tw.count(before), tw.count(after)])
    with KeptCounter(shards, tmp_path / "run.twc") as again:  # the same rows, in whatever order
        again.counts((0, 1))
        assert again.n_counted == 0


def test_more_rows_are_counted_in_rounds_that_memory_holds(tmp_path, monkeypatch):
    before, after = tw.load_network("asia").sample(600, rng=np.random.default_rng(0)).shards(2)
    asked = []

    class Told(tw.ShardedCounter):
        def counts_many(self, scopes):
            asked.append(sum(8 * 2 ** len(scope) for scope in scopes))
            return super().counts_many(scopes)

    triples = [(a, b, c) for a in range(8) for b in range(a) for c in range(b)]
    with KeptCounter(tw.count(before), tmp_path / "run.twc") as kept:
        kept.counts_many(triples)
        kept.sparse_counts_many([(0, 1), (5, 2, 3)])
        monkeypatch.setenv("TREEWRIGHT_MEMORY", "1KiB")
        grown = kept.extended([Told([tw.count(after)])])
    monkeypatch.delenv("TREEWRIGHT_MEMORY")
    assert len(asked) > 1
    assert max(asked) <= 256
    whole = tw.ShardedCounter([tw.count(before), tw.count(after)])
    for one, other in zip(grown.counts_many(triples), whole.counts_many(triples), strict=True):
        np.testing.assert_array_equal(one, other)
    one, other = grown.sparse_counts((5, 2, 3)), whole.sparse_counts((5, 2, 3))
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.counts, other.counts)
    assert grown.n_counted == 0


def test_a_sum_of_more_parts_extends_what_is_kept(tmp_path):
    """In whatever order parts come and are joined, each counted once; missing ones are refused."""
    table = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(0))
    a, b, c, d = map(tw.count, (*table.shards(3), table.shards(3)[0]))  # one of them twice
    path, whole = tmp_path / "run.twc", tw.count(table)
    with KeptCounter(a, path) as kept:
        tw.learn_chow_liu(tw.BIC(kept))
    with KeptCounter(tw.ShardedCounter([b, a]), path) as kept:
        assert (kept.n_added, kept.n_rows) == (1_000, 2_000)
    with KeptCounter(tw.ShardedCounter([c, tw.ShardedCounter([a, b])]), path) as kept:
        assert kept.n_added == 1_000
        for pair in ((0, 1), (3, 7)):
            np.testing.assert_array_equal(kept.counts(pair), whole.counts(pair))
        assert kept.n_counted == 0
    with KeptCounter(tw.ShardedCounter([a, b, c, d]), path) as kept:
        assert kept.n_added == 1_000
        np.testing.assert_array_equal(kept.counts((0, 1)), whole.counts((0, 1)) + a.counts((0, 1)))
    for fewer in (whole, tw.ShardedCounter([a, b, c]), tw.ShardedCounter([b, c, c, d])):
        with pytest.raises(CheckpointError, match="is the checkpoint of other rows"):
            KeptCounter(fewer, path)


def test_a_checkpoint_that_was_extended_twice_is_opened_again(tmp_path):
    shards = tw.load_network("asia").sample(900, rng=np.random.default_rng(0)).shards(3)
    kept = KeptCounter(tw.count(shards[0]), tmp_path / "run.twc")
    kept.counts((0, 1))
    grown = kept.extended([tw.count(shards[1])]).extended([tw.count(shards[2])])
    grown.close()
    with KeptCounter(tw.ShardedCounter(map(tw.count, shards)), tmp_path / "run.twc") as again:
        again.counts((0, 1))
        assert (again.n_counted, again.n_added) == (0, 0)


def test_digests_tell_rows_apart(slow):
    table = tw.read_table({"a": ["x", "y", "y"]})
    counter = tw.count(table)
    assert digest_of_counter(counter) == digest_of_counter(tw.count(tw.read_table({"a": ["x", "y", "y"]})))
    assert digest_of_counter(counter) != digest_of_counter(tw.count(tw.read_table({"a": ["y", "x", "y"]})))
    weighted = tw.count(table.with_weights([1, 1, 2]))
    assert digest_of_counter(counter) != digest_of_counter(weighted)
    assert digest_of_counter(slow) == digest_of_counter(random_counter(0, [2, 3, 2, 4], 500))


KILLED = """
    import os, signal, sys
    import numpy as np
    import treewright as tw
    from treewright.statistics import KeptCounter, kept
    kept._SECONDS = 0.0
    most = int(sys.argv[2])
    table = tw.load_network("asia").sample(3000, rng=np.random.default_rng(0))

    class Killed(KeptCounter):
        def counts_many(self, scopes):
            found = super().counts_many(scopes)
            if self.n_counted > most:
                os.kill(os.getpid(), signal.SIGKILL)
            return found

    learned = tw.learn_hill_climbing(tw.BIC(Killed(tw.count(table), sys.argv[1])))
    print(learned.score, learned.structure.edges())
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
def test_killed_and_run_again(tmp_path):
    def run(path, most):
        script = textwrap.dedent(KILLED)
        return subprocess.run(
            [sys.executable, "-c", script, path, str(most)], capture_output=True, text=True, check=False
        )

    expected = run(tmp_path / "whole.twc", 10**9)
    assert expected.returncode == 0, expected.stderr
    for most in (0, 20):
        assert run(tmp_path / "run.twc", most).returncode == -signal.SIGKILL
    found = run(tmp_path / "run.twc", 10**9)
    assert found.returncode == 0, found.stderr
    assert found.stdout == expected.stdout
