"""Different rows with their weights: against a dictionary, for every kind of counter."""

from collections import Counter as Tally

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import SchemaError, TableTooLarge
from treewright.statistics import distinct_rows


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
