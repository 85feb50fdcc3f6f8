"""Counting groups of states: the cells of a group added up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting.counting import SlowCounter, plain_schema, random_counter

import treewright as tw
from treewright.errors import SchemaError
from treewright.statistics import FromTables, MergedCounter, WholeCounter, as_family_statistics
from treewright.tables import Feature

GROUPS = {"x1": ((0, 2), (1,)), "x3": ((3,), (0, 1), (4, 2))}
CODES = {1: [0, 1, 0], 3: [1, 1, 2, 0, 2]}


def recoded(counter):
    """The slow twin: the same rows with the groups as states."""
    columns = [
        np.array(CODES[v])[column] if v in CODES else column for v, column in enumerate(counter.columns)
    ]
    return SlowCounter(plain_schema([2, 2, 4, 3]), columns, counter.weights)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    scope=st.permutations(range(4)),
    size=st.integers(0, 4),
    weights=st.sampled_from([None, "whole", "real"]),
)
def test_equal_to_the_recoded_rows(seed, scope, size, weights):
    given_weights = {"whole": np.arange(60) % 4, "real": np.arange(60) / 8}.get(weights)
    counter = random_counter(seed, [2, 3, 4, 5], 60, weights=given_weights)
    merged, slow, part = MergedCounter(counter, GROUPS), recoded(counter), tuple(scope[:size])
    assert merged.n_rows == slow.n_rows
    np.testing.assert_array_equal(merged.counts(part), slow.counts(part))
    found, expected = merged.sparse_counts(part), slow.sparse_counts(part)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.codes, expected.codes)
    np.testing.assert_array_equal(found.counts, expected.counts)


def test_rows_where_a_feature_of_the_states_holds():
    counter = tw.count(tw.read_table({"size": ["L", "M", "S", "S"], "fits": ["no", "yes", "yes", "no"]}))
    merged = MergedCounter(counter, {"size": (("L",), ("M", "S"))})
    small = tw.count(counter.table.where(Feature({"size": "S"})))
    assert MergedCounter(small, merged.groups).counts(("size",)).tolist() == [0, 2]
    assert merged.schema["size"].states == (0, 1)
    assert merged.counts(("size",)).tolist() == [1, 3]


@pytest.mark.parametrize("wrap", [lambda c: c, tw.statistics.CachedCounter], ids=["table", "cached"])
def test_a_table_in_memory_is_judged_by_the_core(wrap):
    slow = random_counter(5, [2, 3, 4, 5], 300)
    weights = np.arange(300) % 3
    table = tw.Table(slow.schema, slow.columns, weights=weights)
    native = MergedCounter(wrap(tw.count(table)), GROUPS)
    from_tables = MergedCounter(SlowCounter(slow.schema, slow.columns, weights), GROUPS)
    assert isinstance(as_family_statistics(native), WholeCounter)
    assert isinstance(as_family_statistics(from_tables), FromTables)
    for family in [("x3", ()), ("x0", ("x3", "x1")), ("x2", ("x1",))]:
        assert tw.QNML(native).local(*family) == tw.QNML(from_tables).local(*family)


def test_refusals():
    counter = random_counter(1, [2, 3], 10)
    with pytest.raises(SchemaError, match="state 0 of 'x1' is in two groups"):
        MergedCounter(counter, {"x1": ((0, 1), (0, 2))})
    with pytest.raises(SchemaError, match="state 2 of 'x1' is in no group; every state needs one"):
        MergedCounter(counter, {"x1": ((0,), (1,))})
    with pytest.raises(ValueError, match="there is no variable 'y'; there are 'x0', 'x1'"):
        MergedCounter(counter, {"y": ((0,), (1,))})
    with pytest.raises(ValueError, match="x1='a' is not a state of x1; states are 0, 1, 2"):
        MergedCounter(counter, {"x1": (("a",), (0, 1, 2))})
