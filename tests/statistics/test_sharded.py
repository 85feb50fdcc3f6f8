import numpy as np
import pytest
from tests.reference.counting.counting import plain_schema, random_counter

import treewright as tw
from treewright.errors import SchemaError
from treewright.statistics import ShardedCounter, count
from treewright.tables import Feature, Table


def shards(seed=0):
    counters = [random_counter(seed + i, [2, 3, 2], 50) for i in range(3)]
    return [count(Table(c.schema, [x.astype(np.uint8) for x in c.columns])) for c in counters], counters


def test_the_rows_of_a_feature_in_shards():
    native, slow = shards()
    feature = Feature({"x0": 1})
    sharded = ShardedCounter(count(one.table.where(feature)) for one in native)
    expected = sum(c.given(feature).counts((1, 2)) for c in slow)
    np.testing.assert_array_equal(sharded.counts((1, 2)), expected)


def test_integer_and_real_weights_mix():
    codes = [np.array([0, 1, 1], np.uint8)]
    schema = plain_schema([2])
    both = ShardedCounter(
        [count(Table(schema, codes)), count(Table(schema, codes, weights=np.array([0.5, 1.0, 0.25])))]
    )
    np.testing.assert_allclose(both.counts((0,)), [1.5, 3.25])


def test_shards_must_agree():
    with pytest.raises(SchemaError, match="same columns and states"):
        ShardedCounter([random_counter(0, [2], 5), random_counter(0, [3], 5)])
    with pytest.raises(SchemaError, match="at least one shard"):
        ShardedCounter([])


def test_two_counters_add_up():
    one, other = (
        tw.count(tw.read_table({"a": cells}, schema=STATES_OF_A)) for cells in (["x", "y"], ["y", "y"])
    )
    both = one + other
    assert isinstance(both, tw.ShardedCounter)
    assert both.counters == (one, other)
    assert (both + tw.statistics.CachedCounter(one)).counts(("a",)).tolist() == [2, 4]
    with pytest.raises(TypeError):
        one + 3
    with pytest.raises(SchemaError, match="shards must have the same columns and states"):
        one + tw.count(tw.read_table({"b": ["x"]}))


STATES_OF_A = tw.Schema([tw.Variable("a", ("x", "y"))])
