"""Different rows with their weights: against a dictionary, for every kind of counter."""

from collections import Counter as Tally

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import SchemaError, TableTooLarge
from treewright.statistics import distinct_rows, rows


class Opaque:
    """A counter that says nothing of its rows."""

    def __init__(self, counter):
        self.schema, self.sparse_counts = counter.schema, counter.sparse_counts


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_rows_are_those_of_a_tally(seed, many_states):
    rng = np.random.default_rng(seed)
    n, rows = int(rng.integers(1, 5)), int(rng.integers(0, 30))
    states = 300 if many_states else 3
    schema = tw.Schema([tw.Variable(name, range(states)) for name in "dbac"[:n]])
    columns = [rng.integers(0, states, size=rows) for _ in range(n)]
    weights = rng.integers(0, 3, size=rows)
    counter = tw.count(tw.Table(schema, columns, weights=weights))
    tally: Tally[tuple[int, ...]] = Tally()
    for row, weight in zip(zip(*(columns[v] for v in schema.name_order), strict=True), weights, strict=True):
        tally[tuple(map(int, row))] += int(weight)
    wanted = sorted((row, weight) for row, weight in tally.items() if weight)
    halves = [tw.count(shard) for shard in counter.table.shards(2)]
    for one in (counter, tw.ShardedCounter(halves), tw.statistics.CachedCounter(counter), Opaque(counter)):
        found = distinct_rows(one)
        assert list(zip(map(tuple, found.codes.T.tolist()), found.weights.tolist(), strict=True)) == wanted
        assert found.schema.names == tuple(sorted(schema.names))
        assert found.n_rows == weights.sum()


def test_continuous_variables_have_no_states():
    schema = tw.Schema([tw.Variable("height")])
    with pytest.raises(SchemaError, match="rows of states are wanted; 'height' is continuous"):
        distinct_rows(tw.count(tw.Table(schema, [[1.5]])))


def test_joint_states_beyond_64_bits_are_refused():
    table = tw.read_table({f"x{v}": [0, 1] for v in range(64)})
    with pytest.raises(TableTooLarge, match="the joint states of 64 variables cannot be numbered in 64 bits"):
        distinct_rows(Opaque(tw.count(table)))
    assert distinct_rows(tw.ShardedCounter([tw.count(table)])).codes.shape == (64, 2)
    assert distinct_rows(tw.count(table)).codes.shape == (64, 2)


def rows_that_repeat(n, kind=None):
    """Many rows of few kinds: 20 columns that take 16 joint states."""
    at = np.random.default_rng(3).integers(0, 16, n)
    columns = [(at >> (v % 4)) & 1 for v in range(20)]
    weights = {None: None, "whole": np.arange(n) % 3, "real": (np.arange(n) % 3) / 7}[kind]
    return tw.Table(tw.Schema(tw.Variable(f"v{v}", (0, 1)) for v in range(20)), columns, weights=weights)


@pytest.mark.parametrize("kind", [None, "whole"])
@pytest.mark.parametrize("n_shards", [1, 3])
def test_repeated_rows_are_put_together_some_at_a_time(monkeypatch, tmp_path, kind, n_shards):
    table = rows_that_repeat(30_000, kind)
    wanted = distinct_rows(tw.count(table))
    packed = tw.pack(table, tmp_path / "rows.twp")
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "100KiB")  # all rows would take more than 1 MB
    for one in (table, packed):
        found = distinct_rows(tw.ShardedCounter(map(tw.count, one.shards(n_shards))))
        np.testing.assert_array_equal(found.codes, wanted.codes)
        np.testing.assert_array_equal(found.weights, wanted.weights)
    assert tw.learn_efficient_markov(tw.count(packed)).structure is not None


def test_too_many_different_rows_are_refused_before_they_are_held(monkeypatch):
    n = 30_000
    columns = [(np.arange(n) >> v) & 1 for v in range(15)]
    table = tw.Table(tw.Schema(tw.Variable(f"v{v}", (0, 1)) for v in range(15)), columns)
    taken = []
    row_set = rows._core.row_set
    monkeypatch.setattr(rows, "_core", Told(rows._core, row_set=lambda *a: taken.append(a) or row_set(*a)))
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "200KiB")
    words = (
        r"8,192 different rows \(among the first 8,192 of 30,000\) of 15 variables take 304.0 KiB, above the "
        r"memory limit of 200.0 KiB, and this learner walks them; learn from some of them \(rows= of "
        "open_source and pack\\), or raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
    )
    with pytest.raises(TableTooLarge, match=words):
        distinct_rows(tw.count(table))
    assert len(taken) == 2
    with pytest.raises(TableTooLarge, match="learn from some of them"):
        tw.learn_efficient_markov(tw.count(table))


def test_rows_with_real_weights_are_refused_unread(monkeypatch):
    table = rows_that_repeat(30_000, "real")
    monkeypatch.setattr(rows, "_core", Told(rows._core, row_set=None))
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "100KiB")
    with pytest.raises(TableTooLarge, match=r"30,000 rows with real weights of 20 variables take 1\.3 MiB"):
        distinct_rows(tw.count(table))


class Told:
    """A module with some of its functions replaced."""

    def __init__(self, module, **functions):
        self.module, self.functions = module, functions

    def __getattr__(self, name):
        return self.functions[name] if name in self.functions else getattr(self.module, name)
